"""The administrator's commands with real servers, and the permissions of each of the fleet's users there."""

import base64
import contextlib
import hashlib
import json
import shutil
import socket
import ssl
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path

from Tests.Fleet.nats import EarlyServer, LateServer, Refused
from Tests.Fleet.rig import Fleet
from Tests.support.appliance import APP
from Tests.support.project import DESKBELL, PATIENCE_SECONDS

HOUR = 3_600 * 10**9


class Administered(unittest.TestCase):
    servers = 1

    def setUp(self):
        self.fleet = self.enterContext(Fleet(self.servers))

    def connect(self, *words):
        return self.enterContext(self.fleet.connection(*words))

    def desk(self, name):
        return self.connect(f"desks/{name}/seed", f"_INBOX_{name}")

    def problems(self):
        """Returns the problems of `fleet check`, whose exit code must be 1 if there are any."""
        done = self.fleet.command("check", "--json", check=False)
        found = [problem["problem"] for problem in json.loads(done.stdout)["problems"]]
        self.assertEqual(done.returncode, 1 if found else 0, done)
        return found

    def value(self, connection, subject):
        """Returns the newest value of a key of the registry."""
        stream = "KV_" + subject.split(".")[1]
        message = connection.api(f"STREAM.MSG.GET.{stream}", {"last_by_subj": subject})["message"]
        return json.loads(base64.b64decode(message["data"])) if "data" in message else None

    def note(self, connection, stream, consumer):
        return json.loads(connection.api(f"CONSUMER.INFO.{stream}.{consumer}", {})["config"]["description"])


