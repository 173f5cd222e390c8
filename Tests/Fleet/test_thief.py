"""A desk whose seed was stolen: it rings no other desk, reads none, and causes no refused pushes."""

import base64
import contextlib
import hashlib
import itertools
import json
import subprocess

from Tests.Fleet.administrator import asked
from Tests.Fleet.nats import Refused
from Tests.Fleet.rig import NEWS, alert
from Tests.Fleet.test_fleet import OneDesk
from Tests.support.appliance import APP, make_key, new_id
from Tests.support.curl import curl

PUSH = "bell.push.kitchen._.com_example_mailroom"
ATTEMPTS = 3
ANSWER_SECONDS = 10
# After so long a request for a message that does not exist is answered.
NOTICE_NANOSECONDS = 500_000_000


class Thief(OneDesk):
    """The desk `thief` has no daemon: a thief uses its seed with the servers."""

    def setUp(self):
        super().setUp()
        self.fleet.add("thief")
        self.fleet.command("group", "add", "doors", "--app", APP, "kitchen", "thief")
        self.fleet.update()
        self.record = f"$KV.BELL_TOKENS.kitchen.{self.digest()}"

    def digest(self):
        """Returns the honest desk's token as the registry names it."""
        return hashlib.sha256(bytes.fromhex(self.token)).hexdigest()[:32]

    def connect(self, *words):
        return self.enterContext(self.fleet.connection(*words))

    def thief(self, server=0):
        return self.connect("desks/thief/seed", "_INBOX_thief", server)

    def subjects(self, stream):
        """Returns the number of messages of each subject in a stream."""
        return asked(self.fleet, f"STREAM.INFO.{stream}", {"subjects_filter": ">"})["state"].get("subjects") or {}

    def value(self, subject):
        stream = "KV_" + subject.split(".")[1]
        message = asked(self.fleet, f"STREAM.MSG.GET.{stream}", {"last_by_subj": subject})["message"]
        return json.loads(base64.b64decode(message["data"])) if "data" in message else None


