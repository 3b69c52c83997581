"""Checks of connection, channel and packet messages that need no state, in ibc-go's order (ValidateBasic).

Each raises the error that its name and fields tell; a message that passes has well-formed identifiers,
an address as signer, and no empty proof.
"""

from collections.abc import Callable
from typing import Any

from ibc_core import messages as m
from ibc_core.address import AddressCodec
from ibc_core.channel.types import ChannelEnd, ChannelState, Order
from ibc_core.connection.types import ConnectionCounterparty, Version
from ibc_core.errors import (
    InvalidAcknowledgement,
    InvalidChannelCounterparty,
    InvalidChannelIdentifier,
    InvalidChannelOrdering,
    InvalidChannelState,
    InvalidClientType,
    InvalidConnectionCounterparty,
    InvalidConnectionIdentifier,
    InvalidConnectionVersion,
    InvalidProof,
    InvalidRequest,
    InvalidSequence,
    InvalidVersion,
    TooManyConnectionHops,
)
from ibc_core.identifiers import (
    LOCALHOST_CLIENT_ID,
    is_channel_id,
    is_connection_id,
    validate_channel_id,
    validate_client_id,
    validate_connection_id,
    validate_port_id,
)
from ibc_core.text import is_blank

MAX_PREFIX_SIZE = 256
MAX_VERSIONS = 100
MAX_FEATURES = 100


def _proof(proof: bytes, what: str) -> None:
    if not proof:
        raise InvalidProof(f"empty {what} proof")


def _version(version: Version | None) -> None:
    if version is None:
        raise InvalidConnectionVersion("no version")
    if is_blank(version.identifier):
        raise InvalidConnectionVersion("blank identifier")
    if len(version.features) > MAX_FEATURES:
        raise InvalidConnectionVersion(f"{len(version.features)} features exceed {MAX_FEATURES}")
    if any(is_blank(feature) for feature in version.features):
        raise InvalidConnectionVersion("blank feature")


def _connection_counterparty(counterparty: ConnectionCounterparty) -> None:
    if counterparty.connection_id:
        validate_connection_id(counterparty.connection_id)
    validate_client_id(counterparty.client_id)
    if not counterparty.prefix:
        raise InvalidConnectionCounterparty("empty prefix")
    if len(counterparty.prefix) > MAX_PREFIX_SIZE:
        raise InvalidConnectionCounterparty(
            f"prefix of {len(counterparty.prefix)} bytes exceeds {MAX_PREFIX_SIZE}"
        )


def _handshake_client(client_id: str) -> None:
    if client_id == LOCALHOST_CLIENT_ID:
        raise InvalidClientType("connection handshakes with the localhost are disallowed")
    validate_client_id(client_id)


def connection_open_init(msg: m.MsgConnectionOpenInit, addresses: AddressCodec) -> None:
    """Stateless checks of MsgConnectionOpenInit."""
    _handshake_client(msg.client_id_on_a)
    if msg.counterparty.connection_id:
        raise InvalidConnectionCounterparty("connection identifier must be empty")
    if msg.version is not None:
        _version(msg.version)
    addresses.decode(msg.signer, "signer")
    _connection_counterparty(msg.counterparty)


def connection_open_try(msg: m.MsgConnectionOpenTry, addresses: AddressCodec) -> None:
    """Stateless checks of MsgConnectionOpenTry."""
    _handshake_client(msg.client_id_on_b)
    validate_connection_id(msg.counterparty.connection_id)
    if not 1 <= len(msg.versions_on_a) <= MAX_VERSIONS:
        raise InvalidVersion(f"{len(msg.versions_on_a)} counterparty versions, 1 to {MAX_VERSIONS} expected")
    for version in msg.versions_on_a:
        _version(version)
    _proof(msg.proof_init, "init")
    addresses.decode(msg.signer, "signer")
    _connection_counterparty(msg.counterparty)


def connection_open_ack(msg: m.MsgConnectionOpenAck, addresses: AddressCodec) -> None:
    """Stateless checks of MsgConnectionOpenAck."""
    if not is_connection_id(msg.connection_id_on_a):
        raise InvalidConnectionIdentifier(msg.connection_id_on_a[:64])
    validate_connection_id(msg.connection_id_on_b)
    _version(msg.version)
    _proof(msg.proof_try, "try")
    addresses.decode(msg.signer, "signer")


def connection_open_confirm(msg: m.MsgConnectionOpenConfirm, addresses: AddressCodec) -> None:
    """Stateless checks of MsgConnectionOpenConfirm."""
    if not is_connection_id(msg.connection_id_on_b):
        raise InvalidConnectionIdentifier(msg.connection_id_on_b[:64])
    _proof(msg.proof_ack, "ack")
    addresses.decode(msg.signer, "signer")


def update_connection_params(msg: m.MsgUpdateConnectionParams, addresses: AddressCodec) -> None:
    """Stateless checks of MsgUpdateParams of connections."""
    addresses.decode(msg.signer, "signer")
    if msg.max_expected_time_per_block_ns == 0:
        raise InvalidRequest("max_expected_time_per_block: zero")


def channel_end(end: ChannelEnd) -> None:
    """Stateless checks of an end that is asked for.

    Raises:
        InvalidChannelOrdering, TooManyConnectionHops, InvalidIdentifier.
    """
    if end.ordering not in {Order.ORDERED, Order.UNORDERED}:
        raise InvalidChannelOrdering("ORDER_ORDERED or ORDER_UNORDERED", end.ordering.text)
    if len(end.connection_hops) != 1:
        raise TooManyConnectionHops(len(end.connection_hops))
    validate_connection_id(end.connection_id)
    validate_port_id(end.counterparty.port_id)
    if end.counterparty.channel_id:
        validate_channel_id(end.counterparty.channel_id)


