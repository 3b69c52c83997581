"""Store and genesis of packet forwarding: forwarded packets without an acknowledgement."""

from collections.abc import Mapping
from typing import Annotated, Any, Final, NamedTuple

from pyibc.codec.protojson import from_json, to_json
from pyibc.core.genesis import OTHER, export_entries, part_of, require, write_store
from pyibc.core.height import parse_height
from pyibc.core.host.context import ReadContext, WriteContext
from pyibc.core.identifiers import validate_channel_id, validate_port_id
from pyibc.core.numbers import parse_u64
from pyibc.core.packet.types import Packet
from pyibc.core.setup_error import InvalidGenesis
from pyibc.core.value import sealed
from pyibc.core.wire.columns import Wire
from pyibc.core.wire.states import CorruptState, read
from pyibc.core.wire.table import on_wire, pack, table_of, unpack
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


ENTRY: Final = STORE_NAME
"""Key of packet forwarding in a host's genesis."""
IN_FLIGHT: Final = "in_flight_packets"


def init(ctx: WriteContext, genesis: Mapping[str, Any]) -> None:
    """Write the entry of a genesis; by default no packet is in flight.

    Raises:
        InvalidGenesis: it is malformed; nothing is written, and the message has key and value.
    """
    given = genesis.get(ENTRY, {})
    if not isinstance(given, Mapping) or not given.keys() <= {IN_FLIGHT, OTHER}:
        raise InvalidGenesis(ENTRY, given, f"is not an object with `{IN_FLIGHT}`")
    packets = part_of(given, IN_FLIGHT, ENTRY)
    found = {key: _read(key, packets[key], f"{ENTRY}.{IN_FLIGHT}.{key}") for key in packets}
    entries = [(key.encode(), encode_in_flight(entry)) for key, entry in found.items()]
    write_store(ctx.store(STORE_NAME), entries, given, ENTRY)


def export(ctx: ReadContext) -> dict[str, Any]:
    """Export every entry of the store; entries in another format are exported as they are."""
    packets, other = {}, []
    for key, value in ctx.reader(STORE_NAME).iterate(b"\0", None):
        entry = _exported(key, value)
        if entry is None:
            other.append((key, value))
        else:
            packets[key.decode()] = to_json(pack(entry))
    return {ENTRY: {IN_FLIGHT: packets, OTHER: export_entries(other)}}


def _read(key: str, given: Any, where: str) -> InFlight:
    if not _is_key(key):
        raise InvalidGenesis(where, key, "is not channel/port/sequence")
    entry: InFlight = unpack(InFlight, from_json(genesis_pb2.InFlightPacket, given, where))
    require(validate_port_id, entry.port_id_on_b, f"{where}.refund_port_id")
    require(validate_channel_id, entry.channel_id_on_b, f"{where}.refund_channel_id")
    require(validate_port_id, entry.port_id_on_a, f"{where}.packet_src_port_id")
    require(validate_channel_id, entry.channel_id_on_a, f"{where}.packet_src_channel_id")
    require(parse_height, entry.timeout_height_on_b, f"{where}.packet_timeout_height")
    return entry


def _is_key(key: str) -> bool:
    channel_id, _, rest = key.partition("/")
    port_id, _, sequence = rest.rpartition("/")
    number = parse_u64(sequence)
    return bool(channel_id and port_id) and number is not None and str(number) == sequence


def _exported(key: bytes, value: bytes) -> InFlight | None:
    """Decode an entry that `init` would write back unchanged; None for any other."""
    try:
        where, entry = key.decode(), decode_in_flight(value)
        again = _read(where, to_json(pack(entry)), where)
    except (UnicodeDecodeError, CorruptState, InvalidGenesis):
        return None
    return entry if encode_in_flight(again) == value else None
