"""HTTP POST to one URL: a pool of connections, one deadline for a whole exchange, answers of bounded size.

http.client alone counts its timeout anew for each byte that arrives; a peer that drips bytes could hold it
for ever. Here each read of the socket gets what is left until the deadline.
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

_PIECE = 1 << 16
MOST_IDLE = 64
"""Connections kept open for later, at most: a node counts those of all its clients (CometBFT takes 900)."""
_PORTS = {"http": 80, "https": 443}


class Deadline:
    """The end of an exchange."""

    def __init__(self, seconds: float, clock: Callable[[], float]) -> None:
        """`seconds` from now, by `clock`."""
        self._end = clock() + seconds
        self._clock = clock

    def left(self) -> float:
        """Seconds left.

        Raises:
            TimeoutError: none is.
        """
        left = self._end - self._clock()
        if left <= 0:
            raise TimeoutError("no whole answer in time")
        return left


class Answer(NamedTuple):
    """An HTTP response, whole."""

    status: int
    body: bytes


class NotConnected(OSError):
    """No connection came about, so that nothing was sent."""


class AnswerTooLarge(Exception):
    """The peer sends more than is read of any answer."""


class Target(NamedTuple):
    """Where a URL leads. Its text names scheme, host and port alone: the rest may be secret."""

    scheme: str
    host: str
    port: int
    path: str  # with the query
    headers: dict[str, str]

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}" + (f":{self.port}" if self.port != _PORTS[self.scheme] else "")


def read_url(url: str) -> Target:
    """The parts of `http(s)://[user[:password]@]host[:port][/path][?query]`; CometBFT's `tcp://` is http.

    Raises:
        ValueError: it is of another form. The text does not quote the URL, which may hold a password.
    """
    try:
        parts = urlsplit(url.replace("tcp://", "http://", 1))
        host, port = parts.hostname or "", parts.port
        host.encode("idna")
    except ValueError:
        raise ValueError(_NO_URL) from None
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    if parts.scheme not in _PORTS or not host or not path.isascii() or not _is_visible(path + host):
        raise ValueError(_NO_URL)
    return Target(parts.scheme, host, port or _PORTS[parts.scheme], path, _authorization(parts))


_NO_URL = "not an http(s) URL: http(s)://host[:port][/path] is expected"


def public_name(url: str) -> str:
    """What may be told of a URL to whoever reads a log; of any other text, its harmless beginning."""
    try:
        return str(read_url(url))
    except ValueError:
        return "" if "@" in url else url.partition("?")[0].partition("/")[0]


def _is_visible(text: str) -> bool:
    return text.isprintable() and " " not in text


def _authorization(parts: SplitResult) -> dict[str, str]:
    if parts.username is None:
        return {}
    pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
    return {"Authorization": "Basic " + b64encode(pair.encode()).decode("ascii")}


class HttpPool:
    """Connections to one URL; each of several threads has one of its own during an exchange."""

    def __init__(self, target: Target, max_answer: int) -> None:
        """Nothing is opened before the first exchange. `max_answer`: bytes."""
        self._target = target
        self._max_answer = max_answer
        self._idle: list[_Connection] = []
        self._lock = threading.Lock()
        self._tls = ssl.create_default_context() if target.scheme == "https" else None

    def post(self, body: bytes, deadline: Deadline, *, fresh: bool) -> Answer:
        """The answer to one POST.

        Args:
            body: JSON.
            deadline: of the whole exchange, connecting included.
            fresh: on a new connection. The peer may have closed an old one, and whether it has read a request
                on it then cannot be told.

        Raises:
            NotConnected: nothing was sent.
            OSError, HTTPException: no whole answer (in time); idle connections are closed.
            AnswerTooLarge: it is above the limit.
        """
        connection = self._take(deadline, fresh=fresh)
        try:
            answer, reusable = self._exchange(connection, body)
        except BaseException:
            connection.close()
            self.close()  # what broke one has often broken all
            raise
        if reusable:
            self._keep(connection)
        else:
            connection.close()
        return answer

    def close(self) -> None:
        """Closes the idle connections; a later exchange opens new ones."""
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def _take(self, deadline: Deadline, *, fresh: bool) -> "_Connection":
        with self._lock:
            # guard: h224-a-new-connection-takes-nobody-s-place {self._idle.pop() if self._idle else None =>
            #   self._idle.pop() if self._idle and (not fresh) else None}
            #   test_h224_a_hundred_broadcasts_leave_one_connection_at_the_node
            connection = self._idle.pop() if self._idle else None
        # guard: h224-a-new-connection-takes-nobody-s-place drop
        if connection is not None and fresh:  # the new one takes its place: those that are open get no more
            connection.close()
            connection = None
        connection = connection or _Connection(self._target, self._tls)
        connection.deadline = deadline
        return connection

    def _keep(self, connection: "_Connection") -> None:
        with self._lock:
            # guard: h224-idle-connections-have-no-bound always
            #   test_h224_many_threads_leave_a_bounded_number_of_connections
            spare = len(self._idle) < MOST_IDLE
            if spare:
                self._idle.append(connection)
        if not spare:
            connection.close()

    def _exchange(self, connection: "_Connection", body: bytes) -> tuple[Answer, bool]:
        headers = {"Content-Type": "application/json", **self._target.headers}
        connection.request("POST", self._target.path, body, headers)
        with closing(connection.getresponse()) as response:  # it may hold a socket that its connection let go
            return Answer(response.status, self._body(response)), not response.will_close

    def _body(self, response: HTTPResponse) -> bytes:
        pieces, size = list[bytes](), 0
        while piece := response.read(_PIECE):
            pieces.append(piece)
            size += len(piece)
            if size > self._max_answer:
                # guard: h141-answers-have-no-bound {=> continue}
                #   test_h141_an_answer_too_large_is_an_error_and_not_cut
                raise AnswerTooLarge
        if response.length:  # http.client does not complain about the end of a stream in the middle of a body
            raise ConnectionError("the answer was cut off")
        return b"".join(pieces)


class _Connection(HTTPConnection):
    """A connection that knows the deadline of the exchange under way."""

    deadline: Deadline

    def __init__(self, target: Target, tls: ssl.SSLContext | None) -> None:
        super().__init__(target.host, target.port)
        self.default_port = _PORTS[target.scheme]
        self._tls = tls

    def connect(self) -> None:
        """Tries the host's addresses one after the other, all before the deadline."""
        try:
            opened = _open(self.host, self.port, self.deadline)
        except TimeoutError:
            raise
        except OSError as error:
            raise NotConnected(str(error)) from error
        try:
            opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            opened.settimeout(self.deadline.left())
            secured = self._tls.wrap_socket(opened, server_hostname=self.host) if self._tls else opened
        except BaseException:
            opened.close()
            raise
        self.sock = _Timed(secured, self)


