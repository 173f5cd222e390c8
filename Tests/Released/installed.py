"""What a container, a card, a package and a broker have for people to rely on: users, ports, paths, units, the keys of
deskbell.txt, variables and topics. Only the topics need a running program; nothing is built.
"""

import configparser
import json
import re
import shlex

from Tests.Released.answers import shape
from Tests.Released.files import merged, said
from Tests.support.appliance import Appliance
from Tests.support.broker import Broker, Subscriber
from Tests.support.project import ROOT, load

# What is promised of a unit; systemd's other keys are the sandbox.
UNIT = ("User", "Group", "StateDirectory", "ConfigurationDirectory", "RuntimeDirectory", "ListenStream",
        "ConditionPathExists")
# The places of a package that docs/install.md names.
PLACES = ("/usr/bin/deskbell", "/etc/deskbell", "/lib/systemd/system", "/usr/share/deskbell", "/usr/share/doc/deskbell")
BASE = "deskbell/desk"


def form():
    return {"container image": image(), "deskbell.txt": card(), "package": package(), **units(),
            "environment": {"variable": dict.fromkeys(variables(), "")}, **topics()}


def quoted(value):
    return f"'{value}'"


def image():
    config = load("packaging/oci.py").configuration("0", "amd64", "", "")["config"]
    return {
        "value": {"User": quoted(config["User"]), **{name: quoted(shlex.join(words)) for name, words in (
            ("Entrypoint", config["Entrypoint"]), ("Cmd", config["Cmd"]), ("Healthcheck", config["Healthcheck"]["Test"]))}},
        "port": dict.fromkeys(config["ExposedPorts"], ""), "volume": dict.fromkeys(config["Volumes"], ""),
        "variable": {name: quoted(value) for name, _, value in (one.partition("=") for one in config["Env"])
                     if name.startswith("DESKBELL_")}}


def card():
    """Returns the keys that the card reads. `card_template` has those that people find in the file."""
    script = (ROOT / "packaging/sd-card/root/usr/libexec/deskbell-card").read_text()
    return {"key": dict.fromkeys(sorted(set(re.findall(r"\$\(value ([a-z-]+)\)", script))), "")}


def card_template():
    text = (ROOT / "packaging/sd-card/deskbell.txt").read_text()
    return sorted(re.findall(r"(?m)^([a-z-]+):", text))


def package():
    """Returns the places to which the package's script writes."""
    script = (ROOT / "packaging/deb.sh").read_text()
    script = script.replace("$documents", re.search(r"(?m)^documents=(\S+)$", script)[1])
    return {"path": {place: "" for place in PLACES if re.search(rf'["/ ]{re.escape(place[1:])}["/ \n]', script)}}


def units():
    found = {}
    for path in sorted((ROOT / "systemd").iterdir()):
        unit = configparser.ConfigParser(strict=False, interpolation=None)
        unit.optionxform = str
        unit.read(path)
        values = {key: value for section in unit.values() for key, value in section.items() if key in UNIT}
        found[f"unit {path.name}"] = {"value": {key: quoted(value) for key, value in sorted(values.items())}}
    return found


def variables():
    """Returns the variables of this project that the program reads or sets, and that a page or a help names."""
    sources = "\n".join(path.read_text() for path in (ROOT / "Sources").rglob("*.swift"))
    pages = "\n".join(path.read_text() for folder in ("docs", "kits") for path in (ROOT / folder).rglob("*.md"))
    used = set(re.findall(r'"(DESKBELL_[A-Z_]+)"', sources))
    return sorted(used & set(re.findall(r"DESKBELL_[A-Z_]+", pages + said("--experimental-dump-help"))))


def topics():
    """Returns the topics of a desk at a broker, the keys of their messages, and Home Assistant's entities."""
    with Broker() as broker, Subscriber(broker) as house:
        settings = f"mqtt:\n  broker: mqtt://127.0.0.1:{broker.port}\n  topic: {BASE}\n"
        with Appliance(settings=settings) as appliance:
            appliance.environment["HOME"] = str(appliance.folder)
            appliance.run("app", "new", "topics")
            appliance.run("push", "home.topics", "--title", "Hello", "--badge", "1")
            house.expect_last(f"{BASE}/state", badge=1)
            appliance.run("press", "close")
            house.wait(lambda _: house.published(f"{BASE}/event/button"), "a button's event")
            house.wait(lambda _: house.published(f"{BASE}/event/notification"), "a notification's event")
            device = appliance.report("state")["deviceID"][:12]
            config = f"homeassistant/device/deskbell-{device}/config"
            description = json.loads(house.published(config)[-1])
        house.expect(f"{BASE}/availability", "offline")
        heard = [each for each in house.heard if each and each.topic.startswith(BASE)]
    components = description["components"].values()
    # Relative to the desk's own beginning.
    commands = {each["command_topic"] for each in components if "command_topic" in each}
    found = {f"MQTT …{topic.removeprefix(BASE)}": {} for topic in sorted(commands)}
    for topic in sorted({each.topic for each in heard}):
        messages = [each.payload.decode() for each in heard if each.topic == topic]
        shapes = [keys(json.loads(text)) for text in messages if text.startswith("{")]
        found[f"MQTT …{topic.removeprefix(BASE)}"] = {"message's key": merged(shapes)} if shapes else {
            "message": dict.fromkeys(sorted(set(messages)), "")}
    found["MQTT homeassistant/device/deskbell-…/config"] = {
        "entity": {key: quoted(each["platform"]) for key, each in sorted(description["components"].items())}}
    return found


def keys(message):
    """Returns the tree of a message, in which apps have names that are not ours."""
    return {key: {"*": "number"} if key == "apps" else shape(value) for key, value in message.items()}