class FolderTest(Administered):
    """Tests with one server."""

    def test_what_is_there_is_left_alone_and_what_differs_is_set_right(self):
        self.fleet.add("a")
        self.assertEqual(self.fleet.report("init")["servers"], [])
        self.assertEqual(self.fleet.report("init")["written"], [])
        self.assertEqual(self.fleet.report("add", "a")["changes"], {
            "folder": str(self.fleet.folder), "servers": [], "written": []})
        self.assertEqual(self.problems(), [])
        connection = self.connect()
        stream = connection.api("STREAM.INFO.BELL_PUSH", {})
        self.assertNotIn("error", connection.api("STREAM.UPDATE.BELL_PUSH", {**stream["config"], "max_age": HOUR}))
        self.assertTrue(connection.api("STREAM.DELETE.BELL_CLEAR")["success"])
        self.assertTrue(connection.api("CONSUMER.DELETE.BELL_PUSH.a")["success"])
        self.assertEqual(self.problems(), [
            "the stream BELL_PUSH: max_age is 3600 s, expected 30 d", "the stream BELL_CLEAR is missing",
            "the desk a has no consumer and receives nothing"])
        self.assertEqual(self.fleet.report("init")["servers"], [
            {"name": "BELL_PUSH", "kind": "updated", "differences": ["max_age is 3600 s, expected 30 d"]},
            {"name": "BELL_CLEAR", "kind": "made", "differences": []},
            {"name": "BELL_PUSH a", "kind": "made", "differences": []}])
        self.assertEqual(self.problems(), [])
        self.assertEqual(self.note(connection, "BELL_PUSH", "a"), {"stream": stream["created"], "groups": []})

    def test_a_stream_in_memory_is_refused(self):
        connection = self.connect()
        settings = connection.api("STREAM.INFO.BELL_EVENTS", {})["config"]
        connection.api("STREAM.DELETE.BELL_EVENTS")
        connection.api("STREAM.CREATE.BELL_EVENTS", {**settings, "storage": "memory"})
        self.assertEqual(self.problems(), ["the stream BELL_EVENTS: storage is memory, expected file"])
        done = self.fleet.refusal("init")
        self.assertIn("the stream BELL_EVENTS cannot be set right: storage is memory, expected file", done)

    def test_an_older_server_is_refused(self):
        self.fleet.servers[0].kill()
        port = self.fleet.known()[0]["port"]
        greeting = {"server_name": "a", "version": "2.10.22", "tls_required": True, "jetstream": True, "max_payload": 1}
        with socket.create_server(("127.0.0.1", port)) as listener:
            def greet():
                connection, _ = listener.accept()
                with connection:
                    connection.sendall(f"INFO {json.dumps(greeting)}\r\n".encode())

            thread = threading.Thread(target=greet)
            thread.start()
            self.assertEqual(
                self.problems(), ["the server a runs nats-server 2.10.22, which can lose answered pushes"])
            thread.join()

    def test_without_its_server_a_command_changes_nothing(self):
        self.fleet.servers[0].kill()
        before = {file: file.read_bytes() for file in self.fleet.folder.rglob("*") if file.is_file()}
        done = self.fleet.command("add", "a", check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("no server can be used at tls://127.0.0.1:", done.stderr)
        self.assertIn("--offline", done.stderr)
        self.assertEqual(before, {file: file.read_bytes() for file in self.fleet.folder.rglob("*") if file.is_file()})
        self.assertEqual(self.fleet.report("add", "a", "--offline")["changes"]["servers"], [])
        self.assertIn("the server a cannot be reached", self.problems()[0])

    def test_a_server_that_refuses_once_is_asked_again(self):
        """libnats 3.4.1 leaves out one signature of 256, and the server refuses that connection."""
        folder = self.fleet.folder.parent / "other"
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)
        self.fleet.command("init", "--server", f"a=127.0.0.1:{listener.getsockname()[1]}", folder=folder)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(folder / "nodes/a/server.pem", folder / "nodes/a/server.key")
        asked = []

        def serve():
            while len(asked) < 2:
                plain, _ = listener.accept()
                about = {"server_id": "a", "version": "2.10.27", "headers": True, "max_payload": 1048576, "proto": 1,
                         "nonce": "0123456789abcde", "tls_required": True, "auth_required": True}
                plain.sendall(f"INFO {json.dumps(about)}\r\n".encode())
                with context.wrap_socket(plain, server_side=True) as secure:
                    asked.append(secure.makefile("rb").readline().split()[0])
                    secure.sendall(b"-ERR 'Authorization Violation'\r\n")

        server = threading.Thread(target=serve, daemon=True)
        server.start()
        done = self.fleet.command("init", check=False, folder=folder)
        self.assertEqual((done.returncode, asked), (1, [b"CONNECT", b"CONNECT"]), done)

    def test_a_desk_can_neither_read_nor_ring_another(self):
        self.fleet.add("a", "b")
        self.fleet.command("group", "add", "both", "--app", "com.x", "a", "b")
        self.fleet.command("group", "add", "other", "--app", "com.x", "b")
        self.fleet.update()
        for subject in (
                "bell.push.a._.com_x", "bell.push.b._.com_x", "bell.now.b._.com_x", "bell.now.a._.com_x", "bell.roll",
                "bell.events.b", "bell.alive.b", "bell.clear.other", "$KV.BELL_TOKENS.b.00", "$KV.BELL_TOKENS._groups.00",
                "$KV.BELL_PROVIDERS.b.00", "_INBOX.x", "_INBOX_b.x", "$SYS.REQ.SERVER.PING", "$JS.API.INFO",
                "$JS.API.STREAM.INFO.BELL_PUSH", "$JS.API.STREAM.MSG.GET.BELL_PUSH", "$JS.API.STREAM.PURGE.BELL_PUSH",
                "$JS.API.DIRECT.GET.KV_BELL_TOKENS", "$JS.API.CONSUMER.CREATE.BELL_PUSH.a.bell.push.a.>",
                "$JS.API.CONSUMER.DURABLE.CREATE.BELL_PUSH.a", "$JS.API.CONSUMER.DELETE.BELL_PUSH.a",
                "$JS.API.CONSUMER.INFO.BELL_PUSH.b", "$JS.API.CONSUMER.MSG.NEXT.BELL_PUSH.b",
                "$JS.API.CONSUMER.MSG.NEXT.BELL_CLEAR.b_both", "$JS.ACK.BELL_PUSH.b.1.1.1.1.1"):
            with self.subTest(publishes=subject), self.assertRaisesRegex(Refused, "Permissions Violation for Publish"):
                self.desk("a").publish(subject)
        for subject in (">", "bell.>", "bell.push.a.>", "bell.now.b.>", "bell.now.*.>", "bell.clear.both", "_INBOX.>",
                        "_INBOX_b.>", "bell.events.a", "$KV.>", "$JS.>", "$SYS.>"):
            with self.subTest(subscribes=subject), self.assertRaisesRegex(
                    Refused, "Permissions Violation for Subscription"):
                self.desk("a").subscribe(subject)
        desk = self.desk("a")
        self.assertEqual(desk.api("CONSUMER.INFO.BELL_PUSH.a")["name"], "a")
        self.assertEqual(desk.api("CONSUMER.INFO.BELL_CLEAR.a_both")["name"], "a_both")
        self.assertEqual(desk.request("bell.clear.both", {})["seq"], 1)
        self.assertEqual(desk.request("$KV.BELL_TOKENS.a.00", {})["seq"], 5)
        self.assertEqual(desk.request("bell.events.a", {})["seq"], 1)
        for subject in ("bell.now.a.>", "bell.roll"):
            desk.subscribe(subject)

    def test_a_gateway_reads_the_registry_and_no_pushes(self):
        self.fleet.add("door", gateway=True)
        self.fleet.add("a")
        for subject in (
                "$KV.BELL_TOKENS.a.00", "bell.clear.x", "bell.events.a", "bell.alive.a", "$JS.API.STREAM.INFO.BELL_PUSH",
                "$JS.API.CONSUMER.CREATE.BELL_PUSH.x", "$JS.API.CONSUMER.MSG.NEXT.BELL_PUSH.a",
                "$JS.API.STREAM.MSG.GET.BELL_PUSH", "$JS.API.STREAM.PURGE.KV_BELL_TOKENS"):
            with self.subTest(publishes=subject), self.assertRaisesRegex(Refused, "Permissions Violation for Publish"):
                self.connect("gateways/door/seed", "_INBOX_door").publish(subject)
        for subject in ("bell.push.>", "bell.now.>", "_INBOX.>", "_INBOX_a.>", "$KV.>"):
            with self.subTest(subscribes=subject), self.assertRaisesRegex(
                    Refused, "Permissions Violation for Subscription"):
                self.connect("gateways/door/seed", "_INBOX_door").subscribe(subject)
        gateway = self.connect("gateways/door/seed", "_INBOX_door")
        self.assertEqual(gateway.request("bell.push.a._.com_x", {})["seq"], 1)
        self.assertEqual(gateway.api("STREAM.INFO.KV_BELL_TOKENS", {})["config"]["name"], "KV_BELL_TOKENS")
        made = gateway.api("CONSUMER.CREATE.KV_BELL_TOKENS.w", {"stream_name": "KV_BELL_TOKENS", "config": {
            "name": "w", "deliver_policy": "last_per_subject", "filter_subject": "$KV.BELL_TOKENS.>",
            "ack_policy": "none", "inactive_threshold": 10**9}})
        self.assertEqual(made["name"], "w")

    def test_what_a_removed_desk_had_is_gone(self):
        self.fleet.add("a", "b")
        desk, connection = self.desk("a"), self.connect()
        alive = {"app": "com.x", "handset": "1", "environment": "production", "since": 5}
        desk.request("$KV.BELL_TOKENS.a.00", alive)
        desk.request("$KV.BELL_TOKENS.a.01", {**alive, "gone": 6, "as": "expired"})
        desk.request("$KV.BELL_PROVIDERS.a.7368", {"name": "sh"})
        for name in ("a", "a", "b"):
            connection.request(f"bell.push.{name}._.com_x", {})
        removed = self.fleet.report("remove", "a")
        self.assertEqual(removed["removed"], {"tokens": 1, "providers": 1, "pushes": 2})
        ended = self.value(connection, "$KV.BELL_TOKENS.a.00")
        self.assertGreater(ended.pop("gone"), 1_700_000_000_000)
        self.assertEqual(ended, {**alive, "as": "unregistered"})
        self.assertEqual(self.value(connection, "$KV.BELL_TOKENS.a.01")["gone"], 6)
        self.assertIsNone(self.value(connection, "$KV.BELL_PROVIDERS.a.7368"))
        self.assertEqual(connection.api("CONSUMER.INFO.BELL_PUSH.a", {})["error"]["err_code"], 10014)
        self.assertEqual(connection.api("STREAM.INFO.BELL_PUSH", {})["state"]["messages"], 1)
        self.fleet.servers[0].update()
        # The server disconnects a removed user.
        with self.assertRaises((Refused, OSError)):
            while True:
                desk.publish("bell.alive.a")
        self.assertEqual(self.problems(), [])

    def test_a_group_has_a_token_and_each_desk_learns_of_it(self):
        self.fleet.add("a", "b")
        connection = self.connect()
        made = self.fleet.report("group", "add", "front", "--app", "com.x", "a", "b/2")
        key = hashlib.sha256(bytes.fromhex(made["token"])).hexdigest()[:32]
        record = self.value(connection, f"$KV.BELL_TOKENS._groups.{key}")
        self.assertGreater(record.pop("since"), 1_700_000_000_000)
        self.assertEqual(record, {
            "app": "com.x", "group": "front", "environment": "production",
            "desks": [{"desk": "a"}, {"desk": "b", "handset": "2"}]})
        self.assertNotIn(made["token"], "".join(
            file.read_text() for file in self.fleet.folder.rglob("*") if file.is_file()))
        for desk in ("a", "b"):
            self.assertEqual(self.note(connection, "BELL_PUSH", desk)["groups"], ["front"])
            clears = connection.api(f"CONSUMER.INFO.BELL_CLEAR.{desk}_front", {})["config"]
            self.assertEqual((clears["filter_subject"], clears["deliver_policy"]), ("bell.clear.front", "all"))
        self.assertEqual(self.fleet.command("remove", "a", check=False).returncode, 1)
        self.fleet.command("group", "remove", "front")
        self.assertEqual(self.value(connection, f"$KV.BELL_TOKENS._groups.{key}")["as"], "unregistered")
        self.assertEqual(self.note(connection, "BELL_PUSH", "b")["groups"], [])
        self.assertEqual(connection.api("CONSUMER.INFO.BELL_CLEAR.b_front", {})["error"]["err_code"], 10014)
        self.assertEqual(self.problems(), [])

    def test_the_list_has_who_is_there_and_what_waits(self):
        self.fleet.add("a", "b")
        connection, desk = self.connect(), self.desk("a")
        desk.subscribe("bell.roll")
        record = {"app": "com.x", "handset": "1", "environment": "production", "since": 5}
        desk.request("$KV.BELL_TOKENS.a.00", record)
        desk.request("$KV.BELL_TOKENS.a.01", {**record, "gone": 6, "as": "expired"})
        for _ in range(3):
            connection.request("bell.push.b._.com_x", {})
        # One push was delivered before the desk was away.
        connection.request("$KV.BELL_TOKENS.b._desk", {
            "desk": "b", "version": "0.7.2", "tokens": 1, "position": 1, "since": 5})

        def answer():
            desk.next()
            desk.publish("bell.alive.a", {
                "desk": "a", "version": "0.7.2", "handsets": 2, "tokens": 1, "position": 0, "since": 5})

        thread = threading.Thread(target=answer)
        thread.start()
        report = self.fleet.report("list")
        thread.join()
        seen = report["desks"][1].get("seen")
        self.assertRegex(seen, r"^20\d\d-\d\d-\d\dT.*Z$")
        self.assertEqual(report["desks"], [
            {"name": "a", "isAlive": True, "behind": 0, "tokens": 1, "handsets": 2, "version": "0.7.2", "groups": []},
            {"name": "b", "isAlive": False, "behind": 2, "tokens": 0, "groups": [], "seen": seen}])

    def test_a_server_that_has_not_heard_of_a_consumer_is_asked_again(self):
        self.fleet.add("a")
        self.fleet.desk("a").install(APP)
        with self.behind(LateServer) as (late, folder):
            done = self.fleet.command("list", "--json", folder=folder)
            self.assertEqual([desk["tokens"] for desk in json.loads(done.stdout)["desks"]], [1])
        self.assertEqual([subject.rpartition(".")[0] for subject in late.asked], [
            "$JS.API.CONSUMER.MSG.NEXT.KV_BELL_TOKENS"])

    @contextlib.contextmanager
    def behind(self, kind, *words):
        """Yields a server of the given kind in front of the fleet's, and an administrator's folder that uses it."""
        known = json.loads((self.fleet.folder / "fleet.json").read_text())
        with tempfile.TemporaryDirectory(dir=self.fleet.home) as name, kind(
                known["nodes"][0]["port"], self.fleet.folder / "nodes/a", *words) as server:
            folder = Path(name) / "fleet"
            shutil.copytree(self.fleet.folder, folder)
            known["nodes"][0]["port"] = server.port
            (folder / "fleet.json").write_text(json.dumps(known))
            yield server, folder

    def test_servers_that_have_just_been_started_are_asked_again(self):
        self.fleet.add("a")
        connection = self.connect()
        for error in (
                (400, 10005, "no suitable peers for placement"),
                (400, 10005, "no suitable peers for placement, peer offline"),
                (503, 10023, "insufficient resources"),
                (503, 10008, "JetStream system temporarily unavailable"), None):
            with self.subTest(error=error), self.behind(EarlyServer, error) as (early, folder):
                for stream in ("BELL_EVENTS", "KV_BELL_TOKENS"):
                    self.assertTrue(connection.api(f"STREAM.DELETE.{stream}")["success"])
                line = f"waiting for the servers: {error[2] if error else 'nobody answers for it'}"
                done = self.fleet.command("init", "--json", folder=folder)
                self.assertEqual([change["name"] for change in json.loads(done.stdout)["servers"]], [
                    "KV_BELL_TOKENS", "BELL_EVENTS"])
                self.assertEqual(set(done.stderr.splitlines()), {line})
                self.assertIn("$JS.API.STREAM.CREATE.BELL_EVENTS", early.asked)
        with self.behind(EarlyServer, (400, 10005, "no suitable peers for placement")) as (early, folder):
            for words in (
                    ["add", "b"], ["group", "add", "both", "--app", "com.x", "a", "b"], ["list"], ["check"],
                    ["group", "remove", "both"], ["remove", "b"]):
                with self.subTest(words):
                    early.asked.clear()
                    # 'check' finds that the server does not have the new desk.
                    done = self.fleet.command(*words, folder=folder, check=words != ["check"])
                    self.assertNotEqual(early.asked, [])
                    self.assertEqual(set(done.stderr.splitlines()), {
                        "waiting for the servers: no suitable peers for placement"})

    def test_a_push_is_explained_across_desks(self):
        self.fleet.add("a", "b")
        id = "8C072DB2-12F5-4B70-B99F-73F50AC5525B"
        connection = self.connect()
        for desk, handset in (("a", "_"), ("b", "2")):
            connection.request(f"bell.push.{desk}.{handset}.com_x", {}, {
                "Bell-Id": id, "Bell-Topic": "com.x", "Bell-Accepted": "1795248000000000", "Bell-Gateway": "door"})
        connection.request("bell.push.a._.com_x", {}, {"Bell-Id": id.replace("8", "9")})
        event = {"sequence": 1, "wall": 5, "uptime": 5, "event": "presented", "push": id, "desk": "a"}
        lines = "\n".join(json.dumps(line) for line in ({"event": "power-up", "desk": "a"}, event))
        connection.request("bell.events.a", lines.encode())
        found = self.fleet.report("explain", id.lower())
        stored = {"app": "com.x", "accepted": 1795248000000000, "gateway": "door", "isWaiting": True}
        self.assertEqual(found, {"push": id.lower(), "events": [event], "stored": [
            {**stored, "desk": "a", "handset": "_", "sequence": 1, "isWaiting": False},
            {**stored, "desk": "b", "handset": "2", "sequence": 2}]})
        self.assertIn("no desk knows the push", self.fleet.refusal("explain", "00000000-0000-0000-0000-000000000000"))


