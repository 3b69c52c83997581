"""The little of protobuf an outsider needs: the fields of a message, in order."""

from collections.abc import Iterator

from ibc_indexer.errors import MalformedProtobuf

_VARINT, _BYTES = 0, 2
_WIDTHS = {1: 8, _BYTES: 0, 5: 4}  # wire type: bytes; what has a length says it itself


def fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """(field number, value): an int for varints and fixed widths, bytes for what has a length.

    Raises:
        MalformedProtobuf: the bytes end early or have a wire type that is no longer used.
    """
    position = 0
    while position < len(data):
        tag, position = _varint(data, position)
        number, kind = tag >> 3, tag & 7
        if kind == _VARINT:
            value, position = _varint(data, position)
            yield number, value
        elif kind in _WIDTHS:
            length = _WIDTHS[kind]
            if kind == _BYTES:
                length, position = _varint(data, position)
            if position + length > len(data):
                raise MalformedProtobuf(f"field {number} ends after the message")
            part = data[position : position + length]
            yield number, part if kind == _BYTES else int.from_bytes(part, "little")
            position += length
        else:
            raise MalformedProtobuf(f"wire type {kind}")


def message(data: bytes) -> dict[int, int | bytes]:
    """The last value of each field."""
    return dict(fields(data))


def text(found: dict[int, int | bytes], number: int) -> str:
    """A string field, "" where it is absent.

    Raises:
        MalformedProtobuf: it is no UTF-8 text.
    """
    try:
        return octets(found, number).decode()
    except UnicodeDecodeError:
        raise MalformedProtobuf(f"field {number} is no UTF-8") from None


def octets(found: dict[int, int | bytes], number: int) -> bytes:
    """A bytes field, b"" where it is absent.

    Raises:
        MalformedProtobuf: it is a number.
    """
    value = found.get(number, b"")
    if not isinstance(value, bytes):
        raise MalformedProtobuf(f"field {number} is a number, not bytes")
    return value


def number_of(found: dict[int, int | bytes], number: int) -> int:
    """An unsigned field, 0 where it is absent.

    Raises:
        MalformedProtobuf: it is bytes.
    """
    value = found.get(number, 0)
    if not isinstance(value, int):
        raise MalformedProtobuf(f"field {number} is bytes, not a number")
    return value


def _varint(data: bytes, position: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        if position >= len(data):
            break
        byte = data[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80 and value < 1 << 64:
            return value, position
    raise MalformedProtobuf("a varint does not end")
