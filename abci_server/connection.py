"""One connection: reads requests and answers them in order, with little buffering.

CometBFT's client halts at a response that exceeds its size limit, again after each restart. Where users
decide the size of a response, parts that no hash commits to are omitted.
"""

import select
import socket
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import NamedTuple

from google.protobuf.message import DecodeError

from abci_server.errors import (
    AbciError,
    ApplicationFailed,
    BadAnswer,
    BadLength,
    BadPeer,
    BadRequest,
    FrameTooLong,
    PeerGone,
    RateLimitedLog,
    ServerStopped,
)
from abci_server.methods import METHODS, Dispatcher
from pyibc.proto.tendermint.abci import types_pb2 as pb
from pyibc.proto.varint import MalformedVarint, encode_varint, read_varint


class Carrier(NamedTuple):
    """A transport, and the maximum response size of CometBFT's client."""

    name: str
    most: int


GRPC = Carrier("gRPC", 4 * 1024 * 1024)
"""Limit of grpc-go's `defaultClientMaxReceiveMessageSize`, which CometBFT 0.38 does not change."""
SOCKET = Carrier("the socket", 100 * 1024 * 1024 - 16)
"""Limit of CometBFT 0.38, abci/types/messages.go, `maxMsgSize`, less the framing of a response."""


def bounded(request: pb.Request, carrier: Carrier) -> pb.Request:
    """Limit the size of a proposal's response; CometBFT sets such a limit only for PrepareProposal."""
    if request.WhichOneof("value") == "prepare_proposal":
        asked = request.prepare_proposal
        # guard: h206-a-proposal-of-any-length test_h206_a_proposal_has_room_for_what_fits_only
        asked.max_tx_bytes = min(asked.max_tx_bytes, carrier.most)
    return request


def shorten(name: str, response: pb.Response, size: int, carrier: Carrier) -> None:
    """Shorten a response of `size` bytes that exceeds the limit of `carrier`.

    Raises:
        BadAnswer: the response cannot be shortened enough without parts that consensus needs.
    """
    said = f"{size} bytes; the limit of {carrier.name} is {carrier.most}"
    how = _SHORTEN.get(name)
    if how is not None:
        how(response, said)
    if how is None or getattr(response, name).ByteSize() > carrier.most:
        raise BadAnswer(f"{name} returned {said}")


def _query(response: pb.Response, said: str) -> None:
    refuse = METHODS["query"].refuse
    response.Clear()
    if refuse is not None:
        refuse(AbciError(1, f"the response has {said}", "abci"), response)


def _check_tx(response: pb.Response, _said: str) -> None:
    _forget(response.check_tx)
    response.check_tx.data = b""


def _finalize_block(response: pb.Response, _said: str) -> None:
    response.finalize_block.ClearField("events")
    for each in response.finalize_block.tx_results:
        _forget(each)


def _forget(result: pb.ResponseCheckTx | pb.ExecTxResult) -> None:
    """Remove the parts that no hash covers."""
    result.ClearField("events")
    result.ClearField("log")
    result.ClearField("info")


def _nothing(name: str) -> Callable[[pb.Response, str], None]:
    def empty(response: pb.Response, _said: str) -> None:
        getattr(response, name).Clear()
        getattr(response, name).SetInParent()

    return empty


_SHORTEN: dict[str, Callable[[pb.Response, str], None]] = {
    "query": _query,
    "check_tx": _check_tx,
    "finalize_block": _finalize_block,
    "list_snapshots": _nothing("list_snapshots"),
    "load_snapshot_chunk": _nothing("load_snapshot_chunk"),
    "echo": _nothing("echo"),
}


# -- frames of the socket protocol: a length as an unsigned varint, then that many bytes
#
# See CometBFT abci/types/messages.go. This module does no I/O.

_MAX_VARINT = 10  # bytes of a varint of 64 bits
_MAX_UINT64 = 2**64 - 1


def frame(message: bytes) -> bytes:
    """Prefix `message` with its length."""
    return encode_varint(len(message)) + message


class FrameReader:
    """Splits a stream into frames; buffers at most one incomplete frame and the bytes fed last.

    Iterate to the end after each `feed`. After an error the rest of the stream cannot be read.

    Args:
        limit: Size limit of a frame in bytes.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._buffer = bytearray()
        self._needed = 0  # bytes of buffer before the next frame can be complete

    def feed(self, data: bytes | memoryview) -> None:
        """Append received bytes."""
        self._buffer += data

    def __iter__(self) -> Iterator[bytes]:
        """Iterate over the complete frames.

        Raises:
            BadLength, FrameTooLong: the next frame is invalid; frames before it were yielded.
        """
        buffer, start = self._buffer, 0
        try:
            while len(buffer) - start >= max(self._needed, 1):
                body, length = self._head(start)
                if length is None:
                    break
                end = body + length
                self._needed = end - start
                if end > len(buffer):
                    break
                self._needed = 0
                yield bytes(memoryview(buffer)[body:end])
                start = end
        finally:
            del buffer[:start]

    def _head(self, start: int) -> tuple[int, int | None]:
        """Return offset and length of a frame's body; the length is None if not yet received."""
        stop = min(start + _MAX_VARINT, len(self._buffer))
        try:
            length, body = read_varint(self._buffer, start, stop)
        except MalformedVarint:
            if stop - start == _MAX_VARINT:
                raise BadLength from None
            return start, None
        if length > _MAX_UINT64:
            raise BadLength
        if length > self._limit:
            raise FrameTooLong(length, self._limit)
        return body, length


