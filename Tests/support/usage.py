"""A process's use of processor time, memory, writes and descriptors so far, from the kernel."""

import os
import re
from pathlib import Path


def nanoseconds(pid, wanted=lambda name: True):
    """Returns the processor time of the threads with wanted names."""
    total = 0
    for task in Path(f"/proc/{pid}/task").iterdir():
        try:
            if wanted((task / "comm").read_text().strip()):
                total += int((task / "schedstat").read_text().split()[0])
        except (FileNotFoundError, ProcessLookupError):
            pass
    return total


def processor_seconds(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def kilobytes(pid, name="VmRSS"):
    """Returns a value of the process's status; by default its resident memory, in units of 1,024 bytes."""
    return int(re.search(rf"(?m)^{name}:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())[1])


def resident_megabytes(pid):
    return kilobytes(pid) / 1000


def written_bytes(pid):
    """Returns the bytes that the process has caused to be written to the disk."""
    return int(re.search(r"(?m)^write_bytes: (\d+)", Path(f"/proc/{pid}/io").read_text())[1])


def descriptors(pid):
    """Returns the number of open descriptors."""
    return len(os.listdir(f"/proc/{pid}/fd"))
