"""The server: a listening socket and one thread per connection (docs/adr/0012)."""

import logging
import selectors
import signal
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from threading import Event, Lock, Thread
from types import FrameType
from typing import Literal

from abci_server.address import ServerAddress, listen, parse
from abci_server.application import Application
from abci_server.connection import Connection, SocketConnection
from abci_server.errors import ApplicationFailed, NoHttp2, RateLimitedLog
from abci_server.methods import Dispatcher

log = logging.getLogger("abci_server")

_GRACE_S = 5.0

Transport = Literal["socket", "grpc"]
"""Values of CometBFT's setting `abci`."""


@dataclass(frozen=True)
class Limits:
    """Limits on peers and requests.

    Args:
        frame_bytes: Size limit of a request, such as InitChain with the genesis, or a block.
        connections: Maximum number of connections; CometBFT opens four. Memory stays below `connections`
            times `frame_bytes` (only received bytes of a frame are buffered, regardless of its announced
            length).
        serial: Make one call at a time, for an application that is not thread-safe.
        remote: Allow addresses other than loopback ones. There is no authentication: any client that reaches
            the port can decide blocks.
    """

    frame_bytes: int = 64 * 1024 * 1024
    connections: int = 16
    serial: bool = False
    remote: bool = False


_DEFAULT = Limits()


