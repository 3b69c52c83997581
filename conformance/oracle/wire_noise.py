"""Random protobuf messages of a class, in unusual, doubtful or malformed encodings."""

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any, TypeVar

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from pyibc.codec.walk import FIXED32, FIXED64, LENGTH, VARINT, read_field
from pyibc.core.errors import TxDecode
from pyibc.proto.google.protobuf.any_pb2 import Any as PackedAny
from pyibc.proto.pool import descriptor_of, message_class
from pyibc.proto.varint import encode_varint

_M = TypeVar("_M", bound=Message)

_INTEGERS = (0, 1, 2, 5, 127, 128, 300, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**63 - 1, 2**63, 2**64 - 1)
_WIRE = frozenset({VARINT, FIXED64, LENGTH, FIXED32})

Field = tuple[int, int, bytes]
"""Field number, wire type, and content; without the length, if length-delimited."""


class Grammar:
    """Generator of messages; the caller provides the texts and Anys to choose from."""

    def __init__(self, rng: Random, texts: Sequence[str], anys: Sequence[str]) -> None:
        """Create it; `anys` are the full names of messages that may be in an Any."""
        self.rng = rng
        self._texts = texts
        self._anys = anys

    def message(self, cls: type[_M], depth: int = 0) -> _M:
        """Return a random message with most fields set."""
        made = cls()
        for field in descriptor_of(cls).fields:
            if self.rng.random() < 0.8 - 0.12 * depth:
                self._fill(made, field, depth)
        return made

    def _fill(self, made: Message, field: FieldDescriptor, depth: int) -> None:
        if field.is_repeated:
            for _ in range(self.rng.choice((1, 1, 2, 3))):
                self._add(getattr(made, field.name), field, depth)
        elif field.message_type is not None:
            getattr(made, field.name).CopyFrom(self._inner(field, depth))
        else:
            setattr(made, field.name, self._scalar(field))

    def _add(self, container: Any, field: FieldDescriptor, depth: int) -> None:
        if field.message_type is not None:
            container.add().CopyFrom(self._inner(field, depth))
        else:
            container.append(self._scalar(field))

    def _inner(self, field: FieldDescriptor, depth: int) -> Message:
        name = "" if field.message_type is None else field.message_type.full_name
        cls = message_class(name)
        if depth > 4:
            return cls()
        if cls is PackedAny:
            return self.any_of(self.rng.choice(self._anys), depth + 1)
        return self.message(cls, depth + 1)

    def any_of(self, name: str, depth: int) -> PackedAny:
        """Return an Any with a message of the full name `name`."""
        value = self.message(message_class(name), depth).SerializeToString()
        return PackedAny(type_url=f"/{name}", value=value)

    def _scalar(self, field: FieldDescriptor) -> Any:
        kind = field.cpp_type
        if kind == FieldDescriptor.CPPTYPE_STRING:
            if field.type == FieldDescriptor.TYPE_BYTES:
                return self.rng.randbytes(self.rng.choice((0, 1, 20, 32, 33, 64)))
            return self.rng.choice(self._texts)
        if kind == FieldDescriptor.CPPTYPE_BOOL:
            return self.rng.random() < 0.5
        number = self.rng.choice(_INTEGERS)
        if kind == FieldDescriptor.CPPTYPE_ENUM:
            return self.rng.choice((0, 1, 2, 3, 127, 2**31 - 1, -1))
        if kind in (FieldDescriptor.CPPTYPE_INT32, FieldDescriptor.CPPTYPE_INT64):
            bits = 32 if kind == FieldDescriptor.CPPTYPE_INT32 else 64
            number %= 2**bits
            return number - 2**bits if number >= 2 ** (bits - 1) else number
        return number % 2**32 if kind == FieldDescriptor.CPPTYPE_UINT32 else number


def fields_of(raw: bytes) -> list[Field] | None:
    """Return the fields of an encoded message, or None if `raw` is malformed."""
    at, found = 0, []
    try:
        while at < len(raw):
            number, wire_type, start, at = read_field(raw, at, len(raw))
            if wire_type not in _WIRE:
                return None
            found.append((number, wire_type, raw[start:at]))
    except TxDecode:
        return None
    return found


def write_fields(fields: Sequence[Field]) -> bytes:
    """Return the encoding of these fields."""
    return b"".join(_write(field) for field in fields)


def _write(field: Field) -> bytes:
    number, wire_type, content = field
    size = encode_varint(len(content)) if wire_type == LENGTH else b""
    return encode_varint(number << 3 | wire_type) + size + content


def _overlong(rng: Random, number: int) -> bytes:
    """Return a varint with redundant bytes."""
    raw = encode_varint(number)
    extra = rng.choice((1, 1, 2, 10 - len(raw), 11 - len(raw)))
    if extra <= 0:
        return raw
    return raw[:-1] + bytes([raw[-1] | 128]) + b"\x80" * (extra - 1) + rng.choice((b"\x00", b"\x00", b"\x01"))


# -- changes to a list of fields


def _repeat(rng: Random, fields: list[Field]) -> None:
    fields.insert(rng.randint(0, len(fields)), rng.choice(fields))


def _drop(rng: Random, fields: list[Field]) -> None:
    fields.pop(rng.randrange(len(fields)))


