"""The possible contents of a disk after a power cut, from the preload's trace of writes and syncs.

Synced bytes are there for sure. Of later writes, each sector of 512 or 4,096 bytes is there or not. Names made, changed
or removed since their folder was synced are there up to some moment, in their order. After a failed sync, some of the
sectors that it should have written are lost, though later syncs succeed: Linux marks such pages as clean, and does not
write them again.
"""

import os
import struct
from collections import Counter
from dataclasses import dataclass, field
from pathlib import PurePosixPath

OPENED, CREATED, WROTE, TRUNCATED, SYNCED, SYNC_FAILED, RENAMED, REMOVED, FOLDER_MADE, LINK_MADE = range(1, 11)
HEADER = struct.Struct("<IIQQ")
# Mapped, and rebuilt from the log after a power cut.
LOST = "-shm"


def records(path):
    """Yields each record with its end: (end, kind, file, offset, data). The last may be cut short."""
    data = path.read_bytes()
    at = 0
    while at + HEADER.size <= len(data):
        kind, file, offset, length = HEADER.unpack_from(data, at)
        at += HEADER.size
        if at + length > len(data):
            return
        yield at + length, kind, file, offset, data[at:at + length]
        at += length


@dataclass(eq=False)
class File:
    disk: bytearray = field(default_factory=bytearray)
    # Written and not synced, in order: (offset, data), or (length, None) for a truncation.
    pending: list = field(default_factory=list)

    def sync(self):
        for offset, data in self.pending:
            apply(self.disk, offset, data)
        self.pending.clear()

    def torn(self, random, sector, share):
        """Returns the file after a power cut: each unsynced sector is there with that probability."""
        torn = bytearray(self.disk)
        for offset, data in self.pending:
            if data is None:
                if random.random() < share:
                    apply(torn, offset, None)
                continue
            end = offset + len(data)
            for start in range(offset - offset % sector, end, sector):
                if random.random() < share:
                    first, last = max(start, offset), min(start + sector, end)
                    apply(torn, first, data[first - offset:last - offset])
        return torn


@dataclass(eq=False)
class Link:
    target: str


class Folder:
    """A folder, which has nothing of its own: names have the paths of their files."""


def apply(content, offset, data):
    if data is None:
        if offset < len(content):
            del content[offset:]
        else:
            content.extend(bytes(offset - len(content)))
        return
    if offset > len(content):
        content.extend(bytes(offset - len(content)))
    content[offset:offset + len(data)] = data


class Disk:
    """A folder at some moment; `play` advances it."""

    def __init__(self, folder, trace, random, lies=False, forgets=True):
        """`lies`: reports syncs that it never makes. `forgets`: the next sync does not repeat a failed one."""
        self.random, self.lies, self.forgets = random, lies, forgets
        self.records = records(trace)
        self.next = next(self.records, None)
        self.position = 0
        # The names that programs see, and those surely on the disk; the changes between the two.
        self.names = dict(self.read(folder))
        self.durable = dict(self.names)
        self.changes = []
        self.open = {}
        # The number of syncs of each file.
        self.synced = Counter()

    @staticmethod
    def read(folder):
        for path in sorted(folder.rglob("*")):
            name = str(path.relative_to(folder))
            if path.is_symlink():
                yield name, Link(os.readlink(path))
            elif path.is_dir():
                yield name, Folder()
            elif path.is_file() and not name.endswith(LOST):
                yield name, File(bytearray(path.read_bytes()))

    def play(self, position):
        """Advances to the last record that ends at `position` or before."""
        while self.next and self.next[0] <= position:
            self.position = self.next[0]
            self.take(*self.next[1:])
            self.next = next(self.records, None)

    def take(self, kind, file, offset, data):
        if kind in (OPENED, CREATED):
            name = data.decode()
            if kind == CREATED and name not in self.names:
                self.rename([(name, File())])
            self.open[file] = (name, self.names.get(name))
            return
        if kind == RENAMED:
            old, new = (part.decode() for part in data.split(b"\0"))
            moved = [(old, None), (new, self.names.get(old))]
            for name in [name for name in self.names if name.startswith(old + "/")]:
                moved += [(name, None), (new + name[len(old):], self.names[name])]
            return self.rename(moved)
        if kind == REMOVED:
            return self.rename([(data.decode(), None)])
        if kind == FOLDER_MADE:
            return self.rename([(data.decode(), Folder())])
        if kind == LINK_MADE:
            name, target = (part.decode() for part in data.split(b"\0"))
            return self.rename([(name, Link(target))])
        name, opened = self.open.get(file, ("", None))
        if kind == SYNCED:
            self.synced[name] += 1
            if self.lies:
                return
            if isinstance(opened, File):
                opened.sync()
            else:
                self.sync_folder(name)
        elif isinstance(opened, File):
            if kind == WROTE:
                opened.pending.append((offset, data))
            elif kind == TRUNCATED:
                opened.pending.append((offset, None))
            elif kind == SYNC_FAILED and self.forgets:
                opened.disk = opened.torn(self.random, 4096, 0.5)
                opened.pending.clear()

    def rename(self, names):
        """Makes one atomic change of names: (name, its new entry)."""
        for name, entry in names:
            if entry is None:
                self.names.pop(name, None)
            else:
                self.names[name] = entry
        self.changes.append(names)

    def sync_folder(self, folder):
        """Makes changes of names in that folder durable, but not earlier ones elsewhere."""
        rest = []
        for names in self.changes:
            if any(str(PurePosixPath(name).parent) == (folder or ".") for name, _ in names):
                settle(self.durable, names)
            else:
                rest.append(names)
        self.changes = rest

    def cut(self, into):
        """Writes the result of a power cut now. Returns the sector size, share of sectors, changes of names."""
        sector = self.random.choice((512, 4096))
        share = 0.0 if self.lies else self.random.choice((0.0, 0.5, 0.9, 1.0))
        kept = self.random.randint(0, len(self.changes))
        names = dict(self.durable)
        for change in self.changes[:kept]:
            settle(names, change)
        for name, entry in sorted(names.items()):
            path = into / name
            if name.endswith(LOST) or any(str(parent) not in names for parent in PurePosixPath(name).parents[:-1]):
                continue
            if isinstance(entry, Folder):
                path.mkdir(mode=0o700, parents=True, exist_ok=True)
            elif isinstance(entry, Link):
                path.symlink_to(entry.target)
            else:
                path.write_bytes(entry.torn(self.random, sector, share))
                path.chmod(0o600)
        return sector, share, kept


def settle(names, change):
    for name, entry in change:
        if entry is None:
            names.pop(name, None)
        else:
            names[name] = entry
