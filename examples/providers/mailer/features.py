"""The mailer with what a handset of today has beside notifications: calls, Live Activities, channels, extensions."""

import base64
from dataclasses import dataclass, field
from typing import Any

from mailer.connection import Answer, Connection
from mailer.provider import KEEP_SECONDS, Device, Letter, Mailer

# A caller waits for so long. Then the call is a missed one.
RING_SECONDS = 30
# The next update of a Live Activity replaces one that waits; a late one is of no use.
ACTIVITY_SECONDS = 60 * 60


@dataclass
class Activity(Device):
    """A Live Activity, which has a token of its own; one without a name is the app's token that starts them."""

    name: str = ""
    # Of its newest update, in seconds.
    timestamp: int = 0


@dataclass
class Channel(Activity):
    """A channel, whose broadcasts update all Live Activities that are subscribed to it. It has no token."""

    id: str = ""
    # 1: the service keeps the newest broadcast for handsets that are offline. 0: it keeps none.
    policy: int = 1
    # The tokens with which subscribed activities were started.
    followers: list[str] = field(default_factory=list)


class FullMailer(Mailer):
    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        # The devices that ring.
        self._ringing: set[str] = set()
        self._senders: dict[str, list[str]] = {}
        self._activities: dict[str, Activity] = {}
        self._channels: dict[str, Channel] = {}

    def act(self, path: str, body: dict[str, Any]) -> list[Letter]:
        """Does what a call of the program asks for. Throws LookupError for a path that there is not."""
        match path:
            case "/call":
                return self.call(body["from"], body["to"])
            case "/answered":
                self._ringing.discard(body["to"])
                return []
            case "/inbox":
                return self.inbox(body["from"], body["to"])
            case "/sealed":
                return self.sealed(body["from"], body["text"], body["to"])
            case "/activity/start":
                return self.start_activity(body["name"], body["to"], body["state"], body.get("channel"))
            case "/activity/token":
                name, token = str(body["name"]), str(body["token"])
                now = self.clock.now()
                self._activities[name] = Activity(token, now, name=name, timestamp=int(now))
                return []
            case "/activity/update":
                return self.update_activity(body["name"], body["state"], body.get("alert"))
            case "/activity/end":
                return self.end_activity(body["name"], body["state"])
            case "/channel":
                return self.make_channel(body["name"], body.get("policy", 1))
            case "/channel/publish":
                return self.publish(body["name"], body["state"])
        raise LookupError(path)

    # Mails

    def inbox(self, sender: str, to: str) -> list[Letter]:
        """Announces a mail by a summary of all that are unread. A service that keeps one push keeps the newest."""
        device, = self._chosen(to)
        senders = self._senders.setdefault(to, [])
        senders.append(sender)
        letter = self._announce(device, sender, "inbox")
        if not self._does("deltas"):
            letter.payload["aps"]["alert"] = {
                "title": f"{device.unread} unread", "body": ", ".join(senders[-device.unread:])}
        return self._do([letter], wait=False)

    def sealed(self, sender: str, text: str, to: str) -> list[Letter]:
        """Announces a mail whose text only the app's service extension can read."""
        device, = self._chosen(to)
        shown = "(encrypted)" if self._does("text-only-in-extension") else f"Mail from {sender}"
        letter = self._announce(device, shown, None)
        letter.payload["aps"]["mutable-content"] = 1
        # It stands for a cipher.
        letter.payload["sealed"] = base64.b64encode(text.encode()).decode()
        return self._do([letter], wait=False)

    # Calls

    def call(self, caller: str, to: str) -> list[Letter]:
        """Rings, and announces a missed call if nobody answers."""
        device, = self._chosen(to)
        now = self.clock.now()
        is_kept = self._does("keeps-calls")
        letter = Letter(
            device, {"aps": {}, "call": {"from": caller}}, f"{self.topic}.voip",
            now + (KEEP_SECONDS if is_kept else RING_SECONDS), push_type="voip", once=not is_kept)
        self._ringing.add(to)
        self._start(self._miss(device, caller, now + RING_SECONDS))
        return self._do([letter], wait=False)

    async def _miss(self, device: Device, caller: str, end: float) -> None:
        await self.clock.until(end)
        if device.token in self._ringing:
            self._ringing.discard(device.token)
            await self._deliver(self._announce(device, f"Missed call from {caller}", None))

    # Live Activities

    def start_activity(self, name: str, to: str, state: dict[str, Any], channel: str | None) -> list[Letter]:
        """`to`: the app's token that starts activities. The app reports the activity's own, unless it has a channel."""
        more: dict[str, Any] = {
            "attributes-type": "Match", "attributes": {"name": name}, "alert": {"title": name, "body": "It begins"}}
        if channel is None:
            more["input-push-token"] = 1
        else:
            self._channels[channel].followers.append(to)
            more["input-push-channel"] = self._channels[channel].id
        return self._do([self._state(Activity(to, 0), "start", state, **more)], wait=False)

    def update_activity(self, name: str, state: dict[str, Any], alert: str | None = None) -> list[Letter]:
        activity = self._activities.get(name)
        if activity is None:
            self.log(f"mailer: no activity '{name}' goes on")
            return []
        more = {} if alert is None else {"alert": {"title": name, "body": alert}}
        return self._do([self._state(activity, "update", state, **more)], wait=False)

    def end_activity(self, name: str, state: dict[str, Any]) -> list[Letter]:
        """Its token is of no use once the service has that."""
        return self._do([self._state(self._activities[name], "end", state)], wait=False)

    def make_channel(self, name: str, policy: int) -> list[Letter]:
        if name in self._channels:
            return []
        channel = self._channels[name] = Channel("", 0, name=name, policy=policy)
        body = {"message-storage-policy": policy, "push-type": "LiveActivity"}
        expires = self.clock.now() + ACTIVITY_SECONDS
        return self._do([Letter(channel, body, self.topic, expires, push_type="")], wait=False)

    def publish(self, name: str, state: dict[str, Any]) -> list[Letter]:
        """Updates all activities that are subscribed, by one request."""
        channel = self._channels[name]
        if self._does("push-per-device"):
            devices = [Activity(token, 0) for token in channel.followers]
            return self._do([self._state(device, "update", state) for device in devices], wait=False)
        letter = self._state(channel, "update", state)
        letter.once = channel.policy == 0
        return self._do([letter], wait=False)

    def _state(self, activity: Activity, event: str, state: dict[str, Any], **more: Any) -> Letter:
        now = self.clock.now()
        # The time of the state, not of its sending: the handset drops what is older than what it has.
        if self._does("timestamps-fall") and activity.timestamp:
            activity.timestamp -= 1
        else:
            activity.timestamp = max(int(now), activity.timestamp + 1)
        aps = {"event": event, "timestamp": activity.timestamp, "content-state": state, **more}
        # Frequent updates of priority 10 use up the activity's budget.
        priority = 5 if event == "update" and "alert" not in more else 10
        return Letter(
            activity, {"aps": aps}, f"{self.topic}.push-type.liveactivity", now + ACTIVITY_SECONDS,
            push_type="liveactivity", priority=priority)

    # Sending

    async def _attempt(self, letter: Letter) -> None:
        if letter.attempts and letter.push_type == "liveactivity" and self._does("timestamp-of-attempt"):
            letter.payload["aps"]["timestamp"] = int(self.clock.now())
        await super()._attempt(letter)

    def _head(self, letter: Letter) -> tuple[str, dict[str, str]]:
        path, headers = super()._head(letter)
        channel = letter.device
        if not isinstance(channel, Channel):
            return path, headers
        if not letter.push_type:
            return f"/1/apps/{self.topic}/channels", {"apns-request-id": letter.id}
        kept = {name: headers[name] for name in ("apns-push-type", "apns-priority", "apns-expiration")}
        return f"/4/broadcasts/apps/{self.topic}", {
            "apns-request-id": letter.id, "apns-channel-id": channel.id, **kept}

    async def _judge(self, letter: Letter, connection: Connection, token: str, answer: Answer) -> None:
        if answer.status == 201 and isinstance(letter.device, Channel):
            letter.device.id = answer.headers["apns-channel-id"]
            self._end(letter, "delivered", "201")
        else:
            await super()._judge(letter, connection, token, answer)

    def _end(self, letter: Letter, outcome: str, why: str) -> None:
        super()._end(letter, outcome, why)
        if letter.payload.get("aps", {}).get("event") == "end":
            self._forget(letter.device)

    def _knows(self, device: Device) -> bool:
        if not isinstance(device, Activity):
            return super()._knows(device)
        return isinstance(device, Channel) or not device.name or self._activities.get(device.name) is device

    def _forget(self, device: Device) -> None:
        if not isinstance(device, Activity):
            super()._forget(device)
        elif not self._does("keeps-ended-token"):
            self._activities.pop(device.name, None)
