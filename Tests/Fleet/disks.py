"""A disk of a server that can lose its power: what was not synchronised is gone.

The server's folder is a file system on a loop device. Writes that it did not wait for are in the memory of the kernel
only, so a copy of the device, taken when the server has been killed, is what a disk has after a power cut.
"""

import shutil
import subprocess
from pathlib import Path

# Of which little is used: the streams of a fleet may have so much.
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
        # Nothing is written before somebody waits for it, or before half a minute.
        run("mount", "-o", "loop,noatime,commit=300", self.image, self.path)

    def cut(self):
        """To be called when the server has been killed."""
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
