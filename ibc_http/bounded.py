"""What HTTP servers for strangers have in common: so many connections at once, so many seconds a request."""

import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BufferedReader, RawIOBase
from socket import socket
from threading import BoundedSemaphore
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer


class TimedReader(RawIOBase):
    """Bytes of a connection: a request has `idle_s` to begin, and then `whole_s` for all of it."""

    def __init__(self, connection: socket, idle_s: float, whole_s: float) -> None:
        self._connection, self._idle_s, self._whole_s = connection, idle_s, whole_s
        self._end: float | None = None

    def readable(self) -> bool:
        """It is, as `BufferedReader` asks."""
        return True

    def restart(self) -> None:
        """The next byte begins a request."""
        self._end = None

    def readinto(self, buffer: "WriteableBuffer") -> int:
        """What has arrived, at least a byte; 0 at the end.

        Raises:
            TimeoutError: it took too long.
        """
        # guard: h220-a-request-has-all-the-time always:_end
        #   test_h220_a_request_that_drips_is_dropped_and_frees_its_place
        left = self._idle_s if self._end is None else self._end - time.monotonic()
        if left <= 0:
            raise TimeoutError("a request takes too long to arrive")
        self._connection.settimeout(left)
        try:
            count = self._connection.recv_into(buffer)
        finally:
            self._connection.settimeout(self._whole_s)  # for the answer
        if self._end is None:
            self._end = time.monotonic() + self._whole_s
        return count


class TimedHandler(BaseHTTPRequestHandler):
    """Reads its requests with a deadline over all of each, where `timeout` alone is one of every byte."""

    idle_s: float
    """Seconds until a request begins."""
    whole_s: float
    """Seconds from there until all of it is read, and those of a piece of the answer."""

    def setup(self) -> None:
        """Reads with the deadline."""
        super().setup()
        self.rfile.close()
        self._arriving = TimedReader(self.connection, self.idle_s, self.whole_s)
        self.rfile = BufferedReader(self._arriving)

    def handle_one_request(self) -> None:
        """One request, with a clock of its own."""
        self._arriving.restart()
        super().handle_one_request()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
        """Logs nothing: a stranger would write it."""


class BoundedServer(ThreadingHTTPServer):
    """A thread a connection, of so many at once; more are closed unanswered."""

    daemon_threads = True
    request_queue_size = 32

    def __init__(
        self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler], connections: int
    ) -> None:
        """Listens.

        Raises:
            OSError: the address cannot be had.
        """
        # guard: h117-any-number-at-once {connections => connections + 1}
        #   test_h117_no_more_than_so_many_are_served_at_once
        self._slots = BoundedSemaphore(connections)
        super().__init__(address, handler)

    def handle_error(self, request: socket | tuple[bytes, socket], client_address: object) -> None:
        """Ignores disconnected clients; prints the traceback of any other exception."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)

    def process_request(self, request: socket | tuple[bytes, socket], client_address: object) -> None:
        """Serves a connection, or closes it if too many are open."""
        if not self._slots.acquire(blocking=False):
            self.shutdown_request(request)
            return
        super().process_request(request, client_address)

    def process_request_thread(self, request: socket | tuple[bytes, socket], client_address: object) -> None:
        """Serves one connection."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._slots.release()
