"""Channel messages of ICS-4's first text (package `pyibc.channel.v1`): today's, for ends of any name."""

from collections.abc import Callable
from typing import TypeVar

from google.protobuf.message import Message

from ibc_core.messages import (
    MsgChannelCloseConfirm,
    MsgChannelCloseInit,
    MsgChannelOpenAck,
    MsgChannelOpenConfirm,
    MsgChannelOpenInit,
    MsgChannelOpenTry,
    MsgCleanupPacket,
    MsgTimeout,
)
from ibc_core.wire.encoding import encode
from ibc_core.wire.messages import channel, packet
from ibc_core.wire.messages.packet import pack_height, pack_packet, unpack_height, unpack_packet
from ibc_core.wire.states import pack_channel_end, unpack_channel_end
from ibc_core.wire.strict import parse
from ibc_proto.pyibc.channel.v1 import tx_pb2

OPEN_INIT = "/pyibc.channel.v1.MsgChannelOpenInit"
OPEN_TRY = "/pyibc.channel.v1.MsgChannelOpenTry"
OPEN_ACK = "/pyibc.channel.v1.MsgChannelOpenAck"
OPEN_CONFIRM = "/pyibc.channel.v1.MsgChannelOpenConfirm"
CLOSE_INIT = "/pyibc.channel.v1.MsgChannelCloseInit"
CLOSE_CONFIRM = "/pyibc.channel.v1.MsgChannelCloseConfirm"
TIMEOUT = "/pyibc.channel.v1.MsgTimeout"
CLEANUP_PACKET = "/pyibc.channel.v1.MsgCleanupPacket"

_M = TypeVar("_M")


def decode_open_init(raw: bytes) -> MsgChannelOpenInit:
    """`MsgChannelOpenInit`.

    Raises:
        TxDecode: `raw` is refused.
    """
    wire = parse(tx_pb2.MsgChannelOpenInit, raw)
    return MsgChannelOpenInit(wire.port_id, unpack_channel_end(wire.channel), wire.signer, wire.channel_id)


def encode_open_init(msg: MsgChannelOpenInit) -> bytes:
    """`MsgChannelOpenInit`."""
    return encode(
        tx_pb2.MsgChannelOpenInit(
            port_id=msg.port_id_on_a,
            channel=pack_channel_end(msg.channel),
            signer=msg.signer,
            channel_id=msg.channel_id_on_a,
        )
    )


def decode_open_try(raw: bytes) -> MsgChannelOpenTry:
    """`MsgChannelOpenTry`.

    Raises:
        TxDecode: `raw` is refused.
    """
    wire = parse(tx_pb2.MsgChannelOpenTry, raw)
    return MsgChannelOpenTry(
        wire.port_id,
        "",
        unpack_channel_end(wire.channel),
        wire.counterparty_version,
        wire.proof_init,
        unpack_height(wire.proof_height),
        wire.signer,
        wire.channel_id,
        wire.named_by_counterparty,
    )


def encode_open_try(msg: MsgChannelOpenTry) -> bytes:
    """`MsgChannelOpenTry`."""
    return encode(
        tx_pb2.MsgChannelOpenTry(
            port_id=msg.port_id_on_b,
            channel_id=msg.channel_id_on_b,
            channel=pack_channel_end(msg.channel),
            counterparty_version=msg.version_on_a,
            proof_init=msg.proof_init,
            proof_height=pack_height(msg.proof_height),
            signer=msg.signer,
            named_by_counterparty=msg.named_on_a,
        )
    )


def decode_cleanup_packet(raw: bytes) -> MsgCleanupPacket:
    """`MsgCleanupPacket`.

    Raises:
        TxDecode: `raw` is refused.
    """
    wire = parse(tx_pb2.MsgCleanupPacket, raw)
    return MsgCleanupPacket(
        unpack_packet(wire.packet),
        wire.proof_received,
        unpack_height(wire.proof_height),
        wire.next_sequence_recv,
        wire.acknowledgement,
        wire.signer,
    )


def encode_cleanup_packet(msg: MsgCleanupPacket) -> bytes:
    """`MsgCleanupPacket`."""
    return encode(
        tx_pb2.MsgCleanupPacket(
            packet=pack_packet(msg.packet),
            proof_received=msg.proof_received_on_b,
            proof_height=pack_height(msg.proof_height_on_b),
            next_sequence_recv=msg.next_sequence_recv_on_b,
            acknowledgement=msg.acknowledgement,
            signer=msg.signer,
        )
    )


def twin(cls: type[Message], decode: Callable[[bytes], _M]) -> Callable[[bytes], _M]:
    """The decoder of a message with the fields of today's: read strictly as its own, then as today's."""

    def decode_twin(raw: bytes) -> _M:
        parse(cls, raw)
        return decode(raw)

    return decode_twin


decode_open_ack: Callable[[bytes], MsgChannelOpenAck] = twin(
    tx_pb2.MsgChannelOpenAck, channel.decode_open_ack
)
decode_open_confirm: Callable[[bytes], MsgChannelOpenConfirm] = twin(
    tx_pb2.MsgChannelOpenConfirm, channel.decode_open_confirm
)
decode_close_init: Callable[[bytes], MsgChannelCloseInit] = twin(
    tx_pb2.MsgChannelCloseInit, channel.decode_close_init
)
decode_close_confirm: Callable[[bytes], MsgChannelCloseConfirm] = twin(
    tx_pb2.MsgChannelCloseConfirm, channel.decode_close_confirm
)
decode_timeout: Callable[[bytes], MsgTimeout] = twin(tx_pb2.MsgTimeout, packet.decode_timeout)

encode_open_ack = channel.encode_open_ack
encode_open_confirm = channel.encode_open_confirm
encode_close_init = channel.encode_close_init
encode_close_confirm = channel.encode_close_confirm
encode_timeout = packet.encode_timeout
