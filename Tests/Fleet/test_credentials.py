"""What a desk's credentials let it do, tried against the real server."""

import asyncio
import json
import unittest

import nats.errors

from engine import connect, run
from rig import APP, Fleet, new_id


class CredentialsTest(unittest.TestCase):
    """Two desks and a gateway. Desk `thief` has its own seed, and wants what is desk `victim`'s."""

    @classmethod
    def setUpClass(cls):
        cls.fleet = cls.enterClassContext(Fleet())
        cls.fleet.add("victim", "thief")
        cls.fleet.add("front", gateway=True)
        cls.desk = cls.fleet.desk("victim")
        cls.token = cls.desk.install(APP)["victim-1", APP]
        cls.desk.wait_for_log("fleet victim: works")
        cls.gateway = cls.fleet.gateway("front")
        cls.gateway.key = cls.desk.key
        cls.gateway.wait_for_log("knows")

    async def as_thief(self, work, inbox="_INBOX_thief"):
        refused = []

        async def note(error):
            refused.append(str(error))

        connection = await connect(self.fleet, self.fleet.folder / "desks/thief/seed", inbox, error_cb=note)
        try:
            result = await work(connection)
            await connection.flush()
            return result, refused
        finally:
            await connection.close()

    def push(self, text):
        id = new_id()
        status, body, _ = self.gateway.curl(
            json.dumps({"aps": {"alert": text}}), token=self.token, headers={"apns-id": id})
        self.assertEqual(status, 200, body)
        return id

    def test_it_cannot_publish_for_another_desk(self):
        subjects = [
            "bell.push.victim.1.com_example_mailroom", "bell.now.victim.1.com_example_mailroom",
            f"$KV.BELL_TOKENS.victim.{'0' * 32}", "$KV.BELL_PROVIDERS.victim.00", "bell.events.victim",
            "bell.alive.victim", "bell.clear.group", "$KV.BELL_TOKENS._groups." + "0" * 32, "bell.roll",
            "$JS.ACK.BELL_PUSH.victim.1.1.1.1.0", "$JS.API.STREAM.PURGE.BELL_PUSH", "$JS.API.STREAM.DELETE.BELL_PUSH",
            "$JS.API.CONSUMER.DELETE.BELL_PUSH.victim"]

        async def publish(connection):
            for subject in subjects:
                await connection.publish(subject, b"{}")
                await connection.flush()

        _, refused = run(self.as_thief(publish))
        self.assertEqual(len(refused), len(subjects), refused)
        for subject, error in zip(subjects, refused):
            self.assertIn("permissions violation for publish", error.lower())
            self.assertIn(subject.lower(), error.lower())

    def test_it_cannot_read_what_is_another_desks(self):
        subjects = [
            "bell.push.victim.>", "bell.push.>", "bell.now.victim.>", ">", "_INBOX_victim.>", "$KV.BELL_TOKENS.>",
            "bell.events.>", "bell.alive.>", "bell.clear.>"]

        async def subscribe(connection):
            for subject in subjects:
                await connection.subscribe(subject)

        _, refused = run(self.as_thief(subscribe))
        self.assertEqual(len(refused), len(subjects), refused)

        async def ask(connection):
            answers = {}
            for subject in (
                    "CONSUMER.INFO.BELL_PUSH.victim", "CONSUMER.MSG.NEXT.BELL_PUSH.victim", "STREAM.INFO.BELL_PUSH",
                    "CONSUMER.CREATE.BELL_PUSH.thief2.bell.push.victim.>", "CONSUMER.NAMES.BELL_PUSH", "STREAM.NAMES",
                    "CONSUMER.CREATE.BELL_PUSH.thief2.bell.push.thief.>", "STREAM.MSG.GET.BELL_PUSH",
                    "DIRECT.GET.KV_BELL_TOKENS"):
                try:
                    answers[subject] = await connection.request("$JS.API." + subject, b"{}", timeout=0.3)
                except (nats.errors.TimeoutError, nats.errors.NoRespondersError):
                    pass
            return answers

        answers, _ = run(self.as_thief(ask))
        self.assertEqual(answers, {})

    def test_it_cannot_ring_another_desk_through_an_address_for_answers(self):
        """The engine delivers answers without asking whose subject it is; the desk looks who wrote them."""
        before = self.push("before")
        self.desk.wait_for_event(lambda event: event.get("push") == before and event["event"] == "presented")
        number = self.desk.handset_events("victim-1")[-1]["sequence"]
        targets = ["bell.now.victim._.com_example_mailroom", "bell.push.victim._.com_example_mailroom"]

        async def bounce(connection):
            for target in targets:
                # The acknowledgement of what it may publish, with the header that a push has.
                await connection.publish(
                    "bell.events.thief", json.dumps({"aps": {"alert": "stolen"}}).encode(), reply=target,
                    headers={
                        "Bell-Desk": "victim", "Bell-Id": new_id(), "Bell-Type": "alert", "Bell-Topic": APP,
                        "Bell-Priority": "10", "Bell-Group": "g"})
                # What its own consumer has.
                await connection.publish(
                    "$JS.API.CONSUMER.MSG.NEXT.BELL_PUSH.thief", b'{"batch":1,"no_wait":true}', reply=target)

        _, refused = run(self.as_thief(bounce))
        self.assertEqual(refused, [])
        after = self.push("after")
        self.desk.wait_for_event(lambda event: event.get("push") == after and event["event"] == "presented")
        pushes = {event["push"] for event in self.desk.handset_events("victim-1", number) if "push" in event}
        self.assertEqual(pushes, {after})


if __name__ == "__main__":
    unittest.main()
