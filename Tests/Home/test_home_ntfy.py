"""Home Assistant's own ntfy integration, set up by its config flow, with the authority as in docs/certificates.md."""

import asyncio
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

from Tests.support.appliance import APP, Appliance
from Tests.support.curl import curl
from Tests.support.project import ROOT


class NtfyTests(unittest.IsolatedAsyncioTestCase):
    @classmethod
    def setUpClass(cls):
        cls.appliance = cls.enterClassContext(Appliance())
        cls.appliance.run("app", "install", ROOT / "examples/mailroom")
        cls.key = cls.appliance.report("topic", "add", "parcels", "--app", APP)["key"]
        # As in docs/certificates.md. Home Assistant reads it when it is imported.
        page = (ROOT / "docs/certificates.md").read_text()
        [(name, path)] = re.findall(r"\| Home Assistant \|[^|]*`(\w+)=/config/([\w.]+)`", page)
        authorities = cls.appliance.folder / path
        known = subprocess.run([sys.executable, "-m", "certifi"], capture_output=True, text=True, check=True)
        authorities.write_text(Path(known.stdout.strip()).read_text() + cls.appliance.ca.read_text())
        os.environ[name] = str(authorities)

    async def asyncSetUp(self):
        from Tests.Home.house import House
        asyncio.get_running_loop().set_debug(False)
        self.appliance.run("center", "--clear")
        self.house = await self.enterAsyncContext(House())

    async def report(self, *words):
        return await asyncio.to_thread(self.appliance.report, *words)

    async def add(self, key):
        """Enters a user's input: the address, a name and a key."""
        flows = self.house.hass.config_entries.flow
        form = await flows.async_init("ntfy", context={"source": "user"})
        return await flows.async_configure(form["flow_id"], {
            "url": f"https://localhost:{self.appliance.port}", "verify_ssl": True,
            "auth": {"username": "parcels", "password": key}})

    async def set_up(self):
        entry = (await self.add(self.key))["result"]
        topics = self.house.hass.config_entries.subentries
        menu = await topics.async_init((entry.entry_id, "topic"), context={"source": "user"})
        form = await topics.async_configure(menu["flow_id"], {"next_step_id": "add_topic"})
        await topics.async_configure(form["flow_id"], {"topic": "parcels", "filter": {}})
        await self.house.wait(lambda: {"notify.parcels", "event.parcels"} <= self.house.states().keys(), "the topic")

    async def call(self, action, domain="ntfy", **data):
        await self.house.hass.services.async_call(
            domain, action, {"entity_id": "notify.parcels", **data}, blocking=True)

    async def test_a_wrong_key_is_said(self):
        self.assertEqual((await self.add("tk_" + "a" * 29))["errors"], {"base": "invalid_auth"})

    async def test_it_publishes_clears_and_deletes(self):
        await self.set_up()
        await self.call("send_message", "notify", title="Hall", message="A parcel")
        [shown] = await self.report("center")
        self.assertEqual((shown["title"], shown["body"], shown["level"]), ("Hall", "A parcel", "active"))
        await self.call(
            "publish", title="Kitchen", message="It is done", priority=5, tags=["bread"], sequence_id="oven",
            click="https://oven.example.com")
        shown = (await self.report("center"))[0]
        self.assertEqual((shown["title"], shown["body"], shown["level"], shown["isSeen"]),
                         ("Kitchen", "It is done", "time-sensitive", False))
        await self.call("clear", sequence_id="oven")
        self.assertTrue((await self.report("center"))[0]["isSeen"])
        await self.call("delete", sequence_id="oven")
        self.assertEqual([each["body"] for each in await self.report("center")], ["A parcel"])

    async def test_it_publishes_with_a_delay_and_takes_it_back(self):
        await self.set_up()
        await self.call("publish", message="Later", delay={"minutes": 30}, sequence_id="later")
        [pending] = await self.report("local", "list")
        self.assertEqual((await self.report("center"), pending["identifier"]), ([], "later"))
        await self.call("delete", sequence_id="later")
        self.assertEqual(await self.report("local", "list"), [])

    async def test_it_receives_what_others_publish_also_after_a_restart_of_the_daemon(self):
        await self.set_up()
        for text in "one", "two":
            published = asyncio.Event()

            async def publish():
                """Repeats until it is received: the entity listens only after a while, without earlier messages."""
                while not published.is_set():
                    answer = await asyncio.to_thread(
                        curl, "--cacert", self.appliance.ca, "-H", f"Authorization: Bearer {self.key}", "-d", text,
                        f"https://localhost:{self.appliance.port}/parcels")
                    self.assertEqual(answer.status, 200)
                    try:
                        await asyncio.wait_for(published.wait(), 1)
                    except TimeoutError:
                        pass

            task = asyncio.create_task(publish())
            await self.house.wait(
                lambda: self.house.hass.states.get("event.parcels").attributes.get("event_type") == text, text)
            published.set()
            await task
            await asyncio.to_thread(self.appliance.stop)
            await asyncio.to_thread(self.appliance.start, self.appliance.port)
