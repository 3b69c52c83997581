"""Frames of HTTP/2 (RFC 9113, 4 and 6), written and read by hand: what a hostile client sends."""

import struct
from collections.abc import Iterator
from typing import NamedTuple

DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = (
    range(10)
)
END_STREAM = ACK = 0x1
END_HEADERS, PADDED, WITH_PRIORITY = 0x4, 0x8, 0x20
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
_HEAD = struct.Struct(">HBBBL")


class Frame(NamedTuple):
    type: int
    flags: int
    stream: int  # 0: the connection
    payload: bytes


def frame(kind, flags, stream, payload=b""):
    length = len(payload)
    return _HEAD.pack(length >> 8, length & 0xFF, kind, flags, stream) + payload


def frames_in(buffer: bytearray) -> Iterator[Frame]:
    """The complete frames, which are taken out of the buffer."""
    while len(buffer) >= _HEAD.size:
        high, low, kind, flags, stream = _HEAD.unpack_from(buffer)
        end = _HEAD.size + (high << 8 | low)
        if end > len(buffer):
            return
        payload = bytes(buffer[_HEAD.size : end])
        del buffer[:end]
        yield Frame(kind, flags, stream, payload)