class AnswersTest(Thief):
    """The servers send an answer to the subject that the request names, without checking its owner."""

    def send(self, server, stream, consumer, subjects, target):
        """Makes the servers send to the target the messages of the thief's consumer, and the notice of their end."""
        create = f"CONSUMER.CREATE.{stream}.{consumer}.{subjects}"
        config = {"name": consumer, "filter_subject": subjects, "ack_policy": "none", "deliver_policy": "last"}
        # A request that arrives while servers elect the consumer's leader is lost: then all of it again.
        for _ in range(ATTEMPTS):
            thief = self.thief(server)
            thief.socket.settimeout(ANSWER_SECONDS)
            with contextlib.suppress(TimeoutError):
                made = thief.api(create, {"stream_name": stream, "config": config})
                self.assertEqual(made["num_pending"], 1, made)
                # Once more to the thief itself: its arrival shows that the others were sent.
                for address in (target, target, f"{thief.inbox}.0"):
                    thief.put(f"$JS.API.CONSUMER.MSG.NEXT.{stream}.{consumer}", address, {
                        "batch": 1, "expires": NOTICE_NANOSECONDS})
                while thief.next()[0] != f"{thief.inbox}.0":
                    pass
                thief.api(f"CONSUMER.DELETE.{stream}.{consumer}")
                # A consumer that delivers to the target.
                thief.api(create, {"stream_name": stream, "config": config | {"deliver_subject": target}})
                thief.api(f"CONSUMER.DELETE.{stream}.{consumer}")
                return
            self.thief(server).api(f"CONSUMER.DELETE.{stream}.{consumer}")
        self.fail(f"no answer of {consumer} in {ATTEMPTS} attempts")

    def test_answers_reach_no_stream_and_ring_nothing(self):
        number = self.desk.handset_events(self.handset)[-1]["sequence"]
        fields = {
            "Bell-Desk": "kitchen", "Bell-Type": "alert", "Bell-Topic": APP, "Bell-Priority": "10",
            "Bell-Group": "doors", "Bell-Token": self.token, "Bell-Collapse": "doors/1"}
        # A push, and a record that the token is gone.
        record = json.loads(alert("stolen")) | {
            "app": APP, "handset": self.handset, "environment": "production", "since": 5, "gone": 6, "as": "unregistered"}
        known = self.value(self.record)
        now = "bell.now.kitchen._.com_example_mailroom"
        admin = self.connect()
        # A push of its own, as a gateway writes it.
        admin.request(
            "bell.push.thief._.com_example_mailroom", record, fields | {"Bell-Desk": "thief", "Bell-Id": new_id()})
        for place, target in enumerate([now, PUSH, self.record]):
            server = place % self.servers
            thief = self.thief(server)
            # The acknowledgement of a permitted message.
            thief.put("bell.events.thief", target, record, fields)
            self.send(server, "BELL_PUSH", "thief_1", "bell.push.thief.>", target)
            # A desk chooses the fields of its messages that are stored elsewhere.
            for subject in ("$KV.BELL_PROVIDERS.thief.00", "bell.clear.doors"):
                self.assertIn("seq", thief.request(subject, record, fields | {"Bell-Id": new_id()}))
            self.send(server, "KV_BELL_PROVIDERS", "thief", "$KV.BELL_PROVIDERS.thief.*", target)
            self.send(server, "BELL_CLEAR", "thief_doors_1", "bell.clear.doors", target)
            # An address that another server would read as another subject.
            with self.assertRaisesRegex(Refused, "Permissions Violation for Publish with Reply"):
                thief.put("$KV.BELL_PROVIDERS.thief.00", f"$JS.ACK.x@{target}", record, fields)
                thief.settle()
        # Another desk's part is refused.
        with self.assertRaises(Refused):
            self.thief().api("CONSUMER.CREATE.BELL_PUSH.thief_3.bell.push.kitchen.>", {
                "stream_name": "BELL_PUSH", "config": {"name": "thief_3", "filter_subject": "bell.push.kitchen.>"}})
        answer = self.thief().api("CONSUMER.CREATE.BELL_PUSH.thief_3.bell.push.thief.>", {
            "stream_name": "BELL_PUSH", "config": {"name": "thief_3", "filter_subject": "bell.push.kitchen.>"}})
        self.assertIn("error", answer)
        # A push that the desk receives comes after everything sent to it.
        id, _ = self.push()
        self.wait_for(id, "presented")
        for stream, beginning in (("BELL_PUSH", "bell.push."), ("KV_BELL_TOKENS", "$KV.BELL_TOKENS.")):
            self.assertEqual([name for name in self.subjects(stream) if not name.startswith(beginning)], [])
        self.assertEqual(self.subjects("BELL_PUSH").get(PUSH), None)
        self.assertEqual(self.value(self.record), known)
        # The same from the administrator, who is permitted, rings.
        own = new_id()
        admin.publish(now, record, fields | {"Bell-Id": own})
        self.wait_for(own, "presented")
        pushes = {event["push"].lower() for event in self.desk.handset_events(self.handset, number) if "push" in event}
        self.assertEqual(pushes, {id, own})

    def test_answers_are_nobodys_requests(self):
        """Otherwise one acknowledgement purges a stream, and one answer without a body deletes it."""
        streams = ["BELL_PUSH", "KV_BELL_TOKENS", "KV_BELL_PROVIDERS", "KV_BELL_CHANNELS", "BELL_EVENTS", "BELL_CLEAR"]
        targets = [
            f"$JS.API.{verb}.{stream}" for stream in streams for verb in ("STREAM.PURGE", "STREAM.MSG.DELETE", "STREAM.DELETE")]
        targets += [f"$JS.API.CONSUMER.DELETE.BELL_PUSH.{name}" for name in ("kitchen", "kitchen_1", "kitchen_2", "kitchen_3")]
        self.push()
        before = {stream: self.subjects(stream) for stream in streams}
        thief, gateway = self.thief(), self.connect("gateways/front/seed", "_INBOX_front")
        config = {"name": "thief_1", "filter_subject": "bell.push.thief.>", "ack_policy": "none"}
        thief.api("CONSUMER.CREATE.BELL_PUSH.thief_1.bell.push.thief.>", {"stream_name": "BELL_PUSH", "config": config})
        for target in targets:
            # An acknowledgement, an answer of JetStream, and one without a body.
            thief.put("$KV.BELL_TOKENS.thief.00", target, {})
            thief.put("$JS.API.CONSUMER.INFO.BELL_PUSH.thief", target, b"")
            thief.put("$JS.API.CONSUMER.MSG.NEXT.BELL_PUSH.thief_1", target, {"batch": 1, "no_wait": True})
            gateway.put("bell.push.nobody._.com_x", target, {})
            gateway.put("$JS.API.STREAM.INFO.KV_BELL_TOKENS", target, b"")
        # This request is handled after all those.
        self.assertIn("seq", thief.request("$KV.BELL_TOKENS.thief.00", {}))
        self.assertIn("seq", gateway.request("bell.push.nobody._.com_x", {}))
        for stream in streams:
            after = self.subjects(stream)
            self.assertEqual({name: after.get(name) for name in before[stream]}, before[stream], stream)
        id, _ = self.push()
        self.wait_for(id, "presented")
        self.assertEqual(asked(self.fleet, "CONSUMER.INFO.BELL_PUSH.kitchen")["name"], "kitchen")


