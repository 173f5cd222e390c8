"""Starts Deskbell's test bench in a container, for the fixture `bell` of pytest-deskbell.

The container has the network of this machine and a folder at the same path, so that what the bench prints is true here:
address, certificate authority, key, control socket. This takes Linux, and a Docker that runs on this machine.
"""
import os
import re
import tempfile

import pytest
from testcontainers.core.container import DockerContainer
from testcontainers.core.wait_strategies import LogMessageWaitStrategy

IMAGE = os.environ.get("DESKBELL_IMAGE", "deskbell:1.0.0")
LAST_LINE = re.compile(r"DESKBELL_CONTROL=\S+")


@pytest.fixture(scope="session", autouse=True)
def bench():
    with tempfile.TemporaryDirectory(prefix="deskbell-") as folder:
        container = (
            DockerContainer(IMAGE, network_mode="host", user=f"{os.getuid()}:{os.getgid()}", read_only=True)
            .with_command("bench").with_env("TMPDIR", folder).with_volume_mapping(folder, folder, "rw")
            .waiting_for(LogMessageWaitStrategy(LAST_LINE)))
        with container:
            lines = container.get_logs()[0].decode().splitlines()
            variables = dict(line.removeprefix("export ").split("=", 1) for line in lines)
            os.environ.update(variables)
            yield variables
