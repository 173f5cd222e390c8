"""The OCI image, started by crun without a daemon, by Podman as a user without privileges, and the recipes of
examples/containers with a Docker of its own.

  python3 -m Tests.Package.containers IMAGE.oci.tar

Prints each step with the seconds since the start. Needs root, and nothing of the network: images of others are not
started.
"""

import argparse
import json
import os
import re
import shlex
import shutil
import stat
import subprocess
import sys
import tarfile
import time
from pathlib import Path

import yaml

from Tests.support.guest import Timetable
from Tests.support.pages import blocks
from Tests.support.project import ROOT, again_inside
from Tests.support.terminal import Terminal

PATIENCE_SECONDS = 60
LIMIT_BYTES = 60_000_000
LIMIT_SECONDS = 1
USER = "2197:2197"
RECIPES = ROOT / "examples/containers"
LAST_LINE = "DESKBELL_CONTROL="
say = Timetable().say


def run(*words, **more):
    """Returns what a command prints. Throws an error with its output if it fails."""
    more = {"timeout": PATIENCE_SECONDS, **more}
    done = subprocess.run(
        [str(word) for word in words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, **more)
    if done.returncode != 0:
        raise AssertionError(f"{words} ended with {done.returncode}:\n{done.stdout}")
    return done.stdout


def unified(*words):
    """Returns the words of a call of a program that does not know both versions of cgroups at once, as crun and Podman."""
    cgroups = ('[ "$(stat --file-system --format=%T /sys/fs/cgroup)" = cgroup2fs ] || '
               '{ umount --recursive /sys/fs/cgroup; mount -t cgroup2 none /sys/fs/cgroup; }; exec "$@"')
    return ["unshare", "--mount", "sh", "-c", cgroups, "sh", *map(str, words)]


def crun(work, *words):
    return unified("crun", "--root", work / "crun", "--cgroup-manager=disabled", *words)


class Image:
    """The image, unpacked by umoci."""

    def __init__(self, path, work):
        self.path, self.work = Path(path).resolve(), work
        self.bundle = work / "bundle"
        with tarfile.open(path) as archive:
            archive.extractall(work / "layout", filter="data")
        index = json.loads((work / "layout/index.json").read_text())
        self.tag = index["manifests"][0]["annotations"]["org.opencontainers.image.ref.name"]
        self.name = f"deskbell:{self.tag}"
        config = self.blob(self.blob(index["manifests"][0])["config"])
        self.architecture, self.config = config["architecture"], config["config"]
        run("umoci", "unpack", "--image", f"{work}/layout:{self.tag}", self.bundle)

    def blob(self, descriptor):
        return json.loads((self.work / "layout/blobs" / descriptor["digest"].replace(":", "/")).read_text())


class Container:
    """A container of crun's: not root, no capability, a root file system that cannot be written, this network."""

    def __init__(self, image, name, *words, user=USER, folders=(), environment=()):
        self.image, self.name, self.user = image, name, user
        config = json.loads((image.bundle / "config.json").read_text())
        process = config["process"]
        process["terminal"], process["capabilities"] = False, {}
        process["rlimits"] = [{"type": "RLIMIT_NOFILE", "hard": 16384, "soft": 16384}]
        process["user"] = dict(zip(("uid", "gid"), map(int, user.split(":"))))
        process["args"] = image.config["Entrypoint"] + list(words or image.config["Cmd"])
        variables = dict(variable.split("=", 1) for variable in [*process["env"], *environment])
        process["env"] = [f"{key}={value}" for key, value in variables.items()]
        config["root"] = {"path": str(image.bundle / "rootfs"), "readonly": True}
        config["linux"] = {"namespaces": [{"type": kind} for kind in ("pid", "ipc", "uts", "mount")]}
        config["mounts"] = [
            mount for mount in config["mounts"]
            if not mount["destination"].startswith("/sys") and mount["destination"] not in image.config["Volumes"]]
        config["mounts"] += [
            {"destination": str(inside), "type": "bind", "source": str(outside), "options": ["rbind", "rw"]}
            for outside, inside in folders]
        self.folder = image.work / name
        self.folder.mkdir(exist_ok=True)
        (self.folder / "config.json").write_text(json.dumps(config))

    def start(self, last):
        """Starts it, and returns the lines up to the one that contains `last`, and the seconds until then."""
        began = time.monotonic()
        self.process = subprocess.Popen(
            crun(self.image.work, "run", "--bundle", self.folder, self.name), stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        lines = []
        for line in self.process.stdout:
            lines.append(line.strip())
            if last in line:
                return lines, time.monotonic() - began
        raise AssertionError(f"{self.name} has ended:\n" + "\n".join(lines))

    def inside(self, *words, environment=()):
        variables = [word for variable in environment for word in ("--env", variable)]
        return run(*crun(self.image.work, "exec", "--user", self.user, *variables, self.name, *words))

    def end(self):
        """Ends it as `docker stop` does, and returns the seconds that it took."""
        began = time.monotonic()
        run(*crun(self.image.work, "kill", self.name, self.image.config["StopSignal"]))
        code = self.process.wait(timeout=PATIENCE_SECONDS)
        assert code == 0, f"{self.name} ended with {code}: {self.process.stdout.read()}"
        self.process.stdout.close()
        return time.monotonic() - began


def examine(image):
    """What other programs read of the file."""
    size = image.path.stat().st_size
    say(f"{image.path.name}: {size / 1e6:.1f} MB compressed")
    assert size < LIMIT_BYTES, size
    seen = json.loads(run("skopeo", "inspect", "--no-tags", f"oci-archive:{image.path}"))
    assert seen["Architecture"] == image.architecture, seen
    assert image.config["User"] == USER, image.config
    packages = (image.bundle / "rootfs/var/lib/dpkg/status").read_text()
    assert "\nPackage: libsqlite3-0\n" in packages
    program = run("file", "--brief", image.bundle / "rootfs/usr/bin/deskbell")
    expected = {"amd64": "x86-64", "arm64": "ARM aarch64"}[image.architecture]
    assert expected in program, program
    say(f"skopeo, umoci and file agree that it is for {image.architecture}")


def serve(image):
    """The daemon: a push by curl rings, the health check passes, a restart keeps the state."""
    state = image.work / "state"
    state.mkdir(mode=0o700)
    os.chown(state, *map(int, USER.split(":")))
    container = Container(image, "serve", folders=[(state, "/var/lib/deskbell")])
    lines, seconds = container.start("ready: ")
    assert not any("error" in line for line in lines), lines
    say(f"the daemon is ready {seconds:.2f} s after crun started it")
    process = json.loads(run(*crun(image.work, "state", "serve")))["pid"]
    status = dict(line.split(":\t", 1) for line in Path(f"/proc/{process}/status").read_text().splitlines())
    assert status["Uid"].split() == [USER.split(":")[0]] * 4, status
    assert int(status["CapEff"], 16) == 0, status
    root = next(line for line in Path(f"/proc/{process}/mountinfo").read_text().splitlines() if line.split()[4] == "/")
    assert root.split()[5].split(",")[0] == "ro", root
    say(f"it runs as the user {USER}, without capabilities, on a read-only file system")
    began = time.monotonic()
    assert "Nothing is broken." in container.inside(*image.config["Healthcheck"]["Test"][1:])
    say(f"the health check passes, in {time.monotonic() - began:.2f} s")
    container.inside("deskbell", "app", "new", "parcels")
    printed = container.inside("deskbell", "topic", "add", "parcels", "--app", "home.parcels")
    curl = shlex.split(next(line for line in printed.splitlines() if line.strip().startswith("curl ")))
    curl[-1] = "https://127.0.0.1:2197/parcels"
    assert json.loads(run(*curl, "--silent"))["event"] == "message"
    container.inside("deskbell", "events", "--since", "0", "--wait", "event=sound-started", "--timeout", "30s")
    say("a push by the printed line of curl rings")
    say(f"SIGTERM ends it in {container.end():.2f} s")
    container.start("ready: ")
    assert "parcels" in container.inside("deskbell", "topic", "list")
    container.end()
    say("a second container with the same volume has the topic")


def bench(image):
    """`bench` as a user of this machine."""
    folder = image.work / "bell"
    folder.mkdir()
    os.chown(folder, 1000, 1000)
    container = Container(
        image, "bench", "bench", user="1000:1000", folders=[(folder, folder)],
        environment=[f"TMPDIR={folder}", f"HOME={folder}"])
    times = []
    for _ in range(3):
        lines, seconds = container.start(LAST_LINE)
        times.append(seconds)
        variables = dict(line.removeprefix("export ").split("=", 1) for line in lines)
        assert Path(variables["BELL_CA"]).is_file() and variables["BELL_URL"].startswith("https://127.0.0.1:"), lines
        container.inside(*image.config["Healthcheck"]["Test"][1:], environment=[f"TMPDIR={folder}"])
        container.end()
        assert not list(folder.glob("deskbell-bench.*")), "the bench left its folder behind"
    say("bench prints its environment " + ", ".join(f"{one:.2f}" for one in times) + " s after crun started it")
    assert min(times) < LIMIT_SECONDS, times


class Docker:
    """A Docker of its own. Use it in a `with` statement."""

    def __init__(self, work):
        self.folder = work / "docker"
        self.folder.mkdir()
        self.environment = {
            **os.environ, "DOCKER_HOST": f"unix://{self.folder}/socket", "DOCKER_CONFIG": str(self.folder / "config")}

    def __enter__(self):
        self.log = open(self.folder / "log", "w")
        self.process = subprocess.Popen(
            ["dockerd", "--host", self.environment["DOCKER_HOST"], "--data-root", self.folder / "data", "--exec-root",
             self.folder / "exec", "--pidfile", self.folder / "pid"],
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=subprocess.STDOUT)
        deadline = time.monotonic() + PATIENCE_SECONDS
        while subprocess.run(["docker", "info"], env=self.environment, capture_output=True).returncode != 0:
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise AssertionError("dockerd does not answer:\n" + (self.folder / "log").read_text()[-2000:])
            time.sleep(0.1)
        return self

    def __exit__(self, *words):
        self.process.terminate()
        self.process.wait(timeout=PATIENCE_SECONDS)
        self.log.close()

    def __call__(self, *words, **more):
        return run("docker", *words, env=self.environment, **more)

    def compose(self, folder, *words):
        return run("docker-compose", "--project-directory", folder, "--file", folder / "compose.yaml", *words,
                   env=self.environment)

    def wait_until_healthy(self, name):
        began = time.monotonic()
        while (status := self("inspect", "--format", "{{.State.Health.Status}}", name).strip()) != "healthy":
            assert time.monotonic() < began + PATIENCE_SECONDS, status
            time.sleep(0.1)


def docker_run(image, docker):
    docker("load", "--input", image.path)
    seconds = []
    for _ in range(3):
        began = time.monotonic()
        with subprocess.Popen(
                ["docker", "run", "--rm", "--name", "bell", "--read-only", "--tmpfs", "/tmp", image.name, "bench"],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, env=docker.environment) as process:
            assert any(LAST_LINE in line for line in process.stdout)
            seconds.append(time.monotonic() - began)
            docker("stop", "bell")
    say("docker run … bench prints its environment after " + ", ".join(f"{one:.2f}" for one in seconds) + " s")


# What the pages fetch of a release: curl gets the image for its address, and pip only looks at that of the wheel.
RELEASE_PROGRAMS = {
    "curl": """#!/bin/sh
case "$*" in
  "-fL https://github.com/OWNER/deskbell/releases/download/v{tag}/deskbell-{tag}-amd64.oci.tar") exec cat {image} ;;
  *https://*) echo "no such file: $*" >&2; exit 22 ;;
esac
exec /usr/bin/curl "$@"
""",
    "pip": """#!/bin/sh
case "$*" in
  "install https://github.com/OWNER/deskbell/releases/download/v{tag}/pytest_deskbell-{tag}-py3-none-any.whl") ;;
  *) echo "no such wheel: $*" >&2; exit 1 ;;
esac
"""}


def printed(page, what):
    """Returns the commands of a page's block that contains a text."""
    [text] = [block.text for block in blocks(page) if what in block.text]
    return text


class Reader:
    """Runs the commands that the pages print, from the file to the first ring, as they are, but for `changes`."""

    def __init__(self, image, name, environment, words=lambda *words: words, changes=()):
        self.name, self.words, self.changes = name, words, changes
        self.folder = image.work / f"reader-{name}"
        (self.folder / "bin").mkdir(parents=True)
        shutil.copy(image.path, self.folder / "image")
        for program, text in RELEASE_PROGRAMS.items():
            (self.folder / "bin" / program).write_text(text.format(tag=image.tag, image=self.folder / "image"))
            (self.folder / "bin" / program).chmod(0o755)
        self.environment = {**environment, "PATH": f"{self.folder}/bin:{os.environ['PATH']}", "TERM": "xterm"}

    def shell(self, text):
        for change in (("/tmp/bell", f"{self.folder}/bell"), *self.changes):
            text = text.replace(*change)
        return self.words("bash", "-euo", "pipefail", "-c", text)

    def run(self, text):
        return run(*self.shell(text), env=self.environment, cwd=self.folder)

    def laptop(self):
        commands = printed("docs/install.md", " demo")
        assert printed("README.md", "docker load") == commands, commands
        began, first = time.monotonic(), []
        with Terminal(self.shell(commands), columns=120, rows=40, env=self.environment, cwd=self.folder) as terminal:
            for name, pattern in (("loaded", "Loaded image"), ("lamp", "lamp double"), ("digits", r"badge \d"),
                                  ("sound", "sound-started")):
                terminal.wait_for_match(pattern)
                first.append(f"{name} after {time.monotonic() - began:.1f} s")
            terminal.press("q")
            status, shown = terminal.finish()
        assert status == 0, shown[-2000:]
        say(f"{self.name}, laptop: {', '.join(first)}")

    def ci(self, page):
        """Runs the page's commands, and a push, after which it removes the container."""
        began = time.monotonic()
        commands = [line for line in printed(page, "--network host").splitlines() if not line.startswith("docker rm ")]
        push = "docker exec --env DESKBELL_CONTROL bell deskbell push com.example.mail --title 'A parcel' --must-ring"
        self.run("\n".join([*commands, "export DESKBELL_CONTROL", push]))
        say(f"{self.name}, CI, the commands of {page}: a push rang after {time.monotonic() - began:.1f} s")
        self.run("docker rm --force bell")


def journeys(image, docker):
    reader = Reader(image, "Docker", docker.environment)
    for journey in (reader.laptop, lambda: reader.ci("docs/install.md")):
        docker("rmi", "--force", image.name)
        journey()
    reader.ci("docs/images.md")


def podman(image):
    """Podman, as a user without privileges, who exists only here."""
    name, identifier, home = "bell", 54321, image.work / "reader-Podman"
    for file, line in (("passwd", f"{name}:x:{identifier}:{identifier}::{home}:/bin/bash"),
                       ("group", f"{name}:x:{identifier}:"), ("subuid", f"{name}:100000:65536"),
                       ("subgid", f"{name}:100000:65536")):
        copy = image.work / file
        copy.write_text(f"{(Path('/etc') / file).read_text()}{line}\n")
        run("mount", "--bind", copy, f"/etc/{file}")
    # Debian's udev lets everybody use it, for networks of their own.
    tunnel = image.work / "tun"
    os.mknod(tunnel, stat.S_IFCHR | 0o666, os.makedev(10, 200))
    tunnel.chmod(0o666)
    run("mount", "--bind", tunnel, "/dev/net/tun")
    image.work.chmod(0o755)
    reader = Reader(
        image, "Podman", {"XDG_RUNTIME_DIR": str(home / "run")},
        lambda *words: unified("runuser", "--user", name, "--", *words),
        # As docs/install.md says.
        [("docker ", "podman "), ("podman run --detach ", "podman run --detach --userns keep-id ")])
    (home / "run").mkdir(mode=0o700)
    for path in (home, *home.iterdir()):
        os.chown(path, identifier, identifier)
    reader.laptop()
    reader.ci("docs/install.md")
    reader.ci("docs/images.md")
    reader.run("podman system reset --force")


def testcontainers(image, docker):
    environment = {
        **docker.environment, "DESKBELL_IMAGE": image.name, "PYTHONPATH": str(ROOT / "kits/python"),
        # It would fetch an image that removes containers of tests that were killed.
        "TESTCONTAINERS_RYUK_DISABLED": "true"}
    printed = run(
        sys.executable, "-m", "pytest", "-p", "pytest_deskbell.plugin", "-p", "no:cacheprovider", "-W", "ignore",
        RECIPES / "testcontainers", env=environment)
    assert "1 passed" in printed, printed
    say("Testcontainers: " + printed.splitlines()[-1].strip("= "))


def actions(image, docker):
    """Runs the steps of both jobs as a runner would, in bash -e."""
    jobs = yaml.safe_load((RECIPES / "github-actions.yaml").read_text())["jobs"]
    service = jobs["service"]["services"]["bell"]
    published = [word for ports in service["ports"] for word in ("--publish", ports)]
    identifier = docker(
        "run", "--detach", *published, *shlex.split(service["options"]), image.name).strip()
    docker.wait_until_healthy(identifier)
    for name, known in (("service", {"BELL": identifier}), ("bench", {"IMAGE": image.name})):
        folder = image.work / f"job-{name}"
        folder.mkdir()
        variables = folder / "environment"
        for step in jobs[name]["steps"]:
            variables.touch()
            exported = dict(line.split("=", 1) for line in variables.read_text().splitlines())
            run("bash", "-e", "-c", step["run"], cwd=folder, env={
                **docker.environment, **known, **exported, "RUNNER_TEMP": str(folder), "GITHUB_ENV": str(variables)})
            say(f"GitHub Actions, {name}: {step['name']}")
    docker("rm", "--force", identifier, "bell")


def devcontainer(image, docker):
    """The two containers, where the one for work is our image, too: it has a shell."""
    folder = image.work / "workspace/.devcontainer"
    shutil.copytree(RECIPES / "devcontainer", folder)
    services = yaml.safe_load((folder / "compose.yaml").read_text())
    services["services"]["work"].update(
        {"image": image.name, "entrypoint": ["/bin/sh", "-c", "while read -r line; do :; done; exec sleep infinity"],
         "user": "1000:1000", "environment": {"HOME": "/bell"}, "stdin_open": True})
    services["services"]["bell"]["image"] = image.name
    (folder / "compose.yaml").write_text(yaml.safe_dump(services))
    docker.compose(folder, "up", "--detach")
    try:
        # Without `source`, which is bash's.
        docker.compose(folder, "exec", "-T", "work", "sh", "-c",
                       "set -a; . /bell/env; deskbell push com.example.mail --title Hello --must-ring")
    finally:
        docker.compose(folder, "down", "--volumes", "--timeout", "1")
    say("the devcontainer's bench rings from the container beside it")


def home_assistant(image, docker):
    """The compose file's daemon, with its settings, and Debian's Mosquitto with the compose file's."""
    docker.compose(RECIPES / "home-assistant", "config", "--quiet")
    data = image.work / "mosquitto"
    data.mkdir()
    shutil.chown(data, "mosquitto")
    settings = (RECIPES / "home-assistant/mosquitto.conf").read_text().replace("/mosquitto/data", f"{data}/")
    (image.work / "mosquitto.conf").write_text(settings)
    broker = subprocess.Popen(
        ["mosquitto", "-c", image.work / "mosquitto.conf"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL)
    service = yaml.safe_load((RECIPES / "home-assistant/compose.yaml").read_text())["services"]["deskbell"]
    mounted = RECIPES / "home-assistant/deskbell.yaml"
    try:
        docker("run", "--detach", "--name", "desk", "--health-interval", "1s", "--network", "host",
               "--add-host", "mosquitto:127.0.0.1", "--read-only", "--tmpfs", *service["tmpfs"],
               "--cap-drop", *service["cap_drop"],
               "--security-opt", *service["security_opt"], "--volume", f"{mounted}:/etc/deskbell/deskbell.yaml:ro",
               "--env", f"TZ={service['environment']['TZ']}", image.name)
        described = run(
            "mosquitto_sub", "-h", "127.0.0.1", "-t", "homeassistant/device/+/config", "-C", "1", "-W", "30")
        assert json.loads(described)["device"]["name"] == "Desk", described
        docker.wait_until_healthy("desk")
        docker("rm", "--force", "desk")
    finally:
        broker.terminate()
        broker.wait(timeout=PATIENCE_SECONDS)
    say("compose: Home Assistant's description of the desk is at the broker, and the daemon is healthy")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("image", help="the image to test")
    parser.add_argument("--inside", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if not options.inside:
        again_inside("Tests.Package.containers", options.image, lambda work: None)
    run("ip", "link", "set", "lo", "up")
    image = Image(options.image, options.inside)
    examine(image)
    if image.architecture != run("dpkg", "--print-architecture").strip():
        say("passed; its program cannot be run here")
        return
    serve(image)
    bench(image)
    podman(image)
    with Docker(options.inside) as docker:
        for recipe in (docker_run, journeys, testcontainers, actions, devcontainer, home_assistant):
            recipe(image, docker)
    say("passed")


if __name__ == "__main__":
    main()
