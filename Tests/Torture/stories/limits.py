"""No descriptors are left, or only 64 MB of memory: a connected provider continues, and strangers wait or are closed.

RLIMIT_DATA limits the memory, without rights or a cgroup: it counts private writable memory, including the stacks of
threads. These are 512 KB each here, as only used pages of the default's 8 MB are memory.
"""

import resource
import socket
import time

from Tests.Torture.checker import Losses
from Tests.Torture.load import Pusher, send_all
from Tests.Torture.stories.kill import Life
from Tests.Torture.target import Target
from Tests.support import usage
from Tests.support.project import PATIENCE_SECONDS
from Tests.support.report import Section

GOAL = 20
SHARE = 0.05
SPARE_DESCRIPTORS = 30
STRANGERS = 100
MEMORY = 64 * 1024 * 1024
STACK = 512 * 1024
CONNECTIONS = 8
# The journal still has the events of all of them.
MOST_PUSHES = 15_000


def play(torture):
    return [descriptors(torture), memory(torture)]


def descriptors(torture):
    section, total, rounds, failures, served, held = Section("no descriptors left"), Losses(), 0, 0, 0, 0
    with Target(torture.template) as target:
        life = Life(target, torture.random)
        target.start()
        hard = resource.prlimit(target.process.pid, resource.RLIMIT_NOFILE)[1]
        while rounds < torture.goal(GOAL):
            rounds += 1
            pusher = Pusher(target, life.ledger)
            limit = usage.descriptors(target.process.pid) + SPARE_DESCRIPTORS
            resource.prlimit(target.process.pid, resource.RLIMIT_NOFILE, (limit, hard))
            strangers = [stranger(target.port) for _ in range(STRANGERS)]
            before = pusher.answers
            pusher.wait(before + 100, PATIENCE_SECONDS)
            served += pusher.answers - before
            held = max(held, usage.descriptors(target.process.pid))
            if pusher.answers == before:
                total.other.append("the provider that was connected has no answers")
            for each in strangers:
                each.close()
            resource.prlimit(target.process.pid, resource.RLIMIT_NOFILE, (hard, hard))
            pusher.stop()
            if send_all(target, [life.ledger.new()]) != [200]:
                failures += 1
            torture.progress(rounds, GOAL, total)
        section.note("descriptors allowed, and most in use", f"{limit}, {held}")
        section.note("pushes answered meanwhile", served)
        section.equal("new connections that fail afterwards", failures, 0)
        life.kill()
        total.add(life.end())
    total.report(section)
    return section


def stranger(port):
    """Returns a connection established by the kernel that sends nothing."""
    return socket.create_connection(("127.0.0.1", port), PATIENCE_SECONDS)


def memory(torture):
    section, total = Section("64 MB of memory (RLIMIT_DATA)"), Losses()
    until, rounds, pushes, data, resident, statuses = time.monotonic() + max(2, torture.minutes * 2), 0, 0, 0, 0, set()
    while not rounds or time.monotonic() < until:
        rounds += 1
        status, ledger = pushed_within_memory(torture, total, until)
        if not status:
            break
        pushes += len(ledger.pushes)
        resident, data = max(resident, status["VmHWM"]), max(data, status["VmData"])
        statuses |= {status for push in ledger.pushes.values() for status in push.statuses}
    section.equal("it runs", bool(status), True)
    section.note("pushes", pushes)
    section.at_most("megabytes resident at most", resident, 64.0)
    section.note("megabytes of data", round(data, 1))
    section.equal("answers", statuses, {200})
    total.report(section)
    return section


def pushed_within_memory(torture, total, until):
    """Runs one daemon; returns its megabytes at the end, or None if it has ended before; and the ledger."""
    launcher = ["prlimit", f"--data={MEMORY}", f"--stack={STACK}"]
    with Target(torture.template, launcher=launcher) as target:
        life = Life(target, torture.random)
        target.start()
        pushers = [Pusher(target, life.ledger, 100) for _ in range(CONNECTIONS)]
        strangers = [stranger(target.port) for _ in range(4 * STRANGERS)]
        # All of the pushers send at once, and the daemon may end: there is no single event to wait for.
        while time.monotonic() < until and len(life.ledger.pushes) < MOST_PUSHES and target.process.poll() is None:
            time.sleep(0.05)
        status = None
        if target.process.poll() is None:
            status = {name: usage.kilobytes(target.process.pid, name) / 1024 for name in ("VmHWM", "VmData")}
        for pusher in pushers:
            pusher.stop()
        for each in strangers:
            each.close()
        if status:
            life.kill()
        total.add(life.end())
        return status, life.ledger
