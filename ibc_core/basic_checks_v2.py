"""Checks of IBC v2's messages that need no state, in ibc-go's order (ValidateBasic).

`several`: the host allows more than one payload a packet (`Config.several_payloads`).
"""

from ibc_core import messages_v2 as m
from ibc_core.address import AddressCodec
from ibc_core.client_v2.types import MAX_PREFIX_PART_SIZE, MAX_PREFIX_PARTS, MAX_RELAYERS
from ibc_core.errors import InvalidClientCounterparty, InvalidProof, InvalidTimeoutV2, TooLarge
from ibc_core.identifiers import parse_client_id, validate_client_id
from ibc_core.packet_v2.types import check_acknowledgement, check_payloads


def register_counterparty(msg: m.MsgRegisterCounterparty, addresses: AddressCodec) -> None:
    """Stateless checks of MsgRegisterCounterparty.

    Raises:
        InvalidAddress, InvalidClientCounterparty, TooLarge, InvalidIdentifier.
    """
    addresses.decode(msg.signer, "signer")
    parts = msg.counterparty_merkle_prefix
    if not parts:
        raise InvalidClientCounterparty("no merkle prefix")
    if len(parts) > MAX_PREFIX_PARTS:
        raise TooLarge("counterparty_merkle_prefix", len(parts), MAX_PREFIX_PARTS)
    for part in parts:
        if len(part) > MAX_PREFIX_PART_SIZE:
            raise TooLarge("part of counterparty_merkle_prefix", len(part), MAX_PREFIX_PART_SIZE)
    validate_client_id(msg.client_id)
    validate_client_id(msg.counterparty_client_id)
    parse_client_id(msg.client_id)
    parse_client_id(msg.counterparty_client_id)


def update_client_config(msg: m.MsgUpdateClientConfig, addresses: AddressCodec) -> None:
    """Stateless checks of MsgUpdateClientConfig.

    Raises:
        InvalidAddress, InvalidIdentifier, TooLarge.
    """
    addresses.decode(msg.signer, "signer")
    validate_client_id(msg.client_id)
    parse_client_id(msg.client_id)
    if len(msg.allowed_relayers) > MAX_RELAYERS:
        raise TooLarge("allowed_relayers", len(msg.allowed_relayers), MAX_RELAYERS)
    for relayer in msg.allowed_relayers:
        addresses.decode(relayer, "allowed relayer")


def send_packet(msg: m.MsgSendPacket, addresses: AddressCodec, *, several: bool) -> None:
    """Stateless checks of MsgSendPacket.

    Raises:
        InvalidIdentifier, InvalidTimeoutV2, InvalidPayload, InvalidAddress.
    """
    validate_client_id(msg.client_id_on_a)
    if msg.timeout_s_on_b == 0:
        raise InvalidTimeoutV2("it is 0")
    check_payloads(msg.payloads, several=several)
    addresses.decode(msg.signer, "signer")


def recv_packet(msg: m.MsgRecvPacketV2, addresses: AddressCodec, *, several: bool) -> None:
    """Stateless checks of MsgRecvPacket.

    Raises:
        InvalidProof, InvalidAddress, InvalidPayload, InvalidIdentifier, InvalidPacketV2.
    """
    if not msg.proof_commitment_on_a:
        raise InvalidProof("empty commitment proof")
    addresses.decode(msg.signer, "signer")
    msg.packet.validate_basic(several=several)


def acknowledgement(msg: m.MsgAcknowledgementV2, addresses: AddressCodec, *, several: bool) -> None:
    """Stateless checks of MsgAcknowledgement.

    Raises:
        InvalidProof, InvalidAcknowledgementV2, InvalidAddress, InvalidPayload, InvalidIdentifier,
        InvalidPacketV2.
    """
    if not msg.proof_ack_on_b:
        raise InvalidProof("empty acknowledgement proof")
    check_acknowledgement(msg.acknowledgement, several=several)
    addresses.decode(msg.signer, "signer")
    msg.packet.validate_basic(several=several)


def timeout(msg: m.MsgTimeoutV2, addresses: AddressCodec, *, several: bool) -> None:
    """Stateless checks of MsgTimeout.

    Raises:
        InvalidProof, InvalidAddress, InvalidPayload, InvalidIdentifier, InvalidPacketV2.
    """
    if not msg.proof_unreceived_on_b:
        raise InvalidProof("empty unreceived proof")
    addresses.decode(msg.signer, "signer")
    msg.packet.validate_basic(several=several)
