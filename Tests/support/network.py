"""Ports of this machine in front of a server, where a test can interfere."""

import contextlib
import socket
import threading


class ForwardedPort:
    """A port of this machine, `port`, in front of the one behind. Use it in a `with` statement."""

    def __init__(self, behind):
        self.behind = behind
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]

    def __enter__(self):
        self.thread = threading.Thread(target=self.accept, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *_):
        # A thread that waits in accept() wakes when its socket is shut down, not when it is closed.
        self.listener.shutdown(socket.SHUT_RDWR)
        self.thread.join()
        self.listener.close()

    def accept(self):
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            self.connect(near)

    def far(self):
        """Returns a connection to the port behind."""
        return socket.create_connection(("127.0.0.1", self.behind))


class CuttablePort(ForwardedPort):
    """A forwarded port whose connections can be cut, until it is restored."""

    def __init__(self, behind):
        super().__init__(behind)
        self.sockets, self.is_cut, self.lock = set(), False, threading.Lock()

    def __exit__(self, *_):
        super().__exit__()
        self.cut()

    def cut(self):
        """Ends every connection, and accepts no new one."""
        with self.lock:
            self.is_cut = True
            for end in self.sockets:
                with contextlib.suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)

    def restore(self):
        with self.lock:
            self.is_cut = False

    def connect(self, near):
        with self.lock:
            try:
                far = None if self.is_cut else self.far()
            except OSError:
                far = None
            if far is None:
                near.close()
                return
            self.sockets |= {near, far}
        for source, sink in ((near, far), (far, near)):
            threading.Thread(target=self.copy, args=(source, sink), daemon=True).start()

    def copy(self, source, sink):
        with contextlib.suppress(OSError):
            while data := source.recv(65_536):
                self.look(source, sink, data)
                sink.sendall(data)
        for end in (source, sink):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        with self.lock:
            self.sockets.discard(source)
        source.close()

    def look(self, source, sink, data):
        """Sees data before they are sent on, and may hold them back."""
