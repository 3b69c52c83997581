"""Packet messages of IBC v2."""

from ibc_core.messages_v2 import MsgAcknowledgementV2, MsgRecvPacketV2, MsgSendPacket, MsgTimeoutV2
from ibc_core.packet_v2.states import pack_packet, pack_payload, unpack_packet, unpack_payload
from ibc_core.wire.encoding import encode
from ibc_core.wire.interfaces import BUILTIN, KnownTypes
from ibc_core.wire.messages.packet import pack_height, unpack_height
from ibc_core.wire.strict import parse
from ibc_proto.ibc.core.channel.v2 import packet_pb2, tx_pb2

SEND_PACKET = "/ibc.core.channel.v2.MsgSendPacket"
RECV_PACKET = "/ibc.core.channel.v2.MsgRecvPacket"
ACKNOWLEDGEMENT = "/ibc.core.channel.v2.MsgAcknowledgement"
TIMEOUT = "/ibc.core.channel.v2.MsgTimeout"


def decode_send_packet(raw: bytes, known: KnownTypes = BUILTIN) -> MsgSendPacket:
    """`MsgSendPacket`.

    Raises:
        TxDecode: `raw` is refused.
    """
    wire = parse(tx_pb2.MsgSendPacket, raw, known=known)
    payloads = tuple([unpack_payload(payload) for payload in wire.payloads])
    return MsgSendPacket(wire.source_client, wire.timeout_timestamp, payloads, wire.signer)


def encode_send_packet(msg: MsgSendPacket) -> bytes:
    """`MsgSendPacket`."""
    return encode(
        tx_pb2.MsgSendPacket(
            source_client=msg.client_id_on_a,
            timeout_timestamp=msg.timeout_s_on_b,
            payloads=[pack_payload(payload) for payload in msg.payloads],
            signer=msg.signer,
        )
    )


def encode_send_packet_response(sequence: int) -> bytes:
    """`MsgSendPacketResponse`."""
    return encode(tx_pb2.MsgSendPacketResponse(sequence=sequence))


def decode_recv_packet(raw: bytes, known: KnownTypes = BUILTIN) -> MsgRecvPacketV2:
    """`MsgRecvPacket`.

    Raises:
        TxDecode: `raw` is refused.
    """
    wire = parse(tx_pb2.MsgRecvPacket, raw, known=known)
    return MsgRecvPacketV2(
        unpack_packet(wire.packet), wire.proof_commitment, unpack_height(wire.proof_height), wire.signer
    )


def encode_recv_packet(msg: MsgRecvPacketV2) -> bytes:
    """`MsgRecvPacket`."""
    return encode(
        tx_pb2.MsgRecvPacket(
            packet=pack_packet(msg.packet),
            proof_commitment=msg.proof_commitment_on_a,
            proof_height=pack_height(msg.proof_height_on_a),
            signer=msg.signer,
        )
    )


def decode_acknowledgement(raw: bytes, known: KnownTypes = BUILTIN) -> MsgAcknowledgementV2:
    """`MsgAcknowledgement`.

    Raises:
        TxDecode: `raw` is refused.
    """
    wire = parse(tx_pb2.MsgAcknowledgement, raw, known=known)
    return MsgAcknowledgementV2(
        unpack_packet(wire.packet),
        tuple(wire.acknowledgement.app_acknowledgements),
        wire.proof_acked,
        unpack_height(wire.proof_height),
        wire.signer,
    )


def encode_acknowledgement(msg: MsgAcknowledgementV2) -> bytes:
    """`MsgAcknowledgement`."""
    return encode(
        tx_pb2.MsgAcknowledgement(
            packet=pack_packet(msg.packet),
            acknowledgement=packet_pb2.Acknowledgement(app_acknowledgements=msg.acknowledgement),
            proof_acked=msg.proof_ack_on_b,
            proof_height=pack_height(msg.proof_height_on_b),
            signer=msg.signer,
        )
    )


def decode_timeout(raw: bytes, known: KnownTypes = BUILTIN) -> MsgTimeoutV2:
    """`MsgTimeout`.

    Raises:
        TxDecode: `raw` is refused.
    """
    wire = parse(tx_pb2.MsgTimeout, raw, known=known)
    return MsgTimeoutV2(
        unpack_packet(wire.packet), wire.proof_unreceived, unpack_height(wire.proof_height), wire.signer
    )


def encode_timeout(msg: MsgTimeoutV2) -> bytes:
    """`MsgTimeout`."""
    return encode(
        tx_pb2.MsgTimeout(
            packet=pack_packet(msg.packet),
            proof_unreceived=msg.proof_unreceived_on_b,
            proof_height=pack_height(msg.proof_height_on_b),
            signer=msg.signer,
        )
    )
