"""Server side of an HTTP/2 connection with unary calls, without I/O.

The protocol implementation is h2. The memory that a client can use is bounded: `WINDOW` bytes for each
incomplete call, and the size limit of a request for the oldest one. The others wait until that one is
complete: with one window shared by all, half-sent calls could prevent each other from completing.
"""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.errors import ErrorCodes
from h2.events import (
    ConnectionTerminated,
    DataReceived,
    RequestReceived,
    StreamEnded,
    StreamReset,
)
from h2.exceptions import H2Error
from h2.settings import SettingCodes

from abci_server.errors import BadHttp2

STREAMS = 32
"""Maximum number of open calls on a connection, from the client's receipt of the settings."""
WINDOW = 262_144
MAX_HEADERS = 16_384
"""Size limit of a call's headers in bytes."""
_DEFAULT_WINDOW, _MAX_WINDOW = 65_535, 2**31 - 1
_REFILL = 2**30

Headers = Iterable[tuple[bytes, bytes]]


@dataclass(slots=True, eq=False)
class Stream:
    """One call."""

    id: int
    path: bytes
    body: bytearray = field(default_factory=bytearray)
    granted: int = WINDOW  # bytes of body that the client may send; h2 enforces it
    received: int = 0  # bytes received of them, padding included
    too_long: bool = False
    """True if the body exceeds the limit; the received part is dropped."""
    has_ended: bool = False  # the client sends no more


@dataclass(slots=True, eq=False)
class _Answer:
    stream: Stream
    body: memoryview
    trailers: Headers


