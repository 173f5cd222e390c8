"""What is promised until 2.0, recorded from the program itself.

    DESKBELL=path/to/released/deskbell .build/clients/bin/python -m Tests.Released.forms

writes the files of Tests/Released/stable, and prints what they have beyond the earlier ones. If a promise is broken, it
writes nothing. `Tests/Clients/test_stable.py` compares every later version with them. `documents.json` is written by
hand: a new key in a file of settings, a board, an app or a scenario belongs in it.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from Tests.Released import answers, files, installed
from Tests.Released.files import said
from Tests.Released.promise import added, broken
from Tests.Released.released import HERE, releases
from Tests.support.project import DESKBELL, ROOT

STABLE = HERE / "stable"
NO_DAEMON = 3
# Commands that have the options of a client, and start a daemon or change this machine.
STARTING = {"deskbell setup", "deskbell serve", "deskbell bench start", "deskbell demo", "deskbell restore"}
# The keys that a document cannot have beside its others, by the first word of its kind.
EXCLUDED = {"board": ("chip",), "display": ("chip",),
            "settings": ("fleet.desk", "fleet.gateway", "fleet.seed", "speaker.wav")}
METHODS = ["get", "post", "put", "delete"]


def read(name):
    return json.loads((STABLE / f"{name}.json").read_text())


def write(name, form):
    """Writes a form with a line for each subject, so that a change is a change of few lines."""
    lines = [f"{json.dumps(subject, ensure_ascii=False)}: {json.dumps(form[subject], ensure_ascii=False)}" for subject in sorted(form)]
    (STABLE / f"{name}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


def commands(everything=True):
    """Returns the commands with what they take and their exit codes, by the program's help. What no help lists is not
    promised, but what was promised may be hidden: so `everything` is compared."""
    found = {}

    def visit(command, path):
        if not (everything or command.get("shouldDisplay", True)):
            return
        listed = [one for one in command.get("arguments", []) if everything or one["shouldDisplay"]]
        form = {"option": {}, "argument": {}}
        for place, one in enumerate(one for one in listed if one["kind"] == "positional"):
            form["argument"][str(place + 1) + needed(one)] = kind(one)
        for one in listed:
            for name in one.get("names", []):
                if name["name"] in ("h", "help", "version") and path != "deskbell":
                    continue
                dashes = "-" if name["kind"] == "short" else "--"
                form["option"][dashes + name["name"] + needed(one)] = kind(one)
        if command.get("defaultSubcommand"):
            form["subcommand without a name"] = f"'{command['defaultSubcommand']}'"
        if codes := exit_codes(command.get("discussion") or ""):
            form["exit code"] = dict.fromkeys(codes, "")
        found[path] = {noun: names for noun, names in form.items() if names}
        for inner in command.get("subcommands", []):
            visit(inner, f"{path} {inner['commandName']}")

    visit(json.loads(said("--experimental-dump-help"))["command"], "deskbell")
    # A help that names one of these for its command as well is no new exit code.
    found["deskbell"]["exit code"] = sorted({code for form in found.values() for code in form.get("exit code", {})})
    with tempfile.TemporaryDirectory(prefix="deskbell-commands-") as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
        codes = pool.map(lambda path: alone(path, found[path], folder), found)
        for path, code in zip(list(found), codes):
            if code == NO_DAEMON:
                found[path]["exit code without a daemon"] = [str(code)]
    return found


def alone(path, form, folder):
    """Returns the exit code of a command of a daemon where there is none; None for other commands."""
    options = form.get("option", {})
    if not {"--control", "--json"} <= options.keys() or path in STARTING:
        return None
    line = path.split()[1:] + ["x" for name in form.get("argument", {}) if name.endswith("!")]
    line += [word for name in options if name.endswith("!") for word in (name.removesuffix("!"), "x")]
    done = subprocess.run(
        [DESKBELL, *line, "--control", f"{folder}/none.sock"], capture_output=True, cwd=folder,
        stdin=subprocess.DEVNULL, env={**os.environ, "HOME": folder}, timeout=60)
    return done.returncode


def words(values):
    return " | ".join(sorted(f"'{value}'" for value in values))


def needed(argument):
    return "" if argument["isOptional"] else "!"


def kind(argument):
    if values := argument.get("allValues"):
        return words(values)
    # What may be repeated may be given once.
    return ("flag" if argument["kind"] == "flag" else "value") + " | repeated" * argument["isRepeating"]


def exit_codes(help_text):
    """Returns the numbers in the sentences about the exit."""
    sentences = re.split(r"\.\s", " ".join(help_text.split()))
    about = [sentence for sentence in sentences if re.search(r"\b[Ee]xits? (with|codes?)\b|\bexit code\b", sentence)]
    return [number for sentence in about for number in re.findall(r"(?:codes:|with|is|and|,) (\d)\b", sentence)]


def api():
    description = json.loads(said("openapi"))
    components = description["components"]

    def resolved(part):
        while "$ref" in part:
            _, _, folder, name = part["$ref"].split("/")
            part = components[folder][name]
        return part

    def tree(schema):
        schema = resolved(schema)
        if "oneOf" in schema:
            return files.merged([{name.removesuffix("!"): inner for name, inner in tree(one).items()}
                                 for one in schema["oneOf"]])
        if "enum" in schema:
            return words(schema["enum"])
        if schema.get("type") == "array":
            return {"[]": tree(schema.get("items", {}))}
        if schema.get("properties"):
            return {name + "!" * (name in schema.get("required", [])): tree(inner)
                    for name, inner in schema["properties"].items()}
        if isinstance(schema.get("additionalProperties"), dict):
            return {"*": tree(schema["additionalProperties"])}
        return schema.get("type", "any")

    def shaped(noun, content):
        schema = content.get("application/json", {}).get("schema")
        return {noun: tree(schema)} if schema else {}

    found = {"a refusal": {"answer's key": tree(components["schemas"]["ErrorBody"])}}
    for path, operations in description["paths"].items():
        for method in (method for method in METHODS if method in operations):
            operation = operations[method]
            servers = operation.get("servers", operations.get("servers", description["servers"]))
            bases = [server["url"].removeprefix("http://localhost") for server in servers]
            parameters = [resolved(one) for one in operation.get("parameters", [])]
            status, answer = next((status, resolved(answer)) for status, answer in operation["responses"].items()
                                  if status.startswith("2"))
            content = answer.get("content", {})
            found[f"{method.upper()} {bases[0]}{path}"] = {
                "address": {base + path: "" for base in bases},
                "parameter": {one["name"] + "!" * one["required"]: tree(one["schema"]) for one in parameters},
                **shaped("request's key", resolved(operation.get("requestBody", {})).get("content", {})),
                "answer": {status: words(content)},
                **shaped("answer's key", content),
            }
    return {subject: {noun: names for noun, names in form.items() if names} for subject, form in found.items()}


def events():
    """Returns each event with its keys, and the reasons. The core's tests hold the golden file to the program: it has
    each event as this version writes it."""
    schema = json.loads(said("openapi"))["components"]["schemas"]["EventReport"]
    common = {name + "!" * (name in schema["required"]): tree["type"] for name, tree in schema["properties"].items()}
    common["event!"] = "string"
    found = {"each event": {"event's key": common}}
    found |= {f"event {name}": {"event's key": {}} for name in schema["properties"]["event"]["enum"]}
    for text in re.findall(r"\{.*?\}", (ROOT / "Tests/Core/HandsetCoreTests/Golden/events-1.txt").read_text()):
        event = json.loads(text)
        keys = found[f"event {event['event']}"]["event's key"]
        for name in sorted(event.keys() - schema["properties"].keys()):
            keys[name] = files.merged([keys.get(name, ""), answers.shape(event[name])])
    for reason in schema["x-reasons"]:
        found[f"event {reason['event']}"].setdefault("reason", {})[reason["reason"]] = ""
    return found


def file_keys():
    samples = read("documents")
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return dict(zip(samples, ({"key": form} for form in pool.map(files.form, samples.values()))))


def without_sample(form):
    """Returns a complaint for each type of display and lamp that has no document: its keys would not be recorded. An
    ordinary lamp is the board's."""
    found = []
    for kind, ordinary in (("display", ()), ("lamp", ("led",))):
        keys = [nouns["key"] for subject, nouns in form.items() if subject.startswith(f"{kind} ")]
        types = {word.strip("'") for one in keys for word in one.get(kind, one)["type"].split(" | ")}
        found += [f"documents.json has no '{kind} {one}'" for one in sorted(types.difference(ordinary))
                  if f"{kind} {one}" not in form]
    return found


