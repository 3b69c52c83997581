"""ICS-20's packet data in the three encodings of an IBC v2 payload."""

from ibc_core.errors import InvalidTransferVersion, InvalidType, TxDecode
from ibc_core.packet_v2.types import Payload
from ibc_core.transfer import abi
from ibc_core.transfer.encodings import ABI, JSON, PROTOBUF
from ibc_core.wire.strict import parse
from ibc_module.apps.transfer import packet_data, state
from ibc_module.apps.transfer.packet_data import TransferData
from ibc_proto.ibc.applications.transfer.v1 import packet_pb2


def encode(data: TransferData, encoding: str) -> bytes:
    """The data in an encoding, as ibc-go writes it; no encoding means JSON.

    Raises:
        InvalidType: unknown encoding.
    """
    if encoding in {"", JSON}:
        return packet_data.encode(data)
    denom, sender, receiver, memo = data.denom.path, data.sender, data.receiver, data.memo
    if encoding == PROTOBUF:
        wire = packet_pb2.FungibleTokenPacketData(
            denom=denom, amount=data.amount_text, sender=sender, receiver=receiver, memo=memo
        )
        return wire.SerializeToString(deterministic=True)
    if encoding == ABI:
        return abi.encode(abi.AbiTransfer(denom, sender, receiver, data.amount, memo))
    raise InvalidType(f"{JSON}, {PROTOBUF} or {ABI}", encoding[:64])


def decode(payload: Payload) -> TransferData:
    """Reads and checks what a payload carries.

    Raises:
        InvalidTransferVersion: not ics20-1.
        InvalidType: unknown encoding, or the value is malformed.
        InvalidAmount, InvalidAddress, InvalidDenomForTransfer, InvalidIdentifier: see `packet_data.decode`.
    """
    if payload.version != state.VERSION:
        raise InvalidTransferVersion(state.VERSION, payload.version[:64])
    if payload.encoding == JSON:
        return packet_data.decode(payload.value)
    if payload.encoding == PROTOBUF:
        return _decode_protobuf(payload.value)
    if payload.encoding == ABI:
        found = abi.decode(payload.value)
        return packet_data.check(found.denom, str(found.amount), found.sender, found.receiver, found.memo)
    raise InvalidType(f"{JSON}, {PROTOBUF} or {ABI}", payload.encoding[:64])


def _decode_protobuf(raw: bytes) -> TransferData:
    try:
        wire = parse(packet_pb2.FungibleTokenPacketData, raw, non_critical=False)
    except TxDecode as error:
        raise InvalidType("ICS-20 packet data in protobuf", str(error)) from error
    return packet_data.check(wire.denom, wire.amount, wire.sender, wire.receiver, wire.memo)
