"""Real clients that send much at once: no push is lost, and none rings twice."""

import unittest

from Tests.Clients.bulk import add_certificate, curl_pushes, has_java, java_pushes, pushes_over_connections, stored
from Tests.support.appliance import ApplianceCase, Mailroom


class BulkTests(ApplianceCase):
    @classmethod
    def make(cls):
        return Mailroom(board=None)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.certificate = add_certificate(cls.appliance)

    def setUp(self):
        self.before = stored(self.appliance)

    def stored(self):
        return stored(self.appliance) - self.before

    def test_curl_resets_what_it_has_the_answer_of(self):
        """libcurl 7.88 sends RST_STREAM(STREAM_CLOSED) after each answer."""
        for at_once in [1, 100]:
            with self.subTest(at_once=at_once):
                self.before = stored(self.appliance)
                answers, connections = curl_pushes(self.appliance, 1_000, at_once, self.certificate)
                self.assertEqual((dict(answers), connections, self.stored()), ({200: 1_000}, 1, 1_000))

    def test_curl_with_a_token(self):
        answers, connections = curl_pushes(self.appliance, 1_000, 1)
        self.assertEqual((dict(answers), connections, self.stored()), ({200: 1_000}, 1, 1_000))

    def test_two_hundred_connections_at_once(self):
        self.assertEqual((pushes_over_connections(self.appliance, 200, 500), self.stored()), (500, 500))

    @unittest.skipUnless(has_java(), "no JDK on the PATH")
    def test_the_jdk_opens_a_connection_for_each_push(self):
        self.assertEqual((dict(java_pushes(self.appliance, 500)), self.stored()), ({"200": 500}, 500))
