"""The server: a listening socket and a thread for each connection (docs/adr/0012)."""

import logging
import selectors
import socket
import time
from dataclasses import dataclass
from importlib.util import find_spec
from threading import Event, Lock, Thread
from typing import Literal

from abci_server.address import Address, listen, parse
from abci_server.application import Application
from abci_server.complaints import Complaints
from abci_server.connection import Connection, SocketConnection
from abci_server.dispatch import Dispatcher
from abci_server.errors import ApplicationFailed, NoHttp2

log = logging.getLogger("abci_server")

_GRACE_S = 5.0

Transport = Literal["socket", "grpc"]
"""What CometBFT's setting `abci` names."""


@dataclass(frozen=True)
class Limits:
    """Limits on peers and requests.

    Args:
        frame_bytes: Of a request, such as InitChain with the genesis, or a block with its transactions.
        connections: Most connections at once; CometBFT opens four. Memory stays below `connections` times
            `frame_bytes` (only received bytes of a frame are held, not its announced length).
        serial: Make one call at a time, for an application that is not thread-safe.
        remote: Listen at other than loopback addresses. There is no authentication: whoever reaches the
            port decides the blocks.
    """

    frame_bytes: int = 64 * 1024 * 1024
    connections: int = 16
    serial: bool = False
    remote: bool = False


_DEFAULT = Limits()


class Server:
    """Serves an application at one address.

    Args:
        app: The application.
        address: `tcp://HOST:PORT` or `unix://PATH`.
        limits: Limits on peers and requests.
        transport: How peers ask: by ABCI's socket protocol, or by gRPC.

    Raises:
        BadAddress: the server cannot listen on it.
        NoHttp2: what gRPC needs is not installed.
    """

    def __init__(
        self, app: Application, address: str, limits: Limits = _DEFAULT, transport: Transport = "socket"
    ) -> None:
        self.failure: ApplicationFailed | None = None
        """The application's failure, after which it is not called again; None before."""
        wanted = parse(address)
        self._is_grpc = transport == "grpc"
        if self._is_grpc and not find_spec("h2"):
            raise NoHttp2
        self._listener = listen(wanted, remote=limits.remote)
        self._wake, self._woken = socket.socketpair()
        self._limits = limits
        self._greeted = Event()  # by a CometBFT, over gRPC
        self._complaints = Complaints()
        self._dispatcher = Dispatcher(app, self._complaints, serial=limits.serial)
        self._connections: dict[Connection, Thread] = {}  # in the order they were accepted
        self._lock = Lock()
        self._over = Event()
        self._listener.setblocking(False)
        self.address = _bound(wanted, self._listener)
        """The address it listens on, with the actual port."""
        self._acceptor = Thread(target=self._accept, name=f"abci {self.address}", daemon=True)

    def start(self) -> None:
        """Begins to accept connections, in threads of its own."""
        log.info("the application is served at %s", self.address)
        self._acceptor.start()

    def wait(self, timeout_s: float | None = None) -> bool:
        """Waits until the application failed or `end` was called; False after `timeout_s` seconds."""
        return self._over.wait(timeout_s)

    def end(self) -> None:
        """Makes `wait` return."""
        self._over.set()

    def stop(self) -> None:
        """Finishes the requests under way, closes everything and frees the address."""
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
                except OSError as error:  # no file descriptors left, or a peer that went away at once
                    self._complaints.say("accept", f"a connection cannot be accepted: {error}")
                    self._over.wait(0.1)
                    continue
                self._take(peer)

    def _take(self, peer: socket.socket) -> None:
        peer.setblocking(True)
        if peer.family != socket.AF_UNIX:
            peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if not self._has_room():
            self._complaints.say(
                "full", f"{self._limits.connections} connections are open, others are turned away"
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

            return GrpcConnection(peer, self._dispatcher, self._complaints, limit, self._greeted)
        return SocketConnection(peer, self._dispatcher, self._complaints, limit)

    def _has_room(self) -> bool:
        """Whether one more fits; the oldest makes room if it has said nothing yet.

        Those that are as silent but came after one that spoke are safe: the first connection that
        CometBFT opens is the first to speak, and the one for snapshots may never.
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
        log.critical("%s: no block after this one is safe, the server stops", error, exc_info=error.__cause__)
        self._over.set()


def _bound(wanted: Address, listener: socket.socket) -> Address:
    if wanted.path is not None:
        return wanted
    return wanted._replace(port=listener.getsockname()[1])
