"""Frames of HTTP/2 (RFC 9113, 4 and 6). No input or output here: bytes go in, frames come out."""

import struct
from collections.abc import Iterator
from typing import NamedTuple

from abci_server.grpc.errors import FRAME_SIZE_ERROR, BadHttp2

DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = (
    range(10)
)
"""Types of frames."""
END_STREAM = ACK = 0x1
END_HEADERS, PADDED, WITH_PRIORITY = 0x4, 0x8, 0x20
"""Flags."""

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
"""What a client sends first."""
LONGEST = 16_384
"""Bytes of a frame's payload that are taken: the default, we announce no other."""
_HEAD = struct.Struct(">HBBBL")


class Frame(NamedTuple):
    """One frame."""

    type: int
    flags: int
    stream: int  # 0: the connection
    payload: bytes


def frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    """A frame's bytes."""
    length = len(payload)
    return _HEAD.pack(length >> 8, length & 0xFF, kind, flags, stream) + payload


class FrameReader:
    """Splits what a client sends into frames; holds at most one unfinished frame and what was fed last."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._begun = False

    def feed(self, data: bytes) -> None:
        """Adds what the connection brought."""
        self._buffer += data

    def __iter__(self) -> Iterator[Frame]:
        """The frames that are complete; iterate to the end after each `feed`.

        Raises:
            BadHttp2: the client does not begin as HTTP/2 does, or announces too long a frame.
        """
        buffer, start = self._buffer, 0
        if not self._begun:
            if not PREFACE.startswith(buffer[: len(PREFACE)]):
                raise BadHttp2("a client does not begin with HTTP/2's preface")
            if len(buffer) < len(PREFACE):
                return
            self._begun, start = True, len(PREFACE)
        try:
            while len(buffer) - start >= _HEAD.size:
                high, low, kind, flags, stream = _HEAD.unpack_from(buffer, start)
                length = high << 8 | low
                if length > LONGEST:
                    raise BadHttp2(f"a frame of {length} bytes, {LONGEST} are taken", FRAME_SIZE_ERROR)
                end = start + _HEAD.size + length
                if end > len(buffer):
                    break
                payload = bytes(memoryview(buffer)[start + _HEAD.size : end])
                start = end
                yield Frame(kind, flags, stream & 0x7FFF_FFFF, payload)
        finally:
            del buffer[:start]
