"""A full disk: pushes are answered 503, the state gives the reason, and the daemon works again when there is space."""

import resource
import unittest

from Tests.support.appliance import Mailroom

BADGE = '{"aps": {"badge": %d}}'


class FullDiskTests(unittest.TestCase):
    def test_a_limit_on_file_sizes_is_a_full_disk_and_not_the_end(self):
        with Mailroom() as appliance:
            self.assertEqual(appliance.curl(BADGE % 1)[0], 200)
            self.assertEqual(appliance.device("store"), {"name": "store", "works": True})

            process = appliance.process.pid
            _, hard = resource.prlimit(process, resource.RLIMIT_FSIZE)
            resource.prlimit(process, resource.RLIMIT_FSIZE, (4096, hard))
            for badge in (2, 3):
                status, body, _ = appliance.curl(BADGE % badge)
                self.assertEqual((status, body), (503, {"reason": "ServiceUnavailable"}))
            store = appliance.device("store")
            self.assertFalse(store["works"])
            self.assertTrue(store["problem"])
            self.assertEqual(appliance.report("state")["presentation"]["badge"], 1)
            doctor = appliance.command("doctor", check=False)
            self.assertEqual(doctor.returncode, 1, doctor.stdout)
            self.assertRegex(doctor.stdout, r"FAIL +store +")

            resource.prlimit(process, resource.RLIMIT_FSIZE, (hard, hard))
            self.assertEqual(appliance.curl(BADGE % 4)[0], 200)
            self.assertEqual(appliance.device("store"), {"name": "store", "works": True})
            self.assertEqual(appliance.report("state")["presentation"]["badge"], 4)
            self.assertEqual([line for line in appliance.errors if "store" in line][-1],
                             "deskbell: notice: the store works again")
