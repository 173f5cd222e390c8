"""A server of HTTP in this process, for a test."""

import contextlib
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@contextlib.contextmanager
def serving(answer, port=0):
    """Yields the port of a server that calls `answer` with the handler of each GET or POST, and with the request's body."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            answer(self, self.rfile.read(int(self.headers.get("Content-Length", 0))))

        do_POST = do_GET

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
