"""One gRPC connection: its calls are handled one after another, in the order of their completion."""

import socket
import struct
from enum import IntEnum
from threading import Event
from urllib.parse import quote

from google.protobuf.message import DecodeError

from abci_server.connection import CHUNK, GRPC, Connection, bounded
from abci_server.errors import (
    ApplicationFailed,
    BadMessage,
    BadPeer,
    BadRequest,
    NotGreeted,
    RateLimitedLog,
    UnknownRequest,
)
from abci_server.grpc.http2 import Http2, Stream
from abci_server.methods import METHODS, Dispatcher, Turn
from pyibc.proto.tendermint.abci import types_pb2 as pb

# -- calls of the gRPC service `tendermint.abci.ABCI`, and gRPC's encoding of messages and statuses
#
# See github.com/grpc/grpc, doc/PROTOCOL-HTTP2.md.

PREFIX = 5
"""Bytes before a message: compression flag and length."""
_PREFIX = struct.Struct(">BL")
_TEXT_LIMIT = 1_000


class GrpcStatus(IntEnum):
    """The gRPC statuses that the server returns (google.rpc.Code)."""

    OK = 0
    INVALID_ARGUMENT = 3
    RESOURCE_EXHAUSTED = 8
    FAILED_PRECONDITION = 9
    UNIMPLEMENTED = 12
    INTERNAL = 13


def _kinds() -> dict[bytes, str]:
    found = {}
    for name in METHODS:
        message_type = pb.Request.DESCRIPTOR.fields_by_name[name].message_type
        if message_type is not None:
            found[f"/tendermint.abci.ABCI/{message_type.name.removeprefix('Request')}".encode()] = name
    return found


KINDS = _kinds()
"""Names of methods, as in Request's oneof, by their paths."""


def request(path: bytes, body: bytes | bytearray) -> pb.Request:
    """Decode the request of a call.

    Raises:
        UnknownRequest: the service has no such method.
        BadMessage: the body is not one uncompressed message.
        BadRequest: the message is malformed.
    """
    kind = KINDS.get(path)
    if kind is None:
        raise UnknownRequest
    if len(body) < PREFIX or _PREFIX.unpack_from(body) != (0, len(body) - PREFIX):
        raise BadMessage
    made = pb.Request()
    part = getattr(made, kind)
    try:
        part.MergeFromString(bytes(memoryview(body)[PREFIX:]))
    except DecodeError as error:
        raise BadRequest from error
    part.SetInParent()
    return made


def message(raw: bytes) -> bytes:
    """Encode a message as the body of a response."""
    return _PREFIX.pack(0, len(raw)) + raw


HEAD = ((b":status", b"200"), (b"content-type", b"application/grpc"))
"""Headers of a response."""
GOOD = ((b"grpc-status", b"0"),)
"""Trailers of a successful response."""


def refusal(status: GrpcStatus, text: str) -> tuple[tuple[bytes, bytes], ...]:
    """Return the headers of a response that is only an error status."""
    escaped = quote(text[:_TEXT_LIMIT].encode(errors="replace"), safe=" !\"#$&'()*+,/:;<=>?@[]^`{|}")
    return (*HEAD, (b"grpc-status", b"%d" % status), (b"grpc-message", escaped.encode()))


# -- the connection

_REFUSALS: dict[type[BadPeer], GrpcStatus] = {
    UnknownRequest: GrpcStatus.UNIMPLEMENTED,
    BadRequest: GrpcStatus.INVALID_ARGUMENT,
    BadMessage: GrpcStatus.INVALID_ARGUMENT,
    NotGreeted: GrpcStatus.FAILED_PRECONDITION,
}
"""Errors that refuse a call only, with their statuses; other errors of a peer end its connection."""


class GrpcConnection(Connection):
    """Connection of a peer that uses gRPC.

    Args:
        peer: Socket of the connection.
        dispatcher: Handles the requests.
        errors: Logs errors of peers.
        limit: Size limit of a request in bytes.
        greeted: Set once a CometBFT has called Echo on this server; shared by the server's connections.
    """

    def __init__(
        self,
        peer: socket.socket,
        dispatcher: Dispatcher,
        errors: RateLimitedLog,
        limit: int,
        greeted: Event,
    ) -> None:
        super().__init__(peer, dispatcher, errors)
        self._http2 = Http2(PREFIX + limit)
        self._out = self._http2.out
        self._greeted = greeted

    def _take(self, chunk: bytes) -> None:
        self._http2.feed(chunk)
        # guard: h209-answers-are-made-for-one-who-takes-none drop:blocked
        #   test_h209_who_takes_no_answers_gets_no_more_made
        while self._http2.calls and not self._http2.blocked:
            self._answer(self._http2.calls.popleft())
            if len(self._out) > CHUNK:
                self._send()

    def _answer(self, stream: Stream) -> None:
        if stream.too_long:
            self._refuse(stream, GrpcStatus.RESOURCE_EXHAUSTED, "the request exceeds the size limit")
            return
        try:
            raw = self._ask(request(stream.path, stream.body))
        # guard: h207-a-bad-call-ends-its-connection {(UnknownRequest, BadRequest, BadMessage, NotGreeted) =>
        #   NotGreeted} test_h207_a_bad_call_is_refused_and_others_go_on
        except (UnknownRequest, BadRequest, BadMessage, NotGreeted) as error:
            self._errors.report(type(error).__name__, f"call refused: {error}")
            self._refuse(stream, _REFUSALS[type(error)], str(error))
            return
        except ApplicationFailed as error:
            self._refuse(stream, GrpcStatus.INTERNAL, f"the application failed in {error.method}")
            raise
        self.has_spoken = True
        self._http2.answer(stream, HEAD, message(raw), GOOD)

    def _ask(self, request: pb.Request) -> bytes:
        name = request.WhichOneof("value") or ""
        # guard: h208-info-is-a-greeting {name == 'echo' => name in {'echo', 'info'}}
        #   test_h208_a_cometbft_that_outlived_its_application_is_refused
        if name == "echo":
            self._greeted.set()
        elif name != "info" and METHODS[name].turn is not Turn.NONE and not self._greeted.is_set():
            # CometBFT calls Echo when it starts. Over gRPC it does not notice that its application restarted:
            # its next call may be about a state that this process does not have.
            # guard: h208-whoever-asks-is-answered drop
            #   test_h208_a_cometbft_that_outlived_its_application_is_refused
            raise NotGreeted(name)
        response = self._dispatcher.answer(bounded(request, GRPC), self._gone)
        # guard: h206-answers-of-any-length drop
        #   test_h206_a_block_whose_events_are_too_long_is_answered_without_them
        #   test_h206_long_answers_to_outsiders_are_no_failure
        self._shorten(name, response, GRPC)
        raw: bytes = getattr(response, name).SerializeToString()
        return raw

    def _refuse(self, stream: Stream, status: GrpcStatus, text: str) -> None:
        self._http2.answer(stream, (), b"", refusal(status, text))

    def _write_farewell(self, why: str, error: BadPeer | ApplicationFailed) -> None:  # noqa: ARG002
        self._http2.leave(why)
