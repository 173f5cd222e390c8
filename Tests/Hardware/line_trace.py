"""The kernel's trace of a run: marks, and the edges of lines, each with the kernel's own time.

The kernel keeps a trace in pages of a format of its own (include/linux/ring_buffer.h, struct buffer_data_page); a
subsystem's `format` file describes its events, and is the same for the only kernel that runs here.
"""

import re
import struct
from dataclasses import dataclass, field

PAGE_BYTES = 4096
# Values of a record's first five bits that are no length.
PADDING, TIME_EXTEND, TIME_STAMP = 29, 30, 31
LONGEST_SHORT_RECORD = 28


class TraceError(Exception):
    """An error: the trace is invalid, so nothing measured from it would be true."""


@dataclass
class Edge:
    """A change of a line's level, or the first time that it is driven."""

    nanoseconds: int
    line: str
    level: int


@dataclass
class Mark:
    """A scenario's text in the trace."""

    nanoseconds: int
    words: list


@dataclass
class Trace:
    """Marks and edges of one scenario, in their order."""

    items: list = field(default_factory=list)

    @property
    def marks(self):
        return [item for item in self.items if isinstance(item, Mark)]

    def part(self, first, last=None):
        """Returns the part between two marks, named by their words; to the end if the second is missing."""
        inside, items = False, []
        for item in self.items:
            if isinstance(item, Mark):
                words = " ".join(item.words)
                if words == first:
                    inside, items = True, [item]
                    continue
                if inside and words == last:
                    return Trace(items + [item])
            if inside:
                items.append(item)
        if not items:
            raise TraceError(f"the trace has no mark '{first}'")
        if last is not None:
            raise TraceError(f"the trace has no mark '{last}' after '{first}'")
        return Trace(items)

    def edges(self, *lines):
        """Returns the edges of these lines; of all if none is named."""
        return [item for item in self.items if isinstance(item, Edge) and (not lines or item.line in lines)]

    def mark(self, words):
        """Returns a mark's time in nanoseconds."""
        for item in self.marks:
            if " ".join(item.words) == words:
                return item.nanoseconds
        raise TraceError(f"the trace has no mark '{words}'")


def event_number(format_text):
    """Returns the number that identifies a kind of record."""
    return int(re.search(r"^ID: (\d+)$", format_text, re.MULTILINE).group(1))


def records(data):
    """Yields (nanoseconds, payload) for every record of the pages."""
    for start in range(0, len(data), PAGE_BYTES):
        page = data[start:start + PAGE_BYTES]
        nanoseconds, commit = struct.unpack_from("<QQ", page)
        if commit >> 31 & 1:
            raise TraceError("events were lost: the trace's buffer is too small for the scenario")
        position, end = 16, 16 + (commit & 0xFFFFF)
        while position < end:
            (head,) = struct.unpack_from("<I", page, position)
            kind, delta = head & 31, head >> 5
            position += 4
            if kind == PADDING:
                if delta == 0:
                    break
                nanoseconds += delta
                (length,) = struct.unpack_from("<I", page, position)
                position += length
            elif kind == TIME_EXTEND:
                (high,) = struct.unpack_from("<I", page, position)
                nanoseconds += delta + (high << 27)
                position += 4
            elif kind == TIME_STAMP:
                (high,) = struct.unpack_from("<I", page, position)
                nanoseconds = nanoseconds & ~((1 << 59) - 1) | delta + (high << 27)
                position += 4
            else:
                nanoseconds += delta
                if kind:
                    length = kind * 4
                else:
                    (length,) = struct.unpack_from("<I", page, position)
                    length -= 4
                    position += 4
                yield nanoseconds, page[position:position + length]
                position += length


def read(data, numbers):
    """Returns the trace in `data`. `numbers` has those of gpio_value, gpio_direction and print.

    A line is named CHIP:OFFSET. The kernel numbers lines across all chips; the mark `chip LABEL BASE COUNT` gives a
    chip's first line, and `gone` its removal. A daemon may be quicker than the scenario, so edges between the two
    belong to the chip announced next.
    """
    items, levels, unnamed, chips = [], {}, [], []
    unpack = struct.Struct("<HBBiIii").unpack_from
    value, direction, text = numbers["gpio_value"], numbers["gpio_direction"], numbers["print"]

    def settle():
        names = {}
        for edge in unnamed:
            if edge.line not in names:
                names[edge.line] = next(
                    (f"{label}:{edge.line - base}" for label, base, count in chips if base <= edge.line < base + count),
                    None)
            edge.line = names[edge.line]
            if edge.line is None:
                raise TraceError("an edge belongs to no chip of the trace")
        unnamed.clear()

    for nanoseconds, payload in records(data):
        kind = payload[0] | payload[1] << 8
        if kind == text:
            words = payload[16:].split(b"\0")[0].decode().split()
            if words[:1] == ["chip"]:
                chips.append((words[1], int(words[2]), int(words[3])))
            elif words == ["gone"]:
                settle()
                chips.clear()
                levels.clear()
            else:
                items.append(Mark(nanoseconds, words))
            continue
        if kind == value:
            _, _, _, _, number, is_read, level = unpack(payload)
            if is_read:
                continue
        elif kind == direction:
            # An open-drain line is released to go high: it becomes an input. The level of one that becomes an output
            # was recorded before.
            _, _, _, _, number, is_input, error = unpack(payload)
            if error or not is_input:
                continue
            level = 1
        else:
            continue
        if levels.get(number) != level:
            levels[number] = level
            edge = Edge(nanoseconds, number, level)
            items.append(edge)
            unnamed.append(edge)
    settle()
    return Trace(items)
