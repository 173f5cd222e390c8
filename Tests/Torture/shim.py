"""The preload: built once, and controlled through a file that both sides map."""

import mmap
import os
import struct
import subprocess
import uuid
from pathlib import Path

HERE = Path(__file__).resolve().parent
# As in shim.c, `struct control`.
FIELDS = {
    "trace_bytes": ("<Q", 0), "next_file": ("<Q", 8), "write_error": ("<I", 16), "sync_error": ("<I", 20),
    "open_error": ("<I", 24), "sync_delay_ms": ("<I", 28), "clock_offset_s": ("<q", 32), "clock_steps": ("<Q", 40),
    "injected": ("<Q", 48), "syncs": ("<Q", 56),
}


def build(into):
    """Compiles the preload; returns its path."""
    into.mkdir(parents=True, exist_ok=True)
    library = into / "shim.so"
    source = HERE / "shim.c"
    if not library.exists() or library.stat().st_mtime < source.stat().st_mtime:
        subprocess.run(
            [os.environ.get("CC", "cc"), "-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC",
             "-o", library, source, "-ldl", "-lpthread"], check=True)
    return library


class Shim:
    """One daemon's preload. Faults, delays and the clock take effect at once."""

    def __init__(self, library, folder, state, trace=None):
        self.path = folder / "control"
        self.path.write_bytes(bytes(4096))
        with self.path.open("r+b") as file:
            self.map = mmap.mmap(file.fileno(), 4096)
        self.boot = folder / "boot"
        self.new_boot()
        self.variables = {
            "LD_PRELOAD": library, "TORTURE_CONTROL": self.path, "TORTURE_FOLDER": state, "TORTURE_BOOT": self.boot}
        if trace:
            self.variables["TORTURE_TRACE"] = trace

    @property
    def launcher(self):
        """The launching command. The daemon replaces `env`, and keeps its process and its exit status."""
        return ["env", *(f"{name}={value}" for name, value in self.variables.items())]

    def get(self, name):
        form, offset = FIELDS[name]
        return struct.unpack_from(form, self.map, offset)[0]

    def set(self, name, value):
        form, offset = FIELDS[name]
        struct.pack_into(form, self.map, offset, value)

    def fault(self, operation, code):
        """Makes every `write`, `sync` or `open` (for writing) return that errno, until `work`."""
        self.set(f"{operation}_error", code)

    def work(self):
        for operation in ("write", "sync", "open"):
            self.set(f"{operation}_error", 0)

    def step_clock(self, seconds):
        """Sets the wall clock that much ahead of this machine's from now on."""
        self.set("clock_offset_s", seconds)
        self.set("clock_steps", self.get("clock_steps") + 1)

    def new_boot(self):
        """Changes the kernel's boot identifier from the next start on."""
        self.boot.write_text(f"{uuid.uuid4()}\n")

    def close(self):
        self.map.close()
