import os, shutil, subprocess, sys, tempfile, time
from pathlib import Path
HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
kernel = Path(subprocess.run([HERE / "kernel.sh"], check=True, stdout=subprocess.PIPE, text=True).stdout.strip())
work = Path(tempfile.mkdtemp(prefix="deskbell-board-"))
root = work / "root"
for d in ["bin", "usr/bin", "usr/share/deskbell", "modules", "guest", "lib", "lib64", "etc"]: (root / d).mkdir(parents=True)
shutil.copy(kernel / "busybox", root / "bin")
shutil.copytree(kernel / "modules", root / "modules", dirs_exist_ok=True)
shutil.copytree(HERE / "guest", root / "guest", dirs_exist_ok=True)
shutil.copy(HERE / "guest/init", root / "init"); (root / "init").chmod(0o755)
def program(path):
    target = root / "usr/bin" / Path(path).name
    subprocess.run(["strip", "-o", target, path], check=True)
    for line in subprocess.run(["ldd", path], stdout=subprocess.PIPE, text=True).stdout.splitlines():
        library = next((w for w in line.split() if w.startswith("/")), None)
        if library:
            place = root / library.lstrip("/")
            place.parent.mkdir(parents=True, exist_ok=True)
            if not place.exists(): shutil.copy(os.path.realpath(library), place)
program(ROOT / ".build/release/deskbell")
for p in ["arecord", "curl"]:
    if shutil.which(p): program(shutil.which(p))
shutil.copytree("/usr/share/alsa", root / "usr/share/alsa")

for d in ["board-configs", "examples", "Sounds"]: shutil.copytree(ROOT / d, root / "usr/share/deskbell" / d)
image = work / "initramfs.cpio"
with open(image, "wb") as out:
    subprocess.run("find . -exec touch -hd @1767225600 {} + && find . | LC_ALL=C sort | cpio --quiet --reproducible -o -H newc -R 0:0", shell=True, cwd=root, stdout=out, check=True)
disk = work / "out.tar"; disk.write_bytes(b""); os.truncate(disk, 256 << 20)
t = time.time(); shutil.copy(image, "/tmp/vb/initramfs.cpio")
q = subprocess.run(["qemu-system-x86_64", "-accel", "tcg", "-icount", "shift=1,sleep=off", "-rtc", "base=2026-01-01,clock=vm", "-seed", "1",
 "-smp", "1", "-m", "512", "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot", "-serial", "stdio",
 "-kernel", kernel / "vmlinux", "-initrd", image, "-append", "console=ttyS0 quiet panic=-1 random.trust_cpu=on",
 "-drive", f"file={disk},format=raw,if=virtio"], stdin=subprocess.DEVNULL, stdout=open("/tmp/vb/console","w"), stderr=subprocess.STDOUT, text=True, timeout=int(os.environ.get("T","60")))
print(open("/tmp/vb/console").read()); print("took", time.time() - t, "image", image.stat().st_size)
out = Path(sys.argv[1] if len(sys.argv) > 1 else "/tmp/vb/out"); shutil.rmtree(out, ignore_errors=True); out.mkdir(parents=True)
subprocess.run(["tar", "-xf", disk, "-C", out])
shutil.rmtree(work)