def _channel_state(end: ChannelEnd, port_id: str, expected: ChannelState) -> None:
    if end.state is not expected:
        raise InvalidChannelState(port_id, expected.name, end.state.name)


def _channel_id(channel_id: str) -> None:
    if not is_channel_id(channel_id):
        raise InvalidChannelIdentifier(channel_id[:64])


def channel_open_init(msg: m.MsgChannelOpenInit, addresses: AddressCodec) -> None:
    """Stateless checks of MsgChannelOpenInit."""
    validate_port_id(msg.port_id_on_a)
    _channel_state(msg.channel, msg.port_id_on_a, ChannelState.INIT)
    if msg.channel.counterparty.channel_id:
        raise InvalidChannelCounterparty("channel identifier must be empty")
    addresses.decode(msg.signer, "signer")
    channel_end(msg.channel)


def channel_open_try(msg: m.MsgChannelOpenTry, addresses: AddressCodec) -> None:
    """Stateless checks of MsgChannelOpenTry."""
    validate_port_id(msg.port_id_on_b)
    if msg.previous_channel_id:
        raise InvalidChannelIdentifier(msg.previous_channel_id[:64])
    _proof(msg.proof_init, "init")
    _channel_state(msg.channel, msg.port_id_on_b, ChannelState.TRYOPEN)
    validate_channel_id(msg.channel.counterparty.channel_id)
    addresses.decode(msg.signer, "signer")
    channel_end(msg.channel)


def channel_open_ack(msg: m.MsgChannelOpenAck, addresses: AddressCodec) -> None:
    """Stateless checks of MsgChannelOpenAck."""
    validate_port_id(msg.port_id_on_a)
    _channel_id(msg.channel_id_on_a)
    validate_channel_id(msg.channel_id_on_b)
    _proof(msg.proof_try, "try")
    addresses.decode(msg.signer, "signer")


def channel_open_confirm(msg: m.MsgChannelOpenConfirm, addresses: AddressCodec) -> None:
    """Stateless checks of MsgChannelOpenConfirm."""
    validate_port_id(msg.port_id_on_b)
    _channel_id(msg.channel_id_on_b)
    _proof(msg.proof_ack, "ack")
    addresses.decode(msg.signer, "signer")


def channel_close_init(msg: m.MsgChannelCloseInit, addresses: AddressCodec) -> None:
    """Stateless checks of MsgChannelCloseInit."""
    validate_port_id(msg.port_id)
    _channel_id(msg.channel_id)
    addresses.decode(msg.signer, "signer")


def channel_close_confirm(msg: m.MsgChannelCloseConfirm, addresses: AddressCodec) -> None:
    """Stateless checks of MsgChannelCloseConfirm."""
    validate_port_id(msg.port_id)
    _channel_id(msg.channel_id)
    _proof(msg.proof_init, "init")
    addresses.decode(msg.signer, "signer")


def recv_packet(msg: m.MsgRecvPacket, addresses: AddressCodec) -> None:
    """Stateless checks of MsgRecvPacket."""
    _proof(msg.proof_commitment_on_a, "commitment")
    addresses.decode(msg.signer, "signer")
    msg.packet.validate_basic()


def acknowledgement(msg: m.MsgAcknowledgement, addresses: AddressCodec) -> None:
    """Stateless checks of MsgAcknowledgement."""
    _proof(msg.proof_ack_on_b, "acknowledgement")
    if not msg.acknowledgement:
        raise InvalidAcknowledgement("it is empty")
    addresses.decode(msg.signer, "signer")
    msg.packet.validate_basic()


def timeout(msg: m.MsgTimeout, addresses: AddressCodec) -> None:
    """Stateless checks of MsgTimeout."""
    _proof(msg.proof_unreceived_on_b, "unreceived")
    if msg.next_sequence_recv_on_b == 0:
        raise InvalidSequence("next_sequence_recv", 0)
    addresses.decode(msg.signer, "signer")
    msg.packet.validate_basic()


def timeout_on_close(msg: m.MsgTimeoutOnClose, addresses: AddressCodec) -> None:
    """Stateless checks of MsgTimeoutOnClose."""
    if msg.next_sequence_recv_on_b == 0:
        raise InvalidSequence("next_sequence_recv", 0)
    _proof(msg.proof_unreceived_on_b, "unreceived")
    _proof(msg.proof_close_on_b, "close")
    addresses.decode(msg.signer, "signer")
    msg.packet.validate_basic()


BASIC_CHECKS: dict[type[Any], Callable[[Any, AddressCodec], None]] = {
    m.MsgConnectionOpenInit: connection_open_init,
    m.MsgConnectionOpenTry: connection_open_try,
    m.MsgConnectionOpenAck: connection_open_ack,
    m.MsgConnectionOpenConfirm: connection_open_confirm,
    m.MsgUpdateConnectionParams: update_connection_params,
    m.MsgChannelOpenInit: channel_open_init,
    m.MsgChannelOpenTry: channel_open_try,
    m.MsgChannelOpenAck: channel_open_ack,
    m.MsgChannelOpenConfirm: channel_open_confirm,
    m.MsgChannelCloseInit: channel_close_init,
    m.MsgChannelCloseConfirm: channel_close_confirm,
    m.MsgRecvPacket: recv_packet,
    m.MsgAcknowledgement: acknowledgement,
    m.MsgTimeout: timeout,
    m.MsgTimeoutOnClose: timeout_on_close,
}
"""Message class -> its stateless checks."""
