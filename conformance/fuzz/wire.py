"""Protobuf written by hand, as no serialiser would write it."""

from collections.abc import Iterable, Sequence

from ibc_proto.varint import encode_varint

VARINT, FIXED64, LENGTH, GROUP_START, GROUP_END, FIXED32 = range(6)


def tag(number: int, wire_type: int) -> bytes:
    """The tag of a field."""
    return encode_varint(number << 3 | wire_type)


def packed(number: int, content: bytes) -> bytes:
    """A length-delimited field."""
    return tag(number, LENGTH) + encode_varint(len(content)) + content


def wrapped(numbers: Iterable[int], content: bytes) -> bytes:
    """`content` inside messages, of the fields `numbers` from the outside in."""
    for number in reversed(tuple(numbers)):
        content = packed(number, content)
    return content


def repeat(piece: bytes, size: int) -> bytes:
    """`piece` again and again, at least once, in about `size` bytes."""
    return piece * max(1, size // max(1, len(piece)))


def nest(fronts: Sequence[bytes], size: int, core: bytes = b"", levels: int = 0) -> bytes:
    """Messages inside each other, as many as have `size` bytes, and at least `levels`.

    Nothing is copied on the way, so a million levels cost little.

    Args:
        fronts: What stands before the length of each level, from the outside in, over and over: a tag, or
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
