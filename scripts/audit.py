#!/usr/bin/env python3
"""Compares a program's components (packaging/sbom.py) with the known vulnerabilities: Debian's packages with Debian's
security tracker, Swift packages with osv.dev.

Without network, the last fetched tracker data are used, and without these apt's package lists: they show if a security
update is missing here. Unchecked components are named.

Exit status: 0 nothing to do; 1 a vulnerability that an update fixes, or any in a Swift package; 2 wrong usage; 3 no
vulnerability found, but a source could not be checked.
"""

import argparse
import json
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

TRACKER = "https://security-tracker.debian.org/tracker/data/json"
OSV = "https://api.osv.dev/v1/querybatch"
FRESH_SECONDS = 24 * 3600
PATIENCE_SECONDS = 60


def is_older(version, other):
    return subprocess.run(["dpkg", "--compare-versions", version, "lt", other]).returncode == 0


def fetch(url, data=None):
    request = urllib.request.Request(url, data=data, headers={"Content-Type": "application/json"} if data else {})
    with urllib.request.urlopen(request, timeout=PATIENCE_SECONDS) as answer:
        return answer.read()


class Findings:
    def __init__(self):
        self.vulnerable, self.open, self.unchecked, self.notes = [], [], [], []
        self.is_complete = True

    def add(self, kind, component, **more):
        kind.append({"name": component["name"], "version": component["version"], **more})

    def leave_out(self, components, why):
        """Records components whose source could not be reached."""
        self.is_complete = self.is_complete and not components
        for component in components:
            self.add(self.unchecked, component, why=why)

    @property
    def status(self):
        return 1 if self.vulnerable else 0 if self.is_complete else 3


def qualifier(component, name):
    words = component["purl"].partition("?")[2].split("&")
    return next((word.partition("=")[2] for word in words if word.startswith(f"{name}=")), None)


def source(component):
    values = {each["name"]: each["value"] for each in component["properties"]}
    return values["deskbell:source"], values["deskbell:sourceVersion"]


def tracker(url, cache, findings):
    """Returns the tracker's data; None without network and cache."""
    is_fresh = cache.exists() and time.time() - cache.stat().st_mtime < FRESH_SECONDS
    if not is_fresh:
        try:
            data = fetch(url)
            json.loads(data)
            cache.parent.mkdir(parents=True, exist_ok=True)
            cache.write_bytes(data)
        except (OSError, ValueError) as error:
            if not cache.exists():
                findings.notes.append(f"{url} cannot be had: {error}")
                return None
            days = (time.time() - cache.stat().st_mtime) / 86400
            findings.notes.append(f"{url} cannot be had; {cache} is {days:.0f} days old")
    return json.loads(cache.read_text())


def check_by_tracker(components, known, findings):
    for component in components:
        name, version = source(component)
        suite = qualifier(component, "distro")
        for issue, entry in sorted(known.get(name, {}).items()):
            release = entry.get("releases", {}).get(suite, {})
            fixed = release.get("fixed_version")
            if release.get("status") == "resolved" and fixed and fixed != "0" and is_older(version, fixed):
                findings.add(findings.vulnerable, component, issue=issue, fixed=fixed)
            elif release.get("status") == "open":
                findings.add(findings.open, component, issue=issue, urgency=release.get("urgency", "unknown"))


def check_by_apt(components, findings):
    """Checks if apt's lists have a newer version in a security archive."""
    lines = Path("/usr/lib/os-release").read_text().splitlines()
    here = next((line.partition("=")[2] for line in lines if line.startswith("VERSION_CODENAME=")), None)
    unknown = []
    for component in components:
        suite = qualifier(component, "distro")
        table = subprocess.run(
            ["apt-cache", "madison", component["name"]], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        rows = [[cell.strip() for cell in line.split("|")] for line in table.stdout.splitlines()]
        secure = [version for _, version, place in rows if f"{suite}-security/" in place]
        newer = [version for version in secure if is_older(component["version"], version)]
        if suite != here or not rows:
            unknown.append(component)
        elif newer:
            findings.add(findings.vulnerable, component, issue="a security update", fixed=newer[0])
    findings.leave_out(unknown, "neither Debian's security tracker nor apt's lists of its suite are here")


def check_by_osv(components, url, findings):
    queries = {"queries": [{"package": {"purl": component["purl"]}} for component in components]}
    try:
        results = json.loads(fetch(url, json.dumps(queries).encode()))["results"]
    except (OSError, ValueError) as error:
        return findings.leave_out(components, f"{url} cannot be had: {error}")
    for component, result in zip(components, results, strict=True):
        for vulnerability in result.get("vulns", []):
            findings.add(findings.vulnerable, component, issue=vulnerability["id"], fixed=None)


def audit(bill, options):
    findings = Findings()
    by_kind = {}
    for component in bill["components"]:
        if component.get("scope") != "excluded":
            by_kind.setdefault(component["purl"].partition("/")[0], []).append(component)
    debian, swift = by_kind.pop("pkg:deb", []), by_kind.pop("pkg:swift", [])
    known = tracker(options.tracker, options.cache, findings)
    if known is None:
        check_by_apt(debian, findings)
    else:
        check_by_tracker(debian, known, findings)
    check_by_osv(swift, options.osv, findings)
    for component in sum(by_kind.values(), []):
        findings.add(findings.unchecked, component, why="no list of vulnerabilities has it by version")
    return findings


def show(findings):
    for each in findings.vulnerable:
        print(f"VULNERABLE  {each['name']} {each['version']}: {each['issue']}"
              + (f", fixed in {each['fixed']}" if each["fixed"] else ""))
    for each in findings.open:
        print(f"open        {each['name']} {each['version']}: {each['issue']}, no fix in Debian yet ({each['urgency']})")
    for each in findings.unchecked:
        print(f"unchecked   {each['name']} {each['version']}: {each['why']}")
    for note in findings.notes:
        print(f"note        {note}")
    print(f"{len(findings.vulnerable)} to update, {len(findings.open)} open, {len(findings.unchecked)} unchecked")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sbom", type=Path, help="of a package, or of the program that is built here")
    parser.add_argument("--json", action="store_true", help="print all as one JSON object")
    parser.add_argument("--tracker", default=TRACKER, metavar="URL", help="default: %(default)s")
    parser.add_argument("--osv", default=OSV, metavar="URL", help="default: %(default)s")
    parser.add_argument(
        "--cache", type=Path, default=Path(".build/audit/tracker.json"), metavar="FILE",
        help="where the tracker is kept for a day, and what is used without network (default: %(default)s)")
    options = parser.parse_args()
    try:
        bill = json.loads(options.sbom.read_text())
    except (OSError, ValueError) as error:
        parser.error(f"{options.sbom}: {error}")
    findings = audit(bill, options)
    if options.json:
        kinds = {kind: getattr(findings, kind) for kind in ("vulnerable", "open", "unchecked", "notes")}
        print(json.dumps({**kinds, "status": findings.status}, indent=2))
    else:
        show(findings)
    sys.exit(findings.status)


if __name__ == "__main__":
    main()
