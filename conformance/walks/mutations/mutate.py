"""Random choice of a message's mutation."""

from conformance.walks.chain import WalkChain
from conformance.walks.coverage import KINDS
from conformance.walks.mutations import proto_fields, raw_bytes, semantic
from conformance.walks.mutations.stricter import is_stricter_here
from conformance.walks.world import World
from pyibc.codec.anys import AnyMessage

TYPES = (*KINDS, "/ibc.core.client.v1.MsgNobodyKnows", "/ibc.lightclients.tendermint.v1.Header")
"""Type URLs to replace an Any's own."""

TRIES = 20


def mutated(world: World, chain: WalkChain, packed: AnyMessage) -> AnyMessage:
    """Return `packed` with changed bytes, fields, values or type, or an empty value."""
    for _ in range(TRIES):
        made = _mutated(world, chain, packed)
        if not is_stricter_here(made):
            return made
    return AnyMessage(packed.type_url, b"")


def _mutated(world: World, chain: WalkChain, packed: AnyMessage) -> AnyMessage:
    choices = world.choices
    kind = choices.weighted(((5, "bytes"), (6, "fields"), (6, "meaning"), (1, "empty"), (1, "type")))
    if kind == "meaning":
        return semantic.mutate(world, chain, packed)
    if kind == "bytes":
        return AnyMessage(packed.type_url, raw_bytes.mutate(choices, packed.value))
    if kind == "fields":
        return AnyMessage(packed.type_url, proto_fields.mutate(choices, packed.value))
    if kind == "empty":
        return AnyMessage(packed.type_url, b"")
    return AnyMessage(choices.pick(TYPES), packed.value)
