"""The log as other programs read it."""

import re
import unittest

from Tests.support.appliance import Mailroom
from Tests.support.project import ROOT

GOOD = '{"aps": {"badge": 1}}'


class LogTests(unittest.TestCase):
    def test_the_recipe_for_fail2ban_finds_refused_strangers_and_no_provider(self):
        text = (ROOT / "docs/http2.md").read_text()
        recipe = re.search("^failregex = (.*)$", text, re.MULTILINE)[1].replace("<ADDR>", r"(?P<address>\S+)")
        with Mailroom() as appliance:
            self.assertEqual(appliance.curl(GOOD, bearer="nonsense")[0], 403)
            self.assertEqual(appliance.curl(GOOD)[0], 200)
            self.assertEqual(appliance.curl("no json")[0], 400)
            self.assertEqual(appliance.curl(GOOD, token="00" * 32)[0], 400)
            appliance.stop()
            found = [match for line in appliance.errors if (match := re.search(recipe, line))]
            self.assertEqual([match["address"] for match in found], ["127.0.0.1"])
            self.assertIn("reason=InvalidProviderToken status=403", found[0][0])
