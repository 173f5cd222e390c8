"""The output of `deskbell demo` without a terminal, without the parts that vary between runs. `make tour` keeps it
beside the pictures, and a test compares it: a changed demo needs new pictures."""

import os
import re
import subprocess

CHANGES = [
    (r"(?i)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "UUID"),
    (r"sha256//[^'…]*…", "sha256//PIN…"),
    (r"tk_\w*…", "tk_KEY…"),
    (r"127\.0\.0\.1:\d+", "127.0.0.1:PORT"),
    (r"\d{4}-\d\d-\d\d (\d\d:\d\d:\d\d)", r"DATE \1"),
    # Numbers and times of events.
    (r"(?m)^ +\d+  (\d\d:\d\d:\d\d)\.\d{3}", r"     NUMBER  \1"),
]


def demo_text(deskbell):
    """Returns the output; raises if the demo fails."""
    done = subprocess.run(
        [deskbell, "demo", "--mute"], env={**os.environ, "TZ": "UTC"}, stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=120)
    if done.returncode:
        raise AssertionError(f"deskbell demo: {done.returncode}\n{done.stdout}{done.stderr}")
    text = done.stdout
    for pattern, word in CHANGES:
        text = re.sub(pattern, word, text)
    return text
