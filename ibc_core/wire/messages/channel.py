"""Channel handshake and closing messages (ICS-4)."""

from ibc_core.messages import (
    MsgChannelCloseConfirm,
    MsgChannelCloseInit,
    MsgChannelOpenAck,
    MsgChannelOpenConfirm,
    MsgChannelOpenInit,
    MsgChannelOpenTry,
)
from ibc_core.wire.encoding import encode
from ibc_core.wire.interfaces import BUILTIN, KnownTypes
from ibc_core.wire.messages.packet import pack_height, unpack_height
from ibc_core.wire.states import pack_channel_end, unpack_channel_end
from ibc_core.wire.strict import parse
from ibc_proto.ibc.core.channel.v1 import tx_pb2

OPEN_INIT = "/ibc.core.channel.v1.MsgChannelOpenInit"
OPEN_TRY = "/ibc.core.channel.v1.MsgChannelOpenTry"
OPEN_ACK = "/ibc.core.channel.v1.MsgChannelOpenAck"
OPEN_CONFIRM = "/ibc.core.channel.v1.MsgChannelOpenConfirm"
CLOSE_INIT = "/ibc.core.channel.v1.MsgChannelCloseInit"
CLOSE_CONFIRM = "/ibc.core.channel.v1.MsgChannelCloseConfirm"


def decode_open_init(raw: bytes, known: KnownTypes = BUILTIN) -> MsgChannelOpenInit:
    """`MsgChannelOpenInit`.

    Raises:
        TxDecode: `raw` is refused.
    """
    wire = parse(tx_pb2.MsgChannelOpenInit, raw, known=known)
    return MsgChannelOpenInit(wire.port_id, unpack_channel_end(wire.channel), wire.signer)


def encode_open_init(msg: MsgChannelOpenInit) -> bytes:
    """`MsgChannelOpenInit`."""
    return encode(
        tx_pb2.MsgChannelOpenInit(
            port_id=msg.port_id_on_a, channel=pack_channel_end(msg.channel), signer=msg.signer
        )
    )


def decode_open_try(raw: bytes, known: KnownTypes = BUILTIN) -> MsgChannelOpenTry:
    """`MsgChannelOpenTry`.

    Raises:
        TxDecode: `raw` is refused.
    """
    wire = parse(tx_pb2.MsgChannelOpenTry, raw, known=known)
    return MsgChannelOpenTry(
        wire.port_id,
        wire.previous_channel_id,
        unpack_channel_end(wire.channel),
        wire.counterparty_version,
        wire.proof_init,
        unpack_height(wire.proof_height),
        wire.signer,
    )


def encode_open_try(msg: MsgChannelOpenTry) -> bytes:
    """`MsgChannelOpenTry`."""
    return encode(
        tx_pb2.MsgChannelOpenTry(
            port_id=msg.port_id_on_b,
            previous_channel_id=msg.previous_channel_id,
            channel=pack_channel_end(msg.channel),
            counterparty_version=msg.version_on_a,
            proof_init=msg.proof_init,
            proof_height=pack_height(msg.proof_height),
            signer=msg.signer,
        )
    )


def decode_open_ack(raw: bytes, known: KnownTypes = BUILTIN) -> MsgChannelOpenAck:
    """`MsgChannelOpenAck`.

    Raises:
        TxDecode: `raw` is refused.
    """
    wire = parse(tx_pb2.MsgChannelOpenAck, raw, known=known)
    return MsgChannelOpenAck(
        wire.port_id,
        wire.channel_id,
        wire.counterparty_channel_id,
        wire.counterparty_version,
        wire.proof_try,
        unpack_height(wire.proof_height),
        wire.signer,
    )


def encode_open_ack(msg: MsgChannelOpenAck) -> bytes:
    """`MsgChannelOpenAck`."""
    return encode(
        tx_pb2.MsgChannelOpenAck(
            port_id=msg.port_id_on_a,
            channel_id=msg.channel_id_on_a,
            counterparty_channel_id=msg.channel_id_on_b,
            counterparty_version=msg.version_on_b,
            proof_try=msg.proof_try,
            proof_height=pack_height(msg.proof_height),
            signer=msg.signer,
        )
    )


def decode_open_confirm(raw: bytes, known: KnownTypes = BUILTIN) -> MsgChannelOpenConfirm:
    """`MsgChannelOpenConfirm`.

    Raises:
        TxDecode: `raw` is refused.
    """
    wire = parse(tx_pb2.MsgChannelOpenConfirm, raw, known=known)
    return MsgChannelOpenConfirm(
        wire.port_id, wire.channel_id, wire.proof_ack, unpack_height(wire.proof_height), wire.signer
    )


def encode_open_confirm(msg: MsgChannelOpenConfirm) -> bytes:
    """`MsgChannelOpenConfirm`."""
    return encode(
        tx_pb2.MsgChannelOpenConfirm(
            port_id=msg.port_id_on_b,
            channel_id=msg.channel_id_on_b,
            proof_ack=msg.proof_ack,
            proof_height=pack_height(msg.proof_height),
            signer=msg.signer,
        )
    )


def decode_close_init(raw: bytes, known: KnownTypes = BUILTIN) -> MsgChannelCloseInit:
    """`MsgChannelCloseInit`.

    Raises:
        TxDecode: `raw` is refused.
    """
    wire = parse(tx_pb2.MsgChannelCloseInit, raw, known=known)
    return MsgChannelCloseInit(wire.port_id, wire.channel_id, wire.signer)


def encode_close_init(msg: MsgChannelCloseInit) -> bytes:
    """`MsgChannelCloseInit`."""
    return encode(
        tx_pb2.MsgChannelCloseInit(port_id=msg.port_id, channel_id=msg.channel_id, signer=msg.signer)
    )


def decode_close_confirm(raw: bytes, known: KnownTypes = BUILTIN) -> MsgChannelCloseConfirm:
    """`MsgChannelCloseConfirm`.

    Raises:
        TxDecode: `raw` is refused.
    """
    wire = parse(tx_pb2.MsgChannelCloseConfirm, raw, known=known)
    return MsgChannelCloseConfirm(
        wire.port_id, wire.channel_id, wire.proof_init, unpack_height(wire.proof_height), wire.signer
    )


def encode_close_confirm(msg: MsgChannelCloseConfirm) -> bytes:
    """`MsgChannelCloseConfirm`."""
    return encode(
        tx_pb2.MsgChannelCloseConfirm(
            port_id=msg.port_id,
            channel_id=msg.channel_id,
            proof_init=msg.proof_init,
            proof_height=pack_height(msg.proof_height),
            signer=msg.signer,
        )
    )
