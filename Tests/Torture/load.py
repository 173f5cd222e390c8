"""Pushes over one lasting connection, and the provider's answers."""

import json
import threading
import uuid
from dataclasses import dataclass, field

from Tests.support.http2_client import Connection, Post
from Tests.support.project import PATIENCE_SECONDS

# More bytes than a push has.
LARGEST = 4_096


@dataclass(eq=False)
class Push:
    body: bytes
    badge: int | None = None
    id: str = field(default_factory=lambda: str(uuid.uuid4()))
    # The length of the trace when the first 200 arrived; None before.
    answered: int | None = None
    # All answers to it.
    statuses: list = field(default_factory=list)


class Ledger:
    """All pushes sent, in order."""

    def __init__(self, random):
        self.random, self.pushes, self.lock = random, {}, threading.Lock()

    def new(self):
        aps = {"alert": "A letter " * self.random.choice((1, 1, 1, 20, 200))}
        if self.random.random() < 0.1:
            aps["sound"] = "default"
        if self.random.random() < 0.5:
            aps["badge"] = self.random.randint(1, 999)
        push = Push(json.dumps({"aps": aps}).encode(), aps.get("badge"))
        with self.lock:
            self.pushes[push.id] = push
        return push

    def answered(self, before=None):
        """Returns the pushes answered 200; `before`: at that length of the trace."""
        with self.lock:
            return [push for push in self.pushes.values()
                    if push.answered is not None and (before is None or push.answered <= before)]

    def unanswered(self):
        with self.lock:
            return [push for push in self.pushes.values() if push.answered is None]


def request(target, push):
    return Post(target.fields(("apns-id", push.id), bearer=target.authorization), push.body, push)


def record(answers, position):
    """Records answers. `position`: the length of the trace. It may have grown since the answers came, never shrunk."""
    for post, status, _, _ in answers:
        post.key.statuses.append(status)
        if status == 200 and post.key.answered is None:
            post.key.answered = position


class Pusher:
    """A connection, and a thread that pushes over it until the connection ends or `stop` is called."""

    def __init__(self, target, ledger, streams=20, first=()):
        """`first`: pushes that are sent again before new ones."""
        self.target, self.ledger, self.streams = target, ledger, streams
        self.rest = list(reversed(list(first)))
        self.is_stopping = False
        self.answers, self.has_ended, self.changed = 0, False, threading.Condition()
        self.failure = None
        self.connection = Connection(target.port, target.ca)
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def next(self):
        return self.rest.pop() if self.rest else self.ledger.new()

    def run(self):
        connection = self.connection
        try:
            while connection.is_open and (connection.waiting or not (self.is_stopping or connection.is_leaving)):
                while (not self.is_stopping and not connection.is_leaving and len(connection.waiting) < self.streams
                       and connection.free > 0 and connection.http2.outbound_flow_control_window > LARGEST):
                    connection.send(request(self.target, self.next()))
                connection.flush()
                connection.receive()
                self.note()
        except Exception as error:
            # Raised by `close`: nothing reads the error of a thread.
            self.failure = error
        self.has_ended = True
        self.note()

    def note(self):
        with self.changed:
            self.answers += len(self.connection.answers)
            self.changed.notify_all()
        record(self.connection.answers, self.target.position)
        self.connection.answers.clear()

    def wait(self, answers, seconds=None):
        """Waits for that number of answers; returns false if the connection has ended or the time is over before."""
        with self.changed:
            self.changed.wait_for(lambda: self.answers >= answers or self.has_ended, seconds)
            return self.answers >= answers

    def stop(self):
        """Waits for the outstanding answers, and closes the connection."""
        self.is_stopping = True
        self.thread.join(PATIENCE_SECONDS)
        self.close()

    def close(self):
        """Closes the connection after the daemon has ended, or when no answers are outstanding."""
        self.thread.join(PATIENCE_SECONDS)
        if self.thread.is_alive():
            raise AssertionError("the daemon is gone, and its connection is open")
        self.connection.close()
        if self.failure:
            raise self.failure


def send_all(target, pushes, streams=20, checks_time=True):
    """Sends these pushes, again or for the first time, and returns their answers, in the order of the answers."""
    with Connection(target.port, target.ca, checks_time=checks_time) as connection:
        answers = connection.exchange([request(target, push) for push in pushes], streams)
        record(answers, target.position)
    return [status for _, status, _, _ in answers]
