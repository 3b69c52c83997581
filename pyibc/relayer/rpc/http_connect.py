"""Connections of HTTP requests, within one deadline: name, addresses, TLS, every read and write.

The timeouts of sockets apply to each operation, so a peer that sends byte by byte, a name server that is
silent, or a host whose first address is unreachable could block a request. The connections below take the
time left until the deadline of the request that the thread is making (`deadline_of_request`).
"""

import errno
import os
import select
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from http.client import HTTPException
from ipaddress import ip_address
from typing import Any

from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.exceptions import HTTPError, NewConnectionError

from pyibc.http.reasons import reason_of

NEXT_ADDRESS_S = 0.25
"""Time after which the next address of a host is tried as well, seconds (RFC 8305, 5)."""

MAX_ADDRESSES = 16
"""Maximum number of addresses of a host that are tried."""


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


_DEADLINE: ContextVar[Deadline] = ContextVar("deadline")


@contextmanager
def deadline_of_request(deadline: Deadline) -> Iterator[None]:
    """Apply a deadline to all connections that the thread uses in the block."""
    before = _DEADLINE.set(deadline)
    try:
        yield
    finally:
        _DEADLINE.reset(before)


# -- names

_Address = tuple[Any, ...]
_lookups: dict[tuple[str, int], Future[list[_Address]]] = {}
_lookups_lock = threading.Lock()


def _addresses(host: str, port: int, deadline: Deadline) -> list[_Address]:
    """Return the addresses of a host, IPv6 and IPv4 in turn; all requests to it share one lookup.

    Raises:
        TimeoutError: the name server does not answer in time. The lookup goes on in its thread; there is at
            most one for each host.
        OSError: the host has no address.
    """
    if _is_address(host):
        return list(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST))
    key = (host, port)
    with _lookups_lock:
        found = _lookups.get(key)
        if found is None:
            found = _lookups[key] = Future()
            try:
                threading.Thread(target=_look_up, args=(key, found), name="resolver", daemon=True).start()
            except RuntimeError as error:  # too many threads
                del _lookups[key]
                raise OSError(str(error)) from error
    try:
        # guard: a-silent-name-server-is-waited-for {deadline.remaining() => 30}
        #   test_a_silent_name_server_costs_one_thread_and_no_more_than_the_deadline
        return _in_turn(found.result(deadline.remaining()))
    except TimeoutError:
        raise TimeoutError("the name of the host was not resolved in time") from None


def _look_up(key: tuple[str, int], found: Future[list[_Address]]) -> None:
    """Resolve a name; the system's resolver has no timeout that a caller could set."""
    try:
        answer = list(socket.getaddrinfo(*key, type=socket.SOCK_STREAM))
    except Exception as error:  # noqa: BLE001 - raised where the result is awaited
        _finish(key)
        found.set_exception(error)
    else:
        _finish(key)
        found.set_result(answer)


def _finish(key: tuple[str, int]) -> None:
    with _lookups_lock:
        del _lookups[key]


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def _in_turn(listed: list[_Address]) -> list[_Address]:
    """Return addresses with the families alternating, so that a broken family delays little (RFC 8305, 4)."""
    families = list(dict.fromkeys(each[0] for each in listed))
    ranked = [[each for each in listed if each[0] is family] for family in families]
    longest = max(map(len, ranked), default=0)
    return [some[place] for place in range(longest) for some in ranked if place < len(some)][:MAX_ADDRESSES]


# -- addresses


def _connect(host: str, port: int, deadline: Deadline) -> "_DeadlineSocket":
    """Connect to the address of a host that accepts first; each next one begins a quarter second later.

    Raises:
        TimeoutError: no address accepts in time.
        OSError: no address accepts.
    """
    waiting = _addresses(host, port, deadline)
    started: dict[int, _DeadlineSocket] = {}
    problem: OSError = OSError(f"no address of {host}")
    try:
        while waiting or started:
            if waiting:
                problem = _start(waiting.pop(0), started) or problem
            pause = _time_to_connect(deadline)
            # guard: a-silent-address-is-waited-for-alone {min(pause, NEXT_ADDRESS_S) => pause}
            #   test_a_host_whose_first_address_is_silent_is_reached_by_the_next
            ready = _writable(started, min(pause, NEXT_ADDRESS_S) if waiting else pause)
            for each in ready:
                code = each.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
                del started[each.fileno()]
                if not code:
                    return each
                problem = OSError(code, os.strerror(code))
                each.close()
    finally:
        for each in started.values():
            each.close()
    raise problem


def _time_to_connect(deadline: Deadline) -> float:
    try:
        return deadline.remaining()
    except TimeoutError:
        raise TimeoutError("no address of the host accepted a connection in time") from None


