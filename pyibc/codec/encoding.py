"""Encoding of messages identical to Go's generated code.

Go writes some message fields even if they are empty (gogoproto's nullable=false: tag and length 0), and
counterparties verify proofs of these bytes. Such fields have the comment `always written` in proto/.
"""

from collections.abc import Container
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
        if leads_to(field.message_type, ALWAYS_WRITTEN):
            (singular if field.has_presence else repeated).append(field.name)
    return _Plan(ALWAYS_WRITTEN.get(descriptor.full_name, ()), tuple(singular), tuple(repeated))


# recursion: over the descriptors of a message, each once
def leads_to(
    descriptor: Descriptor | None, names: Container[str], seen: frozenset[str] = frozenset()
) -> bool:
    """Return whether a message type or a field of it, at any depth, is in `names`; `seen` encloses it."""
    if descriptor is None or descriptor.full_name in seen:
        return False
    deeper = seen | {descriptor.full_name}
    return descriptor.full_name in names or any(
        leads_to(field.message_type, names, deeper) for field in descriptor.fields
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
