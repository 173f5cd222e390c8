"""Compares a form of the program with the one that is promised.

A form is a tree of JSON: by subject ("GET /v1/state"), by noun ("answer's key"), then names. A name that ends with `!`
is always there, or has to be given. Below a name is either

- a tree of further names, with `[]` for each item of a list and `*` for each value of a mapping with any keys, or
- the types of a value, with the words it can be: `integer | null`, `'on' | 'off'`; empty if none are promised, or
- a list: all there are, to which nothing is added.

What is given to Deskbell (`TAKEN`) may become more: other types, optional names. What Deskbell gives may get further
names and words, but no other types, and what is always there stays so.
"""

import re

END = "2.0"
# The nouns of what is given to Deskbell.
TAKEN = {"option", "argument", "parameter", "request's key", "key", "setting", "preset"}


def broken(promised, present):
    """Returns a sentence for each promise that the present form breaks."""
    found = []
    for subject, nouns in promised.items():
        if subject not in present:
            found.append(f"{subject} is gone; it is promised until {END}")
            continue
        now = present[subject]
        for noun in [*nouns, *(noun for noun in now if noun in TAKEN and noun not in nouns)]:
            comparison = Comparison(subject, noun)
            comparison.compare(nouns.get(noun, {}), now.get(noun, {}), "")
            found += comparison.found
    return found


def deprecated(changelog):
    """Returns what each section of the changelog lists under "Deprecated", the newest section first."""
    lists = (section.partition("\n### Deprecated\n")[2].partition("\n#")[0]
             for section in re.split(r"(?m)^## ", changelog)[1:])
    return [re.findall(r"(?m)^- `([^`]+)`: ", text) for text in lists]


def unannounced(found, changelog, version):
    """Returns the broken promises of `found` that this version may not break: before 2.0 all of them, then those that
    were not listed two releases before."""
    if int(version.split(".")[0]) < int(END.split(".")[0]):
        return found
    announced = tuple(name for section in deprecated(changelog)[2:] for name in section)
    return [sentence for sentence in found if not sentence.startswith(announced)]


def added(promised, present, path=""):
    """Returns what the present form has beyond the promised one."""
    if isinstance(promised, list):
        return [f"{path}: {value}" for value in present if value not in promised]
    if isinstance(promised, str) or not isinstance(present, dict):
        if promised == present:
            return []
        return [f"{path}: {word}" for word in sorted(alternatives(present) - alternatives(promised))]
    known = {bare(name): tree for name, tree in promised.items()}
    found = []
    for name, tree in present.items():
        here = f"{path}: {bare(name)}" if path else bare(name)
        found += added(known[bare(name)], tree, here) if bare(name) in known else [here]
    return found


def bare(name):
    return name.removesuffix("!")


def alternatives(types):
    return set(types.split(" | ")) if isinstance(types, str) else {"object"}


class Comparison:
    def __init__(self, subject, noun):
        self.subject, self.noun, self.takes, self.found = subject, noun, noun in TAKEN, []

    def say(self, path, sentence):
        name = f" '{path}'" if path else ""
        self.found.append(f"{self.subject}: the {self.noun}{name} {sentence}")

    def compare(self, promised, present, path):
        if isinstance(promised, list):
            for value in promised:
                if value not in present:
                    self.say(str(value), f"is gone; it is promised until {END}")
            for value in present:
                if value not in promised:
                    known = ", ".join(map(str, promised))
                    self.say(str(value), f"is new; until {END} there are no others than {known}")
        elif isinstance(promised, dict) and isinstance(present, dict):
            self.compare_names(promised, present, path)
        elif promised:
            self.compare_types(promised, present, path)

    def compare_names(self, promised, present, path):
        by_name = {bare(name): name for name in present}
        for name, tree in promised.items():
            here = bare(name) if not path else path + bare(name) if name == "[]" else f"{path}.{bare(name)}"
            now = by_name.pop(bare(name), None)
            if now is None:
                self.say(here, f"is gone; it is promised until {END}")
                continue
            if self.takes and now.endswith("!") and now != name:
                self.say(here, f"is required now; until {END} it may be left out")
            if not self.takes and name.endswith("!") and now != name:
                self.say(here, f"may be absent now; it is promised to be there until {END}")
            self.compare(tree, present[now], here)
        for name, now in by_name.items():
            if self.takes and now.endswith("!"):
                here = f"{path}.{name}" if path else name
                self.say(here, f"is new and required; until {END} a new one may be left out")

    def compare_types(self, promised, present, path):
        was, now = alternatives(promised), alternatives(present)
        lost = {one for one in was - now if not (self.takes and one.startswith("'") and now & {"string", "any"})}
        new_types = {one for one in now - was if not one.startswith("'")}
        words = all(one.startswith("'") for one in lost) and not (new_types and not self.takes)
        if lost and words:
            self.say(path, f"has no {', '.join(sorted(lost))} any more, promised until {END}")
        elif lost or new_types and not self.takes:
            shown = "an object" if isinstance(present, dict) else present
            was = "an object" if isinstance(promised, dict) else promised
            self.say(path, f"was {was} and is {shown}; its type is promised until {END}")
