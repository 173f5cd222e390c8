"""QEMU in virtual time: the board's clock counts instructions, so nothing that happens on this machine shows in it, and
two runs are the same to the nanosecond."""

import os
import shutil
import subprocess
import tarfile
import time
from pathlib import Path

# 2 ns for each instruction, which is a slow board; idle time is skipped. No KVM: its time is this machine's.
TIME = ["-accel", "tcg", "-icount", "shift=1,sleep=off", "-rtc", "base=2026-01-01,clock=vm", "-seed", "1", "-smp", "1"]
BARE = ["-nodefaults", "-no-user-config", "-display", "none", "-no-reboot", "-m", "768"]
KERNEL_ARGUMENTS = "console=ttyS0 quiet panic=-1 random.trust_cpu=on"
DISK_BYTES = 512 << 20
# The emulator's own loop moves the clock while the processor is idle. Were the two on two cores, the loop could look
# while the processor is about to be idle or no longer is, and time would slip by some hundred nanoseconds. On one core,
# and with the loop before the processor, each runs where the other waits for it, in the same order every time.
PROCESSOR_THREAD, PROCESSOR_NICENESS, LOOP_PRIORITY = "CPU 0/TCG", 10, 1
THREAD_PATIENCE_SECONDS = 5
# Of this machine's time; a run takes one or two minutes where nothing else runs.
PATIENCE_SECONDS = 1_500


class MachineError(Exception):
    """The board did not come to its end."""


def start(kernel, image, folder, core):
    """Switches a board on, on that core; `finish` waits for it. What it says goes to `folder`/console."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with open(folder / "disk", "wb") as disk:
        disk.truncate(DISK_BYTES)
    with open(folder / "console", "wb") as console:
        machine = subprocess.Popen(
            ["taskset", "--cpu-list", str(core), "qemu-system-x86_64", "-name", "board,debug-threads=on", *TIME, *BARE,
             "-serial", "stdio", "-kernel", kernel / "vmlinux", "-initrd", image, "-append", KERNEL_ARGUMENTS, "-drive",
             f"file={folder}/disk,format=raw,if=virtio"],
            stdin=subprocess.DEVNULL, stdout=console, stderr=subprocess.STDOUT)
    put_loop_first(machine)
    return machine


def put_loop_first(machine):
    """Gives the loop real-time priority where that is allowed, and lowers that of the thread that is the processor."""
    end = time.monotonic() + THREAD_PATIENCE_SECONDS
    while machine.poll() is None and time.monotonic() < end:
        for task in Path(f"/proc/{machine.pid}/task").iterdir():
            if (task / "comm").read_text().strip() == PROCESSOR_THREAD:
                thread = int(task.name)
                os.setpriority(os.PRIO_PROCESS, thread, os.getpriority(os.PRIO_PROCESS, thread) + PROCESSOR_NICENESS)
                try:
                    os.sched_setscheduler(
                        machine.pid, os.SCHED_FIFO | os.SCHED_RESET_ON_FORK, os.sched_param(LOOP_PRIORITY))
                except PermissionError:
                    pass
                return
        time.sleep(0.05)


def finish(machine, folder):
    """Waits until the board has switched itself off, and unpacks what it left into `folder`/out."""
    try:
        code = machine.wait(PATIENCE_SECONDS)
    except subprocess.TimeoutExpired:
        raise MachineError(f"it is still on after {PATIENCE_SECONDS} s; the end of {folder}/console:\n{tail(folder)}")
    if code:
        raise MachineError(f"QEMU ended with code {code}; the end of {folder}/console:\n{tail(folder)}")
    try:
        with tarfile.open(folder / "disk") as archive:
            archive.extractall(folder / "out")
    except tarfile.TarError as error:
        raise MachineError(f"it left nothing to read ({error}); the end of {folder}/console:\n{tail(folder)}")
    os.remove(folder / "disk")
    return folder / "out"


def tail(folder):
    return "".join((folder / "console").read_text(errors="replace").splitlines(keepends=True)[-20:])
