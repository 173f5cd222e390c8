"""aiontfy, the client of Home Assistant's ntfy integration: it publishes, updates, clears and deletes."""

import asyncio
import json
import unittest

from aiohttp import ClientSession
from aiontfy import HttpAction, Message, Ntfy
from aiontfy.exceptions import NtfyForbiddenAccessError, NtfyUnauthorizedAuthenticationError
from yarl import URL

from appliance import APP, ROOT, Appliance


class AiontfyTests(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self):
        appliance = Appliance()
        path = appliance.folder / "deskbell.yaml"
        path.write_text('http: { listen: "127.0.0.1:0", for: [ntfy] }\n')
        appliance.options += ["--config", str(path)]
        self.appliance = self.enterContext(appliance)
        appliance.run("app", "install", ROOT / "examples/mailroom")
        self.key = json.loads(appliance.run("topic", "add", "parcels", "--app", APP, "--json"))["key"]
        self.address = f"http://{appliance.report('state')['httpAddress']}"
        self.session = await self.enterAsyncContext(ClientSession())

    def client(self, key):
        return Ntfy(self.address, self.session, token=key)

    async def center(self):
        return await asyncio.to_thread(self.appliance.report, "center")

    async def test_it_publishes_updates_clears_and_deletes(self):
        ntfy = self.client(self.key)
        sent = await ntfy.publish(Message(
            topic="parcels", title="Kitchen", message="It is in the oven", priority=4, tags=["bread", "ping"],
            actions=[HttpAction(label="Off", url=URL("https://oven.example.com/off"))], sequence_id="oven"))
        self.assertEqual((sent.topic, sent.title, sent.message), ("parcels", "Kitchen", "It is in the oven"))
        [shown] = await self.center()
        self.assertEqual(
            (shown["title"], shown["body"], shown["level"], shown["isSeen"]),
            ("Kitchen", "It is in the oven", "time-sensitive", False))
        await ntfy.publish(Message(topic="parcels", title="Kitchen", message="It is done", sequence_id="oven"))
        [shown] = await self.center()
        self.assertEqual(shown["body"], "It is done")
        await ntfy.clear("parcels", "oven")
        [shown] = await self.center()
        self.assertTrue(shown["isSeen"])
        await ntfy.delete("parcels", "oven")
        self.assertEqual(await self.center(), [])

    async def test_the_right_key_is_needed(self):
        with self.assertRaises(NtfyUnauthorizedAuthenticationError):
            await self.client("tk_" + "a" * 29).publish(Message(topic="parcels", message="x"))
        with self.assertRaises(NtfyForbiddenAccessError):
            await self.client(self.key).publish(Message(topic="others", message="x"))
        self.assertTrue(await self.client(self.key).can_subscribe(["parcels"]))


if __name__ == "__main__":
    unittest.main()
