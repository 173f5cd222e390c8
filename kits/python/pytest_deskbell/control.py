"""HTTP with JSON over the bench's control socket."""

import http.client
import json
import socket
import threading
from typing import Any
from urllib.parse import quote, urlencode

# No answer takes longer, except those that wait for something, which name their own time.
PATIENCE_SECONDS = 30


class ControlError(Exception):
    """The bench refused a request."""

    def __init__(self, what: str, status: int, error: str, hint: str | None = None) -> None:
        super().__init__(f"{what}: {error}" + (f" ({hint})" if hint else ""))
        # 0 if nothing answered.
        self.status, self.error = status, error


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: str) -> None:
        super().__init__("localhost", timeout=PATIENCE_SECONDS)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


class Control:
    """A client of a control socket. May be used by several threads, one after the other."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._connection = UnixConnection(path)
        self._lock = threading.Lock()

    def get(self, path: str, **query: object) -> Any:
        return self.call("GET", path, query=query)

    def post(self, path: str, body: object = None) -> Any:
        return self.call("POST", path, body)

    def put(self, path: str, body: object = None) -> Any:
        return self.call("PUT", path, body)

    def delete(self, path: str) -> Any:
        return self.call("DELETE", path)

    def lines(self, path: str, **query: object) -> list[Any]:
        """Returns the values of an answer that has one a line."""
        return [json.loads(line) for line in self._answer("GET", target(path, query), None).splitlines()]

    def call(self, method: str, path: str, body: object = None, query: dict[str, object] | None = None) -> Any:
        text = self._answer(method, target(path, query or {}), body)
        return json.loads(text) if text else None

    def close(self) -> None:
        self._connection.close()

    def _answer(self, method: str, path: str, body: object) -> str:
        data = None if body is None else json.dumps(body).encode()
        headers = {} if body is None else {"content-type": "application/json"}
        with self._lock:
            try:
                status, text = self._send(method, path, data, headers)
            except (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError):
                # The connection was kept for too long. A request that the bench has seen is not sent twice: it closes
                # none with a request on it.
                status, text = self._send(method, path, data, headers)
            except OSError as error:
                raise ControlError(
                    f"{method} {path}", 0, f"no bench answers at {self.path}: {error}",
                    "start one with 'deskbell bench', or unset DESKBELL_CONTROL") from error
        if status >= 400:
            try:
                problem = json.loads(text)
                raise ControlError(f"{method} {path}", status, problem["error"], problem.get("hint"))
            except (ValueError, KeyError, TypeError):
                raise ControlError(f"{method} {path}", status, f"{status} {text}") from None
        return text

    def _send(self, method: str, path: str, data: bytes | None, headers: dict[str, str]) -> tuple[int, str]:
        try:
            self._connection.request(method, path, data, headers)
            response = self._connection.getresponse()
            return response.status, response.read().decode()
        except BaseException:
            self._connection.close()
            raise


def target(path: str, query: dict[str, object]) -> str:
    """Returns a request's target; what is None is left out of its query."""
    given = {key: value for key, value in query.items() if value is not None}
    return f"{path}?{urlencode(given, quote_via=quote)}" if given else path
