"""The server's side of one HTTP/2 connection with unary calls, as bytes: no input or output here.

What a client can make us hold is bounded: `WINDOW` bytes of a call that is not complete, and of the oldest
of them as many as a request may have. The others wait until that one is complete: with one window for all of
them, calls that are half sent could keep each other from being finished for ever.
"""

import struct
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from abci_server.grpc import frames
from abci_server.grpc.errors import (
    ENHANCE_YOUR_CALM,
    FLOW_CONTROL_ERROR,
    FRAME_SIZE_ERROR,
    REFUSED_STREAM,
    BadHttp2,
)
from abci_server.grpc.frames import Frame, FrameReader, frame
from abci_server.grpc.hpack import MOST, Decoder

STREAMS = 32
"""Calls that may be open at once on a connection."""
WINDOW = 262_144
_DEFAULT_WINDOW, _MAX_WINDOW = 65_535, 2**31 - 1
_REFILL = 2**30
_SETTING = struct.Struct(">HL")
_NUMBER = struct.Struct(">L")
_MAX_CONCURRENT, _INITIAL_WINDOW, _MAX_FRAME, _MAX_HEADERS = 0x3, 0x4, 0x5, 0x6


@dataclass(slots=True, eq=False)
class Stream:
    """One call."""

    id: int
    path: bytes
    window: int  # bytes that its client takes yet
    body: bytearray = field(default_factory=bytearray)
    granted: int = WINDOW  # bytes of body that its client may send
    received: int = 0  # of them, padding included
    too_long: bool = False
    """Its body exceeds the limit; what came of it is dropped."""


@dataclass(slots=True, eq=False)
class _Answer:
    stream: Stream
    body: memoryview
    trailers: bytes  # a block of headers


