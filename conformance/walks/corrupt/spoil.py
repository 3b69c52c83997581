"""One message spoilt, in a way that the walk's choices decide."""

from conformance.walks.chain import WalkChain
from conformance.walks.corrupt import meaning, raw, tree
from conformance.walks.corrupt.stricter import is_stricter_here
from conformance.walks.coverage import KINDS
from conformance.walks.world import World
from ibc_core.any_message import AnyMessage

TYPES = (*KINDS, "/ibc.core.client.v1.MsgNobodyKnows", "/ibc.lightclients.tendermint.v1.Header")
"""What an Any says instead of its own type."""

TRIES = 20


def spoilt(world: World, chain: WalkChain, packed: AnyMessage) -> AnyMessage:
    """`packed` with something wrong: bytes, structure, meaning, type, or nothing in it at all."""
    for _ in range(TRIES):
        made = _spoilt(world, chain, packed)
        if not is_stricter_here(packed, made):
            return made
    return AnyMessage(packed.type_url, b"")


def _spoilt(world: World, chain: WalkChain, packed: AnyMessage) -> AnyMessage:
    choices = world.choices
    kind = choices.weighted(((5, "bytes"), (6, "fields"), (6, "meaning"), (1, "empty"), (1, "type")))
    if kind == "meaning":
        return meaning.spoil(world, chain, packed)
    if kind == "bytes":
        return AnyMessage(packed.type_url, raw.spoil(choices, packed.value))
    if kind == "fields":
        return AnyMessage(packed.type_url, tree.spoil(choices, packed.value))
    if kind == "empty":
        return AnyMessage(packed.type_url, b"")
    return AnyMessage(choices.pick(TYPES), packed.value)
