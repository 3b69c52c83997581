"""Detects messages that ibc-go accepts and we reject on purpose (docs/adr/0010), which walks must avoid."""

from typing import Any

from google.protobuf.message import DecodeError

from conformance.walks.mutations.semantic import unpacked
from ibc_core.any_message import AnyMessage
from ibc_core.client.create import MsgCreateClient
from ibc_core.errors import IbcError, InvalidProofSpecs, TxDecode
from ibc_core.packet_v2.send import MsgSendPacket
from ibc_core.proofs.decode import merkle_proof
from ibc_core.proofs.spec import NonExistenceProof
from ibc_core.wire.message import decode_msg
from ibc_core.wire.strict import NOT_UTF8, parse, parse_outer
from ibc_module.apps.transfer.encodings import decode
from ibc_proto.pool import message_class
from light_client.tendermint.state_codec import decode_client_state
from light_client.tendermint.states import check_client_state


def is_stricter_here(honest: AnyMessage, made: AnyMessage) -> bool:
    """Whether ibc-go may accept `made`, a mutation of `honest`, although we never do."""
    checks = (_has_strange_text(made), _has_strange_coins(made), _has_loose_specs(made))
    return any(checks) or _renames_absence(honest, made)


def _has_strange_coins(packed: AnyMessage) -> bool:
    """Whether an ICS-20 payload over a client has invalid UTF-8, which ibc-go accepts."""
    try:
        payloads = (
            decode_msg(MsgSendPacket, packed.value).payloads
            if packed.type_url == MsgSendPacket.TYPE_URL
            else ()
        )
        for payload in payloads:
            decode(payload)
    except IbcError as error:
        return NOT_UTF8 in str(error)
    return False


def _has_loose_specs(packed: AnyMessage) -> bool:
    """Whether a new client's proof specs are unbounded, which ibc-go accepts."""
    try:
        if packed.type_url == MsgCreateClient.TYPE_URL:
            check_client_state(
                decode_client_state(decode_msg(MsgCreateClient, packed.value).client_state.value)
            )
    except InvalidProofSpecs as error:
        return "bound nothing" in error.reason
    except IbcError:
        pass
    return False


def _renames_absence(packed: AnyMessage, made: AnyMessage) -> bool:
    """Whether the mutation changed the key in a non-existence proof, which ibc-go ignores."""
    before, after = _absence(packed), _absence(made)
    return before is not None and after is not None and before[0] == after[0] and before[1] != after[1]


def _absence(packed: AnyMessage) -> tuple[bytes, bytes] | None:
    """The packet, and the key in its proof of non-receipt; None if there is no such proof."""
    try:
        message: Any = unpacked(packed)
        proofs = merkle_proof(message.proof_unreceived)
    except (KeyError, AttributeError, DecodeError, IbcError):
        return None
    lowest = proofs[0] if proofs else None
    if not isinstance(lowest, NonExistenceProof):
        return None
    return message.packet.SerializeToString(deterministic=True), lowest.key


def _has_strange_text(packed: AnyMessage) -> bool:
    """Whether an Any in it has invalid UTF-8, which ibc-go accepts in such clients."""
    try:
        cls = message_class(packed.type_url.removeprefix("/"))
        parse_outer(cls, packed.value, non_critical=True)
    except (KeyError, TxDecode):
        return False
    try:
        parse(cls, packed.value)
    except TxDecode as error:
        return NOT_UTF8 in error.reason
    return False
