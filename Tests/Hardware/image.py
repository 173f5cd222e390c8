"""The virtual board's file system in memory, booted beside the kernel: the daemon as shipped, its linked libraries, its
clients and the scenarios."""

import math
import os
import shutil
import struct
import subprocess
import wave
from pathlib import Path

from Tests.Hardware import boards as board_files
from Tests.support.project import ROOT

HERE = Path(__file__).resolve().parent
# The files' time is the start of the board's clock.
BOARD_TIME = 1767225600
FOLDERS = ["bin", "usr/bin", "usr/share/deskbell", "modules", "lib", "lib64", "etc", "guest/chips", "guest/displays",
           "guest/app/sounds"]
# 5 s with a silent end of 1 s: a card that is closed while it plays may not play the end.
MEASURED_FRAMES, MEASURED_SILENT_FRAMES = 220_500, 44_100
TICK_FRAMES = 4_410
# Music on the left channel alone, and a sound on the right one, so that each can be measured while both are heard.
MUSIC_FRAMES, RIGHT_FRAMES = 661_500, 88_200
MUSIC_PERIOD, RIGHT_PERIOD = 100, 50
MUSIC_AMPLITUDE, RIGHT_AMPLITUDE = 12_000, 8_000
FRAMES_PER_SECOND = 44_100


def build(deskbell, kernel, boards, scenarios, folder):
    """Makes `folder`/initramfs.cpio, identical for identical files."""
    root = folder / "root"
    for name in FOLDERS:
        (root / name).mkdir(parents=True)
    shutil.copy(kernel / "busybox", root / "bin")
    shutil.copytree(kernel / "modules", root / "modules", dirs_exist_ok=True)
    shutil.copytree(HERE / "guest", root / "guest", dirs_exist_ok=True)
    shutil.copy(HERE / "guest/init", root / "init")
    (root / "init").chmod(0o755)
    for board, description in boards.items():
        (root / "guest/chips" / board).write_text(board_files.chip_text(description))
        (root / "guest/displays" / board).write_text(board_files.display_text(description))
    (root / "guest/plan").write_text("".join(f"{name}\n" for name in scenarios))
    write_sounds(root / "guest/app/sounds")
    write_sound(root / "guest/music.wav", music_frames())

    add_program(root, deskbell, "deskbell")
    for name in ["arecord", "aplay", "amixer", "curl"]:
        found = shutil.which(name)
        if not found:
            raise SystemExit(f"{name} is missing: run scripts/install-packages.sh build hardware")
        add_program(root, Path(found))
    for program in build_programs(folder):
        add_program(root, program)
    shutil.copytree("/usr/share/alsa", root / "usr/share/alsa")
    shutil.copy(ROOT / "docs/asound.conf", root / "usr/share/deskbell")
    for name in ["board-configs", "Sounds", "examples"]:
        shutil.copytree(ROOT / name, root / "usr/share/deskbell" / name)

    archive(root, folder / "initramfs.cpio")
    shutil.rmtree(root)
    return folder / "initramfs.cpio"


def archive(root, image):
    """Writes the archive with a fixed order and fixed times of its files."""
    paths = sorted(path.relative_to(root) for path in root.rglob("*"))
    for path in [root, *(root / path for path in paths)]:
        os.utime(path, (BOARD_TIME, BOARD_TIME), follow_symlinks=False)
    with open(image, "wb") as output:
        subprocess.run(
            ["cpio", "--quiet", "--reproducible", "-o", "-H", "newc", "-R", "0:0"], cwd=root, check=True,
            input="\n".join([".", *map(str, paths)]).encode(), stdout=output)


def add_program(root, path, name=None):
    """Adds a program and its libraries."""
    subprocess.run(["strip", "-o", root / "usr/bin" / (name or path.name), path], check=True)
    linked = subprocess.run(["ldd", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    for line in linked.splitlines():
        library = next((word for word in line.split() if word.startswith("/")), None)
        if library and not (root / library.lstrip("/")).exists():
            place = root / library.lstrip("/")
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(os.path.realpath(library), place)


def build_programs(folder):
    """Builds the guest's own programs, and CGPIOBank's probe."""
    compiler = ["cc", "-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror"]
    programs = []
    for source in sorted((HERE / "guest/programs").glob("*.c")):
        programs.append(folder / source.stem)
        subprocess.run([*compiler, source, "-o", programs[-1]], check=True)
    bank = ROOT / "Sources/Devices/C/CGPIOBank"
    programs.append(folder / "probe")
    sources = [*sorted(bank.glob("*.c")), ROOT / "Tests/Devices/CGPIOBankTests/probe/probe.c"]
    subprocess.run([*compiler, f"-I{bank}/include", *sources, "-lgpiod", "-o", programs[-1]], check=True)
    return programs


def write_sounds(folder):
    write_sound(folder / "measured.wav", measured_frames())
    write_sound(folder / "tick.wav", measured_frames()[:4 * TICK_FRAMES])
    write_sound(folder / "right.wav", right_frames())


def write_sound(path, frames):
    with wave.open(str(path), "wb") as sound:
        sound.setnchannels(2)
        sound.setsampwidth(2)
        sound.setframerate(FRAMES_PER_SECOND)
        sound.writeframes(frames)


def measured_frames():
    """Returns 16-bit stereo noise without repetitions, and without silence except at its end."""
    state, frames = 1, bytearray()
    for frame in range(MEASURED_FRAMES - MEASURED_SILENT_FRAMES):
        state = (state * 1_103_515_245 + 12_345) & 0x7FFFFFFF
        left = 4_000 + (state >> 16) % 8_000
        right = int(8_000 * math.sin(frame / 20)) or 1
        frames += struct.pack("<hh", left, right)
    return bytes(frames) + bytes(4 * MEASURED_SILENT_FRAMES)


def music_frames():
    """Returns 15 s of a tone of 441 Hz on the left channel."""
    period = [round(MUSIC_AMPLITUDE * math.sin(2 * math.pi * frame / MUSIC_PERIOD)) for frame in range(MUSIC_PERIOD)]
    return b"".join(struct.pack("<hh", value, 0) for value in period) * (MUSIC_FRAMES // MUSIC_PERIOD)


def right_frames():
    """Returns 2 s of a tone of 882 Hz on the right channel."""
    period = [round(RIGHT_AMPLITUDE * math.sin(2 * math.pi * frame / RIGHT_PERIOD)) for frame in range(RIGHT_PERIOD)]
    return b"".join(struct.pack("<hh", 0, value) for value in period) * (RIGHT_FRAMES // RIGHT_PERIOD)
