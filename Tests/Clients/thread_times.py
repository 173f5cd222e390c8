"""Which of a daemon's threads has used how much processor time."""

from pathlib import Path


def nanoseconds(pid, wanted=lambda name: True):
    """Of the threads with wanted names, together."""
    total = 0
    for task in Path(f"/proc/{pid}/task").iterdir():
        try:
            if wanted((task / "comm").read_text().strip()):
                total += int((task / "schedstat").read_text().split()[0])
        except (FileNotFoundError, ProcessLookupError):
            pass
    return total
