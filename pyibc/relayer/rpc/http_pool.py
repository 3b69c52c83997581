"""HTTP POST to one URL: connection pool, one deadline per request, responses of limited size.

The timeout of http.client applies to each read of the socket, so a peer that sends byte by byte could block
it forever. Here each read gets the time left until the deadline.
"""

import io
import socket
import ssl
import threading
from base64 import b64encode
from collections.abc import Callable
from contextlib import closing
from http.client import HTTPConnection, HTTPResponse
from typing import NamedTuple
from urllib.parse import SplitResult, unquote, urlsplit

_CHUNK = 1 << 16
MAX_IDLE = 64
"""Maximum idle connections; a node limits the connections of all its clients (CometBFT: 900)."""
_PORTS = {"http": 80, "https": 443}


class Deadline:
    """Deadline of a request."""

    def __init__(self, seconds: float, clock: Callable[[], float]) -> None:
        """Set the deadline `seconds` from now, by `clock`."""
        self._end = clock() + seconds
        self._clock = clock

    def remaining(self) -> float:
        """Return the seconds left.

        Raises:
            TimeoutError: the deadline has passed.
        """
        left = self._end - self._clock()
        if left <= 0:
            raise TimeoutError("no whole answer in time")
        return left


class HttpAnswer(NamedTuple):
    """Complete HTTP response."""

    status: int
    body: bytes


class NotConnected(OSError):
    """No connection was established, so nothing was sent."""


class AnswerTooLarge(Exception):
    """The response exceeds the size limit."""


class HttpTarget(NamedTuple):
    """Parsed URL; `str` gives scheme, host and port only, since the rest may be secret."""

    scheme: str
    host: str
    port: int
    path: str  # with the query
    headers: dict[str, str]

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}" + (f":{self.port}" if self.port != _PORTS[self.scheme] else "")


def parse_url(url: str) -> HttpTarget:
    """Parse `http(s)://[user[:password]@]host[:port][/path][?query]`; CometBFT's `tcp://` means http.

    Raises:
        ValueError: the URL has another form. The text does not quote the URL, which may contain a password.
    """
    try:
        parts = urlsplit(url.replace("tcp://", "http://", 1))
        host, port = parts.hostname or "", parts.port
        host.encode("idna")
    except ValueError:
        raise ValueError(_NOT_A_URL) from None
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    if parts.scheme not in _PORTS or not host or not path.isascii() or not _is_printable(path + host):
        raise ValueError(_NOT_A_URL)
    return HttpTarget(parts.scheme, host, port or _PORTS[parts.scheme], path, _authorization(parts))


_NOT_A_URL = "not an http(s) URL: http(s)://host[:port][/path] is expected"


def redacted_url(url: str) -> str:
    """Return scheme, host and port of a URL for logs; of any other text, the part before `/`, `?` or `@`."""
    try:
        return str(parse_url(url))
    except ValueError:
        return "" if "@" in url else url.partition("?")[0].partition("/")[0]


def _is_printable(text: str) -> bool:
    return text.isprintable() and " " not in text


def _authorization(parts: SplitResult) -> dict[str, str]:
    if parts.username is None:
        return {}
    pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
    return {"Authorization": "Basic " + b64encode(pair.encode()).decode("ascii")}


