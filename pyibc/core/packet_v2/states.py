"""Encodings of IBC v2 values in the `ibc` store: packets, counterparties, configurations."""

from pyibc.codec.encoding import encode
from pyibc.core.client_v2 import ClientCounterparty
from pyibc.core.memo import memoize
from pyibc.core.packet_v2.types import AcknowledgementV2, PacketV2
from pyibc.core.wire.states import read
from pyibc.core.wire.table import pack, unpack
from pyibc.proto.ibc.core.channel.v2 import packet_pb2
from pyibc.proto.ibc.core.client.v2 import config_pb2, counterparty_pb2


def encode_counterparty(counterparty: ClientCounterparty) -> bytes:
    """Return the encoding of a counterparty, an `ibc.core.client.v2.CounterpartyInfo`."""
    return encode(pack(counterparty))


@memoize(1024)
def decode_counterparty(raw: bytes) -> ClientCounterparty:
    """Return the client counterparty in a stored `CounterpartyInfo`.

    Raises:
        CorruptState: the bytes are malformed.
    """
    return unpack(ClientCounterparty, read(counterparty_pb2.CounterpartyInfo, raw))


def encode_config(allowed_relayers: tuple[str, ...]) -> bytes:
    """Return the encoding of a client's configuration, an `ibc.core.client.v2.Config`."""
    return encode(config_pb2.Config(allowed_relayers=allowed_relayers))


@memoize(1024)
def decode_config(raw: bytes) -> tuple[str, ...]:
    """Return the allowed relayers in a stored `Config`.

    Raises:
        CorruptState: the bytes are malformed.
    """
    return tuple(read(config_pb2.Config, raw).allowed_relayers)


def encode_packet(packet: PacketV2) -> bytes:
    """Return the encoding of a packet, an `ibc.core.channel.v2.Packet`."""
    return encode(pack(packet))


def decode_packet(raw: bytes) -> PacketV2:
    """Return the packet in a stored `Packet`.

    Raises:
        CorruptState: the bytes are malformed.
    """
    return unpack(PacketV2, read(packet_pb2.Packet, raw))


def encode_acknowledgement(acknowledgement: AcknowledgementV2) -> bytes:
    """Return the encoding of an acknowledgement, an `ibc.core.channel.v2.Acknowledgement`."""
    return encode(packet_pb2.Acknowledgement(app_acknowledgements=acknowledgement))


def decode_acknowledgement(raw: bytes) -> AcknowledgementV2:
    """Return the acknowledgement in an `ibc.core.channel.v2.Acknowledgement`.

    Raises:
        CorruptState: the bytes are malformed.
    """
    return tuple(read(packet_pb2.Acknowledgement, raw).app_acknowledgements)
