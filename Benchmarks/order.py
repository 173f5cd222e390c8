"""The order of the functions in the program, written to packaging/function-order.txt: first those that a push needs, then
those that run after the start, at the start, and at the end.

The kernel maps 64 KB around each function that is called. In the compiler's order a daemon that does little touches most of
the program; in this one it needs a third less memory, and starts with fewer page faults. Names that a later program no
longer has are ignored."""

import os
import re
import subprocess
import tempfile
from pathlib import Path

from Benchmarks.instructions import CALLGRIND, control, without_debugging_symbols
from Benchmarks.measure import PAYLOADS, h2load
from Benchmarks.servers import deskbell
from Tests.support.project import DESKBELL, ROOT

ORDER = ROOT / "packaging/function-order.txt"
# The function that ends the start: it returns memory.
READY = "memory_give_back_program"


def costs(path):
    """The instructions of each function in one dump, without those of its callees."""
    found, name, is_call = {}, None, False
    for line in path.read_text(errors="replace").splitlines():
        if line.startswith("fn="):
            name, is_call = re.sub(r"'\d+$", "", line[3:]), False
            found.setdefault(name, 0)
        elif line.startswith("calls="):
            is_call = True
        elif re.match(r"[0-9+*-]", line):
            # The line after a call has the callee's cost.
            found[name] += 0 if is_call else int(line.split()[1])
            is_call = False
    return found


def functions(program):
    lines = subprocess.run(["nm", program], capture_output=True, text=True, check=True).stdout.splitlines()
    return {name for kind, name in (line.split()[-2:] for line in lines) if kind in "tTwW"}


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        program = without_debugging_symbols(DESKBELL, folder)
        out = folder / "calls"
        launcher = [*CALLGRIND, "--demangle=no", "--compress-strings=no", f"--dump-after={READY}",
                    f"--callgrind-out-file={out}"]
        with deskbell(program=program, launcher=launcher, environment={**os.environ, "DESKBELL_SHARE": str(ROOT)}) as server:
            def dump():
                control(server, "--dump")
                return {path for path in folder.glob("calls.*") if path.stat().st_size}

            before = dump()
            h2load(server.url, 1, 100, 1_000, server.headers, payload=PAYLOADS["alert, badge, sound"])
            pushes = dump() - before
        known, order = functions(program), {}
        for dumps in (pushes, before - {Path(f"{out}.1")}, [Path(f"{out}.1")], [out]):
            for path in dumps:
                for name, _ in sorted(costs(path).items(), key=lambda item: (-item[1], item[0])):
                    if name in known:
                        order.setdefault(name)
    ORDER.write_text("".join(f"{name}\n" for name in order))
    print(f"{ORDER.relative_to(ROOT)}: {len(order):,} functions")


if __name__ == "__main__":
    main()
