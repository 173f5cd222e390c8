"""A connection to the panel that can be cut, like a port forwarded by SSH: the page's connections go through it. It can
hold back events while everything else continues."""

import socket
import threading


class Wire:
    def __init__(self, port):
        self.target = port
        self.is_cut = False
        self.lock = threading.Lock()
        self.open = set()
        self.threads = []
        # The daemon's ends of the connections with a stream of events, and the flag that lets events flow.
        self.streams = set()
        self.flowing = threading.Event()
        self.flowing.set()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.start(self.accept)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.flowing.set()
        self.cut()
        # A thread that waits in accept() wakes when its socket is shut down, not when it is closed.
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        for thread in self.threads:
            thread.join()

    def start(self, body, *arguments):
        thread = threading.Thread(target=body, args=arguments)
        thread.start()
        self.threads.append(thread)

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            with self.lock:
                if self.is_cut:
                    client.close()
                    continue
                try:
                    server = socket.create_connection(("127.0.0.1", self.target))
                except OSError:
                    client.close()
                    continue
                self.open |= {client, server}
            self.start(self.carry, client, server)
            self.start(self.carry, server, client)

    def carry(self, source, sink):
        try:
            while data := source.recv(65536):
                if b"GET /v1/events" in data:
                    self.streams.add(sink)
                if source in self.streams:
                    self.flowing.wait()
                sink.sendall(data)
        except OSError:
            pass
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def cut(self):
        """Ends every connection, and accepts no new one."""
        with self.lock:
            self.is_cut = True
            for end in self.open:
                try:
                    end.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass
                end.close()
            self.open = set()

    def mend(self):
        with self.lock:
            self.is_cut = False