class Http2:
    """A connection: `feed` it, take complete calls from `calls`, `answer` each, send what `out` holds.

    Args:
        limit: Bytes a call's body may have.
    """

    def __init__(self, limit: int) -> None:
        self.out = bytearray()
        """What is to be sent."""
        self.calls: deque[Stream] = deque()
        """Complete calls that are not answered, in the order of their completion."""
        self._limit = limit
        self._reader = FrameReader()
        self._decoder = Decoder()
        self._open: dict[int, Stream] = {}  # without those that are answered
        self._incomplete: dict[int, Stream] = {}
        self._answers: deque[_Answer] = deque()  # that wait for the client's windows
        self._last = 0
        self._block: tuple[int, bool, bytearray] | None = None  # stream, end of it, headers so far
        self._window, self._stream_window, self._frame = _DEFAULT_WINDOW, _DEFAULT_WINDOW, frames.LONGEST
        self._received = 0  # bytes of data since the client was told so
        self._begun = False
        self._readers: dict[int, Callable[[Frame], None]] = {
            frames.DATA: self._data,
            frames.HEADERS: self._headers,
            frames.RST_STREAM: self._reset,
            frames.SETTINGS: self._settings,
            frames.PUSH_PROMISE: self._push,
            frames.PING: self._ping,
            frames.WINDOW_UPDATE: self._more,
            frames.CONTINUATION: self._continuation,
        }
        settings = ((_MAX_CONCURRENT, STREAMS), (_INITIAL_WINDOW, WINDOW), (_MAX_HEADERS, MOST))
        self._put(frames.SETTINGS, 0, b"".join(_SETTING.pack(*each) for each in settings))
        self._put(frames.WINDOW_UPDATE, 0, _NUMBER.pack(_MAX_WINDOW - _DEFAULT_WINDOW))

    @property
    def blocked(self) -> bool:
        """Whether an answer waits until the client takes more: no other is to be made meanwhile."""
        return bool(self._answers)

    def feed(self, data: bytes) -> None:
        """Reads what the connection brought.

        Raises:
            BadHttp2: it breaks the protocol.
        """
        self._reader.feed(data)
        for each in self._reader:
            self._read(each)
        self._grant()

    def answer(self, stream: Stream, head: bytes, body: bytes, trailers: bytes) -> None:
        """Answers a call with a block of headers, a body and a block of trailers; or with the last alone."""
        if self._open.pop(stream.id, None) is None:
            return  # its client has cancelled it
        if head:
            self._put(frames.HEADERS, frames.END_HEADERS, head, stream.id)
            self._answers.append(_Answer(stream, memoryview(body), trailers))
            self._flush()
        else:
            self._put(frames.HEADERS, frames.END_HEADERS | frames.END_STREAM, trailers, stream.id)
        if stream.too_long:
            self._put(frames.RST_STREAM, 0, _NUMBER.pack(0), stream.id)  # its client need not send the rest

    def leave(self, code: int, why: str) -> None:
        """Says goodbye."""
        text = why.encode(errors="replace")[:1000]
        self._put(frames.GOAWAY, 0, _NUMBER.pack(self._last) + _NUMBER.pack(code) + text)

    # -- what the client sends

    def _read(self, of: Frame) -> None:
        if self._block is not None and of.type != frames.CONTINUATION:
            raise BadHttp2("headers are interrupted")
        if not self._begun and of.type != frames.SETTINGS:
            raise BadHttp2("a client's first frame is not its settings")
        self._begun = True
        reader = self._readers.get(of.type)
        if reader is not None:  # others are ignored (4.1)
            reader(of)

    def _data(self, of: Frame) -> None:
        self._received += len(of.payload)
        stream = self._incomplete.get(of.stream)
        if stream is None:
            self._is_known(of)
            return  # refused, or cancelled: its end is on its way to the client
        stream.received += len(of.payload)
        if stream.received > stream.granted:
            raise BadHttp2("a client sends more than it may", FLOW_CONTROL_ERROR)
        if not stream.too_long:
            stream.body += _unpadded(of)
            if len(stream.body) > self._limit:
                stream.too_long = True
                stream.body.clear()
        if of.flags & frames.END_STREAM or stream.too_long:
            self._complete(stream)

    def _headers(self, of: Frame) -> None:
        if not of.stream & 1:
            raise BadHttp2("a client opens a stream with an even number")
        block = _unpadded(of)
        if of.flags & frames.WITH_PRIORITY:
            block = _cut(block, 5)
        self._block = of.stream, bool(of.flags & frames.END_STREAM), bytearray(block)
        self._end_headers(of)

    def _continuation(self, of: Frame) -> None:
        if self._block is None or self._block[0] != of.stream:
            raise BadHttp2("a continuation of no headers")
        block = self._block[2]
        block += of.payload
        if len(block) > MOST or not (of.payload or of.flags & frames.END_HEADERS):
            raise BadHttp2("headers are too long, or continued with nothing", ENHANCE_YOUR_CALM)
        self._end_headers(of)

    def _end_headers(self, of: Frame) -> None:
        if self._block is None or not of.flags & frames.END_HEADERS:
            return
        number, ended, block = self._block
        self._block = None
        headers = self._decoder.decode(bytes(block))
        if number > self._last:
            self._last = number
            self._begin(number, ended, headers)
            return
        stream = self._incomplete.get(number)  # trailers
        if stream is not None:
            if not ended:
                raise BadHttp2("headers in the middle of a stream")
            self._complete(stream)

    def _begin(self, number: int, ended: bool, headers: list[tuple[bytes, bytes]]) -> None:
        if len(self._open) >= STREAMS:
            self._put(frames.RST_STREAM, 0, _NUMBER.pack(REFUSED_STREAM), number)
            return
        path = next((value for name, value in headers if name == b":path"), b"")
        stream = self._open[number] = self._incomplete[number] = Stream(number, path, self._stream_window)
        if ended:
            self._complete(stream)

    def _complete(self, stream: Stream) -> None:
        del self._incomplete[stream.id]
        self.calls.append(stream)

    def _reset(self, of: Frame) -> None:
        _number(of)
        self._is_known(of)
        stream = self._open.pop(of.stream, None)
        self._incomplete.pop(of.stream, None)
        if stream is not None and stream in self.calls:
            self.calls.remove(stream)
        self._answers = deque(each for each in self._answers if each.stream.id != of.stream)
        self._flush()

    def _settings(self, of: Frame) -> None:
        if of.stream:
            raise BadHttp2("settings of a stream")
        if len(of.payload) % _SETTING.size or (of.flags & frames.ACK and of.payload):
            raise BadHttp2("settings are cut off", FRAME_SIZE_ERROR)
        if of.flags & frames.ACK:
            return
        for name, value in _SETTING.iter_unpack(of.payload):
            if name == _INITIAL_WINDOW:
                self._change_windows(value)
            elif name == _MAX_FRAME:
                if not frames.LONGEST <= value < 1 << 24:
                    raise BadHttp2(f"frames of {value} bytes")
                self._frame = value
        self._put(frames.SETTINGS, frames.ACK)
        self._flush()

    def _change_windows(self, value: int) -> None:
        change = value - self._stream_window
        self._stream_window = value
        for stream in (*self._open.values(), *(each.stream for each in self._answers)):
            stream.window += change
            _fits(stream.window)
        _fits(value)

    def _ping(self, of: Frame) -> None:
        if of.stream:
            raise BadHttp2("a ping of a stream")
        if len(of.payload) != 8:
            raise BadHttp2("a ping has eight bytes", FRAME_SIZE_ERROR)
        if not of.flags & frames.ACK:
            self._put(frames.PING, frames.ACK, of.payload)

    def _push(self, _of: Frame) -> None:
        raise BadHttp2("a client promises a push")

    def _more(self, of: Frame) -> None:
        number = _number(of) & _MAX_WINDOW
        if not number:
            raise BadHttp2("a window grows by nothing")
        if not of.stream:
            self._window += number
            _fits(self._window)
        else:
            self._is_known(of)
            waiting = (each.stream for each in self._answers if each.stream.id == of.stream)
            stream = self._open.get(of.stream) or next(waiting, None)
            if stream is not None:
                stream.window += number
                _fits(stream.window)
        self._flush()

    def _is_known(self, of: Frame) -> None:
        if not 0 < of.stream <= self._last:
            raise BadHttp2("a frame of a stream that nobody opened")

    # -- what it is told

    def _put(self, kind: int, flags: int, payload: bytes = b"", stream: int = 0) -> None:
        self.out += frame(kind, flags, stream, payload)

    def _grant(self) -> None:
        """Lets the oldest call that is not complete send on, unless an answer waits; and all, as a whole."""
        if self._received >= _REFILL:
            self._put(frames.WINDOW_UPDATE, 0, _NUMBER.pack(self._received))
            self._received = 0
        if not self._incomplete or self._answers:
            return
        oldest = next(iter(self._incomplete.values()))
        more = oldest.received + WINDOW - oldest.granted
        if more > WINDOW // 2:
            oldest.granted += more
            self._put(frames.WINDOW_UPDATE, 0, _NUMBER.pack(more), oldest.id)

    def _flush(self) -> None:
        """Puts out of the answers what the client's windows take."""
        while self._answers:
            stream, body = (answer := self._answers[0]).stream, answer.body
            while body:
                size = min(len(body), self._window, stream.window, self._frame)
                if size <= 0:
                    answer.body = body
                    return
                self._put(frames.DATA, 0, bytes(body[:size]), stream.id)
                self._window -= size
                stream.window -= size
                body = body[size:]
            self._put(frames.HEADERS, frames.END_HEADERS | frames.END_STREAM, answer.trailers, stream.id)
            self._answers.popleft()


def _unpadded(of: Frame) -> bytes:
    if not of.flags & frames.PADDED:
        return of.payload
    rest = _cut(of.payload, 1)
    padding = of.payload[0]
    if padding > len(rest):
        raise BadHttp2("a frame is nothing but padding")
    return rest[: len(rest) - padding]


def _cut(payload: bytes, size: int) -> bytes:
    if len(payload) < size:
        raise BadHttp2("a frame is cut off", FRAME_SIZE_ERROR)
    return payload[size:]


def _number(of: Frame) -> int:
    if len(of.payload) != _NUMBER.size:
        raise BadHttp2("a frame has another length than its type", FRAME_SIZE_ERROR)
    return int.from_bytes(of.payload)


def _fits(window: int) -> None:
    if window > _MAX_WINDOW:
        raise BadHttp2("a window of more than 31 bits", FLOW_CONTROL_ERROR)
