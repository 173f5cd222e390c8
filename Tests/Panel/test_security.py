"""Access to the panel by other pages, machines and clients: over real sockets, and in a real browser."""

import json
import socket
import ssl
import unittest
from contextlib import contextmanager

from Tests.Panel.browser import browser
from Tests.support.appliance import APP, Appliance
from Tests.support.http_server import serving
from Tests.support.project import PATIENCE_SECONDS, free_port

PASSWORD = "correct horse battery staple"


def ask(port, request, fields=(), body="", *, context=None, host="127.0.0.1", text=True):
    """Sends one request, written out; returns the status, the header fields and the body, by default as text."""
    connection = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_SECONDS)
    if context:
        connection = context.wrap_socket(connection, server_hostname="localhost")
    with connection:
        lines = [f"{request} HTTP/1.1", f"Host: {host}:{port}", "Connection: close", f"Content-Length: {len(body)}", *fields]
        connection.sendall(("\r\n".join(lines) + "\r\n\r\n" + body).encode())
        answer = b""
        while chunk := connection.recv(65536):
            answer += chunk
    head, _, rest = answer.partition(b"\r\n\r\n")
    first, *others = head.decode().split("\r\n")
    return int(first.split()[1]), dict(line.split(": ", 1) for line in others), rest.decode() if text else rest


def token(appliance):
    return appliance.run("panel").strip().split("#token=")[1]


class LoopbackTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.appliance = cls.enterClassContext(Appliance("--panel", "127.0.0.1:0"))
        cls.port = cls.appliance.panel_port()
        cls.appliance.place_panel()

    def sign_in(self, **credential):
        """Returns the header fields of a browser that signs in, and what of them is secret."""
        status, fields, body = ask(self.port, "POST /session", ["Deskbell-Panel: none"], json.dumps(credential))
        self.assertEqual(status, 200, body)
        cookie, key = fields["Set-Cookie"].split(";")[0], json.loads(body)["key"]
        return [f"Cookie: {cookie}", f"Deskbell-Panel: {key}"], [key, cookie.split("=", 1)[1]]

    def test_a_token_opens_once_and_never_is_in_a_log(self):
        used = token(self.appliance)
        signed_in, secrets = self.sign_in(token=used)
        self.assertEqual(ask(self.port, "GET /v1/state", signed_in)[0], 200)
        self.assertEqual(
            ask(self.port, "POST /session", ["Deskbell-Panel: none"], json.dumps({"token": used}))[0], 401)
        self.assertEqual(ask(self.port, "PUT /v1/apps/a.b", signed_in, "{}")[0], 405)
        self.assertEqual(ask(self.port, "PUT /v1/providers/a", signed_in, "{}")[0], 404)
        self.assertEqual(ask(self.port, "POST /v1/panel/tokens", signed_in)[0], 404)
        self.assertEqual(ask(self.port, "PUT /v1/panel/network", signed_in, '{"isOn": true}')[0], 404)
        # Topics and hooks need a session.
        self.assertEqual(ask(self.port, "GET /v1/topics", signed_in)[0], 200)
        self.assertEqual(ask(self.port, "GET /v1/topics", ["Deskbell-Panel: none"])[0], 401)
        self.assertEqual(ask(self.port, "PUT /v1/topics/a", ["Deskbell-Panel: none"], "{}")[0], 401)
        # So do pictures of apps, which browsers must not take for anything else.
        self.appliance.run("app", "install", "mailroom")
        for path in [f"/v1/apps/{APP}/icon", f"/v1/apps/{APP}/launch-image/sorting"]:
            status, fields, picture = ask(self.port, f"GET {path}", signed_in, text=False)
            self.assertEqual((status, fields["Content-Type"], fields["X-Content-Type-Options"]), (200, "image/png", "nosniff"))
            self.assertTrue(picture.startswith(b"\x89PNG"))
            self.assertEqual(ask(self.port, f"GET {path}", ["Deskbell-Panel: none"])[0], 401)
        for secret in [used, *secrets]:
            self.assertNotIn(secret, "\n".join(self.appliance.errors))
            self.assertEqual(self.appliance.files_with(secret), [])

    def test_names_and_origins_that_are_not_ours(self):
        self.assertEqual(ask(self.port, "GET /", host="evil.example")[0], 421)
        self.assertEqual(ask(self.port, "GET /", host="localhost")[0], 200)
        fields = ["Deskbell-Panel: none", "Origin: http://evil.example"]
        self.assertEqual(ask(self.port, "POST /session", fields, "{}")[0], 403)

    def test_a_password_that_is_set_opens_it_and_another_signs_everybody_out(self):
        self.appliance.run("panel", "password", self.appliance.secret(PASSWORD))
        try:
            signed_in, secrets = self.sign_in(password=PASSWORD)
            self.assertEqual(ask(self.port, "GET /v1/state", signed_in)[0], 200)
            # The database has a digest of the session: it survives a power cut, but contains nothing that opens it.
            self.appliance.cut_power()
            self.assertEqual(ask(self.port, "GET /v1/state", signed_in)[0], 200)
            for secret in [PASSWORD, *secrets]:
                self.assertEqual(self.appliance.files_with(secret), [])
            self.assertIn(
                "8 to 256 bytes", self.appliance.command("panel", "password", self.appliance.secret("short"), check=False).stderr)
            self.assertEqual(ask(self.port, "GET /v1/state", signed_in)[0], 200)
        finally:
            self.appliance.run("panel", "password", "--remove")
        self.assertEqual(ask(self.port, "GET /v1/state", signed_in)[0], 401)
        # Nor does a restart bring them back.
        self.appliance.cut_power()
        self.assertEqual(ask(self.port, "GET /v1/state", signed_in)[0], 401)

    def test_signing_out_is_for_ever_and_requests_write_nothing(self):
        signed_in, _ = self.sign_in(token=token(self.appliance))
        files = lambda: {path.name: path.read_bytes() for path in self.appliance.state.glob("deskbell.sqlite*")}
        before = files()
        for _ in range(20):
            self.assertEqual(ask(self.port, "GET /v1/sounds/default/audio", signed_in, text=False)[0], 200)
        self.assertEqual(files(), before)
        self.assertEqual(ask(self.port, "DELETE /session", signed_in)[0], 204)
        self.appliance.cut_power()
        self.assertEqual(ask(self.port, "GET /v1/sounds/default/audio", signed_in)[0], 401)

    def test_other_pages_in_the_same_browser(self):
        """A page on another port of this machine, with shared cookies, can neither read nor do anything."""
        with other_page() as (page, cookies), browser(self.appliance) as panel:
            panel.open()
            # The token is gone from the address, and from the history.
            self.assertEqual(panel.driver.current_url, f"http://127.0.0.1:{self.port}/")
            entries = panel.driver.execute_cdp_cmd("Page.getNavigationHistory", {})["entries"]
            self.assertFalse([entry["url"] for entry in entries if "token" in entry["url"]])
            panel.driver.get(page)
            results = panel.driver.execute_async_script("""
                const [panel, done] = arguments, results = {};
                const tries = {
                  read: () => fetch(panel + 'v1/state', { credentials: 'include' }).then((answer) => answer.text()),
                  field: () => fetch(panel + 'v1/state', { credentials: 'include', headers: { 'Deskbell-Panel': 'x' } }).then((answer) => answer.text()),
                  blind: () => fetch(panel + 'v1/press', { method: 'POST', mode: 'no-cors', credentials: 'include', body: '{"button": "close", "length": "long"}' }).then((answer) => answer.type),
                };
                (async () => {
                  for (const [name, body] of Object.entries(tries)) results[name] = await body().catch((error) => error.name);
                  const frame = document.createElement('iframe');
                  frame.src = panel;
                  document.body.append(frame);
                  await new Promise((resolve) => { frame.onload = frame.onerror = resolve; });
                  try { results.frame = frame.contentDocument ? 'readable' : 'closed'; } catch { results.frame = 'closed'; }
                  done(results);
                })();""", f"http://127.0.0.1:{self.port}/")
            self.assertEqual((results["read"], results["field"], results["frame"]), ("TypeError", "TypeError", "closed"))
            refused = [line["message"] for line in panel.driver.get_log("browser")]
            self.assertTrue(any("frame" in line or "blocked" in line.lower() for line in refused), refused)
            events = [event["event"] for event in self.appliance.events()]
            self.assertNotIn("button", events)
            # The other port received the cookie too; alone it opens nothing.
            stolen = cookies[-1]
            self.assertIn("deskbell-", stolen)
            for fields in ([f"Cookie: {stolen}", "Deskbell-Panel: none"], [f"Cookie: {stolen}"]):
                self.assertIn(ask(self.port, "GET /v1/state", fields)[0], (401, 403))


@contextmanager
def other_page():
    """Yields a foreign server's address on this machine, and a list of the cookies that it receives."""
    cookies = []

    def answer(handler, _):
        if handler.path == "/":
            cookies.append(handler.headers.get("Cookie", ""))
        handler.send_response(200)
        handler.send_header("Content-Type", "text/html")
        handler.end_headers()
        handler.wfile.write(b"<!doctype html><title>evil</title><body></body>")

    with serving(answer) as port:
        yield f"http://127.0.0.1:{port}/", cookies


