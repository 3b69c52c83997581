"""Packet forwarding's genesis: the packets on their way on (ibc-go's `GenesisState`, a map by their keys)."""

from collections.abc import Mapping
from typing import Any, Final

from ibc_core.genesis.entries import InvalidGenesis, export_entries, parse_entries
from ibc_core.genesis.section import require
from ibc_core.genesis.store import OTHER
from ibc_core.height import parse_height
from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.identifiers import validate_channel_id, validate_port_id
from ibc_core.numbers import parse_u64
from ibc_core.packet_forward.in_flight import InFlight, decode_in_flight, encode_in_flight
from ibc_core.wire.protojson import from_json, to_json
from ibc_core.wire.states import CorruptState
from ibc_core.wire.table import pack, unpack
from ibc_module.apps.packet_forward import state
from ibc_proto.ibc.applications.packet_forward_middleware.v1 import genesis_pb2

ENTRY: Final = state.STORE_NAME
"""Packet forwarding in a host's genesis."""
IN_FLIGHT: Final = "in_flight_packets"


def init(ctx: WriteContext, genesis: Mapping[str, Any]) -> None:
    """Writes `genesis`; by default no packet is on its way.

    Raises:
        InvalidGenesis: it is malformed, before anything is written; the message names key and value.
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
    for key, waiting in found.items():
        store.set(key.encode(), encode_in_flight(waiting))
    for raw_key, value in other:
        store.set(raw_key, value)


def export(ctx: ReadContext) -> dict[str, Any]:
    """Every entry of the store; foreign entries stay as they are."""
    packets, other = {}, []
    for key, value in ctx.reader(state.STORE_NAME).iterate(b"\0", None):
        waiting = _exported(key, value)
        if waiting is None:
            other.append((key, value))
        else:
            packets[key.decode()] = to_json(pack(waiting))
    return {ENTRY: {IN_FLIGHT: packets, OTHER: export_entries(other)}}


def _read(key: str, given: Any, where: str) -> InFlight:
    if not _is_key(key):
        raise InvalidGenesis(where, key, "is not channel/port/sequence")
    waiting: InFlight = unpack(InFlight, from_json(genesis_pb2.InFlightPacket, given, where))
    require(validate_port_id, waiting.port_id_on_b, f"{where}.refund_port_id")
    require(validate_channel_id, waiting.channel_id_on_b, f"{where}.refund_channel_id")
    require(validate_port_id, waiting.port_id_on_a, f"{where}.packet_src_port_id")
    require(validate_channel_id, waiting.channel_id_on_a, f"{where}.packet_src_channel_id")
    require(parse_height, waiting.timeout_height_on_b, f"{where}.packet_timeout_height")
    return waiting


def _is_key(key: str) -> bool:
    channel_id, _, rest = key.partition("/")
    port_id, _, sequence = rest.rpartition("/")
    number = parse_u64(sequence)
    return bool(channel_id and port_id) and number is not None and str(number) == sequence


def _exported(key: bytes, value: bytes) -> InFlight | None:
    """An entry that `init` would write again as it is; None: it is another."""
    try:
        where, waiting = key.decode(), decode_in_flight(value)
        again = _read(where, to_json(pack(waiting)), where)
    except (UnicodeDecodeError, CorruptState, InvalidGenesis):
        return None
    return waiting if encode_in_flight(again) == value else None
