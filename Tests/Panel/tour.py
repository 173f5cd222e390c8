"""The panel's part of the recorded tour: `python tour.py FOLDER` takes its pictures as docs/tour/panel.webp, and writes
what the page says in them to panel.txt, by which a test knows when they are out of date."""

import io
import re
import sys
from pathlib import Path

from appliance import APP, Appliance
from browser import browser
from scenes import push

SIZE = (1100, 720)
# What differs from one run to the next.
CHANGES = [
    (r"[0-9A-F]{8}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{12}", "UUID"), (r"\b\d\d:\d\d(:\d\d)?(\.\d+)?\b", "TIME"),
    (r":\d{4,5}\b", ":PORT"), (r"(?m)^#?\d+$", "NUMBER"),
]
TEXTS = [".banner", ".alert", "#board", ".note"]


def frames(panel):
    """The story: after each step, for how many milliseconds its picture is shown."""
    appliance = panel.appliance
    yield 1500
    push(appliance, '{"aps": {"alert": {"title": "A parcel", "body": "At the front door."}, "badge": 1, "sound": "parcel"}}')
    panel.wait_for(".banner", "A parcel")
    panel.wait_for(".note", "A parcel")
    panel.wait_for("#board", "last: parcel")
    yield 2000
    push(appliance, '{"aps": {"alert": {"title": "Two letters", "body": "They lie in the mailbox."}, "badge": 3, "sound": "letter"}}')
    panel.wait_for(".banner", "Two letters")
    panel.wait_for(".note", "Two letters")
    panel.wait_for("#board", "last: letter")
    yield 2000
    appliance.run("settings", APP, "style", "alert")
    push(appliance, '{"aps": {"alert": {"title": "Sort the mail?", "body": "Five letters, two parcels."}, "badge": 12, "sound": "stamp"}}')
    panel.wait_for(".alert", "Sort the mail?")
    panel.wait_for(".note", "Sort the mail?")
    panel.wait_for("#board", "last: stamp")
    yield 2500
    appliance.run("press", "close")
    panel.wait_gone(".alert")
    appliance.run("settings", "quiet-hours", "00:00-23:59")
    push(appliance, '{"aps": {"alert": {"title": "A late letter"}, "badge": 13, "sound": "letter"}}')
    panel.wait_for(".alert", "A late letter")
    panel.wait_for(".note", "A late letter")
    yield 2000
    appliance.run("press", "view")
    panel.wait_gone(".alert")
    panel.wait_gone(".note")
    appliance.run("app", "badge", APP, "0")
    panel.wait_gone(".app-icon .badge")
    yield 2000


def said(panel):
    """The words of the page, without what differs."""
    texts = []
    for selector in TEXTS:
        texts += panel.texts(selector)
    text = "\n".join(texts)
    for pattern, word in CHANGES:
        text = re.sub(pattern, word, text)
    return "\n".join(line.rstrip() for line in text.splitlines() if line.strip())


def tour(look):
    """Calls `look` with the panel and the milliseconds of each frame; returns all words."""
    pages = []
    # Nothing moves by itself: a banner stays for as long as it is looked at.
    with Appliance("--panel", "127.0.0.1:0", "--clock", "virtual", environment={"TZ": "UTC"}) as appliance:
        appliance.install_mailroom()
        with browser(appliance, SIZE) as panel:
            panel.open()
            panel.wait_for(".event")
            for milliseconds in frames(panel):
                look(panel, milliseconds)
                pages.append(said(panel))
    return "\n\n".join(f"== {number}\n{page}" for number, page in enumerate(pages, 1)) + "\n"


def main(folder):
    from PIL import Image
    pictures, durations = [], []

    def look(panel, milliseconds):
        pictures.append(Image.open(io.BytesIO(panel.driver.get_screenshot_as_png())).convert("RGB"))
        durations.append(milliseconds)

    words = tour(look)
    pictures[0].save(
        folder / "panel.webp", save_all=True, append_images=pictures[1:], duration=durations, loop=0, quality=80, method=6)
    (folder / "panel.txt").write_text(words, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
