"""Takes the pictures of the panel in docs/: `python -m Tests.Panel.pictures FOLDER`, by `make panel-pictures`."""

import sys
from pathlib import Path

from Tests.Panel import browser as browsers
from Tests.Panel.browser import browser
from Tests.support.appliance import Mailroom


def main(folder):
    browsers.PICTURES = Path(folder)
    with Mailroom("--panel", "127.0.0.1:0", "--clock", "virtual") as appliance:
        with browser(appliance) as panel:
            panel.open()
            appliance.notify("A parcel", "At the front door, from Ada.", badge=11)
            appliance.notify("Two letters", "They are in the mailbox.", badge=12, sound="letter")
            panel.wait_for(".note", "Two letters")
            panel.wait_for(".part-words", "double")
            panel.resize(1440, 940)
            panel.settle()
            panel.picture("panel")
            appliance.run("settings", "quiet-hours", "00:00-23:59")
            appliance.notify("A card", "From the seaside.", badge=13, sound="letter")
            panel.wait_for(".note", "A card")
            panel.wait_for(".event", "quiet hours")
            panel.resize(1000, 820)
            panel.script("document.querySelector('.explain').click()")
            panel.wait_for("#explanation-title", "Why it did not ring")
            panel.picture("panel-why")


if __name__ == "__main__":
    main(sys.argv[1])
