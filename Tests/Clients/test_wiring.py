"""The wiring page agrees with the board files, and follows their changes."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree
from pathlib import Path

from Tests.Clients import model_pictures
from Tests.support.project import DESKBELL, ROOT


class WiringTests(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="deskbell-wiring-")))
        for part in ("docs/wiring", "board-configs"):
            shutil.copytree(ROOT / part, self.folder / part, ignore=shutil.ignore_patterns("__pycache__"))
        self.page = self.folder / "docs/wiring/README.md"

    def generate(self, *arguments):
        return subprocess.run(
            [sys.executable, "-B", self.folder / "docs/wiring/generate.py", *arguments],
            env=os.environ | {"DESKBELL": str(DESKBELL)}, capture_output=True, text=True, timeout=60)

    def change(self, name, old, new):
        board = self.folder / "board-configs" / name
        text = board.read_text()
        self.assertIn(old, text)
        board.write_text(text.replace(old, new))

    def rows(self, heading):
        section = self.page.read_text().split(f"## {heading}\n")[1].split("\n## ")[0]
        return [line for line in section.splitlines() if line.startswith("| ")]

    def test_the_page_is_what_the_files_say(self):
        checked = self.generate("--check")
        self.assertEqual((checked.returncode, checked.stderr), (0, ""))
        displays = sorted(path.stem for path in (ROOT / "board-configs/displays").glob("*.yaml"))
        drawings = sorted(path.stem for path in (ROOT / "docs/wiring").glob("*.svg"))
        boards = ["raspberry-pi-controls", "raspberry-pi-4-lights", "raspberry-pi-4-blinkt"]
        self.assertEqual(drawings, sorted([*displays, *boards]))
        for drawing in (ROOT / "docs/wiring").glob("*.svg"):
            self.assertIn(drawing.name, self.page.read_text())
            xml.etree.ElementTree.parse(drawing)

    def test_the_picture_of_the_displays_is_what_the_models_show(self):
        self.assertEqual(model_pictures.PICTURE.read_text(), model_pictures.picture(), "run make wiring")

    def test_each_board_names_its_sources(self):
        for board in (ROOT / "board-configs").glob("*.yaml"):
            comment = board.read_text().partition("\nboard:")[0]
            base = re.match(r"# As ([\w-]+\.yaml), with", comment)
            if base:
                self.assertTrue((ROOT / "board-configs" / base[1]).exists(), board.name)
            elif board.stem != "simulated":
                self.assertRegex(comment, r"# Checked: .*\n?.*(Linux|linux) ", board.name)

    def test_what_the_text_asks_for_is_drawn_and_listed(self):
        boards = "display: %s · board: raspberry-pi-BOARD, where BOARD is 1, 2, 3, 4, 400, 5, cm4-io, cm5-io, zero-2-w or zero-w"
        controls = "board: raspberry-pi-BOARD-controls, where BOARD is 3, 4, 400, 5, cm4-io, cm5-io or zero-2-w"
        drawn = {
            "max7219": (["74AHCT125", "14  VCC"], 8),
            "raspberry-pi-controls": (["1N4148", "1 kΩ", "M", "Zero W, Zero 2 W", controls], 4),
            "raspberry-pi-4-lights": (
                ["red", "green", "blue", "common", "Piezo buzzer", "Light sensor", "DO", "Dim button", "330 Ω", "buzzer"], 4),
            "raspberry-pi-4-blinkt": (["Blinkt!, 8 × APA102", "DI", "CI", "5 V", "board: raspberry-pi-4-blinkt"], 0),
            "multiplexed": (["330 Ω", "1 kΩ", "its 12 pins, seen from the front"], 4),
            "multiplexed-cathode": (["all emitters"], 4), "74hc595-static": (["16 VCC", "QB 1", "330 Ω"], 4),
            "tm1637": (["Raspberry Pi 1 to 5", "Raspberry Pi 400:", "Zero W, Zero 2 W", "pin 1", boards % "tm1637"], 4), "tm1637-6": (["CLK"], 6),
            "tm1650": (["SCL", "SDA"], 4), "ht16k33": (["HT16K33 backpack, 4 digits"], 4), "ht16k33-8": (["2 × HT16K33 backpack, 8 digits"], 8),
            "ht16k33-alphanumeric": (["SCL"], 4), "tm1638": (["STB", "DIO"], 8),
            "tm1637-5v": (["BSS138", "LV1", "HV1", "LV", "HV", "5 V", "3.3 V", boards % "tm1637-5v"], 4),
        }
        for name, (words, digits) in drawn.items():
            root = xml.etree.ElementTree.parse(self.folder / f"docs/wiring/{name}.svg").getroot()
            texts = [each.text for each in root.iter("{http://www.w3.org/2000/svg}text")]
            for word in words:
                self.assertIn(word, texts, name)
            segments = [each for each in root.iter("{http://www.w3.org/2000/svg}rect") if each.get("fill") in ("#3a4049", "#ff5a4d")]
            self.assertEqual(len(segments), 7 * digits, name)
        parts = self.page.read_text().split("## Raspberry Pi, with motor, buttons and switch\n")[1].split("\n| ")[0]
        self.assertEqual([line for line in parts.splitlines() if re.match(r"- \d+ ×", line)], [
            "- 1 × red LED, 3 mm or 5 mm", "- 1 × resistor of 330 Ω, 1/4 W", "- 1 × coin vibration motor for 3 V, at most 100 mA",
            "- 1 × NPN transistor BC337 or 2N2222", "- 1 × diode 1N4148", "- 1 × resistor of 1 kΩ, 1/4 W",
            "- 2 × push button (closes when pressed)", "- 1 × slide switch", "- 1 × TM1637 module with 4 digits",
            "- 1 × breadboard, and wires for it", "- 15 × jumper wires, female to male",
        ])

    def test_coloured_lamps_are_on_the_pins_of_their_boards(self):
        lights = self.rows("Raspberry Pi, with colours, buzzer and light sensor")
        for row in ["| LED of three colours | red | 330 Ω | `GPIO17` | 11 |", "| Piezo buzzer | + | 330 Ω | `GPIO18` | 12 |",
                    "| Dim button | contact |  | `GPIO12` | 32 |", "| Light sensor | DO |  | `GPIO26` | 37 |"]:
            self.assertIn(row, lights)
        blinkt = self.rows("Raspberry Pi, with Blinkt!")
        self.assertIn("| Blinkt!, 8 × APA102 | DI |  | `GPIO23` | 16 |", blinkt)
        self.assertIn("| Blinkt!, 8 × APA102 | CI |  | `GPIO24` | 18 |", blinkt)

    def test_nothing_at_5_volts_touches_a_line(self):
        rows = self.rows("TM1637 module with 4 digits at 5 V, behind a level shifter")
        lines = [row for row in rows if "`GPIO" in row and "LED" not in row]
        self.assertEqual(len(lines), 2)
        for row in lines:
            self.assertRegex(row, r"\| BSS138, in at LV[12], out at HV[12] \|")
        self.assertTrue(any(row.startswith("| BSS138 | LV |  | 3.3 V |") for row in rows), rows)
        self.assertTrue(any(row.startswith("| BSS138 | HV |  | 5 V |") for row in rows), rows)

    def test_a_changed_line_moves_its_wire(self):
        self.change("headers/raspberry-pi.yaml", "two-wire: { clock: 16,", "two-wire: { clock: 22,")
        checked = self.generate("--check")
        self.assertEqual(checked.returncode, 1)
        self.assertIn("docs/wiring/README.md is not what board-configs/ gives: run make wiring", checked.stderr)
        self.assertEqual(self.generate().returncode, 0)
        row = next(row for row in self.rows("TM1637 module with 4 digits") if "| CLK |" in row)
        self.assertTrue(row.startswith("| TM1637 module, 4 digits | CLK |  | `GPIO25` | 22 |"), row)
        self.assertEqual(self.generate("--check").returncode, 0)

    def test_a_board_that_is_wired_otherwise_has_a_column_and_a_drawing(self):
        self.change("raspberry-pi-5.yaml", "line: GPIO17", "line: GPIO26")
        self.assertEqual(self.generate().stderr, "")
        row = next(row for row in self.rows("TM1637 module with 4 digits") if "anode" in row)
        self.assertIn("| 11 |", row)
        self.assertIn("| 37 |", row)
        self.assertTrue((self.folder / "docs/wiring/tm1637-raspberry-pi-5.svg").exists())

    def test_levels_decide_on_transistors_and_on_what_the_lamp_is_tied_to(self):
        for board in (self.folder / "board-configs").glob("raspberry-pi-*.yaml"):
            # With motor and module there is no further pin for 3.3 V.
            if not board.stem.endswith(("-buttons", "-controls")):
                board.write_text(board.read_text().replace("line: GPIO17, active: high", "line: GPIO17, active: low"))
        display = "displays/multiplexed-cathode.yaml"
        self.change(display, "segments-active: high", "segments-active: low")
        self.change(display, "digits-active: high", "digits-active: low")
        self.assertEqual(self.generate().stderr, "")
        rows = [" | ".join(row.split(" | ")[:5]) for row in self.rows("4 bare digits with common cathodes")]
        self.assertIn("| LED | anode + | 330 Ω | 3.3 V | 17", rows)
        self.assertIn("| LED | cathode − |  | `GPIO17` | 11", rows)
        part = "4 bare digits, common anodes"
        self.assertIn(f"| {part} | digit 1 | 1 kΩ to the base of its PNP transistor | `GPIO22` | 15", rows)
        self.assertIn(f"| {part} | all emitters |  | 3.3 V | 1", rows)
        self.change(display, "digits-active: low", "digits-active: high")
        self.assertEqual(self.generate().stderr, "")
        rows = [" | ".join(row.split(" | ")[:5]) for row in self.rows("4 bare digits with common cathodes")]
        self.assertIn(f"| {part} | digit 1 |  | `GPIO22` | 15", rows)
        self.assertIn(f"| {part} | segment a | 1 kΩ | `GPIO5` | 29", rows)

    def test_what_cannot_be_drawn_is_named_and_changes_nothing(self):
        before = self.page.read_text()
        self.change("orange-pi-zero-3.yaml", "lamp: { line: 70", "lamp: { line: 80")
        refused = self.generate()
        self.assertEqual(refused.returncode, 1)
        self.assertIn("board-configs/orange-pi-zero-3.yaml: line 80 is on no pin of the 26-pin header", refused.stderr)
        self.change("orange-pi-zero-3.yaml", "two-wire: { clock: 16,", "two-wire: { clock: 17,")
        refused = self.generate()
        self.assertEqual(refused.returncode, 1)
        self.assertIn("orange-pi-zero-3.yaml:", refused.stderr)
        self.assertIn("'clock' must be a pin that 'lines' of the header names", refused.stderr)
        self.assertEqual(self.page.read_text(), before)

    def test_the_keys_of_a_type_are_from_the_file_of_its_name(self):
        boards = self.folder / "board-configs/README.md"
        self.change("displays/max7219.yaml", "with three or fewer the", "with fewer than four the")
        self.assertIn("board-configs/README.md is not what board-configs/ gives: run make wiring", self.generate("--check").stderr)
        self.assertEqual(self.generate().returncode, 0)
        section = boards.read_text().split("### `type: max7219`\n\n| Key | Value | |\n|---|---|---|")[1].split("\n### ")[0]
        self.assertIn("\n| `digits` | `1` to `8` | with fewer than four the chip needs a larger resistor", section)
        self.change("displays/max7219.yaml", "#\n", "")
        refused = self.generate()
        self.assertEqual(refused.returncode, 1)
        self.assertIn("board-configs/displays/max7219.yaml: its comment must have a second paragraph", refused.stderr)

    def test_check_tells_programs_what_a_good_board_file_says(self):
        good, bad = self.folder / "good.yaml", self.folder / "bad.yaml"
        good.write_text(
            'board: Mine\nchip: gpio3\nlamp: { chip: gpio0, line: "17" }\n'
            "display: { type: tm1637, digits: 4, decimal-points: true, clock: 17, data: 18 }\n")
        bad.write_text("board: Mine\nchip: gpio3\nlamp: { lien: 17 }\n")
        checked = subprocess.run([DESKBELL, "check", "--json", good, bad], capture_output=True, text=True, timeout=60)
        self.assertEqual(checked.returncode, 1)
        display = {"type": "tm1637", "digits": 4, "decimal-points": True, "clock": 17, "data": 18}
        board = {"board": "Mine", "chip": "gpio3", "lamp": {"chip": "gpio0", "line": "17"}, "display": display}
        self.assertEqual(json.loads(checked.stdout), [
            {"file": str(good), "errors": [], "board": board},
            {"file": str(bad), "errors": [f"{bad}:3:9: error: unknown key 'lien', did you mean 'line'?"]},
        ])