# -- the connection

CHUNK = 65_536
"""Bytes read at once, and bytes of responses that are buffered before they are sent."""

_RDHUP: int = getattr(select, "POLLRDHUP", 0)  # Linux


class Connection(ABC):
    """Connection of one peer. `serve` runs in its own thread until either side closes.

    A request is read after the response to the one before was sent. A peer that does not read its responses
    thus blocks only itself, and unread data stays in the kernel's buffers.
    """

    def __init__(self, peer: socket.socket, dispatcher: Dispatcher, errors: RateLimitedLog) -> None:
        self.has_spoken = False
        """True once the peer has sent a valid request."""
        self._socket = peer
        self._dispatcher = dispatcher
        self._errors = errors
        self._out = bytearray()

    def serve(self, failed: Callable[[ApplicationFailed], None]) -> None:
        """Serve until the peer disconnects or sends invalid data, or the application fails (see `failed`)."""
        try:
            self._send()
            while chunk := self._socket.recv(CHUNK):
                self._take(chunk)
                self._send()
        except (PeerGone, ServerStopped):
            self._abandon()
        except BadPeer as error:
            self._errors.report(type(error).__name__, f"connection closed: {error}")
            self._say_farewell(str(error), error)
        except ApplicationFailed as error:
            failed(error)
            self._say_farewell(f"the application failed in {error.method}", error)
        except OSError:
            self._abandon()  # the peer disconnected, or the server closes
        finally:
            self._socket.close()

    def hang_up(self, how: int) -> None:
        """Shut down reading (SHUT_RD: the current request is still answered) or both directions.

        Called by other threads; buffered output belongs to the serving thread, which may be sending it.
        """
        with suppress(OSError):  # closed already
            self._socket.shutdown(how)

    @abstractmethod
    def _take(self, chunk: bytes) -> None:
        """Process received bytes and append responses to `_out`."""

    @abstractmethod
    def _write_farewell(self, why: str, error: BadPeer | ApplicationFailed) -> None:
        """Append the reason for closing to `_out`."""

    def _send(self) -> None:
        if self._out:
            self._socket.sendall(self._out)
            self._out.clear()

    def _shorten(self, name: str, response: pb.Response, carrier: Carrier) -> None:
        """Remove parts of a response that exceed the size limit of CometBFT's client, and log that.

        Raises:
            ApplicationFailed: the response cannot be shortened.
        """
        size = getattr(response, name).ByteSize()
        if size <= carrier.most:
            return
        limit = f"the limit of {carrier.name} is {carrier.most}"
        self._errors.report(
            f"long {name}", f"{name}: parts of a response of {size} bytes are omitted; {limit}"
        )
        try:
            shorten(name, response, size, carrier)
        except BadAnswer as error:
            self._dispatcher.fail(name, error)

    def _gone(self) -> bool:
        if not _RDHUP:
            return False
        poll = select.poll()
        poll.register(self._socket, _RDHUP)
        return bool(poll.poll(0))

    def _say_farewell(self, why: str, error: BadPeer | ApplicationFailed) -> None:
        """Send the reason to the peer, as Go's server does; CometBFT logs it and stops."""
        self._write_farewell(why, error)
        try:
            self._socket.settimeout(1.0)
            self._send()
        except OSError:
            self._abandon()

    def _abandon(self) -> None:
        """Drop responses that cannot be delivered."""
        self._out.clear()


class SocketConnection(Connection):
    """Connection of a peer that uses ABCI's socket protocol.

    Args:
        peer: Socket of the connection.
        dispatcher: Handles the requests.
        errors: Logs errors of peers.
        limit: Size limit of a request in bytes.
    """

    def __init__(
        self, peer: socket.socket, dispatcher: Dispatcher, errors: RateLimitedLog, limit: int
    ) -> None:
        super().__init__(peer, dispatcher, errors)
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
        # guard: h206-answers-of-any-length-over-the-socket drop
        #   test_h206_a_block_whose_events_are_too_long_for_the_socket_is_answered_without_them
        self._shorten(response.WhichOneof("value"), response, SOCKET)
        self.has_spoken = True
        self._out += frame(response.SerializeToString())
        if len(self._out) > CHUNK or response.HasField("flush"):
            self._send()

    def _write_farewell(self, why: str, error: BadPeer | ApplicationFailed) -> None:  # noqa: ARG002
        self._out += frame(pb.Response(exception=pb.ResponseException(error=why)).SerializeToString())
