"""The device in a real Home Assistant, through a real Mosquitto: discovery, each entity, triggers, availability, and
restarts of all three in any order."""

import asyncio
import itertools
import unittest

from Tests.Home.house import House
from Tests.support.appliance import APP, Appliance
from Tests.support.broker import Broker
from Tests.support.project import ROOT

ENTITIES = {
    "badge", "unseen", "held", "lamp", "bell", "message", "notification", "button", "press-view", "press-close",
    "press-clear", "press-snooze", "press-fetch", "silent", "notifications", "quiet-hours",
    "problem-lamp", "problem-display",
    "problem-speaker", "problem-push-gateway", "problem-store"}


class HomeAssistantTests(unittest.IsolatedAsyncioTestCase):
    maxDiff = None

    async def asyncSetUp(self):
        # Home Assistant often takes more than 100 ms, and asyncio's debug mode would report it each time.
        asyncio.get_running_loop().set_debug(False)
        self.broker = self.enterContext(Broker())
        appliance = Appliance(settings=f"mqtt:\n  broker: mqtt://127.0.0.1:{self.broker.port}\n  name: Desk\n")
        # The folder with the push keys of the command line.
        appliance.environment["HOME"] = str(appliance.folder)
        self.appliance = self.enterContext(appliance)
        self.house = await self.enterAsyncContext(House(self.broker.port))
        await self.house.expect("badge", "0")
        self.appliance.run("app", "install", ROOT / "examples/mailroom")

    async def event(self, wanted, **values):
        return await asyncio.to_thread(self.appliance.wait_for_event, wanted, **values)

    async def test_it_discovers_the_device_and_all_entities(self):
        device = self.house.device()
        self.assertEqual((device.name, device.manufacturer, device.model), ("Desk", "Deskbell", "Simulated board"))
        self.assertEqual(set(self.house.entities()), ENTITIES)
        missing = [key for key in ENTITIES if self.house.state(key).state == "unavailable"]
        self.assertEqual(missing, [])
        self.assertEqual(self.house.state("lamp").state, "off")
        self.assertEqual(self.house.state("bell").attributes["available_tones"][0], "bell")
        self.assertEqual({key: self.house.state(key).state for key in ENTITIES if key.startswith("problem")},
                         {key: "off" for key in ENTITIES if key.startswith("problem")})

    async def test_it_calls_each(self):
        house = self.house
        await house.call("light", "turn_on", "lamp", effect="breathe")
        await house.expect("lamp", "on")
        self.assertEqual(house.state("lamp").attributes["effect"], "breathe")
        self.assertEqual(self.appliance.report("state")["presentation"]["lamp"]["pattern"], "breathe")
        await house.call("light", "turn_off", "lamp")
        await house.expect("lamp", "off")
        await house.call("siren", "turn_on", "bell", tone="ping", volume_level=0.4)
        await self.event("sound-started", name="ping")
        await house.call("siren", "turn_on", "bell", tone="wood", duration=600)
        await house.expect("bell", "on")
        await house.call("siren", "turn_off", "bell")
        await house.expect("bell", "off")
        await house.call("notify", "send_message", "message", message="The washing is done")
        await house.expect("unseen", "1")
        self.assertEqual(self.appliance.report("center")[0]["body"], "The washing is done")
        await house.call("button", "press", "press-close")
        await house.expect("unseen", "0")
        await house.call("button", "press", "press-clear")
        await self.event("cleared")
        await house.call("button", "press", "press-snooze")
        await self.event("snoozed")
        for key in ("silent", "notifications"):
            for word in ("on", "off") if key == "silent" else ("off", "on"):
                await house.call("switch", f"turn_{word}", key)
                await house.expect(key, word)
        await house.call("text", "set_value", "quiet-hours", value="22:00-07:00")
        await house.expect("quiet-hours", "22:00-07:00")
        self.assertEqual(self.appliance.report("settings", "quiet-hours")["value"], "22:00-07:00")

    async def test_it_hears_of_notifications_and_buttons(self):
        house = self.house
        self.appliance.run("settings", APP, "style", "alert")
        self.appliance.run("push", APP, "--title", "A parcel", "--body", "At the door", "--badge", "3")
        await house.wait(lambda: house.state("notification").attributes.get("event_type") == "presented", "the push")
        attributes = house.state("notification").attributes
        self.assertEqual((attributes["app"], attributes["title"], attributes["body"]), (APP, "A parcel", "At the door"))
        await house.expect("badge", "3")
        self.assertEqual(house.state("badge").attributes["apps"], {APP: 3})
        triggers = await house.triggers()
        self.assertEqual({(each["type"], each["subtype"]) for each in triggers},
                         {(f"button_{press}_press", button) for press in ("short", "long") for button in ("view", "close")})
        fired = []
        short = next(each for each in triggers if (each["type"], each["subtype"]) == ("button_short_press", "close"))
        self.addCleanup(await house.when(short, fired.append))
        self.appliance.run("press", "close")
        await house.wait(lambda: fired, "the trigger")
        self.assertEqual(house.state("button").attributes["event_type"], "close")
        await house.wait(lambda: house.state("notification").attributes["event_type"] == "dismissed", "the dismissal")
        self.appliance.run("press", "close")
        await house.wait(lambda: len(fired) == 2, "the trigger without an alert")
        self.assertEqual(house.state("button").attributes["event_type"], "press")

    async def test_it_knows_whether_the_device_is_there(self):
        await asyncio.to_thread(self.appliance.kill)
        await self.house.expect("badge", "unavailable")
        await asyncio.to_thread(self.appliance.start)
        await self.house.expect("badge", "0")
        await asyncio.to_thread(self.appliance.stop)
        await self.house.expect("lamp", "unavailable")

    async def test_restarts_in_any_order(self):
        async def stop(part):
            await (self.house.stop() if part == "house" else asyncio.to_thread(getattr(self, part).stop))

        async def start(part):
            await (self.house.start() if part == "house" else asyncio.to_thread(getattr(self, part).start))

        badge = 0
        for order in itertools.permutations(("broker", "house", "appliance")):
            with self.subTest(order=order):
                for part in order:
                    await stop(part)
                for part in order:
                    await start(part)
                badge += 1
                await self.house.wait(lambda: self.house.state("badge"), "the device")
                await self.house.wait(lambda: self.house.state("badge").state != "unavailable", "a connection")
                self.appliance.run("push", APP, "--badge", badge)
                await self.house.expect("badge", str(badge))
                await self.house.call("light", "turn_on", "lamp", effect="heartbeat")
                await self.house.expect("lamp", "on")
                await self.house.call("light", "turn_off", "lamp")
                await self.house.expect("lamp", "off")
                self.assertEqual(set(self.house.entities()), ENTITIES)

    async def test_a_restart_of_one_alone(self):
        for part in ("broker", "appliance"):
            with self.subTest(part=part):
                await asyncio.to_thread(getattr(self, part).stop)
                await self.house.expect("badge", "unavailable")
                await asyncio.to_thread(getattr(self, part).start)
                await self.house.expect("badge", "0")
        await self.house.stop()
        await self.house.start()
        await self.house.expect("badge", "0")