class ClusterTest(Administered):
    """Tests with three servers."""

    servers = 3

    def test_init_waits_for_servers_that_are_started_after_it(self):
        """One of three servers can do nothing, and the command says so until there is a second one."""
        for stream in ("BELL_PUSH", "BELL_EVENTS"):
            self.assertTrue(self.connect().api(f"STREAM.DELETE.{stream}")["success"])
        self.fleet.kill_servers()
        first, *others = self.fleet.servers
        first.start()
        first.wait_for("Listening for client connections")
        init = self.enterContext(subprocess.Popen(
            [DESKBELL, "fleet", "init", "--fleet", self.fleet.folder], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
        self.assertRegex(init.stderr.readline(), "^waiting for the servers: ")
        for server in others:
            server.start()
        out, error = init.communicate(timeout=2 * PATIENCE_SECONDS)
        self.assertEqual((init.returncode, out), (0, "Made BELL_PUSH.\nMade BELL_EVENTS.\n"), error)

    def test_a_server_that_is_down_is_named(self):
        self.fleet.add("a")
        self.assertEqual(self.problems(), [])
        connection = self.connect()
        for stream in ("BELL_PUSH", "KV_BELL_TOKENS", "KV_BELL_PROVIDERS", "KV_BELL_CHANNELS", "BELL_EVENTS", "BELL_CLEAR"):
            info = connection.api(f"STREAM.INFO.{stream}", {})
            self.assertEqual((info["config"]["num_replicas"], len(info["cluster"]["replicas"])), (3, 2), stream)
        consumer = connection.api("CONSUMER.INFO.BELL_PUSH.a", {})
        self.assertEqual(len(consumer["cluster"]["replicas"]), 2)
        self.fleet.servers[2].kill()
        found = self.problems()
        self.assertIn("the server c cannot be reached: 127.0.0.1:", found[0])
        # A majority does everything.
        self.fleet.command("add", "b")
        self.fleet.servers[2].start()
        self.fleet.servers[2].wait_for("Server is ready")
