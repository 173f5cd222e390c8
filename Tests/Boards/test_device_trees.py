"""Each shipped board has the chips, lines and labels that its file names, in the device trees of Debian's kernels.

A tree belongs to the board that `deskbell setup` proposes for its model, so that models are compared, too. `make
test-boards` prints what was compared; the table of board-configs/README.md says the same.
"""

import collections
import copy
import re
import unittest

from Tests.Boards import device_trees
from Tests.Hardware import boards
from Tests.support.project import DESKBELL, ROOT

FILES = ROOT / "board-configs"
# The endings of files for the same board with further devices.
VARIANTS = ("-controls", "-buttons", "-blinkt", "-lights")
# A label of one of these forms says which pin of the header it is.
PIN = re.compile(r"^(?:CON1-P|7J1 Header Pin|PIN_|pin-)0*(\d+)\b|^(P[89])_(\d+)\b")
# What the files and README.md say of Debian's kernels: they call GPIO4 GPIO_GCLK, and know a Raspberry Pi 5's lines
# since 7.2, without labels.
KNOWN = {
    **dict.fromkeys(
        [f"raspberry-pi-{name}" for name in ("1", "2", "3", "4", "400", "cm4-io", "zero-w", "zero-2-w")],
        {"pin 7: no line is labelled 'GPIO4'"}),
    "raspberry-pi-5": {"no chip is 'pinctrl-rp1'", "no line of pinctrl-rp1 has a label"},
}


def proposed(model, found):
    """The board that setup proposes for a machine."""
    fitting = [
        (len(start), name) for name, board in found.items() for start in board.get("models", [board["board"]])
        if model.startswith(start) and not model.startswith(tuple(board.get("other-models", ["\0"])))]
    return max(fitting)[1] if fitting else None


def wired(board):
    """The lines of the board's devices, and those that its header proposes for displays."""
    header, pins = board["header"], []
    for lines in header["wiring"].values():
        for value in lines.values():
            pins += value if isinstance(value, list) else [value]
    return {header["lines"][str(pin)] for pin in pins} | set(boards.named_lines(board))


def faults(board, chips):
    """Yields what is wrong with a board's file, by the chips of a tree."""
    if board["chip"] == "any":
        chip = next((chip for chip in chips if wired(board) <= set(chip.names)), None)
    else:
        chip = next((chip for chip in chips if chip.label == board["chip"]), None)
    if not chip:
        yield f"no chip is '{board['chip']}'" + (" with the lines of the file" if board["chip"] == "any" else "")
        return
    if not any(chip.names) and any(isinstance(line, str) for line in wired(board)):
        yield f"no line of {chip.label} has a label"
        return
    buses = {pin for pins in board["header"].get("buses", {}).values() for pin in pins}
    for pin, line in board["header"]["lines"].items():
        offset = line if isinstance(line, int) else chip.names.index(line) if line in chip.names else None
        is_free = pin not in map(str, buses)
        if offset is None:
            if is_free:
                yield f"pin {pin}: no line is labelled '{line}'"
            continue
        if not 0 <= offset < chip.lines or (isinstance(line, str) and chip.names.count(line) > 1):
            yield f"pin {pin}: '{line}' is no line of {chip.label}, or several"
        named = PIN.match(chip.name(offset))
        if named and pin != (named[1] or f"{named[2]}.{named[3]}"):
            yield f"pin {pin}: line {line} is labelled '{chip.name(offset)}'"
        if is_free and offset in chip.taken:
            yield f"pin {pin}: line {line} is that of {chip.taken[offset]}"
    for line in wired(board) - set(board["header"]["lines"].values()):
        yield f"line '{line}' is on no pin"


class DeviceTreeTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        files = sorted(path for path in FILES.glob("*.yaml") if path.stem != "simulated")
        cls.boards = {path.stem: board for path, board in zip(files, boards.checked(DESKBELL, *files))}
        # The trees of each board, and for each the kernels; and what is wrong, with the first kernel that says so.
        cls.compared = collections.defaultdict(lambda: collections.defaultdict(list))
        cls.faults = collections.defaultdict(dict)
        for suite in device_trees.SUITES:
            for architecture in device_trees.KERNELS:
                version, trees = device_trees.trees(suite, architecture)
                for tree in trees:
                    cls.compare(tree, version)

    @classmethod
    def compare(cls, tree, version):
        name = proposed(tree.model, cls.boards)
        for board in [] if name is None else [name, *(name + ending for ending in VARIANTS)]:
            if board in cls.boards:
                cls.compared[board][tree.path.stem].append(version)
                for text in faults(cls.boards[board], tree.chips):
                    cls.faults[board].setdefault(text, f"{tree.path.name} of {version}")

    def test_each_board_has_the_chip_the_lines_and_the_labels_of_its_file(self):
        for board, trees in self.compared.items():
            print(board, *(f"{tree} ({', '.join(versions)})" for tree, versions in trees.items()), sep="\n    ")
        for board in self.boards:
            found = self.faults[board]
            with self.subTest(board=board, trees=found):
                self.assertEqual(set(found), KNOWN.get(board.removesuffix(next(filter(board.endswith, VARIANTS), "")), set()))

    def test_a_wrong_line_label_or_chip_is_found(self):
        """Each change of a file is a fault that names the pin, and what the tree has there."""
        chips = {}
        for name, architecture in (("rk3566-radxa-zero-3w", "arm64"), ("meson-sm1-odroid-c4", "arm64")):
            _, trees = device_trees.trees("trixie", architecture)
            chips[name], = [tree.chips for tree in trees if tree.path.stem == name]

        def found(board, tree, **changes):
            changed = copy.deepcopy(self.boards[board])
            changed["header"]["lines"].update(changes.pop("lines", {}))
            return list(faults(changed | changes, chips[tree]))

        radxa, odroid = ("radxa-zero-3", "rk3566-radxa-zero-3w"), ("odroid-c4", "meson-sm1-odroid-c4")
        self.assertEqual((found(*radxa), found(*odroid)), ([], []))
        self.assertEqual(found(*radxa, lines={"36": 6}), ["pin 36: line 6 is labelled 'pin-38 [GPIO3_A6]'"])
        self.assertEqual(found(*radxa, lines={"36": 32}), ["pin 36: '32' is no line of gpio3, or several"])
        self.assertEqual(found(*radxa, chip="gpio9"), ["no chip is 'gpio9'"])
        self.assertEqual(found(*odroid, lines={"11": "PIN_111"})[0], "pin 11: no line is labelled 'PIN_111'")
        self.assertEqual(found(*odroid, lines={"11": "PIN_13"})[0], "pin 11: line PIN_13 is labelled 'PIN_13'")
        self.assertEqual(found(*odroid, lamp={"line": "PIN_38"}), ["line 'PIN_38' is on no pin"])

    def test_the_page_names_the_trees_of_each_board(self):
        table = (FILES / "README.md").read_text().split("| Device trees |")[1].split("\n\n")[0]
        rows = re.findall(r"^\| `([^`]+)` \| ([^|]+) \|", table, re.MULTILINE)
        said = {board: set(re.findall("`([^`]+)`", trees)) for board, trees in rows}
        wanted = {
            board: set(self.compared[board]) for board in self.boards if not board.endswith(VARIANTS)}
        self.assertEqual(said, wanted)


if __name__ == "__main__":
    unittest.main()
