"""A Mosquitto for one test, and a client that listens to it like a home automation system."""

import collections
import json
import os
import shutil
import subprocess
import tempfile
import threading
from pathlib import Path

from paho.mqtt import client as mqtt

from Tests.support.output import Output
from Tests.support.project import PATIENCE_SECONDS, free_port

# Debian installs it outside the path of ordinary users.
MOSQUITTO = shutil.which("mosquitto") or "/usr/sbin/mosquitto"


class Broker:
    """A broker. Use it in a `with` statement. After `stop` and `start` it has the same port and stored messages."""

    def __init__(self, *settings, password=None, tls=None):
        """`password` is that of the user `desk`; `tls` is a certificate and a key, as files."""
        self.folder_handle = tempfile.TemporaryDirectory(prefix="deskbell-broker-")
        self.folder = Path(self.folder_handle.name)
        self.port = free_port()
        lines = [f"listener {self.port} 127.0.0.1", "persistence true", f"persistence_location {self.folder}/",
                 "log_type all", *settings]
        if os.getuid() == 0:
            # Otherwise it would switch to a user who may not write here.
            lines.append("user root")
        if password:
            passwords = self.folder / "passwords"
            passwords.touch(mode=0o600)
            subprocess.run(
                ["mosquitto_passwd", "-b", passwords, "desk", password], check=True, capture_output=True)
            lines += [f"password_file {passwords}"]
        else:
            lines += ["allow_anonymous true"]
        if tls:
            lines += [f"certfile {tls[0]}", f"keyfile {tls[1]}"]
        (self.folder / "mosquitto.conf").write_text("\n".join(lines) + "\n")
        self.process = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()
        self.folder_handle.cleanup()

    def start(self):
        self.process = subprocess.Popen(
            [MOSQUITTO, "-c", self.folder / "mosquitto.conf"], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.output = Output("mosquitto", self.process.stderr)
        self.output.wait_for(" running")

    def stop(self):
        if self.process:
            # It reports that it is running shortly before it obeys SIGTERM.
            while self.process.poll() is None:
                self.process.terminate()
                try:
                    self.process.wait(1)
                except subprocess.TimeoutExpired:
                    continue
            self.output.close()
            self.process = None


class Subscriber:
    """A client that receives everything published. Use it in a `with` statement."""

    def __init__(self, broker, user=None, password=None):
        self.broker = broker
        self.heard = []
        self.changed = threading.Condition()
        self.client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2)
        if user:
            self.client.username_pw_set(user, password)
        self.client.on_connect = lambda client, *_: client.subscribe("#", qos=1)
        self.client.on_subscribe = lambda *_: self.note(None)
        self.client.on_message = lambda _, __, message: self.note(message)

    def __enter__(self):
        self.client.connect("127.0.0.1", self.broker.port)
        self.client.loop_start()
        self.wait(lambda heard: None in heard, "the broker's answer")
        return self

    def __exit__(self, *_):
        self.client.disconnect()
        self.client.loop_stop()

    def note(self, message):
        with self.changed:
            self.heard.append(message)
            self.changed.notify_all()

    def wait(self, wanted, what):
        with self.changed:
            if not self.changed.wait_for(lambda: wanted(self.heard), PATIENCE_SECONDS):
                raise AssertionError(f"there never was {what}, but {self.summary()}")

    def summary(self):
        return [(each.topic, each.payload.decode(errors="replace")[:200]) for each in self.heard if each]

    def published(self, topic):
        return [each.payload.decode() for each in self.heard if each and each.topic == topic]

    def expect(self, topic, payload):
        """Waits until `payload` is published; other values than text are compared as JSON."""
        same = (lambda text: text == payload) if isinstance(payload, str) else (lambda text: json.loads(text) == payload)
        self.wait(lambda _: any(same(text) for text in self.published(topic)), f"{payload} at {topic}")

    def expect_last(self, topic, **values):
        """Waits until the topic's newest message has these values, and returns it."""
        def newest():
            texts = self.published(topic)
            return json.loads(texts[-1]) if texts else {}
        self.wait(lambda _: all(newest().get(key, ...) == value for key, value in values.items()),
                  f"{values} at {topic}")
        return newest()

    def forget(self):
        with self.changed:
            self.heard = []

    def send(self, topic, payload, retain=False):
        text = payload if isinstance(payload, (str, bytes)) else json.dumps(payload)
        self.client.publish(topic, text, qos=1, retain=retain).wait_for_publish(PATIENCE_SECONDS)

    def counted(self):
        return collections.Counter(each.topic for each in self.heard if each)