def unequal(documents, form):
    """Returns a complaint for each kind of file of which only one of the two has something."""
    return [f"{one}.json has no '{subject}'" for one, names, others in (
        ("documents", documents, form), ("files", form, documents)) for subject in sorted(others.keys() - names.keys())]


def incomplete(documents, form):
    """Returns a complaint for each key that a document does not have: what is below it would not be recorded. Some keys
    exclude others."""
    found = []
    for subject in sorted(documents.keys() & form.keys()):
        keys, kind = form[subject]["key"], subject.split()[0]
        if kind == "lamp":
            # The rest is in the board's document.
            keys = {"lamp": keys["lamp"]}
        lacking = files.lacking(documents[subject]["document"], keys)
        found += [f"documents.json: '{subject}' has no '{key}'" for key in lacking if key not in EXCLUDED.get(kind, ())]
    return found


def settings():
    tables = json.loads(said("reference"))
    found = {"conditions": {"setting": {one["key"]: "" for one in tables["conditions"]}}}
    for owner in ("handset", "app"):
        found[f"settings of the {owner}"] = {"setting": {one["key"]: words(one["values"]) for one in tables[owner]}}
    return found


def bench():
    """Returns the linter's rules. The API's POST /v1/faults has the keys of faults, and the names of the presets."""
    rules = json.loads(said("lint", "--rules", "--json"))
    return {"deskbell lint": {"rule": {rule["code"]: f"'{rule['name']}'" for rule in rules}}}


def database():
    """Returns the versions whose databases are opened: test_released.py opens them."""
    return {"database": {"release": {release.name: "" for release in releases()}}}


def json_answers():
    return answers.forms(read("documents")["board"]["document"])


FORMS = {"commands": commands, "api": api, "events": events, "files": file_keys, "settings": settings, "bench": bench,
         "database": database, "answers": json_answers, "installed": installed.form}


def shown(name, form):
    """Returns the form that is recorded, of the form with everything that the program has."""
    return commands(everything=False) if name == "commands" else form


def main():
    new = {name: make() for name, make in FORMS.items()}
    old = {name: read(name) if (STABLE / f"{name}.json").exists() else {} for name in FORMS}
    complaints = [sentence for name in FORMS for sentence in broken(old[name], new[name])]
    complaints += without_sample(new["files"]) + incomplete(read("documents"), new["files"])
    if complaints:
        sys.exit("\n".join([*complaints, "Nothing is written: docs/stability.md and CONTRIBUTING.md say why."]))
    for name, form in ((name, shown(name, form)) for name, form in new.items()):
        for line in added(old[name], form):
            print(f"new in {name}: {line}")
        write(name, form)


if __name__ == "__main__":
    main()
