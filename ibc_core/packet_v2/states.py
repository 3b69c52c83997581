"""Values of IBC v2 in the `ibc` store, to bytes and back: packets, counterparties, configurations."""

from functools import lru_cache

from ibc_core.client_v2.types import ClientCounterparty
from ibc_core.packet_v2.types import AcknowledgementV2, PacketV2, Payload
from ibc_core.wire.encoding import encode
from ibc_core.wire.states import read
from ibc_proto.ibc.core.channel.v2 import packet_pb2
from ibc_proto.ibc.core.client.v2 import config_pb2, counterparty_pb2


def encode_counterparty(counterparty: ClientCounterparty) -> bytes:
    """`ibc.core.client.v2.CounterpartyInfo`."""
    return encode(
        counterparty_pb2.CounterpartyInfo(
            merkle_prefix=counterparty.merkle_prefix, client_id=counterparty.client_id
        )
    )


@lru_cache(1024)
def decode_counterparty(raw: bytes) -> ClientCounterparty:
    """A stored `CounterpartyInfo`.

    Raises:
        CorruptState: it cannot be decoded.
    """
    stored = read(counterparty_pb2.CounterpartyInfo, raw)
    return ClientCounterparty(tuple(stored.merkle_prefix), stored.client_id)


def encode_config(allowed_relayers: tuple[str, ...]) -> bytes:
    """`ibc.core.client.v2.Config`."""
    return encode(config_pb2.Config(allowed_relayers=allowed_relayers))


@lru_cache(1024)
def decode_config(raw: bytes) -> tuple[str, ...]:
    """The allowed relayers of a stored `Config`.

    Raises:
        CorruptState: it cannot be decoded.
    """
    return tuple(read(config_pb2.Config, raw).allowed_relayers)


def encode_packet(packet: PacketV2) -> bytes:
    """`ibc.core.channel.v2.Packet`."""
    return encode(pack_packet(packet))


def decode_packet(raw: bytes) -> PacketV2:
    """A stored `Packet`.

    Raises:
        CorruptState: it cannot be decoded.
    """
    return unpack_packet(read(packet_pb2.Packet, raw))


def encode_acknowledgement(acknowledgement: AcknowledgementV2) -> bytes:
    """`ibc.core.channel.v2.Acknowledgement`."""
    return encode(packet_pb2.Acknowledgement(app_acknowledgements=acknowledgement))


def decode_acknowledgement(raw: bytes) -> AcknowledgementV2:
    """`ibc.core.channel.v2.Acknowledgement`.

    Raises:
        CorruptState: it cannot be decoded.
    """
    return tuple(read(packet_pb2.Acknowledgement, raw).app_acknowledgements)


# -- parts that stored values and messages share


def pack_packet(packet: PacketV2) -> packet_pb2.Packet:
    """A packet as a message."""
    return packet_pb2.Packet(
        sequence=packet.sequence,
        source_client=packet.client_id_on_a,
        destination_client=packet.client_id_on_b,
        timeout_timestamp=packet.timeout_s_on_b,
        payloads=[pack_payload(payload) for payload in packet.payloads],
    )


def unpack_packet(packet: packet_pb2.Packet) -> PacketV2:
    """A packet as a value."""
    return PacketV2(
        packet.sequence,
        packet.source_client,
        packet.destination_client,
        packet.timeout_timestamp,
        tuple([unpack_payload(payload) for payload in packet.payloads]),
    )


def pack_payload(payload: Payload) -> packet_pb2.Payload:
    """A payload as a message."""
    return packet_pb2.Payload(
        source_port=payload.port_id_on_a,
        destination_port=payload.port_id_on_b,
        version=payload.version,
        encoding=payload.encoding,
        value=payload.value,
    )


def unpack_payload(payload: packet_pb2.Payload) -> Payload:
    """A payload as a value."""
    return Payload(
        payload.source_port, payload.destination_port, payload.version, payload.encoding, payload.value
    )
