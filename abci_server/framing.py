"""Frames of the socket protocol: a length as an unsigned varint, then that many bytes.

CometBFT abci/types/messages.go. No input or output here: bytes go in, frames come out.
"""

from collections.abc import Iterator

from abci_server.errors import BadLength, FrameTooLong
from ibc_proto.varint import MalformedVarint, encode_varint, read_varint

_MAX_VARINT = 10  # bytes of a varint of 64 bits
_MAX_UINT64 = 2**64 - 1


def frame(message: bytes) -> bytes:
    """`message` with its length before it."""
    return encode_varint(len(message)) + message


class FrameReader:
    """Splits a stream into frames; holds at most one unfinished frame and what was fed last.

    Iterate to the end after each `feed`. After an error the rest of the stream cannot be read.

    Args:
        limit: Bytes a frame may have.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._buffer = bytearray()
        self._needed = 0  # bytes of buffer before another look is worth it

    def feed(self, data: bytes | memoryview) -> None:
        """Adds what the stream brought."""
        self._buffer += data

    def __iter__(self) -> Iterator[bytes]:
        """The frames that are complete.

        Raises:
            BadLength, FrameTooLong: as their names say; frames before it were yielded.
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
        """Where a frame's body starts and how long it is; None: its length is not here yet."""
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
