"""The answers of commands with `--json`: their keys and types after one scene, on a desk and on a test bench.

A key that the scene does not lead to is not seen here. Most answers are those of the control API, whose description has
all of them.
"""

import json
import os
import re
import shlex
import subprocess
import tempfile
from pathlib import Path

from Tests.Released.files import merged
from Tests.Released.record import APP, OPTIONS, Scene, identifier
from Tests.support.appliance import Appliance
from Tests.support.project import DESKBELL, PATIENCE_SECONDS, ROOT

DESK = f"""
conditions offline off; state; handsets; clock show; conditions; settings; settings {APP}; center; snooze; local list
provider list; topic list; topic key parcels; hook list; hook key ci; hook templates
app list; app token {APP}; app tokens; app key {APP}; app activities {APP}; app new parcels
focus set work --allow {APP}; focus list; focus on work; focus off; channel list
activity list; fetch; explain {identifier(1)}; explain {identifier(9)}; delivery-log {identifier(1)}
delivery-log --statuses; ca show --pin; metrics token; doctor; sound check Sounds/bell.wav; check FOLDER/board.yaml
conditions silent on; push {APP} --title Hello; press close; clock advance 1s; backup FOLDER/backup --state STATE
"""
# Without a daemon.
ALONE = """
board new FOLDER/desk.yaml --with '{ like: raspberry-pi-4, board: Desk, lamp: 11 }'
setup --board simulated --listen 127.0.0.1:0 --config FOLDER/setup.yaml --state FOLDER/setup --provider-folder FOLDER/own
"""
BENCH = f"""
fault presets; fault add name=busy answer=503 reason=ServiceUnavailable pushes=1-1; push {APP} --title Hello
push {APP} --title Hello; fault list; requests --since 0; lint --since 0; lint --rules; events --settled --since 0
scenario check examples/scenarios/01-badge.yaml
"""


def shape(value):
    """Returns the tree of a value of JSON."""
    if isinstance(value, dict):
        return {name: shape(inner) for name, inner in value.items()}
    if isinstance(value, list):
        inner = merged([shape(one) for one in value])
        return {"[]": inner} if value else {}
    return {bool: "boolean", int: "number", float: "number", str: "string", type(None): "null"}[type(value)]


def forms(board):
    """Returns the tree of each command's answer. `board` is the document of a board."""
    with tempfile.TemporaryDirectory(prefix="deskbell-answers-") as name:
        folder = Path(name)
        (folder / "bundles").mkdir()
        (folder / "board.yaml").write_text(json.dumps(board))
        with Appliance(*OPTIONS, environment={"TZ": "Europe/Berlin"}) as appliance, Scene(appliance) as scene:
            scene.play(folder / "bundles")
            found = printed(DESK, folder, appliance.environment, where="", state=appliance.state)
            found["deskbell metrics"] = {"metric": metrics(appliance.run("metrics"))}
        own = {**os.environ, "DESKBELL_CONTROL": str(folder / "none.sock"), "HOME": name}
        found |= printed(ALONE, folder, own, where="")
        bench = subprocess.Popen(
            [DESKBELL, "bench", "--json", "--until-eof"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**os.environ, "TMPDIR": name})
        try:
            variables = json.loads(bench.stdout.readline())
            found["deskbell bench"] = {"answer's key": shape(variables)}
            of_bench = {**os.environ, "DESKBELL_CONTROL": variables["BELL_CONTROL"]}
            found |= printed(BENCH, folder, of_bench, where=" of a bench")
        finally:
            bench.communicate(timeout=PATIENCE_SECONDS)
    return found


def printed(script, folder, environment, where, state=None):
    """Runs the commands of a script; returns the tree of each answer by its command and `where`."""
    found = {}
    for line in (line.strip() for lines in script.splitlines() for line in lines.split(";")):
        if not line:
            continue
        words = shlex.split(line.replace("FOLDER", str(folder)).replace("STATE", str(state)))
        done = subprocess.run(
            [DESKBELL, *words, "--json"], capture_output=True, text=True, env=environment, cwd=ROOT,
            stdin=subprocess.DEVNULL, timeout=PATIENCE_SECONDS)
        try:
            found[f"deskbell {line} --json{where}"] = {"answer's key": shape(parsed(done.stdout))}
        except ValueError as error:
            raise AssertionError(f"{line}: {done}") from error
    return found


def parsed(text):
    """Returns the JSON; of several lines, a list."""
    try:
        return json.loads(text)
    except ValueError:
        return [json.loads(line) for line in text.splitlines() or [""]]


def metrics(text):
    """Returns the names of the metrics, with their labels."""
    found = {}
    for name, labels in re.findall(r"^(\w+)(?:\{(.*?)\})? ", text, re.MULTILINE):
        found.setdefault(name, {}).update({label: "" for label in re.findall(r'(\w+)="', labels)})
    return found
