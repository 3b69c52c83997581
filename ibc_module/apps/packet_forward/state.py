"""The store of packet forwarding: the packets on their way on. Nothing else writes it."""

from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.packet.types import Packet
from ibc_core.packet_forward.in_flight import InFlight, decode_in_flight, encode_in_flight

STORE_NAME = "packetfowardmiddleware"
"""Spelled as ibc-go spells it."""


def in_flight_path(port_id: str, channel_id: str, sequence: int) -> bytes:
    """-> InFlightPacket; of the packet that was sent on."""
    # guard: h173-any-packet-of-the-channel-settles-it drop:sequence test_h173_only_the_very_packet_settles_it
    return f"{channel_id}/{port_id}/{sequence}".encode()


def in_flight(ctx: ReadContext, sent: Packet) -> InFlight | None:
    """What came as the packet that was sent on as `sent`; None: it was not sent on."""
    raw = ctx.reader(STORE_NAME).get(_path(sent))
    return decode_in_flight(raw) if raw else None


def set_in_flight(ctx: WriteContext, port_id: str, channel_id: str, sequence: int, waiting: InFlight) -> None:
    """Keeps what came as the packet that was sent on."""
    ctx.store(STORE_NAME).set(in_flight_path(port_id, channel_id, sequence), encode_in_flight(waiting))


def remove_in_flight(ctx: WriteContext, sent: Packet) -> None:
    """Forgets a packet: it is answered, or sent once more."""
    ctx.store(STORE_NAME).delete(_path(sent))


def _path(sent: Packet) -> bytes:
    return in_flight_path(sent.port_id_on_a, sent.channel_id_on_a, sent.sequence)
