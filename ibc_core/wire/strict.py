"""Decodes untrusted bytes as strictly as the Cosmos SDK decodes transactions.

It refuses malformed bytes, text that is not UTF-8, fields that the message does not have (also below
it, and inside every Any), types that no Any may hold, and size or nesting beyond the limits. Two nodes
that read the same transaction thus see the same message, and nothing hides in it.

Most messages are in canonical form, which is checked by protobuf's C core: parse, drop unknown fields,
serialise, compare. Only a message that fails this is walked byte by byte.
"""

from typing import NamedTuple, TypeVar

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import DecodeError, Message

from ibc_core.errors import TxDecode
from ibc_core.wire.interfaces import BUILTIN, REQUIRED, ROLES, KnownTypes, Role
from ibc_core.wire.walk import reject_unknown_fields
from ibc_proto.google.protobuf import any_pb2
from ibc_proto.pool import descriptor_of

_M = TypeVar("_M", bound=Message)

MAX_SIZE = 16 << 20
"""Bytes of a message; four times what a block of CometBFT holds by default."""

MAX_ANY_DEPTH = 10
"""Anys inside Anys, as in the SDK. Plain nesting ends at upb's 100 levels, in its parser."""


def parse(
    cls: type[_M], raw: bytes, *, known: KnownTypes = BUILTIN, non_critical: bool = True, depth: int = 0
) -> _M:
    """The message of type `cls` that `raw` encodes, with all Anys below it checked.

    Args:
        cls: The message's class.
        raw: Its bytes.
        known: The types that the chain knows in Anys.
        non_critical: Whether unknown fields with bit 11 of their number set are let through (and
            dropped), as everywhere below a TxBody; elsewhere they are refused too.
        depth: How many Anys it stands in.

    Raises:
        TxDecode: see the module's text.
    """
    message, doubtful = _parse_outer(cls, raw, non_critical=non_critical)
    for packed in doubtful:
        given = any_pb2.Any.FromString(packed)
        check_any(given.type_url, given.value, None, known=known, non_critical=non_critical, depth=depth + 1)
    for place in _places(cls):
        _check_place(message, place, known, non_critical, depth)
    return message


def parse_outer(cls: type[_M], raw: bytes, *, non_critical: bool) -> _M:
    """As `parse`, but what Anys hold is left unread.

    Raises:
        TxDecode: as `parse`.
    """
    return _parse_outer(cls, raw, non_critical=non_critical)[0]


def _parse_outer(cls: type[_M], raw: bytes, *, non_critical: bool) -> tuple[_M, list[bytes]]:
    """The message, and the Anys of one that is not in canonical form."""
    if len(raw) > MAX_SIZE:
        raise TxDecode(f"{len(raw)} bytes exceed {MAX_SIZE}")
    try:
        message = cls.FromString(raw)
    except DecodeError as error:
        raise _why(cls, raw, non_critical) from error
    message.DiscardUnknownFields()
    if message.SerializeToString() == raw:
        return message, []
    return message, reject_unknown_fields(raw, descriptor_of(cls), non_critical=non_critical).anys


def _why(cls: type[Message], raw: bytes, non_critical: bool) -> TxDecode:
    """The error of bytes that did not parse: text apart, ibc-go looks at what else a message says first."""
    name = cls.DESCRIPTOR.full_name
    try:
        found = reject_unknown_fields(raw, descriptor_of(cls), non_critical=non_critical)
    except TxDecode as error:
        return TxDecode(f"malformed {name}: {error.reason}")
    if found.no_utf8:
        return TxDecode(f"malformed {name}: {found.no_utf8[0]} {NOT_UTF8}")
    return TxDecode(f"malformed {name}")


NOT_UTF8 = "is not UTF-8"
"""What the error of a message says in which nothing is wrong but text."""


class _Place(NamedTuple):
    """A field that is an Any, or that has Anys below it."""

    field: str
    repeated: bool
    is_any: bool
    role: Role | None


_PLACES: dict[type[Message], tuple[_Place, ...]] = {}


def _places(cls: type[Message]) -> tuple[_Place, ...]:
    found = _PLACES.get(cls)
    if found is None:
        found = _PLACES[cls] = tuple(
            _Place(
                field.name, not field.has_presence, _is_any(field.message_type), ROLES.get(field.full_name)
            )
            for field in descriptor_of(cls).fields
            if field.message_type is not None and _leads_to_any(field, frozenset())
        )
    return found


def _is_any(descriptor: Descriptor) -> bool:
    return descriptor.full_name == "google.protobuf.Any"


def _leads_to_any(field: FieldDescriptor, seen: frozenset[str]) -> bool:
    below = field.message_type
    if below is None or below.full_name in seen:
        return False
    deeper = seen | {below.full_name}
    return _is_any(below) or any(_leads_to_any(each, deeper) for each in below.fields)


def _check_place(message: Message, place: _Place, known: KnownTypes, non_critical: bool, depth: int) -> None:
    if place.repeated:
        found = getattr(message, place.field)
    else:
        found = (getattr(message, place.field),) if message.HasField(place.field) else ()
    for child in found:
        if place.is_any:
            check_any(
                child.type_url,
                child.value,
                place.role,
                known=known,
                non_critical=non_critical,
                depth=depth + 1,
            )
        else:
            for below in _places(type(child)):
                _check_place(child, below, known, non_critical, depth)


def check_any(
    type_url: str,
    value: bytes,
    role: Role | None,
    *,
    known: KnownTypes = BUILTIN,
    non_critical: bool = True,
    depth: int = 1,
) -> None:
    """Checks what an Any holds, and the Anys in that.

    Raises:
        TxDecode: the type is unknown or not of `role`, or its bytes are refused.
    """
    if depth > MAX_ANY_DEPTH:
        raise TxDecode(f"more than {MAX_ANY_DEPTH} Anys inside each other")
    cls = known.find(type_url, role)
    if cls is None:
        raise TxDecode(f"{type_url[:100]!a} is no known {role.value if role else 'type'}")
    inner = parse(cls, value, known=known, non_critical=non_critical, depth=depth)
    for field in REQUIRED.get(cls.DESCRIPTOR.full_name, ()):
        if not inner.HasField(field):
            raise TxDecode(f"{type_url[:100]} without {field}")