class Http2:
    """A connection: `feed` it, take complete calls from `calls`, `answer` each, and send `out`.

    Args:
        limit: Size limit of a call's body in bytes.
    """

    def __init__(self, limit: int) -> None:
        self.out = bytearray()
        """Bytes to send."""
        self.calls: deque[Stream] = deque()
        """Complete calls without a response, in the order of their completion."""
        self._limit = limit
        self._open: dict[int, Stream] = {}  # calls without a response
        self._incomplete: dict[int, Stream] = {}
        self._answers: deque[_Answer] = deque()  # responses that wait for the client's windows
        self._received = 0  # bytes of data since the last update of the connection's window
        self._has_ended = False
        # Headers are not validated: only the path of a call is read, and the server's own are valid.
        self._h2 = H2Connection(
            H2Configuration(
                client_side=False,
                header_encoding=None,
                validate_inbound_headers=False,
                normalize_inbound_headers=False,
                validate_outbound_headers=False,
                normalize_outbound_headers=False,
            )
        )
        self._h2.initiate_connection()
        # guard: h205-every-call-is-granted-room {WINDOW => 2 ** 30}
        #   test_h205_one_who_sends_more_than_it_may_is_turned_away
        # guard: h207-a-list-of-any-length drop:MAX_HEADERS
        #   test_http2::test_h207_what_breaks_the_protocol_ends_the_connection
        self._h2.update_settings(
            {
                SettingCodes.MAX_CONCURRENT_STREAMS: STREAMS,
                SettingCodes.INITIAL_WINDOW_SIZE: WINDOW,
                SettingCodes.MAX_HEADER_LIST_SIZE: MAX_HEADERS,
            }
        )
        self._h2.increment_flow_control_window(_MAX_WINDOW - _DEFAULT_WINDOW)
        self._put_out()

    @property
    def blocked(self) -> bool:
        """True while a response waits for the client's window: no further call is handled meanwhile."""
        return bool(self._answers)

    def feed(self, data: bytes) -> None:
        """Process received bytes.

        Raises:
            BadHttp2: the peer violates the protocol or its window.
        """
        try:
            for event in self._h2.receive_data(data):
                self._read(event)
            self._flush()
            self._grant()
        except H2Error as error:
            self._has_ended = True  # h2 has sent GOAWAY
            raise BadHttp2(f"{type(error).__name__} {error}".strip()) from error
        finally:
            self._put_out()

    def answer(self, stream: Stream, head: Headers, body: bytes, trailers: Headers) -> None:
        """Send headers, body and trailers of a response; with an empty `head`, only the trailers."""
        if self._open.pop(stream.id, None) is None or self._has_ended:
            return  # cancelled by the client, or disconnected
        if head:
            self._h2.send_headers(stream.id, head)
            self._answers.append(_Answer(stream, memoryview(body), trailers))
            self._flush()
        else:
            self._h2.send_headers(stream.id, trailers, end_stream=True)
        if stream.too_long and not stream.has_ended:
            self._h2.reset_stream(stream.id)  # the client need not send the rest
        self._put_out()

    def leave(self, why: str) -> None:
        """Send GOAWAY unless the connection has ended."""
        if not self._has_ended:
            self._h2.close_connection(additional_data=why.encode(errors="replace")[:1000])
            self._put_out()

    def _put_out(self) -> None:
        self.out += self._h2.data_to_send()

    # -- received from the client

    def _read(self, event: Any) -> None:
        match event:
            case DataReceived():
                self._data(event.stream_id, event.data, event.flow_controlled_length)
            case RequestReceived():
                self._begin(event.stream_id, event.headers)
            case StreamEnded():
                if event.stream_id in self._open:
                    self._open[event.stream_id].has_ended = True
                self._complete(event.stream_id)
            case StreamReset():
                self._cancel(event.stream_id)
            case ConnectionTerminated():
                self._has_ended = True
                self.calls.clear()
                self._answers.clear()
            case _:  # settings, pings, windows, trailers: h2 handles them
                pass

    def _begin(self, number: int, headers: Headers) -> None:
        # guard: h205-calls-without-number test_h205_a_call_beyond_those_that_may_be_open_is_refused_alone
        if len(self._open) >= STREAMS:
            self._h2.reset_stream(number, ErrorCodes.REFUSED_STREAM)
            return
        path = next((value for name, value in headers if name == b":path"), b"")
        self._open[number] = self._incomplete[number] = Stream(number, path)

    def _data(self, number: int, data: bytes, size: int) -> None:
        self._received += size
        stream = self._incomplete.get(number)
        if stream is None:
            return  # it was too long: the reset has not reached the client yet
        stream.received += size
        stream.body += data
        # guard: h205-bodies-without-end test_h205_a_body_beyond_the_limit_is_dropped_and_the_call_refused
        if len(stream.body) > self._limit:
            stream.too_long = True
            stream.body.clear()
            self._complete(number)

    def _complete(self, number: int) -> None:
        stream = self._incomplete.pop(number, None)
        if stream is not None:
            self.calls.append(stream)

    def _cancel(self, number: int) -> None:
        stream = self._open.pop(number, None)
        self._incomplete.pop(number, None)
        if stream is not None and stream in self.calls:
            self.calls.remove(stream)
        self._answers = deque(each for each in self._answers if each.stream.id != number)

    # -- sent to the client

    def _grant(self) -> None:
        """Extend the window of the oldest incomplete call, unless a response waits, and the connection's."""
        if self._has_ended:
            return
        if self._received >= _REFILL:
            self._h2.increment_flow_control_window(self._received)
            self._received = 0
        # guard: h205-calls-that-wait-are-never-let-on {not self._incomplete or self._answers =>
        #   len(self._incomplete) != 1}
        #   test_h205_calls_that_are_half_sent_hold_little_and_do_not_keep_each_other_from_the_end
        if not self._incomplete or self._answers:
            return
        oldest = next(iter(self._incomplete.values()))
        more = oldest.received + WINDOW - oldest.granted
        if more > WINDOW // 2:
            oldest.granted += more
            self._h2.increment_flow_control_window(more, oldest.id)

    def _flush(self) -> None:
        """Send the parts of responses that fit in the client's windows."""
        while self._answers:
            answer = self._answers[0]
            while answer.body:
                number = answer.stream.id
                window = self._h2.local_flow_control_window(number)
                size = min(len(answer.body), window, self._h2.max_outbound_frame_size)
                if size <= 0:
                    return
                self._h2.send_data(number, bytes(answer.body[:size]))
                answer.body = answer.body[size:]
            self._h2.send_headers(answer.stream.id, answer.trailers, end_stream=True)
            self._answers.popleft()