class HttpPool:
    """Connection pool of one URL; each request has a connection of its own. For any thread."""

    def __init__(self, target: HttpTarget, max_answer: int) -> None:
        """Create an empty pool; `max_answer` limits a response, bytes."""
        self._target = target
        self._max_answer = max_answer
        self._idle: list[_Connection] = []
        self._lock = threading.Lock()
        self._tls = ssl.create_default_context() if target.scheme == "https" else None

    def post(self, body: bytes, deadline: Deadline, *, fresh: bool) -> HttpAnswer:
        """Send one POST and return the response.

        Args:
            body: JSON.
            deadline: deadline of the request, including connecting.
            fresh: use a new connection. If the peer closes a reused one, it is unknown whether it has read
                the request.

        Raises:
            NotConnected: nothing was sent.
            OSError, HTTPException: no complete response in time; idle connections are closed.
            AnswerTooLarge: the response exceeds the limit.
        """
        connection = self._acquire(deadline, fresh=fresh)
        try:
            answer, reusable = self._exchange(connection, body)
        except BaseException:
            connection.close()
            self.close()  # the others are often broken as well
            raise
        if reusable:
            self._release(connection)
        else:
            connection.close()
        return answer

    def close(self) -> None:
        """Close the idle connections; a later request opens new ones."""
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def _acquire(self, deadline: Deadline, *, fresh: bool) -> "_Connection":
        with self._lock:
            # guard: h224-a-new-connection-takes-nobody-s-place {self._idle.pop() if self._idle else None =>
            #   self._idle.pop() if self._idle and (not fresh) else None}
            #   test_h224_a_hundred_broadcasts_leave_one_connection_at_the_node
            connection = self._idle.pop() if self._idle else None
        # guard: h224-a-new-connection-takes-nobody-s-place drop
        if connection is not None and fresh:  # replace it, so that the number of connections does not grow
            connection.close()
            connection = None
        connection = connection or _Connection(self._target, self._tls)
        connection.deadline = deadline
        return connection

    def _release(self, connection: "_Connection") -> None:
        with self._lock:
            # guard: h224-idle-connections-have-no-bound always
            #   test_h224_many_threads_leave_a_bounded_number_of_connections
            spare = len(self._idle) < MAX_IDLE
            if spare:
                self._idle.append(connection)
        if not spare:
            connection.close()

    def _exchange(self, connection: "_Connection", body: bytes) -> tuple[HttpAnswer, bool]:
        headers = {"Content-Type": "application/json", **self._target.headers}
        connection.request("POST", self._target.path, body, headers)
        with closing(
            connection.getresponse()
        ) as response:  # it may own a socket that the connection has released
            return HttpAnswer(response.status, self._body(response)), not response.will_close

    def _body(self, response: HTTPResponse) -> bytes:
        chunks, size = list[bytes](), 0
        while chunk := response.read(_CHUNK):
            chunks.append(chunk)
            size += len(chunk)
            if size > self._max_answer:
                # guard: h141-answers-have-no-bound {=> continue}
                #   test_h141_an_answer_too_large_is_an_error_and_not_cut
                raise AnswerTooLarge
        if response.length:  # http.client does not report a truncated body
            raise ConnectionError("the response was truncated")
        return b"".join(chunks)


class _Connection(HTTPConnection):
    """Connection with the deadline of its current request."""

    deadline: Deadline

    def __init__(self, target: HttpTarget, tls: ssl.SSLContext | None) -> None:
        super().__init__(target.host, target.port)
        self.default_port = _PORTS[target.scheme]
        self._tls = tls

    def connect(self) -> None:
        """Connect to the first address of the host that accepts, before the deadline."""
        try:
            opened = _open(self.host, self.port, self.deadline)
        except TimeoutError:
            raise
        except OSError as error:
            raise NotConnected(str(error)) from error
        try:
            opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            opened.settimeout(self.deadline.remaining())
            secured = self._tls.wrap_socket(opened, server_hostname=self.host) if self._tls else opened
        except BaseException:
            opened.close()
            raise
        self.sock = _DeadlineSocket(secured, self)


def _open(host: str, port: int, deadline: Deadline) -> socket.socket:
    problem: OSError = OSError(f"no address of {host}")
    for family, kind, protocol, _, address in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM):
        opened = socket.socket(family, kind, protocol)
        try:
            opened.settimeout(deadline.remaining())
            opened.connect(address)
        except OSError as error:
            opened.close()
            problem = error
        else:
            return opened
    raise problem


class _DeadlineSocket:
    """Socket for http.client; each operation has the time left until the deadline as its timeout."""

    def __init__(self, inner: socket.socket, connection: _Connection) -> None:
        self._inner = inner
        self._connection = connection

    def sendall(self, data: bytes) -> None:
        """Send all bytes before the deadline."""
        self._inner.settimeout(self._connection.deadline.remaining())
        self._inner.sendall(data)

    def makefile(self, _mode: str) -> io.BufferedReader:
        """Return a buffered reader of the received bytes."""
        return io.BufferedReader(_DeadlineReader(self._inner, self._connection))

    def close(self) -> None:
        """Close the socket; it stays open until its readers are closed."""
        self._inner.close()


class _DeadlineReader(io.RawIOBase):
    """Raw stream over a socket; each read times out at the deadline."""

    def __init__(self, inner: socket.socket, connection: _Connection) -> None:
        super().__init__()
        self._inner = inner
        self._stream = inner.makefile("rb", buffering=0)  # keeps the socket open until this reader is closed
        self._connection = connection

    def readable(self) -> bool:
        """Return True: the stream is read-only."""
        return True

    def readinto(self, buffer: memoryview, /) -> int | None:  # type: ignore[override] # only called so
        """Read the bytes received, waiting at most until the deadline."""
        # guard: h141-reads-have-no-deadline test_h141_a_peer_that_drips_bytes_is_left_at_the_deadline
        self._inner.settimeout(self._connection.deadline.remaining())
        return self._stream.readinto(buffer)

    def close(self) -> None:
        """Close the stream and release the socket."""
        if not self.closed:
            self._stream.close()
        super().close()
