"""Values of IBC v2 in the `ibc` store, to bytes and back: packets, counterparties, configurations."""

from ibc_core.client_v2.types import ClientCounterparty
from ibc_core.kept import kept
from ibc_core.packet_v2.types import AcknowledgementV2, PacketV2
from ibc_core.wire.encoding import encode
from ibc_core.wire.states import read
from ibc_core.wire.table import pack, unpack
from ibc_proto.ibc.core.channel.v2 import packet_pb2
from ibc_proto.ibc.core.client.v2 import config_pb2, counterparty_pb2


def encode_counterparty(counterparty: ClientCounterparty) -> bytes:
    """`ibc.core.client.v2.CounterpartyInfo`."""
    return encode(pack(counterparty))


@kept(1024)
def decode_counterparty(raw: bytes) -> ClientCounterparty:
    """A stored `CounterpartyInfo`.

    Raises:
        CorruptState: it cannot be decoded.
    """
    return unpack(ClientCounterparty, read(counterparty_pb2.CounterpartyInfo, raw))


def encode_config(allowed_relayers: tuple[str, ...]) -> bytes:
    """`ibc.core.client.v2.Config`."""
    return encode(config_pb2.Config(allowed_relayers=allowed_relayers))


@kept(1024)
def decode_config(raw: bytes) -> tuple[str, ...]:
    """The allowed relayers of a stored `Config`.

    Raises:
        CorruptState: it cannot be decoded.
    """
    return tuple(read(config_pb2.Config, raw).allowed_relayers)


def encode_packet(packet: PacketV2) -> bytes:
    """`ibc.core.channel.v2.Packet`."""
    return encode(pack(packet))


def decode_packet(raw: bytes) -> PacketV2:
    """A stored `Packet`.

    Raises:
        CorruptState: it cannot be decoded.
    """
    return unpack(PacketV2, read(packet_pb2.Packet, raw))


def encode_acknowledgement(acknowledgement: AcknowledgementV2) -> bytes:
    """`ibc.core.channel.v2.Acknowledgement`."""
    return encode(packet_pb2.Acknowledgement(app_acknowledgements=acknowledgement))


def decode_acknowledgement(raw: bytes) -> AcknowledgementV2:
    """`ibc.core.channel.v2.Acknowledgement`.

    Raises:
        CorruptState: it cannot be decoded.
    """
    return tuple(read(packet_pb2.Acknowledgement, raw).app_acknowledgements)
