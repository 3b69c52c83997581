"""Genesis state of packet forwarding: packets in flight by key (ibc-go's `GenesisState`)."""

from collections.abc import Mapping
from typing import Any, Final

from pyibc.apps.packet_forward import state
from pyibc.apps.packet_forward.state import InFlight, decode_in_flight, encode_in_flight
from pyibc.codec.protojson import from_json, to_json
from pyibc.core.genesis import OTHER, export_entries, parse_entries, require
from pyibc.core.height import parse_height
from pyibc.core.host.context import ReadContext, WriteContext
from pyibc.core.identifiers import validate_channel_id, validate_port_id
from pyibc.core.numbers import parse_u64
from pyibc.core.setup_error import InvalidGenesis
from pyibc.core.wire.states import CorruptState
from pyibc.core.wire.table import pack, unpack
from pyibc.proto.ibc.applications.packet_forward_middleware.v1 import genesis_pb2

ENTRY: Final = state.STORE_NAME
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
    packets = given.get(IN_FLIGHT, {})
    if not isinstance(packets, Mapping):
        raise InvalidGenesis(f"{ENTRY}.{IN_FLIGHT}", packets, "is not an object")
    found = {key: _read(key, packets[key], f"{ENTRY}.{IN_FLIGHT}.{key}") for key in packets}
    other = parse_entries(given.get(OTHER, []), f"{ENTRY}.{OTHER}")
    store = ctx.store(state.STORE_NAME)
    for key, entry in found.items():
        store.set(key.encode(), encode_in_flight(entry))
    for raw_key, value in other:
        store.set(raw_key, value)


def export(ctx: ReadContext) -> dict[str, Any]:
    """Export every entry of the store; entries in another format are exported as they are."""
    packets, other = {}, []
    for key, value in ctx.reader(state.STORE_NAME).iterate(b"\0", None):
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
