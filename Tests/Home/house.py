"""A real Home Assistant in this process, with MQTT alone, or without. Its web server is not needed for devices."""

import asyncio
import tempfile
from pathlib import Path

from homeassistant import bootstrap, config_entries, loader
from homeassistant.components.device_automation import DeviceAutomationType, async_get_device_automations
from homeassistant.core import CoreState, HomeAssistant
from homeassistant.helpers import device_registry, entity_registry, trigger
from homeassistant.setup import async_setup_component

PATIENCE_SECONDS = 90
# Marked as loaded: the integration only checks for them.
NOT_NEEDED = {"http", "websocket_api", "file_upload", "repairs"}


class House:
    """A Home Assistant whose folder keeps its state for the next start. `port` is a broker's."""

    def __init__(self, port=None):
        self.port = port
        self.handle = tempfile.TemporaryDirectory(prefix="deskbell-house-")
        (Path(self.handle.name) / "configuration.yaml").touch()
        self.hass = None

    async def __aenter__(self):
        await self.start()
        return self

    async def __aexit__(self, *_):
        await self.stop()
        self.handle.cleanup()

    async def start(self):
        hass = self.hass = HomeAssistant(self.handle.name)
        hass.config.skip_pip = True
        loader.async_setup(hass)
        hass.config_entries = config_entries.ConfigEntries(hass, {})
        await loader.async_get_custom_components(hass)
        await bootstrap.async_load_base_functionality(hass)
        await hass.config_entries.async_initialize()
        assert await async_setup_component(hass, "homeassistant", {})
        hass.config.components.update(NOT_NEEDED)
        if self.port is None:
            # Its web clients get this machine's interfaces from it.
            assert await async_setup_component(hass, "network", {})
        elif not hass.config_entries.async_entries("mqtt"):
            await hass.config_entries.async_add(config_entries.ConfigEntry(
                version=1, minor_version=2, domain="mqtt", title="broker", source="user", unique_id=None, options={},
                data={"broker": "127.0.0.1", "port": self.port}, discovery_keys={}, subentries_data=None))
        else:
            assert await async_setup_component(hass, "mqtt", {})
        hass.set_state(CoreState.running)
        hass.bus.async_fire("homeassistant_started")

    async def stop(self):
        if self.hass:
            await self.hass.async_stop(force=True)
            self.hass = None

    async def wait(self, wanted, what):
        """Waits until `wanted` is true, which is checked at every event of Home Assistant."""
        changed = asyncio.Event()
        forget = self.hass.bus.async_listen("*", lambda _: self.hass.loop.call_soon_threadsafe(changed.set))
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                while not (found := wanted()):
                    changed.clear()
                    try:
                        await asyncio.wait_for(changed.wait(), 1)
                    except TimeoutError:
                        pass
                return found
        except TimeoutError:
            raise AssertionError(f"there never was {what}: {self.states()}") from None
        finally:
            forget()

    def device(self):
        return next((each for each in device_registry.async_get(self.hass).devices.values() if each.name), None)

    def entities(self):
        """Returns the entities by the ends of their unique identifiers."""
        device = self.device()
        prefix = next(iter(device.identifiers))[1] + "-"
        return {each.unique_id.removeprefix(prefix): each.entity_id
                for each in entity_registry.async_get(self.hass).entities.values()}

    def states(self):
        return {each.entity_id: each.state for each in self.hass.states.async_all()} if self.hass else {}

    def state(self, key):
        return self.hass.states.get(self.entities()[key]) if self.device() and key in self.entities() else None

    async def expect(self, key, value):
        await self.wait(lambda: (state := self.state(key)) and state.state == value, f"{key} {value}")

    async def call(self, domain, service, key, **data):
        await self.hass.services.async_call(
            domain, service, {"entity_id": self.entities()[key], **data}, blocking=True)

    async def triggers(self):
        found = await async_get_device_automations(self.hass, DeviceAutomationType.TRIGGER, [self.device().id])
        # The light and the sensors have triggers of their own.
        return [each for each in found[self.device().id] if each["domain"] == "mqtt"]

    async def when(self, configuration, action):
        """Calls `action` at each such trigger."""
        async def run(variables, context=None):
            action(variables)

        return await trigger.async_initialize_triggers(
            self.hass, await trigger.async_validate_trigger_config(self.hass, [configuration]), run, "test", "test",
            lambda *_, **__: None)