def _start(address: _Address, started: dict[int, "_DeadlineSocket"]) -> OSError | None:
    """Begin to connect to an address; return the error if that fails at once."""
    family, kind, protocol, _, where = address
    try:
        opened = _DeadlineSocket(family, kind, protocol)
    except OSError as error:  # a family that this machine does not have
        return error
    opened.setblocking(False)
    code = opened.connect_ex(where)
    if code in {0, errno.EINPROGRESS, errno.EWOULDBLOCK}:
        started[opened.fileno()] = opened
        return None
    opened.close()
    return OSError(code, os.strerror(code))


def _writable(started: dict[int, "_DeadlineSocket"], seconds: float) -> list["_DeadlineSocket"]:
    if not started:
        return []
    polled = select.poll()  # unlike select, for any number of open files
    for number in started:
        polled.register(number, select.POLLOUT)
    return [started[number] for number, _ in polled.poll(max(1, int(seconds * 1000)))]


class _DeadlineSocket(socket.socket):
    """Socket whose operations have the time left until the request's deadline."""

    def recv_into(self, buffer: Any, nbytes: int = 0, flags: int = 0) -> int:
        """Receive, waiting at most until the deadline."""
        # guard: h141-reads-have-no-deadline test_h141_a_peer_that_drips_bytes_is_left_at_the_deadline
        self.settimeout(_DEADLINE.get().remaining())
        return super().recv_into(buffer, nbytes, flags)

    def sendall(self, data: Any, flags: int = 0) -> None:
        """Send all bytes before the deadline."""
        self.settimeout(_DEADLINE.get().remaining())
        super().sendall(data, flags)


class _DeadlineTlsSocket(ssl.SSLSocket):
    """TLS socket whose operations have the time left until the request's deadline."""

    def recv_into(self, buffer: Any, nbytes: int | None = None, flags: int = 0) -> int:
        """Receive, waiting at most until the deadline."""
        # guard: reads-of-tls-have-no-deadline test_a_tls_peer_that_drips_bytes_is_left_at_the_deadline
        self.settimeout(_DEADLINE.get().remaining())
        return super().recv_into(buffer, nbytes, flags)

    def sendall(self, data: Any, flags: int = 0) -> None:
        """Send all bytes before the deadline."""
        self.settimeout(_DEADLINE.get().remaining())
        super().sendall(data, flags)


# -- connections of urllib3


def _opened(connection: HTTPConnection) -> socket.socket:
    """Return a connected socket for urllib3, which calls this instead of its own function.

    Raises:
        NewConnectionError: no address accepts in time.
    """
    deadline = _DEADLINE.get()
    try:
        opened = _connect(connection._dns_host, connection.port, deadline)  # noqa: SLF001 - as urllib3 does
        opened.settimeout(deadline.remaining())
    except (OSError, UnicodeError) as error:
        raise NewConnectionError(connection, reason_of(error)) from error
    opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return opened


class _Connection(HTTPConnection):
    def _new_conn(self) -> socket.socket:
        return _opened(self)

    def connect(self) -> None:
        with _nothing_sent(self):
            super().connect()


class _TlsConnection(_Connection, HTTPSConnection):
    """Connection whose methods of `_Connection` come before those of TLS."""


@contextmanager
def _nothing_sent(connection: HTTPConnection) -> Iterator[None]:
    """Raise NewConnectionError for all errors of connecting, those of TLS and of a proxy's tunnel as well."""
    try:
        yield
    except NewConnectionError:
        raise
    except (OSError, HTTPError, HTTPException) as error:
        raise NewConnectionError(connection, reason_of(error)) from error


class _Pool(HTTPConnectionPool):
    ConnectionCls = _Connection


class _TlsPool(HTTPSConnectionPool):
    ConnectionCls = _TlsConnection


POOLS: dict[str, type[HTTPConnectionPool]] = {"http": _Pool, "https": _TlsPool}
"""Classes of connection pools by scheme, as `urllib3.PoolManager.pool_classes_by_scheme`."""


@lru_cache(maxsize=64)
def tls_context(ca_file: str) -> ssl.SSLContext:
    """Return the TLS settings: certificates of the authorities in a file in PEM form, "": of the system.

    The system's are also those of the variables SSL_CERT_FILE and SSL_CERT_DIR.

    Raises:
        ValueError: the file cannot be read, or has no certificate.
    """
    try:
        context = ssl.create_default_context(cafile=ca_file or None)
    except OSError as error:
        reason = reason_of(error)
        raise ValueError(
            f"{ca_file}: no certificates of authorities can be read from it: {reason}"
        ) from error
    context.sslsocket_class = _DeadlineTlsSocket
    return context