def _shuffle(rng: Random, fields: list[Field]) -> None:
    rng.shuffle(fields)


def _unknown(rng: Random, fields: list[Field]) -> None:
    number = rng.choice((15, 16, 100, 1023, 1024, 2047, 2048, 3072, 536870911))
    wire_type = rng.choice((VARINT, FIXED64, LENGTH, FIXED32))
    content = {
        VARINT: b"\x05",
        FIXED64: bytes(8),
        FIXED32: bytes(4),
        LENGTH: rng.randbytes(rng.choice((0, 3))),
    }
    fields.insert(rng.randint(0, len(fields)), (number, wire_type, content[wire_type]))


def _other_number(rng: Random, fields: list[Field]) -> None:
    at = rng.randrange(len(fields))
    fields[at] = (rng.randint(1, 12), *fields[at][1:])


def _other_content(rng: Random, fields: list[Field]) -> None:
    at = rng.randrange(len(fields))
    number, wire_type, content = fields[at]
    if wire_type == LENGTH:
        edited = bytearray(content or b"\x00")
        edited[rng.randrange(len(edited))] = rng.choice((0, 1, 0x0A, 0x7F, 0x80, 0xC3, 0xFF, 0x22))
        content = bytes(edited)
    elif wire_type == VARINT:
        content = encode_varint(rng.choice(_INTEGERS))
    fields[at] = (number, wire_type, content)


def _lengthen(rng: Random, fields: list[Field]) -> None:
    at = rng.randrange(len(fields))
    number, wire_type, _ = fields[at]
    if wire_type == VARINT:
        fields[at] = (number, wire_type, _overlong(rng, 1))


def _empty(rng: Random, fields: list[Field]) -> None:
    at = rng.randrange(len(fields))
    if fields[at][1] == LENGTH:
        fields[at] = (*fields[at][:2], b"")


def _other_type(rng: Random, fields: list[Field]) -> None:
    at = rng.randrange(len(fields))
    fields[at] = rng.choice(
        [
            (fields[at][0], VARINT, b"\x01"),
            (fields[at][0], FIXED64, bytes(8)),
            (fields[at][0], LENGTH, b"\x08\x01"),
        ]
    )


def _split(rng: Random, fields: list[Field]) -> None:
    """Split an embedded message into two occurrences of its field, which decoders merge."""
    at = rng.randrange(len(fields))
    number, wire_type, content = fields[at]
    inner = fields_of(content) if wire_type == LENGTH else None
    if inner and len(inner) > 1:
        middle = rng.randint(1, len(inner) - 1)
        fields[at : at + 1] = [
            (number, LENGTH, write_fields(inner[:middle])), (number, LENGTH, write_fields(inner[middle:]))
        ]  # fmt: skip


_FIELD_NOISE: Mapping[str, Callable[[Random, list[Field]], None]] = {
    each.__name__.strip("_"): each
    for each in (
        _repeat, _drop, _shuffle, _unknown, _other_number, _other_content, _lengthen, _empty, _other_type,
        _split
    )
}  # fmt: skip


def noisy(rng: Random, raw: bytes, depth: int = 0) -> bytes:
    """Return `raw` with one change, at any depth."""
    fields = fields_of(raw)
    if not fields:
        return raw + rng.choice((b"", b"\x00", b"\x0a", b"\x0a\x00", b"\x0b\x0c", b"\xff" * 10))
    if depth < 8 and rng.random() < 0.75:
        nested = [at for at, field in enumerate(fields) if field[1] == LENGTH and fields_of(field[2])]
        if nested:
            at = rng.choice(nested)
            fields[at] = (*fields[at][:2], noisy(rng, fields[at][2], depth + 1))
            return write_fields(fields)
    if rng.random() < 0.1:
        return _noisy_bytes(rng, raw)
    if rng.random() < 0.1:
        return _noisy_framing(rng, fields)
    if rng.random() < 0.1:
        return raw + _begun(rng, rng.choice(fields))
    rng.choice(tuple(_FIELD_NOISE.values()))(rng, fields)
    return write_fields(fields)


def _noisy_bytes(rng: Random, raw: bytes) -> bytes:
    edited = bytearray(raw)
    if rng.random() < 0.3:
        return bytes(edited[: rng.randrange(len(edited))])
    edited[rng.randrange(len(edited))] ^= 1 << rng.randrange(8)
    return bytes(edited)


def _begun(rng: Random, field: Field) -> bytes:
    """Append the first bytes of one more such field: a truncated message is malformed."""
    whole = _write(field)
    return whole[: rng.choice((1, 1, 2, 3, rng.randrange(len(whole))))]


def _noisy_framing(rng: Random, fields: Sequence[Field]) -> bytes:
    """Encode one tag or length with redundant bytes."""
    at = rng.randrange(len(fields))
    number, wire_type, content = fields[at]
    tag = number << 3 | wire_type
    if wire_type == LENGTH and rng.random() < 0.5:
        odd = encode_varint(tag) + _overlong(rng, len(content)) + content
    else:
        size = encode_varint(len(content)) if wire_type == LENGTH else b""
        odd = _overlong(rng, tag) + size + content
    return write_fields(fields[:at]) + odd + write_fields(fields[at + 1 :])
