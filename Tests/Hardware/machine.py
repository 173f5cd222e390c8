"""QEMU in virtual time: the board's clock counts instructions, so this machine's load does not affect it, and two runs
are identical to the nanosecond."""

import os
import shutil
import subprocess
import tarfile

# 2 ns for each instruction, which is a slow board; idle time is skipped. No KVM: its time is this machine's.
#
# QEMU's main loop skips idle time. The processor's thread sets its halted flag before it adds the instructions of its
# last slice to the clock. A main loop that reads the flag in between computes the time to skip from the old clock, and
# the next interrupt is late by the time of these instructions. A QEMU that records (rr) has a lock that the processor's
# thread holds from the beginning of a slice until its instructions are counted, and that the main loop takes before it
# reads the flag. Only the lock is needed: the record is thrown away.
CLOCK = "shift=1,sleep=off,rr=record,rrfile=/dev/null"
TIME = ["-accel", "tcg", "-icount", CLOCK, "-rtc", "base=2026-01-01,clock=vm", "-seed", "1", "-smp", "1"]
BARE = ["-nodefaults", "-no-user-config", "-display", "none", "-no-reboot", "-m", "768"]
KERNEL_ARGUMENTS = "console=ttyS0 quiet panic=-1 random.trust_cpu=on"
DISK_BYTES = 512 << 20
# In this machine's time; a run takes one or two minutes if nothing else runs.
PATIENCE_SECONDS = 1_500


class MachineError(Exception):
    """An error: the board did not end properly."""


def start(kernel, image, folder, core):
    """Starts a board on that core; `finish` waits for it. Its output goes to `folder`/console. Main loop and processor
    take turns, so one core is enough for both."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with open(folder / "disk", "wb") as disk:
        disk.truncate(DISK_BYTES)
    with open(folder / "console", "wb") as console:
        return subprocess.Popen(
            ["taskset", "--cpu-list", str(core), "qemu-system-x86_64", *TIME, *BARE, "-serial", "stdio", "-kernel",
             kernel / "vmlinux", "-initrd", image, "-append", KERNEL_ARGUMENTS, "-drive",
             f"file={folder}/disk,format=raw,if=virtio"],
            stdin=subprocess.DEVNULL, stdout=console, stderr=subprocess.STDOUT)


def finish(machine, folder):
    """Waits until the board has switched itself off, and unpacks its results into `folder`/out."""
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
