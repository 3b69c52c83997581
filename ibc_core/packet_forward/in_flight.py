"""What a chain keeps of a packet that it forwarded, until it may be answered."""

from typing import Annotated, NamedTuple

from ibc_core.height import parse_height
from ibc_core.packet.types import Packet
from ibc_core.value import sealed
from ibc_core.wire.columns import Wire
from ibc_core.wire.states import read
from ibc_core.wire.table import on_wire, table_of, unpack
from ibc_proto.ibc.applications.packet_forward_middleware.v1 import genesis_pb2


@on_wire(genesis_pb2.InFlightPacket)
@sealed
class InFlight(NamedTuple):
    """The packet that came, which is refunded or answered later; A is the chain that it came from."""

    original_sender_address: str  # on chain A
    channel_id_on_b: Annotated[str, Wire("refund_channel_id")]  # of this chain
    port_id_on_b: Annotated[str, Wire("refund_port_id")]
    channel_id_on_a: Annotated[str, Wire("packet_src_channel_id")]
    port_id_on_a: Annotated[str, Wire("packet_src_port_id")]
    timeout_ns_on_b: Annotated[int, Wire("packet_timeout_timestamp")]  # of the packet that came
    timeout_height_on_b: Annotated[str, Wire("packet_timeout_height")]  # revision-height
    data: Annotated[bytes, Wire("packet_data")]
    sequence: Annotated[int, Wire("refund_sequence")]
    retries_remaining: int
    timeout_ns: Annotated[int, Wire("timeout")]  # of each try, from the block's time on

    @property
    def packet(self) -> Packet:
        """The packet that came.

        Raises:
            InvalidHeight: the entry was written by hand, with a timeout that is no height.
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


def encode_in_flight(waiting: InFlight) -> bytes:
    """As it is stored."""
    return table_of(InFlight).encode(waiting)


def decode_in_flight(raw: bytes) -> InFlight:
    """What is stored.

    Raises:
        CorruptState: `raw` is no such entry.
    """
    return unpack(InFlight, read(genesis_pb2.InFlightPacket, raw))
