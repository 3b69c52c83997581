"""Encoding of messages identical to Go's generated code.

Go writes some message fields even if they are empty (gogoproto's nullable=false: tag and length 0), and
counterparties verify proofs of these bytes. Such fields have the comment `always written` in proto/.
"""

from typing import NamedTuple

from google.protobuf.descriptor import Descriptor
from google.protobuf.message import Message

from pyibc.proto.always_written import ALWAYS_WRITTEN
from pyibc.proto.pool import descriptor_of


def encode(message: Message) -> bytes:
    """Return the encoding of `message`, in which always-written fields are set first."""
    _complete(message, _plan(type(message)))
    return message.SerializeToString(deterministic=True)


class _Plan(NamedTuple):
    """Fields of a message type that `encode` must visit."""

    always: tuple[str, ...]
    singular: tuple[str, ...]  # message fields that contain always-written fields
    repeated: tuple[str, ...]


_PLANS: dict[type[Message], _Plan] = {}
"""Plans by class, of any descriptor pool: a light client may have its own messages."""


def _plan(cls: type[Message]) -> _Plan:
    found = _PLANS.get(cls)
    if found is None:
        found = _PLANS[cls] = _made_plan(descriptor_of(cls))
    return found


def _made_plan(descriptor: Descriptor) -> _Plan:
    singular: list[str] = []
    repeated: list[str] = []
    for field in descriptor.fields:
        if field.message_type is not None and has_always_written(field.message_type):
            (singular if field.has_presence else repeated).append(field.name)
    return _Plan(ALWAYS_WRITTEN.get(descriptor.full_name, ()), tuple(singular), tuple(repeated))


# recursion: over the descriptors of a message, each once
def has_always_written(descriptor: Descriptor, seen: frozenset[str] = frozenset()) -> bool:
    """Return whether a message type has always-written fields at any depth; `seen` has enclosing types."""
    name = descriptor.full_name
    if name in seen:
        return False
    return name in ALWAYS_WRITTEN or any(
        field.message_type is not None and has_always_written(field.message_type, seen | {name})
        for field in descriptor.fields
    )


# recursion: messages nest at most 100 deep: protobuf's parser and protojson refuse more
def _complete(message: Message, plan: _Plan) -> None:
    for name in plan.always:
        getattr(message, name).SetInParent()
    for name in plan.singular:
        if message.HasField(name):
            child = getattr(message, name)
            _complete(child, _plan(type(child)))
    for name in plan.repeated:
        for child in getattr(message, name):
            _complete(child, _plan(type(child)))
