"""A connection to the panel that can be cut, like a port forwarded by SSH: the page's connections go through it."""

import threading

from Tests.support.network import CuttablePort


class PanelPort(CuttablePort):
    """A port in front of the panel. It can hold back events while everything else continues."""

    def __init__(self, behind):
        super().__init__(behind)
        # The daemon's ends of the connections with a stream of events, and the flag that lets events flow.
        self.streams, self.flowing = set(), threading.Event()
        self.flowing.set()

    def __exit__(self, *_):
        self.flowing.set()
        super().__exit__()

    def look(self, source, sink, data):
        if b"GET /v1/events" in data:
            self.streams.add(sink)
        if source in self.streams:
            self.flowing.wait()
