#!/usr/bin/env python3
"""Writes what a built program consists of, as CycloneDX 1.5: the Swift packages of Package.resolved, the C libraries
that they contain, Swift's runtime, and the shared libraries that it loads with dpkg's versions.

The same program, pins and packages give the same bytes.
"""

import argparse
import datetime
import json
import os
import re
import subprocess
import sys
import uuid
from pathlib import Path

# Only the tests link these.
TESTS_ONLY = {"swift-nio-http2"}
# C libraries that Swift packages contain as source, and where the package says which version.
CONTAINED = [
    ("swift-crypto", "boringssl", "Package.swift", r"BoringSSL Commit: ([0-9a-f]{40})"),
    ("swift-nio-ssl", "boringssl", "Package.swift", r"BoringSSL Commit: ([0-9a-f]{40})"),
    ("swift-nio", "llhttp", "Sources/CNIOLLHTTP/include/c_nio_llhttp.h",
     r"LLHTTP_VERSION_MAJOR (\d+)\D+LLHTTP_VERSION_MINOR (\d+)\D+LLHTTP_VERSION_PATCH (\d+)"),
]
CONTAINED_SOURCES = {"boringssl": "boringssl.googlesource.com/boringssl", "llhttp": "github.com/nodejs/llhttp"}


class Unknown(Exception):
    """Something of the program whose version cannot be told."""


def run(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout


def component(name, version, purl, kind="library", **more):
    return {"type": kind, "bom-ref": purl, "name": name, "version": version, "purl": purl, **more}


def properties(**values):
    return {"properties": [{"name": f"deskbell:{name}", "value": value} for name, value in values.items()]}


def swift_packages(root, checkouts):
    path = root / "Package.resolved"
    if not path.exists():
        raise Unknown(f"there is no {path}: run make build")
    for pin in json.loads(path.read_text())["pins"]:
        name, state = pin["identity"], pin["state"]
        owner = pin["location"].removeprefix("https://").removesuffix(".git").rsplit("/", 1)[0]
        more = {"scope": "excluded"} if name in TESTS_ONLY else {}
        if "Apache License" in next(checkouts.glob(f"{name}/LICENSE*")).read_text()[:200]:
            more["licenses"] = [{"license": {"id": "Apache-2.0"}}]
        yield component(
            name, state["version"], f"pkg:swift/{owner}/{name}@{state['version']}", **more,
            **properties(revision=state["revision"]))
    for package, name, file, pattern in CONTAINED:
        found = re.search(pattern, (checkouts / package / file).read_text())
        if not found:
            raise Unknown(f"{checkouts / package / file} does not name its version of {name}")
        version = ".".join(found.groups())
        yield component(
            name, version, f"pkg:generic/{name}@{version}?vcs_url=git%2Bhttps://{CONTAINED_SOURCES[name]}",
            **properties(containedIn=package))


def swift_runtime(binary):
    # The debug information names the compiler, whose runtime is linked.
    found = re.search(rb"Swift version (\d+(?:\.\d+)+)", binary.read_bytes())
    if not found:
        raise Unknown(f"{binary} does not name its compiler: it must not be stripped yet")
    version = found[1].decode()
    return component("swift-runtime", version, f"pkg:github/swiftlang/swift@swift-{version}-RELEASE")


def needed(path):
    return re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "--dynamic", str(path)))


# Opened by the program itself, where the settings ask for it. It has their names.
OPENED = [rb"libmosquitto\.so\.\d+", rb"libnats\.so\.\d+\.\d+"]


def opened(binary):
    text = binary.read_bytes()
    for pattern in OPENED:
        found = re.search(pattern, text)
        if not found:
            raise Unknown(f"{binary} does not name a library that it opens: {pattern.decode()}")
        yield found[0].decode()


def debian_packages(binary, sysroot):
    """Returns those of the shared libraries that are loaded, directly or by others."""
    database = [f"--admindir={sysroot}/var/lib/dpkg"] if sysroot else []
    places = {}
    waiting = needed(binary) + [*opened(binary)]
    while waiting:
        library = waiting.pop()
        if library in places:
            continue
        try:
            found = run("dpkg-query", *database, "--search", f"*/{library}").splitlines()
        except subprocess.CalledProcessError:
            raise Unknown(f"{library} is of no Debian package") from None
        # Others may have a file of that name beside the loader's folders.
        package, path = min((line.split(": ", 1) for line in found), key=lambda pair: len(pair[1]))
        places[library] = package
        waiting += needed(f"{sysroot or ''}{path}")
    suite = re.search(r"^VERSION_CODENAME=(\w+)", Path(f"{sysroot or ''}/usr/lib/os-release").read_text(), re.M)[1]
    form = "${Package}\t${Version}\t${source:Package}\t${source:Version}\t${Architecture}\n"
    for line in sorted(set(run("dpkg-query", *database, "--show", f"--showformat={form}", *set(places.values()))
                           .splitlines())):
        name, version, source, source_version, architecture = line.split("\t")
        yield component(
            name, version, f"pkg:deb/debian/{name}@{version.replace('+', '%2B')}?arch={architecture}&distro={suite}",
            **properties(source=source, sourceVersion=source_version))


def document(options):
    checkouts = options.root / ".build/checkouts"
    parts = [*swift_packages(options.root, checkouts), swift_runtime(options.binary),
             *debian_packages(options.binary, options.sysroot)]
    # Two packages may contain the same revision.
    parts = list({part["bom-ref"]: part for part in parts}.values())
    time = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
    program = component(
        "deskbell", options.version,
        f"pkg:deb/deskbell@{options.version.replace('+', '%2B')}?arch={options.architecture}",
        kind="application", licenses=[{"license": {"id": "Apache-2.0"}}])
    linked = sorted(part["bom-ref"] for part in parts if part.get("scope") != "excluded")
    return {
        "bomFormat": "CycloneDX", "specVersion": "1.5",
        "serialNumber": uuid.uuid5(uuid.NAMESPACE_URL, json.dumps([program, parts], sort_keys=True)).urn,
        "version": 1, "metadata": {"timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ"), "component": program},
        "components": parts, "dependencies": [{"ref": program["bom-ref"], "dependsOn": linked}]}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", type=Path, required=True, help="the program, not stripped")
    parser.add_argument("--version", required=True, help="of deskbell")
    parser.add_argument("--architecture", required=True, help="as Debian calls it")
    parser.add_argument("--sysroot", help="the folder with the libraries of another architecture")
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[1], help="the sources")
    try:
        bill = document(parser.parse_args())
    except (Unknown, StopIteration) as error:
        sys.exit(f"sbom.py: {error or 'a package has no licence file'}")
    print(json.dumps(bill, indent=2))


if __name__ == "__main__":
    main()
