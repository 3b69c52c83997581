"""Genesis state of ICS-20: port, denominations, parameters, totals in escrow (ibc-go's `GenesisState`)."""

from collections.abc import Iterable, Mapping
from typing import Any

from pyibc.apps.transfer import packet_data, state
from pyibc.apps.transfer.denom import Denom, Hop, make_denom
from pyibc.codec.protojson import from_json
from pyibc.core.coin import is_denom
from pyibc.core.genesis import (
    OTHER,
    Entry,
    Section,
    entries_of,
    export_store,
    parse_entries,
    require,
    require_new,
    single,
)
from pyibc.core.host.context import ReadContext, WriteContext
from pyibc.core.identifiers import validate_port_id
from pyibc.core.numbers import MAX_U256
from pyibc.core.setup_error import InvalidGenesis
from pyibc.proto.cosmos.base.v1beta1.coin_pb2 import Coin
from pyibc.proto.ibc.applications.transfer.v1 import token_pb2, transfer_pb2
from pyibc.proto.ibc.applications.transfer.v1.genesis_pb2 import GenesisState

ENTRY = "transfer"
"""Key of ICS-20's state in a host's genesis."""


def init(ctx: WriteContext, genesis: Mapping[str, Any]) -> None:
    """Write the entry `transfer` of a genesis; by default transfers are enabled in both directions.

    Raises:
        InvalidGenesis: it is malformed; nothing is written, and the message has key and value.
    """
    given = genesis.get(ENTRY, {})
    if not isinstance(given, Mapping):
        raise InvalidGenesis(ENTRY, given, "is not an object")
    found = from_json(GenesisState, {name: given[name] for name in given if name != OTHER}, ENTRY)
    if not found.HasField("params"):
        found.params.CopyFrom(transfer_pb2.Params(send_enabled=True, receive_enabled=True))
    found.port_id = found.port_id or packet_data.PORT_ID
    _check(found)
    store, other = ctx.store(state.STORE_NAME), parse_entries(given.get(OTHER, []), f"{ENTRY}.{OTHER}")
    for _, key, value in entries_of(found, SECTIONS):
        store.set(key, value)
    for key, value in other:
        store.set(key, value)


def export(ctx: ReadContext) -> dict[str, Any]:
    """Export every entry of the store; vouchers could not be returned without the denominations."""
    empty = GenesisState(params=transfer_pb2.Params())
    return {ENTRY: export_store(ctx.reader(state.STORE_NAME), empty, SECTIONS)}


def _read_port(key: bytes, value: bytes) -> str | None:
    return value.decode() if key == state.PORT and value.isascii() else None


def _port(port_id: str) -> Iterable[Entry]:
    yield state.PORT, port_id.encode()


def _read_denom(key: bytes, value: bytes) -> token_pb2.Denom | None:
    if not key.startswith(state.DENOM):
        return None
    item = token_pb2.Denom.FromString(value)
    _unpack(item).validate()
    return item


def _denom(item: token_pb2.Denom) -> Iterable[Entry]:
    yield state.denom_entry(_unpack(item))


def _unpack(item: token_pb2.Denom) -> Denom:
    return make_denom(item.base, tuple([Hop(hop.port_id, hop.channel_id) for hop in item.trace]))


def _read_total(key: bytes, value: bytes) -> Coin | None:
    name = key.removeprefix(state.TOTAL_ESCROW).decode("ascii", "replace")
    amount = value[2:].decode("ascii", "replace")
    if not key.startswith(state.TOTAL_ESCROW) or not is_denom(name) or not _is_amount(amount):
        return None
    return Coin(denom=name, amount=amount)


def _total(item: Coin) -> Iterable[Entry]:
    yield state.total_escrow_entry(item.denom, int(item.amount))


SECTIONS = (
    Section("", "port_id", _read_port, _port),
    Section("", "denoms", _read_denom, _denom),
    single("", "params", state.PARAMS, transfer_pb2.Params),
    Section("", "total_escrowed", _read_total, _total),
)


def _check(found: GenesisState) -> None:
    """Check what ibc-go's `GenesisState.Validate` checks, except the order of the totals."""
    require(validate_port_id, found.port_id, f"{ENTRY}.port_id")
    seen: set[str] = set()
    for number, item in enumerate(found.denoms):
        key = f"{ENTRY}.denoms[{number}]"
        denom = _unpack(item)
        require(Denom.validate, denom, key)
        require_new(denom.path, seen, key)
    totals: set[str] = set()
    for number, coin in enumerate(found.total_escrowed):
        key = f"{ENTRY}.total_escrowed[{number}]"
        if not is_denom(coin.denom):
            raise InvalidGenesis(f"{key}.denom", coin.denom, "is no denomination")
        require_new(coin.denom, totals, f"{key}.denom")
        if not _is_amount(coin.amount):
            raise InvalidGenesis(f"{key}.amount", coin.amount, "is no positive number")


def _is_amount(text: str) -> bool:
    """Return whether `text` is a number from 1 to 2^256-1 in canonical decimal form."""
    plain = text.isascii() and text.isdigit() and text[0] != "0" and len(text) <= 78
    return plain and int(text) <= MAX_U256
