"""Stateless checks of the messages of ICS-4's first text: the standard ones, with chosen names apart.

Whether a chosen name can be had is checked with the state, in `handlers.names`.
"""

from dataclasses import replace

from ibc_core import basic_checks as standard
from ibc_core import messages as m
from ibc_core.address import AddressCodec
from ibc_core.channel.types import ChannelCounterparty
from ibc_core.connection.types import ConnectionCounterparty
from ibc_core.errors import InvalidChannelIdentifier, InvalidConnectionIdentifier, InvalidProof
from ibc_core.identifiers import is_channel_id, is_connection_id, validate_channel_id, validate_connection_id

_CONNECTION = "connection-0"
_CHANNEL = "channel-0"
"""Names that pass the standard checks, in place of chosen ones that were checked before."""


def chosen_far_channel(channel_id: str) -> None:
    """Checks the name chosen for the other chain's end; "" passes.

    Raises:
        InvalidIdentifier: ICS-24 does not allow it.
        InvalidChannelIdentifier: of the form that the other chain generates: no one can know its next.
    """
    if channel_id:
        validate_channel_id(channel_id)
    if is_channel_id(channel_id):
        raise InvalidChannelIdentifier(channel_id)


def connection_open_init(msg: m.MsgConnectionOpenInit, addresses: AddressCodec) -> None:
    """Stateless checks of MsgConnectionOpenInit with chosen names."""
    far = msg.counterparty
    if is_connection_id(far.connection_id):
        raise InvalidConnectionIdentifier(far.connection_id)
    if far.connection_id:
        validate_connection_id(far.connection_id)
    unnamed = ConnectionCounterparty(far.client_id, "", far.prefix)
    standard.connection_open_init(replace(msg, counterparty=unnamed), addresses)


def connection_open_ack(msg: m.MsgConnectionOpenAck, addresses: AddressCodec) -> None:
    """Stateless checks of MsgConnectionOpenAck for a connection of any name."""
    validate_connection_id(msg.connection_id_on_a)
    standard.connection_open_ack(replace(msg, connection_id_on_a=_CONNECTION), addresses)


def connection_open_confirm(msg: m.MsgConnectionOpenConfirm, addresses: AddressCodec) -> None:
    """Stateless checks of MsgConnectionOpenConfirm for a connection of any name."""
    validate_connection_id(msg.connection_id_on_b)
    standard.connection_open_confirm(replace(msg, connection_id_on_b=_CONNECTION), addresses)


def channel_open_init(msg: m.MsgChannelOpenInit, addresses: AddressCodec) -> None:
    """Stateless checks of MsgChannelOpenInit with chosen names."""
    far = msg.channel.counterparty
    chosen_far_channel(far.channel_id)
    unnamed = replace(msg.channel, counterparty=ChannelCounterparty(far.port_id, ""))
    standard.channel_open_init(replace(msg, channel=unnamed), addresses)


def channel_open_ack(msg: m.MsgChannelOpenAck, addresses: AddressCodec) -> None:
    """Stateless checks of MsgChannelOpenAck for a channel of any name."""
    validate_channel_id(msg.channel_id_on_a)
    standard.channel_open_ack(replace(msg, channel_id_on_a=_CHANNEL), addresses)


def channel_open_confirm(msg: m.MsgChannelOpenConfirm, addresses: AddressCodec) -> None:
    """Stateless checks of MsgChannelOpenConfirm for a channel of any name."""
    validate_channel_id(msg.channel_id_on_b)
    standard.channel_open_confirm(replace(msg, channel_id_on_b=_CHANNEL), addresses)


def channel_close_init(msg: m.MsgChannelCloseInit, addresses: AddressCodec) -> None:
    """Stateless checks of MsgChannelCloseInit for a channel of any name."""
    validate_channel_id(msg.channel_id)
    standard.channel_close_init(replace(msg, channel_id=_CHANNEL), addresses)


def channel_close_confirm(msg: m.MsgChannelCloseConfirm, addresses: AddressCodec) -> None:
    """Stateless checks of MsgChannelCloseConfirm for a channel of any name."""
    validate_channel_id(msg.channel_id)
    standard.channel_close_confirm(replace(msg, channel_id=_CHANNEL), addresses)


def timeout(msg: m.MsgTimeout, addresses: AddressCodec) -> None:
    """Stateless checks of MsgTimeout; next sequence 0 says that the other chain has no such channel."""
    standard.timeout(replace(msg, next_sequence_recv_on_b=msg.next_sequence_recv_on_b or 1), addresses)


def cleanup_packet(msg: m.MsgCleanupPacket, addresses: AddressCodec) -> None:
    """Stateless checks of MsgCleanupPacket."""
    if not msg.proof_received_on_b:
        raise InvalidProof("empty received proof")
    addresses.decode(msg.signer, "signer")
    msg.packet.validate_basic()
