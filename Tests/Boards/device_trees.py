"""The device trees of Debian's kernels, and the GPIO chips that a kernel makes of them: labels, lines and their labels."""

import functools
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import libfdt

from Tests.support.project import ROOT

CACHE = ROOT / ".build/device-trees"
KERNELS = {"arm64": "arm64", "armhf": "armmp"}
# Debian 12 and 13, and the next one. From Linux 7 on, the trees are in another package.
IN_IMAGE, IN_BASE = "+linux-image-{}=/usr/lib/linux-image-*", "+linux-base-{}=/usr/lib/modules/*/dtb"
SUITES = {"bookworm": IN_IMAGE, "trixie": IN_IMAGE, "forky": IN_BASE}

# The label that a driver gives its chip, by the `compatible` of the chip or of the node around it: the kernel's
# drivers/pinctrl/bcm/pinctrl-bcm2835.c and drivers/pinctrl/pinctrl-rp1.c; in drivers/pinctrl/meson the files of each
# processor name their two banks, pinctrl-meson.c makes labels of the names. Others are in `Tree.label`.
LABELS = {
    "brcm,bcm2835-gpio": "pinctrl-bcm2835",
    "brcm,bcm2711-gpio": "pinctrl-bcm2711",
    "raspberrypi,rp1-gpio": "pinctrl-rp1",
    "amlogic,meson-gxl-periphs-pinctrl": "periphs-banks",
    "amlogic,meson-gxl-aobus-pinctrl": "aobus-banks",
    "amlogic,meson-g12a-periphs-pinctrl": "periphs-banks",
    "amlogic,meson-g12a-aobus-pinctrl": "aobus-banks",
}
# As the driver says where the tree does not: pinctrl-sunxi.c has 32 lines for each bank, PA to PI on an H616 and H618.
SUNXI_BANK, SUNXI_LINES = 32, {"allwinner,sun50i-h616-pinctrl": 9 * 32}


@dataclass
class Chip:
    label: str
    # The labels of its lines: "" for a line without one, and for those after the last.
    names: list
    lines: int
    # What else of the board has a line, by the line's number: "/leds/led-0 gpios".
    taken: dict = field(default_factory=dict)

    def name(self, offset):
        return self.names[offset] if offset < len(self.names) else ""


@dataclass
class Node:
    path: str
    around: "Node | None"
    properties: dict

    def texts(self, name):
        return self.properties.get(name, b"").decode().split("\0")[:-1]

    def text(self, name):
        return "".join(self.texts(name)[:1])

    def cells(self, name):
        value = self.properties.get(name, b"")
        return [int.from_bytes(value[at:at + 4], "big") for at in range(0, len(value), 4)]

    def is_off(self):
        return self.text("status") == "disabled" or bool(self.around and self.around.is_off())


class Tree:
    def __init__(self, path):
        self.path = path
        self.fdt = libfdt.FdtRo(path.read_bytes())
        self.model = self.node(0, "", None).text("model")

    def node(self, offset, path, around):
        # Not by `getprop`: up to libfdt 1.6 it frees None when there is no such property.
        properties, at = {}, self.fdt.first_property_offset(offset, libfdt.QUIET_NOTFOUND)
        while at >= 0:
            each = self.fdt.get_property_by_offset(at)
            properties[each.name] = bytes(each)
            at = self.fdt.next_property_offset(at, libfdt.QUIET_NOTFOUND)
        return Node(path, around, properties)

    @functools.cached_property
    def nodes(self):
        """All nodes by their paths."""
        found = {}

        def read(offset, path, around):
            found[path] = node = self.node(offset, path, around)
            child = self.fdt.first_subnode(offset, libfdt.QUIET_NOTFOUND)
            while child >= 0:
                read(child, f"{path}/{self.fdt.get_name(child)}", node)
                child = self.fdt.next_subnode(child, libfdt.QUIET_NOTFOUND)

        read(0, "", None)
        return found

    @functools.cached_property
    def chips(self):
        found = {}
        for node in self.nodes.values():
            if "gpio-controller" in node.properties and not node.is_off():
                found[node.path] = Chip(self.label(node), node.texts("gpio-line-names"), lines_of(node))
        self.take(found)
        return list(found.values())

    def label(self, node):
        """Returns the label of a chip; "" if its driver is not known here."""
        compatible = [*node.texts("compatible"), *node.around.texts("compatible")]
        for known in compatible:
            if known in LABELS:
                return LABELS[known]
        if "rockchip,gpio-bank" in compatible:
            # drivers/gpio/gpio-rockchip.c: gpio and the number of its alias.
            aliases = self.nodes["/aliases"]
            return next((f"gpio{number}" for number in range(8) if aliases.text(f"gpio{number}") == node.path), "")
        if any(known in SUNXI_LINES for known in compatible):
            # drivers/pinctrl/sunxi/pinctrl-sunxi.c: the name of its device.
            name, _, address = node.path.rpartition("/")[2].partition("@")
            return f"{address}.{name}"
        return ""

    def take(self, chips):
        """Notes the lines that other nodes name: a LED, a regulator, a card's detect switch."""
        paths = {node.cells("phandle")[0]: path for path, node in self.nodes.items() if "phandle" in node.properties}
        for node in self.nodes.values():
            for name in [] if node.is_off() else node.properties:
                if not (name in ("gpios", "gpio") or name.endswith(("-gpios", "-gpio"))):
                    continue
                cells = node.cells(name)
                while cells and paths.get(cells[0]) in chips:
                    path = paths[cells[0]]
                    count = self.nodes[path].cells("#gpio-cells")[0]
                    place = cells[1] if count == 2 else cells[1] * SUNXI_BANK + cells[2]
                    chips[path].taken[place] = f"{node.path} {name}"
                    cells = cells[1 + count:]


def lines_of(node):
    """Returns a chip's number of lines, from its ranges: chip, first line, first pin, count. 0 if it is unknown."""
    ranges = node.cells("gpio-ranges")
    known = [SUNXI_LINES[name] for name in node.texts("compatible") if name in SUNXI_LINES]
    return max([first + count for first, count in zip(ranges[1::4], ranges[3::4])] + known, default=0)


def trees(suite, architecture):
    """Returns the kernel's version and its trees; fetches them once."""
    folder = CACHE / f"{suite}-{architecture}"
    wish = SUITES[suite].format(KERNELS[architecture])
    subprocess.run([ROOT / "scripts/debian-root.sh", suite, architecture, folder, wish], check=True)
    tops = [*folder.glob("usr/lib/linux-image-*"), *folder.glob("usr/lib/modules/*")]
    return tops[0].name.removeprefix("linux-image-"), [Tree(path) for path in sorted(tops[0].rglob("*.dtb"))]
