"""A small HTTP server for untrusted clients: GET only, all resources bounded; no path names a file."""

import time
from collections.abc import Callable, Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from io import BytesIO
from ipaddress import ip_address
from socket import AF_INET, AF_INET6
from threading import Thread
from typing import NamedTuple
from urllib.parse import urlsplit

from pyibc.http.bounded import BoundedServer

MAX_HEAD = 8192  # size limit of a request in bytes
MAX_CONNECTIONS = 32
MAX_OF_ONE_CLIENT = 8  # browsers open six
HEAD_S, SEND_S = 5.0, 10.0  # timeouts of a request's head, and of sending a response
LOOPBACK = ("localhost", "127.0.0.1", "::1")
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Connection": "close",
}


class Response(NamedTuple):
    """Response to a request."""

    status: HTTPStatus
    content_type: str
    body: bytes


Routes = Mapping[str, Callable[[str], Response]]
"""Route functions by path; each receives the query string."""


class _Handler(BaseHTTPRequestHandler):
    server_version = "pyibc"
    sys_version = ""
    server: "Server"

    def setup(self) -> None:
        """Read the request's head within `HEAD_S` seconds, at most `MAX_HEAD` bytes."""
        super().setup()
        self.rfile.close()
        self.rfile = BytesIO(self._head())

    def handle(self) -> None:
        """Handle one request."""
        head = self.rfile.getvalue()  # type: ignore[attr-defined]
        # guard: h117-heads-of-any-length test_h117_a_head_that_is_too_long_is_refused_unread
        if len(head) > MAX_HEAD:
            self.requestline, self.request_version, self.command = "", "HTTP/1.0", ""
            self.send_error(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)
        elif b"\r\n\r\n" in head:
            self.handle_one_request()

    def do_GET(self) -> None:
        """Respond with the result of the path's route."""
        if not self.server.is_own(self.headers.get("Host")):
            self.send_error(HTTPStatus.MISDIRECTED_REQUEST, "the Host header does not name this server")
            return
        try:
            url = urlsplit(self.path)
        except ValueError:
            self.send_error(HTTPStatus.BAD_REQUEST)
            return
        route = self.server.routes.get(url.path)
        if route is None:
            self.send_error(HTTPStatus.NOT_FOUND)
            return
        answer = route(url.query)
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.content_type)
        self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        self.wfile.write(answer.body)

    def end_headers(self) -> None:
        """Add security headers to every response."""
        for name, value in _HEADERS.items():
            self.send_header(name, value)
        # guard: h116-answers-without-a-policy test_h116_every_answer_keeps_the_browser_from_more
        self.send_header("Content-Security-Policy", self.server.policy)
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
        """Log nothing: the content would be chosen by untrusted clients."""

    def _head(self) -> bytes:
        data, end = b"", time.monotonic() + HEAD_S
        while b"\r\n\r\n" not in data and len(data) <= MAX_HEAD:
            # guard: h117-a-head-has-all-the-time {end - time.monotonic() => 30.0}
            #   test_h117_a_head_that_comes_too_slowly_is_dropped_and_frees_its_place
            left = end - time.monotonic()
            if left <= 0:
                return b""
            self.connection.settimeout(left)
            part = self.connection.recv(MAX_HEAD + 1 - len(data))
            if not part:
                break
            data += part
        self.connection.settimeout(SEND_S)
        return data


class Server(BoundedServer):
    """HTTP server for `routes`."""

    def __init__(self, routes: Routes, host: str, port: int, policy: str) -> None:
        """Listen; port 0 chooses a free one. `policy` is the Content-Security-Policy of all responses.

        Raises:
            OSError: the server cannot listen on the address.
        """
        self.routes = routes
        self.policy = policy
        self.address_family = AF_INET6 if ":" in host else AF_INET
        super().__init__((host, port), _Handler, MAX_CONNECTIONS, MAX_OF_ONE_CLIENT)
        place = self.server_address[0]
        self.loopback = ip_address(str(place)).is_loopback
        shown = f"[{place!s}]" if ":" in str(place) else str(place)
        self.url = f"http://{shown}:{self.server_address[1]}"

    def start(self) -> Thread:
        """Serve in a background thread until `stop`."""
        thread = Thread(target=self.serve_forever, args=(0.1,), name=f"http {self.url}", daemon=True)
        thread.start()
        return thread

    def stop(self) -> None:
        """Stop serving and close the socket."""
        self.shutdown()
        self.server_close()

    def is_own(self, host: str | None) -> bool:
        """Return whether the Host header names this server; on loopback this prevents DNS rebinding."""
        # guard: h116-any-name-reaches-loopback always
        #   test_h116_a_page_of_a_stranger_s_does_not_reach_loopback_by_a_name_of_his
        if host is None or not self.loopback:
            return True
        name = host.rpartition(":")[0] if not host.endswith("]") and ":" in host else host
        return name.strip("[]").lower() in {*LOOPBACK, str(self.server_address[0])}
