"""The project's folder and the program under test. Needs nothing but the standard library."""

import contextlib
import importlib.util
import os
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DESKBELL = os.environ.get("DESKBELL", str(ROOT / ".build/release/deskbell"))
# Nothing that waits for this takes a second; a slow machine may need more than a fast one.
PATIENCE_SECONDS = 60


def load(path):
    """Returns the module in a Python file of the project that belongs to no package, such as a script."""
    path = ROOT / path
    spec = importlib.util.spec_from_file_location(path.stem.replace("-", "_"), path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def free_ports(count):
    """Returns ports that differ: all are held until the last is found."""
    with contextlib.ExitStack() as stack:
        probes = [stack.enter_context(socket.socket()) for _ in range(count)]
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [probe.getsockname()[1] for probe in probes]


def free_port():
    return free_ports(1)[0]


def again_inside(module, package, prepare):
    """Runs a module of Tests again, in namespaces of its own, which end with it, and exits with its status. It gets the
    package, and after `--inside` a folder and what `prepare` returns for this folder, if anything. Needs root."""
    if os.getuid() != 0:
        sys.exit(f"{module}: machines of their own need root")
    with tempfile.TemporaryDirectory(prefix="deskbell-inside-") as work:
        words = prepare(Path(work)) or ()
        status = subprocess.run(
            ["unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", sys.executable, "-m",
             module, package, "--inside", work, *map(str, words)], cwd=ROOT).returncode
    sys.exit(status)
