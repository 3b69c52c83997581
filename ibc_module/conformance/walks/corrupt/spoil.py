"""One message spoilt, in a way that the walk's choices decide."""

from typing import Any

from google.protobuf.message import DecodeError

from ibc_module.conformance.walks.chain import WalkChain
from ibc_module.conformance.walks.corrupt import meaning, raw, tree
from ibc_module.conformance.walks.world import World
from ibc_module.core.messages import AnyMessage
from ibc_module.errors import IbcError, TextNotUtf8, TxDecode
from ibc_module.proofs.decode import merkle_proof
from ibc_module.proofs.spec import NonExistenceProof
from ibc_module.wire.pool import message_class
from ibc_module.wire.strict import parse, parse_outer

TYPES = (
    "/ibc.core.client.v1.MsgNobodyKnows",
    "/ibc.core.client.v1.MsgUpdateClient",
    "/ibc.core.channel.v1.MsgRecvPacket",
    "/ibc.core.channel.v2.MsgRecvPacket",
    "/ibc.lightclients.tendermint.v1.Header",
)


def spoilt(world: World, chain: WalkChain, packed: AnyMessage) -> AnyMessage:
    """`packed` with something wrong: bytes, structure, meaning, type, or nothing in it at all."""
    while True:
        made = _spoilt(world, chain, packed)
        if not _has_strange_text(made) and not _renames_absence(packed, made):
            return made


def _renames_absence(packed: AnyMessage, made: AnyMessage) -> bool:
    """Whether what is spoilt is the key that a proof of absence names: ibc-go does not look at it."""
    before, after = _absence(packed), _absence(made)
    return before is not None and after is not None and before[0] == after[0] and before[1] != after[1]


def _absence(packed: AnyMessage) -> tuple[bytes, bytes] | None:
    """Packet, and key of the proof that it was not received; None where there is none."""
    try:
        message: Any = meaning.opened(packed)
        proofs = merkle_proof(message.proof_unreceived)
    except (KeyError, AttributeError, DecodeError, IbcError):
        return None
    lowest = proofs[0] if proofs else None
    if not isinstance(lowest, NonExistenceProof):
        return None
    return message.packet.SerializeToString(deterministic=True), lowest.key


def _has_strange_text(packed: AnyMessage) -> bool:
    """Whether an Any in it has text that is not UTF-8: ibc-go takes such clients, and no others do."""
    try:
        cls = message_class(packed.type_url.removeprefix("/"))
        parse_outer(cls, packed.value, non_critical=True)
    except (KeyError, TxDecode):
        return False
    try:
        parse(cls, packed.value)
    except TxDecode as error:
        return isinstance(error, TextNotUtf8)
    return False


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
