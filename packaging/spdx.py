#!/usr/bin/env python3
"""Writes as SPDX 2.3 what sbom.py wrote as CycloneDX: reads that from standard input. The same list gives the same bytes."""

import json
import re
import sys

UNKNOWN = "NOASSERTION"


def identifier(part):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]+", "-", f"{part['name']}-{part['version']}")


def package(part):
    licenses = [each["license"]["id"] for each in part.get("licenses", [])]
    return {
        "SPDXID": identifier(part), "name": part["name"], "versionInfo": part["version"],
        "primaryPackagePurpose": part["type"].upper(), "downloadLocation": UNKNOWN, "filesAnalyzed": False,
        "licenseConcluded": UNKNOWN, "licenseDeclared": " AND ".join(licenses) or UNKNOWN, "copyrightText": UNKNOWN,
        "externalRefs": [
            {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": part["purl"]}]}


def relationship(program, part):
    """Returns how the program has it. Debian's packages are loaded, all else is in the program."""
    if part.get("scope") == "excluded":
        return [identifier(part), "TEST_DEPENDENCY_OF", identifier(program)]
    kind = "DYNAMIC_LINK" if part["purl"].startswith("pkg:deb/") else "STATIC_LINK"
    return [identifier(program), kind, identifier(part)]


def document(bill):
    program, parts = bill["metadata"]["component"], bill["components"]
    related = [["SPDXRef-DOCUMENT", "DESCRIBES", identifier(program)], *(relationship(program, part) for part in parts)]
    name = f"{program['name']}-{program['version']}"
    return {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": name,
        "documentNamespace": f"https://spdx.org/spdxdocs/{name}-{bill['serialNumber'].removeprefix('urn:uuid:')}",
        "creationInfo": {"created": bill["metadata"]["timestamp"], "creators": ["Tool: deskbell-sbom"]},
        "packages": [package(part) for part in [program, *parts]],
        "relationships": [
            {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other}
            for one, kind, other in related]}


if __name__ == "__main__":
    print(json.dumps(document(json.load(sys.stdin)), indent=2))
