"""A server's disk that can lose power, with all writes that were not synchronised.

The server's folder is a file system on a loop device. Writes that it did not wait for are only in the kernel's memory,
so a copy of the device, taken after the server was killed, has the contents of a disk after a power cut.
"""

import shutil
import subprocess
from pathlib import Path

# Little of it is used: this is the limit of a fleet's streams.
SIZE = 8 << 30


class Disk:
    """The folder `path`, on a device of its own. Needs root."""

    def __init__(self, path):
        self.path, self.number = Path(path), 0
        self.path.mkdir(parents=True, exist_ok=True)
        with open(self.image, "wb") as image:
            image.truncate(SIZE)
        run("mkfs.ext4", "-q", self.image)
        self.mount()

    @property
    def image(self):
        return self.path.parent / f"{self.path.name}.{self.number}.img"

    def mount(self):
        # Nothing is written before a program waits for it, or before half a minute.
        run("mount", "-o", "loop,noatime,commit=300", self.image, self.path)

    def cut(self):
        """Cuts the power. The server must have been killed."""
        old = self.image
        self.number += 1
        run("cp", "--sparse=always", old, self.image)
        run("umount", self.path)
        old.unlink()
        self.mount()

    def remove(self):
        run("umount", self.path)
        self.image.unlink()


def run(*words):
    if not shutil.which(words[0]):
        raise AssertionError(f"{words[0]} is missing")
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, words))}: {done.stderr.strip()} (it needs root)")
