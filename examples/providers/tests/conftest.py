"""The harness: the mailer as the tests have it."""

import os

import pytest
from mailer import Mailer


@pytest.fixture
def mailer(bell):
    with Mailer(bell.url, ca=bell.ca, key=bell.key, key_id=bell.key_id, team_id=bell.team_id, token=bell.token("mail"),
                clock=bell.clock, mistake=os.environ.get("MISTAKE")) as mailer:
        yield mailer
