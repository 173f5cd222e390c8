"""The mailer with more mistakes, which only scenarios look for: `python -m mailer.more_mistakes --mistake NAME`."""

import dataclasses
import uuid
from typing import Any

import mailer.__main__ as program
from mailer.features import FullMailer
from mailer.mistakes import MISTAKES
from mailer.provider import Device, Letter

MORE_MISTAKES = {
    "updates-thrice": "each background update is sent three times, to be sure, so two come in the app's 30 seconds",
    "badge-of-one": "each mail has the badge 1, so the last one that is kept does not say how many there are",
    "keeps-calls": "a call is kept for a day, so it rings when nobody is there any more",
    "timestamps-fall": "each update of a Live Activity has an earlier timestamp than the one before",
    "timestamp-of-attempt": "an update that is sent again has a new timestamp, so it replaces a newer state",
    "keeps-ended-token": "the token of a Live Activity is kept after its end, and after 410",
    "push-per-device": "each device gets a push of its own instead of a broadcast on the channel",
    "deltas": "each mail is announced by its own sender, so the last one that is kept does not name the others",
    "text-only-in-extension": "the alert of a sealed mail can be read only if the service extension opens it",
}


class MoreMistakenMailer(FullMailer):
    def _announce(self, device: Device, *words: Any) -> Letter:
        letter = super()._announce(device, *words)
        if self._does("badge-of-one"):
            letter.payload["aps"]["badge"] = 1
        return letter

    async def _deliver(self, letter: Letter) -> None:
        await super()._deliver(letter)
        if letter.push_type == "background" and self._does("updates-thrice"):
            for _ in range(2):
                await super()._deliver(dataclasses.replace(letter, id=str(uuid.uuid4()), attempts=0, outcome=""))


def main() -> None:
    MISTAKES.update(MORE_MISTAKES)
    program.main(MoreMistakenMailer)


if __name__ == "__main__":
    main()