def _open(host: str, port: int, deadline: Deadline) -> socket.socket:
    problem: OSError = OSError(f"no address of {host}")
    for family, kind, protocol, _, address in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM):
        opened = socket.socket(family, kind, protocol)
        try:
            opened.settimeout(deadline.left())
            opened.connect(address)
        except OSError as error:
            opened.close()
            problem = error
        else:
            return opened
    raise problem


class _Timed:
    """What http.client uses of a socket; every operation gets what is left until the deadline."""

    def __init__(self, inner: socket.socket, connection: _Connection) -> None:
        self._inner = inner
        self._connection = connection

    def sendall(self, data: bytes) -> None:
        """Sends all, in time."""
        self._inner.settimeout(self._connection.deadline.left())
        self._inner.sendall(data)

    def makefile(self, _mode: str) -> io.BufferedReader:
        """A reader of what arrives."""
        return io.BufferedReader(_Reader(self._inner, self._connection))

    def close(self) -> None:
        """Closes it, once its readers are closed."""
        self._inner.close()


class _Reader(io.RawIOBase):
    """The socket as a stream whose every read is timed."""

    def __init__(self, inner: socket.socket, connection: _Connection) -> None:
        super().__init__()
        self._inner = inner
        self._stream = inner.makefile("rb", buffering=0)  # keeps the socket open for those that read last
        self._connection = connection

    def readable(self) -> bool:
        """It is for reading alone."""
        return True

    def readinto(self, buffer: memoryview, /) -> int | None:  # type: ignore[override] # all that BufferedReader has
        """Reads what has arrived, waiting until the deadline."""
        # guard: h141-reads-have-no-deadline test_h141_a_peer_that_drips_bytes_is_left_at_the_deadline
        self._inner.settimeout(self._connection.deadline.left())
        return self._stream.readinto(buffer)

    def close(self) -> None:
        """Lets go of the socket."""
        if not self.closed:
            self._stream.close()
        super().close()
