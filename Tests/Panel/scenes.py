"""The scenes for pictures of the panel: each is a state of the appliance and of the page. `python -m Tests.Panel.scenes FOLDER`
takes all pictures without checks, also of a panel of another version (DESKBELL_SHARE)."""

import sys
from pathlib import Path

from Tests.Panel import browser as browsers
from Tests.Panel.browser import browser
from Tests.support.appliance import APP, Appliance

SIZES = {"phone": (390, 844), "tablet": (1000, 800), "desktop": (1440, 900)}
NEIGHBOUR = "com.example.kettle"


def install_neighbour(appliance):
    """Installs an app that is before the Mailroom in alphabetical order, and has not registered."""
    bundle = appliance.bundle(f"id: {NEIGHBOUR}\nname: Kettle\nlamp: breathe\n", name="kettle")
    appliance.run("app", "install", bundle, "--no-register")


def fill(panel):
    """Fills Notification Center with thirty notifications, some in threads, as after a day."""
    appliance = panel.appliance
    for number in range(24):
        appliance.push('{"aps": {"alert": {"title": "Letter %d", "body": "In the box by the front door, from Ada."}, "thread-id": "letters"}}' % number)
    for number in range(4):
        appliance.push('{"aps": {"alert": {"title": "Parcel %d is on its way from the depot in Novi Sad", "body": "It comes between ten and eleven."}, "thread-id": "parcels"}}' % number)
    appliance.push('{"aps": {"alert": {"title": "The postman is here", "body": "He has something to sign, and comes only once a day."}, "interruption-level": "time-sensitive"}}')
    appliance.push('{"aps": {"alert": {"title": "Two letters", "body": "They lie in the mailbox."}, "badge": 12, "sound": "letter"}}')
    panel.wait_for(".note", "Two letters")
    panel.wait_gone(".banner")


def send(panel):
    panel.script("""
        const body = document.getElementById('push-body');
        if (!body.value) body.value = 'From the panel';
        const app = document.getElementById('push-app');
        app.value = arguments[0]; app.dispatchEvent(new Event('change', { bubbles: true }));""", APP)
    panel.press("#push-send")
    panel.wait_for("#push-result .answer", "200")
    panel.wait_gone(".banner")


def send_broken(panel):
    panel.script("""
        document.querySelectorAll('.composer details').forEach((each) => { each.open = true; });
        document.getElementById('push-payload').value = '{\\n  "aps": {\\n    "alert": "Hello",\\n    "badge": 1,,\\n  }\\n}';""")
    panel.press("#push-send")
    panel.wait_for("#push-result .answer.bad", "PayloadEmpty")


def overflow(panel):
    panel.appliance.push('{"aps": {"badge": 123456}}')
    panel.wait_for(".digits.blinks")
    # In the half of each second in which blinking parts are dark.
    panel.script("for (const each of document.getAnimations()) if (each.animationName === 'blink') { each.pause(); each.currentTime = 750; }")


def breathe(panel):
    panel.appliance.run("settings", APP, "lamp", "breathe")
    panel.wait_for(".part-lamp .part-words", "breathe")


def lose(panel):
    panel.appliance.stop()
    panel.wait_for("#link[data-link=lost]")


def find(panel):
    """Starts the daemon again; sessions of older versions do not survive this."""
    panel.appliance.start()
    panel.driver.get("about:blank")
    panel.open()


def sign_out(panel):
    panel.press("#sign-out")
    panel.wait_for("#sign-in")


# The scenes by name: the function to call first, and the part to show.
SCENES = {
    "empty-composer": (lambda panel: None, "body"),
    "center": (fill, "body"),
    "sent": (send, "#compose"),
    "broken": (send_broken, "#compose"),
    "overflow": (overflow, "#board"),
    "breathe": (breathe, "#board"),
    "lost": (lose, "body"),
    "signed-out": (lambda panel: (find(panel), sign_out(panel)), "body"),
}


def views(panel, at, look):
    """Shows the page in each size, in light and dark, scrolled to that part."""
    for theme in ["light", "dark"]:
        browsers.prefer(panel.driver, "color-scheme", theme)
        for size, (width, height) in SIZES.items():
            panel.resize(width, height)
            panel.on(at, "(element) => element.scrollIntoView({ behavior: 'instant' })")
            look(f"{size}-{theme}")


def main(folder):
    browsers.PICTURES = Path(folder)
    with Appliance("--panel", "127.0.0.1:0") as appliance:
        install_neighbour(appliance)
        appliance.install_mailroom()
        appliance.place_panel()
        with browser(appliance) as panel:
            panel.open()
            for name, (prepare, at) in SCENES.items():
                prepare(panel)
                views(panel, at, lambda view: panel.picture(f"{name}-{view}"))
                for size in SIZES if name == "center" else ():
                    panel.resize(*SIZES[size])
                    panel.picture(f"whole-{size}", whole=True)


if __name__ == "__main__":
    main(sys.argv[1])
