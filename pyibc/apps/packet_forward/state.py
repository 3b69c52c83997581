"""Store of packet forwarding: forwarded packets without an acknowledgement."""

from typing import Annotated, NamedTuple

from pyibc.core.height import parse_height
from pyibc.core.host.context import ReadContext, WriteContext
from pyibc.core.packet.types import Packet
from pyibc.core.value import sealed
from pyibc.core.wire.columns import Wire
from pyibc.core.wire.states import read
from pyibc.core.wire.table import on_wire, table_of, unpack
from pyibc.proto.ibc.applications.packet_forward_middleware.v1 import genesis_pb2


@on_wire(genesis_pb2.InFlightPacket)
@sealed
class InFlight(NamedTuple):
    """Original packet of a forwarded one, to refund or acknowledge later; chain A is its source."""

    original_sender_address: str  # on chain A
    channel_id_on_b: Annotated[str, Wire("refund_channel_id")]  # of this chain
    port_id_on_b: Annotated[str, Wire("refund_port_id")]
    channel_id_on_a: Annotated[str, Wire("packet_src_channel_id")]
    port_id_on_a: Annotated[str, Wire("packet_src_port_id")]
    timeout_ns_on_b: Annotated[int, Wire("packet_timeout_timestamp")]  # of the original packet
    timeout_height_on_b: Annotated[str, Wire("packet_timeout_height")]  # revision-height
    data: Annotated[bytes, Wire("packet_data")]
    sequence: Annotated[int, Wire("refund_sequence")]
    retries_remaining: int
    timeout_ns: Annotated[int, Wire("timeout")]  # of each attempt, from the block time

    @property
    def packet(self) -> Packet:
        """Original packet.

        Raises:
            InvalidHeight: the stored timeout is not a height (only in a hand-written genesis).
        """
        return Packet(
            self.sequence,
            self.port_id_on_a,
            self.channel_id_on_a,
            self.port_id_on_b,
            self.channel_id_on_b,
            self.data,
            parse_height(self.timeout_height_on_b),
            self.timeout_ns_on_b,
        )


def encode_in_flight(entry: InFlight) -> bytes:
    """Encode an entry."""
    return table_of(InFlight).encode(entry)


def decode_in_flight(raw: bytes) -> InFlight:
    """Decode an entry.

    Raises:
        CorruptState: `raw` is not an entry.
    """
    return unpack(InFlight, read(genesis_pb2.InFlightPacket, raw))


STORE_NAME = "packetfowardmiddleware"
"""Store name, misspelled as in ibc-go."""


def in_flight_path(port_id: str, channel_id: str, sequence: int) -> bytes:
    """Return the key of a forwarded packet; its value is an InFlightPacket."""
    # guard: h173-any-packet-of-the-channel-settles-it drop:sequence test_h173_only_the_very_packet_settles_it
    return f"{channel_id}/{port_id}/{sequence}".encode()


def in_flight(ctx: ReadContext, sent: Packet) -> InFlight | None:
    """Return the original packet of the forwarded packet `sent`, None if it was not forwarded."""
    raw = ctx.reader(STORE_NAME).get(_path(sent))
    return decode_in_flight(raw) if raw else None


def set_in_flight(ctx: WriteContext, port_id: str, channel_id: str, sequence: int, entry: InFlight) -> None:
    """Store the original packet of a forwarded one."""
    ctx.store(STORE_NAME).set(in_flight_path(port_id, channel_id, sequence), encode_in_flight(entry))


def remove_in_flight(ctx: WriteContext, sent: Packet) -> None:
    """Delete the entry of a forwarded packet: it is acknowledged, or sent again."""
    ctx.store(STORE_NAME).delete(_path(sent))


def _path(sent: Packet) -> bytes:
    return in_flight_path(sent.port_id_on_a, sent.channel_id_on_a, sent.sequence)
