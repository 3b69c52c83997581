"""A small message of every type, with each field set once."""

from functools import lru_cache

from google.protobuf.descriptor import Descriptor, FieldDescriptor

from conformance.fuzz.wire import FIXED32, FIXED64, VARINT, packed, tag

_LEVELS = 3
"""Maximum nesting depth of messages."""


@lru_cache(None)
def sample(descriptor: Descriptor, levels: int = _LEVELS) -> bytes:
    """Return the encoding of a small message with at most `levels` nested messages.

    Anys are empty, since their content depends on the place.
    """
    return b"".join(_field(field, levels) for field in descriptor.fields)


def _field(field: FieldDescriptor, levels: int) -> bytes:
    below = field.message_type
    if below is not None:
        return packed(field.number, sample(below, levels - 1)) if levels > 1 and not _is_any(below) else b""
    if field.cpp_type == FieldDescriptor.CPPTYPE_STRING:
        return packed(field.number, b"1")
    if field.cpp_type in (FieldDescriptor.CPPTYPE_DOUBLE, FieldDescriptor.CPPTYPE_FLOAT):
        raise TypeError(f"{field.full_name} is a float")
    if field.type in (FieldDescriptor.TYPE_FIXED64, FieldDescriptor.TYPE_SFIXED64):
        return tag(field.number, FIXED64) + b"\x01" + b"\x00" * 7
    if field.type in (FieldDescriptor.TYPE_FIXED32, FieldDescriptor.TYPE_SFIXED32):
        return tag(field.number, FIXED32) + b"\x01" + b"\x00" * 3
    return tag(field.number, VARINT) + b"\x01"


def _is_any(descriptor: Descriptor) -> bool:
    return descriptor.full_name == "google.protobuf.Any"
