"""Packet messages of classic channels (ICS-4)."""

from ibc_core.height import Height
from ibc_core.messages import MsgAcknowledgement, MsgRecvPacket, MsgTimeout, MsgTimeoutOnClose
from ibc_core.packet.types import Packet
from ibc_core.wire.encoding import encode
from ibc_core.wire.interfaces import BUILTIN, KnownTypes
from ibc_core.wire.strict import parse
from ibc_proto.ibc.core.channel.v1 import channel_pb2, tx_pb2
from ibc_proto.ibc.core.client.v1 import client_pb2

RECV_PACKET = "/ibc.core.channel.v1.MsgRecvPacket"
ACKNOWLEDGEMENT = "/ibc.core.channel.v1.MsgAcknowledgement"
TIMEOUT = "/ibc.core.channel.v1.MsgTimeout"
TIMEOUT_ON_CLOSE = "/ibc.core.channel.v1.MsgTimeoutOnClose"


def decode_recv_packet(raw: bytes, known: KnownTypes = BUILTIN) -> MsgRecvPacket:
    """`MsgRecvPacket`.

    Raises:
        TxDecode: `raw` is refused.
    """
    wire = parse(tx_pb2.MsgRecvPacket, raw, known=known)
    return MsgRecvPacket(
        unpack_packet(wire.packet), wire.proof_commitment, unpack_height(wire.proof_height), wire.signer
    )


def encode_recv_packet(msg: MsgRecvPacket) -> bytes:
    """`MsgRecvPacket`."""
    return encode(
        tx_pb2.MsgRecvPacket(
            packet=pack_packet(msg.packet),
            proof_commitment=msg.proof_commitment_on_a,
            proof_height=pack_height(msg.proof_height_on_a),
            signer=msg.signer,
        )
    )


def decode_acknowledgement(raw: bytes, known: KnownTypes = BUILTIN) -> MsgAcknowledgement:
    """`MsgAcknowledgement`.

    Raises:
        TxDecode: `raw` is refused.
    """
    wire = parse(tx_pb2.MsgAcknowledgement, raw, known=known)
    return MsgAcknowledgement(
        unpack_packet(wire.packet),
        wire.acknowledgement,
        wire.proof_acked,
        unpack_height(wire.proof_height),
        wire.signer,
    )


def encode_acknowledgement(msg: MsgAcknowledgement) -> bytes:
    """`MsgAcknowledgement`."""
    return encode(
        tx_pb2.MsgAcknowledgement(
            packet=pack_packet(msg.packet),
            acknowledgement=msg.acknowledgement,
            proof_acked=msg.proof_ack_on_b,
            proof_height=pack_height(msg.proof_height_on_b),
            signer=msg.signer,
        )
    )


def decode_timeout(raw: bytes, known: KnownTypes = BUILTIN) -> MsgTimeout:
    """`MsgTimeout`.

    Raises:
        TxDecode: `raw` is refused.
    """
    wire = parse(tx_pb2.MsgTimeout, raw, known=known)
    return MsgTimeout(
        unpack_packet(wire.packet),
        wire.proof_unreceived,
        unpack_height(wire.proof_height),
        wire.next_sequence_recv,
        wire.signer,
    )


def encode_timeout(msg: MsgTimeout) -> bytes:
    """`MsgTimeout`."""
    return encode(
        tx_pb2.MsgTimeout(
            packet=pack_packet(msg.packet),
            proof_unreceived=msg.proof_unreceived_on_b,
            proof_height=pack_height(msg.proof_height_on_b),
            next_sequence_recv=msg.next_sequence_recv_on_b,
            signer=msg.signer,
        )
    )


def decode_timeout_on_close(raw: bytes, known: KnownTypes = BUILTIN) -> MsgTimeoutOnClose:
    """`MsgTimeoutOnClose`.

    Raises:
        TxDecode: `raw` is refused.
    """
    wire = parse(tx_pb2.MsgTimeoutOnClose, raw, known=known)
    return MsgTimeoutOnClose(
        unpack_packet(wire.packet),
        wire.proof_unreceived,
        wire.proof_close,
        unpack_height(wire.proof_height),
        wire.next_sequence_recv,
        wire.signer,
    )


def encode_timeout_on_close(msg: MsgTimeoutOnClose) -> bytes:
    """`MsgTimeoutOnClose`."""
    return encode(
        tx_pb2.MsgTimeoutOnClose(
            packet=pack_packet(msg.packet),
            proof_unreceived=msg.proof_unreceived_on_b,
            proof_close=msg.proof_close_on_b,
            proof_height=pack_height(msg.proof_height_on_b),
            next_sequence_recv=msg.next_sequence_recv_on_b,
            signer=msg.signer,
        )
    )


def unpack_packet(packet: channel_pb2.Packet) -> Packet:
    """A packet as a value."""
    return Packet(
        packet.sequence,
        packet.source_port,
        packet.source_channel,
        packet.destination_port,
        packet.destination_channel,
        packet.data,
        unpack_height(packet.timeout_height),
        packet.timeout_timestamp,
    )


def pack_packet(packet: Packet) -> channel_pb2.Packet:
    """A packet as a message."""
    return channel_pb2.Packet(
        sequence=packet.sequence,
        source_port=packet.port_id_on_a,
        source_channel=packet.channel_id_on_a,
        destination_port=packet.port_id_on_b,
        destination_channel=packet.channel_id_on_b,
        data=packet.data,
        timeout_height=pack_height(packet.timeout_height_on_b),
        timeout_timestamp=packet.timeout_ns_on_b,
    )


def unpack_height(height: client_pb2.Height) -> Height:
    """A height as a value."""
    return Height(height.revision_number, height.revision_height)


def pack_height(height: Height) -> client_pb2.Height:
    """A height as a message."""
    return client_pb2.Height(revision_number=height.revision_number, revision_height=height.revision_height)
