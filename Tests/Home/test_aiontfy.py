"""aiontfy, the client of Home Assistant's ntfy integration: it publishes, updates, clears and deletes."""

import asyncio
import unittest

from aiohttp import ClientSession
from aiontfy import Event, HttpAction, Message, Ntfy
from aiontfy.exceptions import NtfyForbiddenAccessError, NtfyUnauthorizedAuthenticationError
from yarl import URL

from Tests.support.appliance import APP, Appliance
from Tests.support.project import ROOT


class AiontfyTests(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self):
        # Commands block the loop, and asyncio's debug mode would report each.
        asyncio.get_running_loop().set_debug(False)
        appliance = Appliance(settings='http: { listen: "127.0.0.1:0", for: [ntfy] }\n')
        self.appliance = self.enterContext(appliance)
        appliance.run("app", "install", ROOT / "examples/mailroom")
        self.key = appliance.report("topic", "add", "parcels", "--app", APP)["key"]
        self.address = f"http://{appliance.report('state')['httpAddress']}"
        self.session = await self.enterAsyncContext(ClientSession())

    def client(self, key):
        return Ntfy(self.address, self.session, token=key)

    async def report(self, *words):
        return await asyncio.to_thread(self.appliance.report, *words)

    async def test_it_publishes_updates_clears_and_deletes(self):
        ntfy = self.client(self.key)
        sent = await ntfy.publish(Message(
            topic="parcels", title="Kitchen", message="It is in the oven", priority=4, tags=["bread", "ping"],
            actions=[HttpAction(label="Off", url=URL("https://oven.example.com/off"))], sequence_id="oven"))
        self.assertEqual((sent.topic, sent.title, sent.message), ("parcels", "Kitchen", "It is in the oven"))
        [shown] = await self.report("center")
        self.assertEqual(
            (shown["title"], shown["body"], shown["level"], shown["isSeen"]),
            ("Kitchen", "It is in the oven", "time-sensitive", False))
        await ntfy.publish(Message(topic="parcels", title="Kitchen", message="It is done", sequence_id="oven"))
        [shown] = await self.report("center")
        self.assertEqual(shown["body"], "It is done")
        await ntfy.clear("parcels", "oven")
        [shown] = await self.report("center")
        self.assertTrue(shown["isSeen"])
        await ntfy.delete("parcels", "oven")
        self.assertEqual(await self.report("center"), [])

    async def test_a_delay_in_words_and_as_go_writes_it(self):
        ntfy = self.client(self.key)
        for number, delay in enumerate(("1800.0s", "1h30m", "tomorrow, 10am")):
            await ntfy.publish(Message(topic="parcels", message="Later", delay=delay, sequence_id=f"d{number}"))
        pending = await self.report("local", "list")
        self.assertEqual({each["identifier"] for each in pending}, {"d0", "d1", "d2"})
        await ntfy.delete("parcels", "d0")
        pending = await self.report("local", "list")
        self.assertEqual({each["identifier"] for each in pending}, {"d1", "d2"})

    async def test_it_receives_by_web_socket_what_passes_its_filter(self):
        received = asyncio.Queue()
        ntfy = self.client(self.key)
        task = asyncio.create_task(ntfy.subscribe(["parcels"], received.put_nowait, priority=[5]))
        opened = await asyncio.wait_for(received.get(), 60)
        self.assertEqual((opened.event, opened.topic), (Event.OPEN, "parcels"))
        await ntfy.publish(Message(topic="parcels", message="no", priority=3))
        await ntfy.publish(Message(topic="parcels", title="Hall", message="A parcel", priority=5, tags=["bell"]))
        heard = await asyncio.wait_for(received.get(), 60)
        self.assertEqual((heard.event, heard.title, heard.message, heard.priority, heard.tags),
                         (Event.MESSAGE, "Hall", "A parcel", 5, ["bell"]))
        task.cancel()

    async def test_an_account_is_its_key(self):
        ntfy = Ntfy(self.address, self.session, username="parcels", password=self.key)
        self.assertEqual((await ntfy.account()).username, "parcels")
        self.assertEqual((await ntfy.generate_token("Home Assistant")).token, self.key)
        self.assertEqual((await Ntfy(self.address, self.session).account()).username, "*")

    async def test_the_right_key_is_needed(self):
        with self.assertRaises(NtfyUnauthorizedAuthenticationError):
            await self.client("tk_" + "a" * 29).publish(Message(topic="parcels", message="x"))
        with self.assertRaises(NtfyForbiddenAccessError):
            await self.client(self.key).publish(Message(topic="others", message="x"))
        self.assertTrue(await self.client(self.key).can_subscribe(["parcels"]))
