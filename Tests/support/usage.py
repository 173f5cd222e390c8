"""The processor time of a daemon's threads."""

from pathlib import Path


def nanoseconds(pid, wanted=lambda name: True):
    """Returns the total of the threads with wanted names."""
    total = 0
    for task in Path(f"/proc/{pid}/task").iterdir():
        try:
            if wanted((task / "comm").read_text().strip()):
                total += int((task / "schedstat").read_text().split()[0])
        except (FileNotFoundError, ProcessLookupError):
            pass
    return total
