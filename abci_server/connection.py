"""One connection: reads requests and answers them in order, with little buffering."""

import select
import socket
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import suppress

from google.protobuf.message import DecodeError

from abci_server.complaints import Complaints
from abci_server.dispatch import Dispatcher
from abci_server.errors import ApplicationFailed, BadPeer, BadRequest, PeerGone, ServerStopped
from abci_server.framing import FrameReader, frame
from ibc_proto.tendermint.abci import types_pb2 as pb

CHUNK = 65_536
"""Bytes read at once, and bytes of answers that are gathered before they are sent."""

_RDHUP: int = getattr(select, "POLLRDHUP", 0)  # Linux


class Connection(ABC):
    """A peer. `serve` runs in a thread of its own until either side closes.

    A request is read once the one before is answered and sent. A peer that does not read its answers
    thus stalls only itself, and what waits is in the kernel's buffers.
    """

    def __init__(self, peer: socket.socket, dispatcher: Dispatcher, complaints: Complaints) -> None:
        self.has_spoken = False
        """Whether the peer has sent a valid request."""
        self._socket = peer
        self._dispatcher = dispatcher
        self._complaints = complaints
        self._out = bytearray()

    def serve(self, failed: Callable[[ApplicationFailed], None]) -> None:
        """Serves until the peer disconnects or sends garbage, or the application fails (see `failed`)."""
        try:
            self._send()
            while chunk := self._socket.recv(CHUNK):
                self._take(chunk)
                self._send()
        except (PeerGone, ServerStopped):
            self._abandon()
        except BadPeer as error:
            self._complaints.say(type(error).__name__, f"a connection is closed: {error}")
            self._say_farewell(str(error), error)
        except ApplicationFailed as error:
            failed(error)
            self._say_farewell(f"the application failed in {error.method}", error)
        except OSError:
            self._abandon()  # the peer went away, or the server closes
        finally:
            self._socket.close()

    def hang_up(self, how: int) -> None:
        """Ends reading (SHUT_RD: the request under way is still answered) or both ways.

        For other threads than the one that serves: what is to be sent is that one's, who may be sending it.
        """
        with suppress(OSError):  # it is closed already
            self._socket.shutdown(how)

    @abstractmethod
    def _take(self, chunk: bytes) -> None:
        """Answers what has come, into `_out`."""

    @abstractmethod
    def _write_farewell(self, why: str, error: BadPeer | ApplicationFailed) -> None:
        """Puts the reason for closing into `_out`."""

    def _send(self) -> None:
        if self._out:
            self._socket.sendall(self._out)
            self._out.clear()

    def _gone(self) -> bool:
        if not _RDHUP:
            return False
        poll = select.poll()
        poll.register(self._socket, _RDHUP)
        return bool(poll.poll(0))

    def _say_farewell(self, why: str, error: BadPeer | ApplicationFailed) -> None:
        """Sends the reason to the peer, as Go's server does; CometBFT logs it and stops."""
        self._write_farewell(why, error)
        try:
            self._socket.settimeout(1.0)
            self._send()
        except OSError:
            self._abandon()

    def _abandon(self) -> None:
        """Drops answers that cannot be delivered."""
        self._out.clear()


class SocketConnection(Connection):
    """A peer that speaks ABCI's socket protocol.

    Args:
        peer: The connection.
        dispatcher: What answers requests.
        complaints: Where errors of peers are logged.
        limit: Bytes of a request.
    """

    def __init__(
        self, peer: socket.socket, dispatcher: Dispatcher, complaints: Complaints, limit: int
    ) -> None:
        super().__init__(peer, dispatcher, complaints)
        self._frames = FrameReader(limit)

    def _take(self, chunk: bytes) -> None:
        self._frames.feed(chunk)
        for raw in self._frames:
            self._answer(raw)

    def _answer(self, raw: bytes) -> None:
        try:
            request = pb.Request.FromString(raw)
        except DecodeError as error:
            raise BadRequest from error
        response = self._dispatcher.answer(request, self._gone)
        self.has_spoken = True
        self._out += frame(response.SerializeToString())
        if len(self._out) > CHUNK or response.HasField("flush"):
            self._send()

    def _write_farewell(self, why: str, error: BadPeer | ApplicationFailed) -> None:  # noqa: ARG002
        self._out += frame(pb.Response(exception=pb.ResponseException(error=why)).SerializeToString())