class NetworkTests(unittest.TestCase):
    def test_without_a_password_it_does_not_start(self):
        with Appliance("--panel", "127.0.0.1:0") as appliance:
            appliance.stop()
            refused = appliance.refusal(
                "serve", "--state", appliance.state, "--listen", "127.0.0.1:0", "--panel", "0.0.0.0:0")
            self.assertIn("panel 0.0.0.0:0: other machines can reach it there, so it needs a password", refused)
            self.assertIn("deskbell panel password", refused)

    def test_over_tls_with_the_password(self):
        with Appliance("--panel", "127.0.0.1:0") as appliance:
            port = free_port()
            appliance.put_panel_on_network(port, PASSWORD)
            # The name or address that other machines reach, if there is a network.
            self.assertRegex(appliance.report("panel")["url"].split("#")[0], rf"^https://[\w.:\[\]-]+:{port}/$")
            context = ssl.create_default_context(cafile=str(appliance.ca))
            status, fields, body = ask(
                port, "POST /session", ["Deskbell-Panel: none", f"Origin: https://localhost:{port}"],
                json.dumps({"password": PASSWORD}), context=context, host="localhost")
            self.assertEqual(status, 200, body)
            self.assertTrue(fields["Set-Cookie"].startswith(f"__Host-deskbell-{port}="))
            self.assertIn("; Secure", fields["Set-Cookie"])
            self.assertEqual(ask(port, "GET /", context=context, host="evil.example")[0], 421)
            # Connections without TLS are refused there.
            with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_SECONDS) as plain:
                plain.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
                heard = b""
                try:
                    while chunk := plain.recv(4096):
                        heard += chunk
                except ConnectionResetError:
                    pass
                self.assertNotIn(b"HTTP/1.1", heard)
            self.assertIn("the network can reach the panel", appliance.refusal("panel", "password", "--remove"))
            with browser(appliance, insecure=True) as panel:
                panel.driver.get(f"https://localhost:{port}/")
                panel.wait_for("#sign-in-form")
                panel.write("#password", "wrong password")
                panel.press("#sign-in-form button")
                panel.wait_for("#notice", "The password is wrong")
                panel.write("#password", PASSWORD)
                panel.press("#sign-in-form button")
                panel.wait_for("#link[data-link=live]")

    def test_it_is_enabled_for_a_phone_and_disabled_again(self):
        port = free_port()
        with Appliance("--panel", f"127.0.0.1:{port}") as appliance:
            # Standard input is empty: there is no password, and nothing changes.
            refused = appliance.command("panel", "enable", check=False)
            self.assertNotEqual(refused.returncode, 0)
            self.assertIn("password", refused.stderr)
            self.assertEqual(ask(port, "GET /")[0], 200)
            said = appliance.run("panel", "enable", appliance.secret(PASSWORD))
            self.assertRegex(said, rf"The panel is at https://[^ ]+:{port}/ for every machine on the network")
            context = ssl.create_default_context(cafile=str(appliance.ca))

            def sign_in():
                return ask(
                    port, "POST /session", ["Deskbell-Panel: none", f"Origin: https://localhost:{port}"],
                    json.dumps({"password": PASSWORD}), context=context, host="localhost")[0]

            self.assertEqual(sign_in(), 200)
            refused = appliance.command("panel", "password", "--remove", check=False)
            self.assertIn("deskbell panel disable", refused.stderr)
            # It stays so after a power cut, without a line in the settings file; enabling it again changes nothing.
            appliance.cut_power()
            self.assertEqual(sign_in(), 200)
            self.assertEqual(appliance.run("panel", "enable"), said)
            self.assertEqual(appliance.run("panel", "disable"), f"The panel is at http://127.0.0.1:{port}/ for this machine only.\n")
            self.assertEqual(ask(port, "GET /")[0], 200)
            self.assertIn("127.0.0.1", appliance.report("panel")["url"])
            appliance.restart()
            self.assertEqual(ask(port, "GET /")[0], 200)

    def test_what_the_settings_place_is_not_disabled(self):
        port = free_port()
        with Appliance("--panel", f"127.0.0.1:{port}") as appliance:
            appliance.put_panel_on_network(port, PASSWORD)
            self.assertIn("the settings place the panel at 0.0.0.0", appliance.refusal("panel", "disable"))

    def test_without_a_browser_the_line_of_ssh_is_printed_too(self):
        screen = {"DISPLAY": "", "WAYLAND_DISPLAY": "", "SSH_CONNECTION": "192.0.2.9 50000 192.0.2.1 22"}
        port = free_port()
        with Appliance("--panel", f"127.0.0.1:{port}", environment=screen) as appliance:
            done = appliance.command("panel")
            # Scripts read only the link.
            self.assertEqual(len(done.stdout.splitlines()), 1)
            self.assertRegex(done.stderr, rf"  ssh -L {port}:127.0.0.1:{port} [^ ]+@192.0.2.1\n")
            self.assertEqual(appliance.command("panel", "--json").stderr, "")
            appliance.environment["SSH_CONNECTION"] = ""
            appliance.environment["DISPLAY"] = ":0"
            self.assertEqual(appliance.command("panel").stderr, "")

    def test_a_port_that_is_taken_costs_the_panel_alone(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            with Appliance("--panel", f"127.0.0.1:{taken.getsockname()[1]}") as appliance:
                devices = {each["name"]: each for each in appliance.report("state")["devices"]}
                self.assertFalse(devices["web panel"]["works"])
                self.assertIn("--panel off", devices["web panel"]["problem"])
                self.assertIn("the web panel is off, or could not be started", appliance.refusal("panel"))
                appliance.install_mailroom()
                self.assertEqual(appliance.curl('{"aps": {"alert": "rings all the same"}}')[0], 200)