class Server:
    """Server of an application at one address.

    Args:
        app: Application to serve.
        address: `tcp://HOST:PORT` or `unix://PATH`.
        limits: Limits on peers and requests.
        transport: Protocol of the peers: ABCI's socket protocol, or gRPC.

    Raises:
        BadAddress: the server cannot listen on the address.
        NoHttp2: the package for gRPC is not installed.
    """

    def __init__(
        self, app: Application, address: str, limits: Limits = _DEFAULT, transport: Transport = "socket"
    ) -> None:
        self.failure: ApplicationFailed | None = None
        """Failure of the application, after which it is not called again; None before."""
        wanted = parse(address)
        self._is_grpc = transport == "grpc"
        if self._is_grpc and not find_spec("h2"):
            raise NoHttp2
        self._listener = listen(wanted, remote=limits.remote)
        self._wake, self._woken = socket.socketpair()
        self._limits = limits
        self._greeted = Event()  # set by Echo of a CometBFT, over gRPC
        self._errors = RateLimitedLog()
        self._over = Event()
        self._dispatcher = Dispatcher(app, self._errors, serial=limits.serial, over=self._over)
        self._connections: dict[Connection, Thread] = {}  # in the order they were accepted
        self._lock = Lock()
        self._listener.setblocking(False)
        self.address = _bound(wanted, self._listener)
        """Address that the server listens on, with the actual port."""
        self._acceptor = Thread(target=self._accept, name=f"abci {self.address}", daemon=True)

    def start(self) -> None:
        """Start accepting connections, in background threads."""
        log.info("serving the application at %s", self.address)
        self._acceptor.start()

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait until the application fails or `end` is called; return False after `timeout_s` seconds."""
        return self._over.wait(timeout_s)

    def end(self) -> None:
        """Make `wait` return."""
        self._over.set()

    def stop(self) -> None:
        """Finish the requests in progress, close all connections and free the address."""
        self._over.set()
        self._wake.close()
        if self._acceptor.ident is not None:
            self._acceptor.join()
        self._listener.close()
        self._woken.close()
        if self.address.path is not None:
            self.address.path.unlink(missing_ok=True)
        deadline = time.monotonic() + _GRACE_S
        for how in (socket.SHUT_RD, socket.SHUT_RDWR):
            with self._lock:
                left = list(self._connections.items())
            for connection, _ in left:
                connection.hang_up(how)
            for _, thread in left:
                thread.join(max(0.0, deadline - time.monotonic()))

    def _accept(self) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(self._listener, selectors.EVENT_READ)
            selector.register(self._woken, selectors.EVENT_READ)
            while not self._over.is_set():
                selector.select()
                try:
                    peer, _ = self._listener.accept()
                except BlockingIOError:
                    continue
                except OSError as error:  # no file descriptors left, or a peer that disconnected at once
                    self._errors.report("accept", f"cannot accept a connection: {error}")
                    self._over.wait(0.1)
                    continue
                self._take(peer)

    def _take(self, peer: socket.socket) -> None:
        peer.setblocking(True)
        if peer.family != socket.AF_UNIX:
            peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if not self._has_room():
            self._errors.report(
                "full", f"all {self._limits.connections} connections are in use; refusing new ones"
            )
            peer.close()
            return
        connection = self._connection(peer)
        thread = Thread(target=self._serve, args=(connection,), name="abci connection", daemon=True)
        with self._lock:
            self._connections[connection] = thread
        thread.start()

    def _connection(self, peer: socket.socket) -> Connection:
        limit = self._limits.frame_bytes
        if self._is_grpc:
            from abci_server.grpc.connection import GrpcConnection  # noqa: PLC0415 - h2 is an extra

            return GrpcConnection(peer, self._dispatcher, self._errors, limit, self._greeted)
        return SocketConnection(peer, self._dispatcher, self._errors, limit)

    def _has_room(self) -> bool:
        """Return whether one more connection fits; the oldest is closed if it has sent no request yet.

        Silent connections after one that sent a request are not closed: the first connection that CometBFT
        opens is the first to send one, and its snapshot connection may never send any.
        """
        with self._lock:
            if len(self._connections) < self._limits.connections:
                return True
            oldest = next(iter(self._connections))
            if oldest.has_spoken:
                return False
            del self._connections[oldest]
        oldest.hang_up(socket.SHUT_RDWR)
        return True

    def _serve(self, connection: Connection) -> None:
        try:
            connection.serve(self._fail)
        finally:
            with self._lock:
                self._connections.pop(connection, None)

    def _fail(self, error: ApplicationFailed) -> None:
        self.failure = error
        log.critical("%s: stopping, because later blocks would be unsafe", error, exc_info=error.__cause__)
        self._over.set()


def _bound(wanted: ServerAddress, listener: socket.socket) -> ServerAddress:
    if wanted.path is not None:
        return wanted
    return wanted._replace(port=listener.getsockname()[1])


# -- serving of an application in a process until a signal stops it, or the application fails

FAILED = 70
"""Exit status after a failure of the application (EX_SOFTWARE of sysexits.h)."""

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_GLANCE_S = 0.5
"""Poll interval in seconds: a signal just before the main thread starts to wait does not wake it."""


def run(
    app: Application,
    address: str,
    limits: Limits | None = None,
    listening: Callable[[], None] = lambda: None,
    transport: Transport = "socket",
) -> int:
    """Serve until SIGTERM or SIGINT, or until the application fails; call it in the main thread.

    Args:
        app: Application to serve.
        address: `tcp://HOST:PORT` or `unix://PATH`.
        limits: Limits on peers and requests.
        listening: Called once CometBFT can connect.
        transport: Value of CometBFT's setting `abci`: `socket` or `grpc`.

    Returns:
        Exit status for `sys.exit`: 0, or FAILED if the application raised in a method that must not fail. A
        supervisor restarts the process, and Info then tells CometBFT which blocks to replay.

    Raises:
        BadAddress: the server cannot listen on the address.
    """
    server = Server(app, address, limits or Limits(), transport)
    with _signals_end(server):
        server.start()
        listening()
        while not server.wait(_GLANCE_S):
            pass
    server.stop()
    return FAILED if server.failure else 0


@contextmanager
def _signals_end(server: Server) -> Iterator[None]:
    def end(_number: int, _frame: FrameType | None) -> None:
        # In another thread: the main thread may hold the lock that `end` acquires.
        Thread(target=server.end).start()

    before = [(each, signal.signal(each, end)) for each in _SIGNALS]
    try:
        yield
    finally:
        for each, handler in before:
            signal.signal(each, handler)
