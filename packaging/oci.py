#!/usr/bin/env python3
"""Writes an OCI image of one layer as an archive of an image layout, which `docker load` takes, too.

umoci could write the layout, but neither the health check, which is Docker's addition, nor what `docker load` reads.
The times are SOURCE_DATE_EPOCH's, so the same layer gives the same bytes.
"""
import argparse
import datetime
import gzip
import hashlib
import io
import json
import os
import tarfile
from pathlib import Path

MEDIA = "application/vnd.oci.image"
LABEL = "org.opencontainers.image"
SECOND = 1_000_000_000


def configuration(version, architecture, diff, created):
    return {
        "architecture": architecture, "os": "linux", "created": created,
        "config": {
            "User": "2197:2197", "WorkingDir": "/", "StopSignal": "SIGTERM",
            "Env": ["PATH=/usr/bin:/bin", "DESKBELL_STATE=/var/lib/deskbell"],
            "Entrypoint": ["/usr/bin/deskbell"], "Cmd": ["serve", "--config", "/etc/deskbell/deskbell.yaml"],
            "ExposedPorts": {"2197/tcp": {}}, "Volumes": {"/var/lib/deskbell": {}},
            # More often while it starts, where Docker is new enough to know StartInterval.
            "Healthcheck": {
                "Test": ["CMD", "/usr/libexec/deskbell/health"], "Interval": 30 * SECOND, "Timeout": 10 * SECOND,
                "StartPeriod": 10 * SECOND, "StartInterval": SECOND, "Retries": 3},
            "Labels": {
                f"{LABEL}.title": "Deskbell", f"{LABEL}.version": version, f"{LABEL}.licenses": "Apache-2.0",
                f"{LABEL}.description": "Receiver of push notifications, and a test bench for push providers"}},
        "rootfs": {"type": "layers", "diff_ids": [diff]}, "history": [{"created": created, "created_by": "image.sh"}]}


class Layout:
    """The files of an image layout, by their paths."""

    def __init__(self):
        self.files = {"oci-layout": encoded({"imageLayoutVersion": "1.0.0"})}

    def blob(self, media, data, **more):
        """Adds a blob, and returns its descriptor."""
        digest = hashlib.sha256(data).hexdigest()
        self.files[f"blobs/sha256/{digest}"] = data
        return {"mediaType": media, "digest": f"sha256:{digest}", "size": len(data), **more}

    def write(self, path, seconds):
        with tarfile.open(path, "w", format=tarfile.USTAR_FORMAT) as archive:
            for name, data in sorted(self.files.items()):
                entry = tarfile.TarInfo(name)
                entry.size, entry.mtime, entry.mode = len(data), seconds, 0o644
                archive.addfile(entry, io.BytesIO(data))


def encoded(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def path_of(descriptor):
    return "blobs/" + descriptor["digest"].replace(":", "/")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for option in ("layer", "version", "architecture", "output"):
        parser.add_argument(f"--{option}", required=True)
    options = parser.parse_args()
    seconds = int(os.environ["SOURCE_DATE_EPOCH"])
    created = datetime.datetime.fromtimestamp(seconds, datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

    layout = Layout()
    data = Path(options.layer).read_bytes()
    layer = layout.blob(f"{MEDIA}.layer.v1.tar+gzip", gzip.compress(data, 9, mtime=0))
    diff = f"sha256:{hashlib.sha256(data).hexdigest()}"
    config = layout.blob(
        f"{MEDIA}.config.v1+json", encoded(configuration(options.version, options.architecture, diff, created)))
    manifest = layout.blob(
        f"{MEDIA}.manifest.v1+json",
        encoded({"schemaVersion": 2, "mediaType": f"{MEDIA}.manifest.v1+json", "config": config, "layers": [layer]}),
        platform={"os": "linux", "architecture": options.architecture},
        annotations={
            "org.opencontainers.image.ref.name": options.version,
            "io.containerd.image.name": f"docker.io/library/deskbell:{options.version}"})
    layout.files["index.json"] = encoded(
        {"schemaVersion": 2, "mediaType": f"{MEDIA}.index.v1+json", "manifests": [manifest]})
    layout.files["manifest.json"] = encoded(
        [{"Config": path_of(config), "RepoTags": [f"deskbell:{options.version}"], "Layers": [path_of(layer)]}])
    layout.write(options.output, seconds)
    print(options.output)


if __name__ == "__main__":
    main()
