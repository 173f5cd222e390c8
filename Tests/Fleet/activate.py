"""Changes to a machine's root, binds the sockets of a unit, and becomes the service, as systemd starts it:

activate.py ROOT NAME=ADDRESS[,USER,GROUP,MODE] … -- COMMAND …
"""

import os
import socket
import sys
from pathlib import Path

FIRST = 3


def bind(address, user="root", group="root", mode="0666"):
    """Returns a listener at a port or path."""
    if not address.startswith("/"):
        listener = socket.socket(socket.AF_INET6)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("::", int(address)))
    else:
        path = Path(address)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(address)
        path.chmod(int(mode, 8))
        os.chown(path, number("passwd", user), number("group", group))
    listener.listen(4096)
    return listener


def number(table, name):
    lines = Path(f"/etc/{table}").read_text().splitlines()
    return int(next(line.split(":")[2] for line in lines if line.startswith(f"{name}:")))


root, *words = sys.argv[1:]
sockets, command = words[:words.index("--")], words[words.index("--") + 1:]
os.chroot(root)
os.chdir("/")
bound = [bind(*each.split("=", 1)[1].split(",")) for each in sockets]
for position, listener in enumerate(bound):
    # Above the descriptors open here, so that none is overwritten.
    os.dup2(listener.fileno(), 100 + position)
for position in range(len(bound)):
    os.dup2(100 + position, FIRST + position, inheritable=True)
os.environ.update(
    LISTEN_PID=str(os.getpid()), LISTEN_FDS=str(len(bound)), LISTEN_FDNAMES=":".join(each.split("=")[0] for each in sockets))
os.execvp(command[0], command)
