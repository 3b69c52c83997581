"""What ibc-go takes and this implementation refuses on purpose (docs/adr/0010): walks do without it."""

from typing import Any

from google.protobuf.message import DecodeError

from conformance.walks.corrupt.meaning import opened
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
    """Whether ibc-go may take `made`, spoilt out of `honest`, where this implementation never does."""
    checks = (_has_strange_text(made), _has_strange_coins(made), _has_loose_specs(made))
    return any(checks) or _renames_absence(honest, made)


def _has_strange_coins(packed: AnyMessage) -> bool:
    """Whether a transfer that is sent over a client has text that is not UTF-8: ibc-go takes it as it is."""
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
    """Whether a new client's proof specifications bound nothing: ibc-go takes such clients."""
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
    """Whether what is spoilt is the key that a proof of absence names: ibc-go does not look at it."""
    before, after = _absence(packed), _absence(made)
    return before is not None and after is not None and before[0] == after[0] and before[1] != after[1]


def _absence(packed: AnyMessage) -> tuple[bytes, bytes] | None:
    """Packet, and key of the proof that it was not received; None where there is none."""
    try:
        message: Any = opened(packed)
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
        return NOT_UTF8 in error.reason
    return False
