"""The keys that Deskbell reads in files, as its own errors name them.

`stable/documents.json` has a document for each kind of file, with every key. It is written to a file as JSON, which is
YAML, and `deskbell check` reads it with one thing changed: a key too many, for which the error lists the valid ones; a
key too few, which is an error if it is required; or a wrong word, for which the error lists the right ones.
"""

import copy
import json
import re
import subprocess
import tempfile
from pathlib import Path

from Tests.Released.promise import alternatives
from Tests.support.project import DESKBELL

# No word that is meant by mistake.
STRANGE = "zzqqzzqqzz"


def said(*arguments):
    """Returns what the program prints."""
    return subprocess.run([DESKBELL, *arguments], capture_output=True, text=True, timeout=60, check=True).stdout


def errors(file, document):
    """Returns what Deskbell has against the document."""
    with tempfile.TemporaryDirectory(prefix="deskbell-files-") as folder:
        path = Path(folder) / file
        (path.parent / "bin").mkdir(parents=True)
        path.write_text(json.dumps(document))
        hook = path.parent / "bin/hook"
        hook.write_text("#!/bin/sh\n")
        hook.chmod(0o755)
        place = path.parent if path.name == "app.yaml" else path
        match path.stem:
            case "scenario": words = ["scenario", "check", place]
            # The answers are no file, but a text in the same form.
            case "answers": words = ["board", "new", path.with_name("new.yaml"), "--with", path.read_text()]
            case _: words = ["check", place]
        done = subprocess.run([DESKBELL, *words], capture_output=True, text=True, timeout=60)
    assert done.returncode in (0, 1, 2), done
    lines = (done.stdout + done.stderr).splitlines()
    return [line.partition("error: ")[2] for line in lines if "error: " in line]


def form(sample):
    """Returns the tree of a kind of file from its sample: `file`, its name; `document`; `own`, the names in it that it
    gives itself."""
    return Probe(**sample).tree(())


class Probe:
    """Finds the keys of one document."""

    def __init__(self, file, document, own=()):
        self.file, self.document, self.own = file, document, {f"'{name}'" for name in (*own, STRANGE)}

    def errors(self, path, change):
        """Returns the errors after `change` got the parent of the value at the path, and its key or place."""
        holder = {"": copy.deepcopy(self.document)}
        inner, key = holder, ""
        for step in path:
            inner, key = inner[key], step
        change(inner, key)
        return "\n".join(errors(self.file, holder[""]))

    def tree(self, path):
        node = self.at(path)
        if isinstance(node, dict):
            return self.names(path, node)
        if isinstance(node, list):
            return {"[]": merged([self.tree((*path, place)) for place in range(len(node))])}
        return self.words(path)

    def at(self, path):
        node = self.document
        for step in path:
            node = node[step]
        return node

    def names(self, path, node):
        said = self.errors(path, lambda holder, key: holder[key].__setitem__(STRANGE, 1))
        if "must have one key" in said:
            said = self.errors(path, lambda holder, key: holder.__setitem__(key, {STRANGE: 1}))
        listed = [line for line in said.splitlines() if f"'{STRANGE}'" in line]
        known = [name for line in listed for name in self.listed(line)]
        inner = {name: self.tree((*path, name)) for name in node}
        if not known:
            return {"*": merged(list(inner.values()))}
        found = {}
        for name in known:
            needed = name in node and f"required key '{name}' is missing" in self.errors(
                (*path, name), lambda holder, key: holder.pop(key))
            found[name + "!" * needed] = inner.get(name, "")
        return found

    def listed(self, line):
        quoted = line.partition("valid here: ")[2]
        return re.findall("'([^']+)'", quoted) or [
            word for word in line.partition("there are ")[2].split(", ") if word]

    def words(self, path):
        said = self.errors(path, lambda holder, key: holder.__setitem__(key, STRANGE))
        found = re.search("must be one of (.*), not '", said)
        words = found[1].split(", ") if found else []
        return "" if self.own.intersection(words) else " | ".join(sorted(words))


def lacking(document, form, path=""):
    """Returns the keys of the form that the document does not have, and whose values are therefore unknown."""
    if isinstance(form, dict) and "[]" in form:
        document = {str(place): one for place, one in enumerate(document)}
        form = {place: form["[]"] for place in document}
        # What one item of a list has, another one need not have.
        found = [set(lacking(one, form[place], path)) for place, one in document.items()]
        return sorted(set.intersection(*found)) if found else []
    if not isinstance(form, dict) or not isinstance(document, dict):
        return []
    if "*" in form:
        found = [set(lacking(one, form["*"], f"{path}*.")) for one in document.values()]
        return sorted(set.intersection(*found)) if found else []
    found = []
    for name, inner in form.items():
        name = name.removesuffix("!")
        found += lacking(document[name], inner, f"{path}{name}.") if name in document else [path + name]
    return found


def merged(trees):
    """Returns what all the trees have. What one of them does not need is not required."""
    trees = [tree for tree in trees if tree != ""]
    objects = [tree for tree in trees if isinstance(tree, dict)]
    if not objects:
        return " | ".join(sorted(set().union(*map(alternatives, trees)))) if trees else ""
    found = {}
    for name in dict.fromkeys(name.removesuffix("!") for tree in objects for name in tree):
        needed = all(f"{name}!" in tree for tree in objects)
        values = [tree[key] for tree in objects for key in (name, f"{name}!") if key in tree]
        found[name + "!" * needed] = merged(values)
    return found
