"""Limits shared by HTTP servers for untrusted clients: number of connections, and time per request."""

import sys
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BufferedReader, RawIOBase
from ipaddress import IPv6Address, ip_address
from socket import socket
from threading import BoundedSemaphore, Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer


class TimedReader(RawIOBase):
    """Reader of a connection: a request must start within `idle_s` and arrive whole within `whole_s`."""

    def __init__(self, connection: socket, idle_s: float, whole_s: float) -> None:
        self._connection, self._idle_s, self._whole_s = connection, idle_s, whole_s
        self._end: float | None = None

    def readable(self) -> bool:
        """Return True, as `BufferedReader` requires."""
        return True

    def restart(self) -> None:
        """Start the timeout for the next request."""
        self._end = None

    def readinto(self, buffer: "WriteableBuffer") -> int:
        """Read available bytes, at least one; return 0 at the end of the stream.

        Raises:
            TimeoutError: the request took too long.
        """
        # guard: h220-a-request-has-all-the-time always:_end
        #   test_h220_a_request_that_drips_is_dropped_and_frees_its_place
        left = self._idle_s if self._end is None else self._end - time.monotonic()
        if left <= 0:
            raise TimeoutError("the request took too long to arrive")
        self._connection.settimeout(left)
        try:
            count = self._connection.recv_into(buffer)
        finally:
            self._connection.settimeout(self._whole_s)  # for the response
        if self._end is None:
            self._end = time.monotonic() + self._whole_s
        return count


class TimedHandler(BaseHTTPRequestHandler):
    """Request handler with a deadline for each whole request; `timeout` alone applies to every read."""

    idle_s: float
    """Seconds until a request must start."""
    whole_s: float
    """Seconds from the start of a request until it must be complete, and per write of the response."""

    def setup(self) -> None:
        """Install the reader with the deadline."""
        super().setup()
        self.rfile.close()
        self._arriving = TimedReader(self.connection, self.idle_s, self.whole_s)
        self.rfile = BufferedReader(self._arriving)

    def handle_one_request(self) -> None:
        """Handle one request with its own deadline."""
        self._arriving.restart()
        super().handle_one_request()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
        """Log nothing: the content would be chosen by untrusted clients."""


_NETWORK_BITS = 64
"""Bits of the network part of an IPv6 address; all addresses of a network count as one client."""


def source_of(client_address: object) -> str:
    """Return the client of a connection: its IPv4 address, or the network of its IPv6 address."""
    text = str(client_address[0]) if isinstance(client_address, tuple) and client_address else ""
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return text
    if isinstance(address, IPv6Address):
        address = address.ipv4_mapped or IPv6Address(int(address) >> _NETWORK_BITS << _NETWORK_BITS)
    return str(address)


class BoundedServer(ThreadingHTTPServer):
    """Server with one thread per connection, and limits in total and per client; excess ones are closed."""

    daemon_threads = True
    request_queue_size = 32

    def __init__(
        self,
        address: tuple[str, int],
        handler: type[BaseHTTPRequestHandler],
        connections: int,
        of_one_client: int | None = None,
    ) -> None:
        """Listen on an address.

        Args:
            address: Host and port.
            handler: Class that handles requests.
            connections: Maximum number of open connections.
            of_one_client: Maximum per address (IPv6: per /64 network); None for no separate limit.

        Raises:
            OSError: the server cannot listen on the address.
        """
        # guard: h117-any-number-at-once {connections => connections + 1}
        #   test_h117_no_more_than_so_many_are_served_at_once
        self._slots = BoundedSemaphore(connections)
        self._of_one_client = connections if of_one_client is None else of_one_client
        self._held: Counter[str] = Counter()
        self._held_lock = Lock()
        try:
            super().__init__(address, handler)
        except OSError as error:  # the system's does not name the address
            host, port = address
            named = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
            raise OSError(error.errno, error.strerror or str(error), named) from error

    def handle_error(self, request: socket | tuple[bytes, socket], client_address: object) -> None:
        """Ignore disconnected clients; print the traceback of any other exception."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)

    def process_request(self, request: socket | tuple[bytes, socket], client_address: object) -> None:
        """Serve a connection, or close it if too many are open."""
        if not self._take_place(client_address):
            self.shutdown_request(request)
            return
        try:
            super().process_request(request, client_address)
        except BaseException:  # no thread could be started
            self._give_place_back(client_address)
            raise

    def _take_place(self, client_address: object) -> bool:
        source = source_of(client_address)
        with self._held_lock:
            # guard: h304-one-client-holds-all-places drop
            #   test_h304_silent_connections_of_one_client_leave_places_for_others
            if self._held[source] >= self._of_one_client:
                return False
            if not self._slots.acquire(blocking=False):
                return False
            self._held[source] += 1
        return True

    def _give_place_back(self, client_address: object) -> None:
        source = source_of(client_address)
        with self._held_lock:
            self._held[source] -= 1
            # guard: h304-whoever-came-is-remembered drop test_h304_who_has_gone_is_forgotten
            if not self._held[source]:
                del self._held[source]
            self._slots.release()

    def process_request_thread(self, request: socket | tuple[bytes, socket], client_address: object) -> None:
        """Serve one connection."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._give_place_back(client_address)
