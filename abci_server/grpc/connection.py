"""One gRPC connection: its calls are answered one after another, in the order in which they are complete."""

import socket
from threading import Event

from abci_server.complaints import Complaints
from abci_server.connection import CHUNK, Connection
from abci_server.dispatch import Dispatcher
from abci_server.errors import ApplicationFailed, BadAnswer, BadPeer, BadRequest, UnknownRequest
from abci_server.grpc import calls
from abci_server.grpc.calls import PREFIX, Status
from abci_server.grpc.errors import BadMessage, NotGreeted
from abci_server.grpc.http2 import Http2, Stream
from abci_server.grpc.limits import MOST, bounded, shortened
from abci_server.methods import METHODS, Turn
from ibc_proto.tendermint.abci import types_pb2 as pb

_REFUSALS: dict[type[BadPeer], Status] = {
    UnknownRequest: Status.UNIMPLEMENTED,
    BadRequest: Status.INVALID_ARGUMENT,
    BadMessage: Status.INVALID_ARGUMENT,
    NotGreeted: Status.FAILED_PRECONDITION,
}
"""What refuses a call alone; other errors of a peer end its connection."""


class GrpcConnection(Connection):
    """A peer that speaks gRPC.

    Args:
        peer: The connection.
        dispatcher: What answers requests.
        complaints: Where errors of peers are logged.
        limit: Bytes of a request.
        greeted: Whether a CometBFT has said Echo since this server was made; shared by its connections.
    """

    def __init__(
        self,
        peer: socket.socket,
        dispatcher: Dispatcher,
        complaints: Complaints,
        limit: int,
        greeted: Event,
    ) -> None:
        super().__init__(peer, dispatcher, complaints)
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
            self._refuse(stream, Status.RESOURCE_EXHAUSTED, "a request of more bytes than are taken")
            return
        try:
            raw = self._ask(calls.request(stream.path, stream.body))
        # guard: h207-a-bad-call-ends-its-connection {(UnknownRequest, BadRequest, BadMessage, NotGreeted) =>
        #   NotGreeted} test_h207_a_bad_call_is_refused_and_others_go_on
        except (UnknownRequest, BadRequest, BadMessage, NotGreeted) as error:
            self._complaints.say(type(error).__name__, f"a call is refused: {error}")
            self._refuse(stream, _REFUSALS[type(error)], str(error))
            return
        except ApplicationFailed as error:
            self._refuse(stream, Status.INTERNAL, f"the application failed in {error.method}")
            raise
        self.has_spoken = True
        self._http2.answer(stream, calls.HEAD, calls.message(raw), calls.GOOD)

    def _ask(self, request: pb.Request) -> bytes:
        name = request.WhichOneof("value") or ""
        # guard: h208-info-is-a-greeting {name == 'echo' => name in {'echo', 'info'}}
        #   test_h208_a_cometbft_that_outlived_its_application_is_refused
        if name == "echo":
            self._greeted.set()
        elif name != "info" and METHODS[name].turn is not Turn.NONE and not self._greeted.is_set():
            # CometBFT says Echo when it starts. Over gRPC it does not notice that its application started
            # anew: whatever it asks next is about a state that this process may not have.
            # guard: h208-whoever-asks-is-answered drop
            #   test_h208_a_cometbft_that_outlived_its_application_is_refused
            raise NotGreeted(name)
        response = self._dispatcher.answer(bounded(request), self._gone)
        raw: bytes = getattr(response, name).SerializeToString()
        # guard: h206-answers-of-any-length drop
        #   test_h206_a_block_whose_events_are_too_long_is_answered_without_them
        #   test_h206_long_answers_to_outsiders_are_no_failure
        if len(raw) > MOST:
            raw = self._shortened(name, response, len(raw))
        return raw

    def _shortened(self, name: str, response: pb.Response, size: int) -> bytes:
        text = f"{name}: of an answer of {size} bytes parts are left out, gRPC carries {MOST}"
        self._complaints.say(f"long {name}", text)
        try:
            shortened(name, response, size)
        except BadAnswer as error:
            self._dispatcher.fail(name, error)
        raw: bytes = getattr(response, name).SerializeToString()
        return raw

    def _refuse(self, stream: Stream, status: Status, text: str) -> None:
        self._http2.answer(stream, (), b"", calls.refusal(status, text))

    def _write_farewell(self, why: str, error: BadPeer | ApplicationFailed) -> None:  # noqa: ARG002
        self._http2.leave(why)
