"""Protobuf encoding by hand, for encodings that no serialiser produces."""

from collections.abc import Iterable, Sequence

from pyibc.proto.varint import encode_varint

VARINT, FIXED64, LENGTH, GROUP_START, GROUP_END, FIXED32 = range(6)


def tag(number: int, wire_type: int) -> bytes:
    """Return the tag of a field."""
    return encode_varint(number << 3 | wire_type)


def packed(number: int, content: bytes) -> bytes:
    """Return a length-delimited field."""
    return tag(number, LENGTH) + encode_varint(len(content)) + content


def wrapped(numbers: Iterable[int], content: bytes) -> bytes:
    """Return `content` inside nested messages, in the fields `numbers` from the outside in."""
    for number in reversed(tuple(numbers)):
        content = packed(number, content)
    return content


def repeat(piece: bytes, size: int) -> bytes:
    """Return `piece` repeated to about `size` bytes, at least once."""
    return piece * max(1, size // max(1, len(piece)))


def nest(fronts: Sequence[bytes], size: int, core: bytes = b"", levels: int = 0) -> bytes:
    """Return nested messages that fill `size` bytes, with at least `levels` levels.

    Builds the result without copying, so that a million levels are cheap.

    Args:
        fronts: The bytes before the length of each level, from the outside in, repeated: a tag, or
            fields and a tag.
        size: Bytes to reach.
        core: The innermost message.
        levels: Rounds of `fronts` to reach.
    """
    pieces, length, done = [core], len(core), 0
    while length < size or done < levels:
        for front in reversed(fronts):
            head = front + encode_varint(length)
            pieces.append(head)
            length += len(head)
        done += 1
    return b"".join(reversed(pieces))
