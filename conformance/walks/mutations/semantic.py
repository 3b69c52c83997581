"""Well-formed messages with wrong values: signers, heights, proofs, names, sequences."""

from collections.abc import Callable
from typing import Any

from google.protobuf.message import Message

from conformance.kit.known import MESSAGES
from conformance.walks import genesis, view
from conformance.walks.chain import WalkChain
from conformance.walks.world import World
from pyibc.codec.anys import AnyMessage
from pyibc.codec.encoding import encode
from pyibc.core.height import Height
from pyibc.core.wire.columns import Column, FieldKind
from pyibc.core.wire.table import table_of
from pyibc.proto.pool import descriptor_of, message_class

BAD_SIGNERS = (
    "",
    "  ",
    "nobody",
    "cosmos1",
    "osmo1qypqxpq9qcrsszg2pvxq6rs0zqg3yyc5z5tpwxqergd3c8g7rusqm0c2f6",
    "COSMOS10D07Y265GMMUVT4Z0W9AW880JNSR700J6ZN9KN",
    genesis.ADDRESSES.encode(bytes(20)).text,
    genesis.ADDRESSES.encode(b"\x01" * 32).text,
)
NUMBERS = (0, 1, 2, 1 << 32, (1 << 63) - 1, 1 << 63, (1 << 64) - 1)


def unpacked(packed: AnyMessage) -> Message:
    """Return the message in an Any."""
    return message_class(packed.type_url.removeprefix("/")).FromString(packed.value)


def columns(message: Message) -> tuple[Column, ...]:
    """Return the columns of a message's wire table; () for a message that is not ours."""
    cls = MESSAGES.get(f"/{descriptor_of(type(message)).full_name}")
    return cls.TABLE.columns if cls else ()


def _of_kind(message: Message, kind: FieldKind) -> list[str]:
    return [column.path for column in columns(message) if column.kind is kind]


def _packed(packed: AnyMessage, message: Message) -> AnyMessage:
    return AnyMessage(packed.type_url, encode(message))


def mutate(world: World, chain: WalkChain, packed: AnyMessage) -> AnyMessage:
    """Return the message with one value changed; if the chosen change does not apply, another signer."""
    message = unpacked(packed)
    way = world.choices.pick(MUTATIONS)
    if not way(world, chain, message):
        _signer(world, message)
    return _packed(packed, message)


def _signer(world: World, message: Any) -> bool:
    others = (*world.people.values(), genesis.AUTHORITY, *BAD_SIGNERS)
    for name in _of_kind(message, FieldKind.SIGNER):
        setattr(message, name, world.choices.pick(others))
    return True


def _height(world: World, message: Any) -> bool:
    names = [column.path for column in columns(message) if column.part is table_of(Height)]
    if not names:
        return False
    choices = world.choices
    height = getattr(message, choices.pick(names))
    if choices.chance(50):
        height.revision_height = max(0, height.revision_height + choices.pick((-1, 1, -2, 5)))
    else:
        name = choices.pick(("revision_height", "revision_number"))
        setattr(height, name, choices.pick(NUMBERS))
    return True


def _proof(world: World, chain: WalkChain, message: Any) -> bool:
    names = _of_kind(message, FieldKind.PROOF)
    if not names:
        return False
    far = world.other(chain)
    keys = [key for key, _ in far.entries(b"c")] or [b"x"]
    key = b"c" + world.choices.pick(keys)
    height = world.choices.between(2, far.height.revision_height)
    setattr(message, world.choices.pick(names), far.proof(key, height))
    return True


def _other_proof(world: World, message: Any) -> bool:
    """Return a proof of an earlier message."""
    names = _of_kind(message, FieldKind.PROOF)
    donors = [unpacked(each) for each in world.history[-40:]]
    proofs = [getattr(donor, name) for donor in donors for name in _of_kind(donor, FieldKind.PROOF)]
    if not names or not proofs:
        return False
    setattr(message, world.choices.pick(names), world.choices.pick(proofs))
    return True


def _places(message: Message, kinds: frozenset[str], depth: int = 0) -> list[tuple[Any, str]]:
    """Return messages and names of their set fields of these Python types, not descending into Anys."""
    found: list[tuple[Any, str]] = []
    for field, value in message.ListFields():
        if isinstance(value, Message):
            found += _places(value, kinds, depth + 1)
        elif type(value).__name__ in kinds and message.DESCRIPTOR.name != "Any":
            found.append((message, field.name))
        elif not isinstance(value, (str, bytes, int, bool)):
            found += [place for each in value if isinstance(each, Message) for place in _places(each, kinds)]
    return found


def _names(world: World) -> list[str]:
    """Return existing names on both chains, and unknown ones."""
    names = ["", "channel-99", "connection-99", "07-tendermint-99", "09-localhost", "connection-localhost"]
    for each in world.chains:
        names += view.client_ids(each)
        names += view.connections(each)
        names += [found.channel_id for found in view.channels(each)]
    # No port that is a prefix of another: ibc-go's router would confuse `mock` and `mockv2A`.
    return [*names, "mock", "transfer", "nobody", "ics20-1", "1", "stake", "ufoo"]


def _text(world: World, message: Any) -> bool:
    places = _places(message, frozenset({"str"}))
    if not places:
        return False
    holder, name = world.choices.pick(places)
    setattr(holder, name, world.choices.pick(_names(world)))
    return True


def _number(world: World, message: Any) -> bool:
    places = _places(message, frozenset({"int"}))
    if not places:
        return False
    holder, name = world.choices.pick(places)
    value = world.choices.pick((*NUMBERS, getattr(holder, name) + 1))
    try:
        setattr(holder, name, value)
    except (ValueError, OverflowError):  # the number exceeds the field's range
        setattr(holder, name, 1)
    return True


def _anywhere(change: Callable[[World, Any], bool]) -> Callable[[World, WalkChain, Any], bool]:
    """Return a mutation that does not depend on the chain."""
    return lambda world, _, message: change(world, message)


MUTATIONS = (
    _anywhere(_signer),
    *[_anywhere(_height)] * 2,
    _proof,
    *[_anywhere(_other_proof)] * 2,
    *[_anywhere(_text)] * 2,
    *[_anywhere(_number)] * 2,
)