class AnswersInClusterTest(AnswersTest):
    """Answers go from one server to another."""

    servers = 3


class OwnershipTest(Thief):
    """A desk's announcements belong to it, regardless of who repeats them, and of gateways' reading order."""

    def setUp(self):
        super().setUp()
        added = self.desk.report("topic", "add", "parcels", "--app", NEWS, "--handset", self.handset)
        self.key = added["key"]
        while f"$KV.BELL_PROVIDERS.kitchen.{b'parcels'.hex()}" not in self.subjects("KV_BELL_PROVIDERS"):
            pass
        self.other_key = make_key()

    def announce(self):
        """Announces as the thief all that the honest desk has, in each way that its permissions allow."""
        thief = self.thief()
        for scope in ("all", "sub"):
            for bucket in ("TOKENS", "PROVIDERS"):
                answer = thief.request(f"$KV.BELL_{bucket}.thief.00", {}, {"Nats-Rollup": scope})
                self.assertEqual(answer["error"]["description"], "rollup not permitted")
        for name in self.subjects("KV_BELL_TOKENS"):
            if name.startswith("$KV.BELL_TOKENS.kitchen.") and (record := self.value(name)) is not None:
                mine = name.replace("kitchen", "thief")
                if "_own-" not in mine:
                    thief.request(mine, record | {"handset": "thief-1", "gone": 6, "as": "expired"})
                    record = {key: record[key] for key in record if key not in ("gone", "as")} | {"handset": "thief-1"}
                thief.request(mine, record)
        for name in self.subjects("KV_BELL_PROVIDERS"):
            if name.startswith("$KV.BELL_PROVIDERS.kitchen.") and (record := self.value(name)) is not None:
                for number, other in enumerate(self.forged(record)):
                    thief.request(f"{name.replace('kitchen', 'thief')}{number:02}", other)
                thief.request(name.replace("kitchen", "thief"), record)

    def forged(self, record):
        """Returns the provider with another key, or for the other environment; an access key with another handset."""
        text = json.dumps(record)
        if "token" in record.get("credential", {}):
            public = subprocess.run(
                ["openssl", "ec", "-pubout"], input=self.other_key, capture_output=True, text=True, check=True).stdout
            yield record | {"credential": {"token": record["credential"]["token"] | {"publicKey": public}}}
            yield json.loads(text.replace('"both"', '"development"'))
        if "topic" in record.get("credential", {}):
            yield json.loads(text.replace(self.handset, "thief-1"))

    def check(self):
        """Asserts that pushes to the honest desk ring there and nowhere else."""
        id = new_id()
        status, body, _ = self.answer_after(503, headers={"apns-id": id})
        self.assertEqual((status, body), (200, None), self.gateway.errors[-20:])
        self.assertEqual(self.post(), 200)
        # A record signed with the thief's key belongs to no desk.
        stolen = self.gateway.curl(alert(), token=self.token, bearer=self.gateway.bearer(key=self.other_key))
        self.assertEqual((stolen[0], stolen[1]["reason"]), (400, "BadDeviceToken"))
        self.assertEqual([name for name in self.subjects("BELL_PUSH") if name.startswith("bell.push.thief.")], [])
        return id

    def post(self):
        """Returns the status of a message with the access key, once the gateway has read the registry."""
        status = 503
        while status == 503:
            status = curl(
                "--cacert", self.gateway.ca, "--header", f"Authorization: Bearer {self.key}", "--data", "A parcel",
                f"https://localhost:{self.gateway.port}/parcels").status
        return status

    def restart(self, part):
        if part == "servers":
            self.fleet.kill_servers()
            self.fleet.start_servers()
        else:
            part.kill()
            part.start(part.port)

    def test_neither_restarts_nor_their_order_change_whose_a_token_is(self):
        self.announce()
        self.wait_for(self.check(), "presented")
        for order in itertools.permutations([self.gateway, "servers", self.desk]):
            for part in order:
                with self.subTest(part=getattr(part, "names", part)):
                    self.restart(part)
                    self.wait_for(self.check(), "presented")
            self.announce()
            self.wait_for(self.check(), "presented")

    def test_a_gateway_that_starts_while_the_desk_is_away_knows_whose_a_token_is(self):
        self.announce()
        self.desk.kill()
        self.announce()
        self.restart("servers")
        self.restart(self.gateway)
        id = self.check()
        self.desk.start()
        self.wait_for(id, "accepted")

    def test_a_token_that_is_gone_stays_its_desks(self):
        self.desk.run("app", "unregister", APP)
        while self.gateway.curl(alert(), token=self.token)[0] != 410:
            pass
        self.announce()
        for part in (self.gateway, self.desk):
            self.restart(part)
            status, body, _ = self.answer_after(503)
            self.assertEqual((status, body["reason"]), (410, "Unregistered"))

    def test_what_a_removed_desk_had_is_nobody_elses(self):
        group = self.fleet.report("group", "add", "halls", "--app", APP, "kitchen")["token"]
        for name in ("doors", "halls"):
            self.fleet.command("group", "remove", name)
        self.desk.stop()
        self.announce()
        self.fleet.command("remove", "kitchen")
        self.fleet.update()
        self.announce()
        thief, digest = self.thief(), hashlib.sha256(bytes.fromhex(group)).hexdigest()[:32]
        thief.request(f"$KV.BELL_TOKENS.thief._own-{digest}", {})
        thief.request(f"$KV.BELL_TOKENS.thief.{digest}", self.value(self.record.replace("kitchen", "thief")))
        self.restart(self.gateway)
        self.gateway.wait_for_log("knows")
        status, body, _ = self.gateway.curl(alert(), token=self.token)
        self.assertEqual((status, body["reason"]), (403, "InvalidProviderToken"))
        # The provider with that name and key is now the thief's, and may push to its own apps alone.
        signed = self.gateway.bearer(key=self.other_key)
        for token, expected in ((self.token, (410, "Unregistered")), (group, (400, "BadDeviceToken"))):
            status, body, _ = self.gateway.curl(alert(), token=token, bearer=signed)
            self.assertEqual((status, body["reason"]), expected)
        self.assertEqual(self.post(), 401)
        self.assertEqual([name for name in self.subjects("BELL_PUSH") if name.startswith("bell.push.thief.")], [])
