"""Store and genesis of ICS-20: parameters, denominations, totals in escrow."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from pyibc.apps.transfer import packet_data
from pyibc.apps.transfer.denom import Denom, Hop, decode_denom, encode_denom, make_denom
from pyibc.core.coin import Coin, is_denom
from pyibc.core.errors import LogicFault
from pyibc.core.genesis import (
    Entry,
    Section,
    entries_of,
    export_store,
    part_of,
    require,
    require_new,
    single,
    state_of,
    write_store,
)
from pyibc.core.host.context import ReadContext, WriteContext
from pyibc.core.identifiers import validate_port_id
from pyibc.core.numbers import MAX_U256
from pyibc.core.setup_error import InvalidGenesis
from pyibc.core.value import sealed
from pyibc.proto.cosmos.base.v1beta1 import coin_pb2
from pyibc.proto.ibc.applications.transfer.v1 import token_pb2, transfer_pb2
from pyibc.proto.ibc.applications.transfer.v1.genesis_pb2 import GenesisState

STORE_NAME = "transfer"
MODULE_NAME = "transfer"
"""Name of the module account that mints and burns vouchers."""

PORT = b"\x01"
PARAMS = b"params"
DENOM = b"\x03"
TOTAL_ESCROW = b"totalEscrowForDenom/"
_INT_TEXT = b"\x0a"
"""Tag of the single field of cosmos.base.v1beta1.IntProto: a decimal number of at most 78 characters."""


@sealed
class Params(NamedTuple):
    """Parameters: whether transfers may be sent and received."""

    send_enabled: bool = True
    receive_enabled: bool = True


def params(ctx: ReadContext) -> Params:
    """Return the parameters.

    Raises:
        LogicFault: genesis did not set them.
    """
    raw = ctx.reader(STORE_NAME).get(PARAMS)
    if raw is None:
        raise LogicFault("transfer parameters are not set")
    return _decode_params(raw)


@lru_cache(16)
def _decode_params(raw: bytes) -> Params:
    found = transfer_pb2.Params.FromString(raw)
    return Params(found.send_enabled, found.receive_enabled)


def set_params(ctx: WriteContext, new: Params) -> None:
    """Set the parameters."""
    raw = transfer_pb2.Params(send_enabled=new.send_enabled, receive_enabled=new.receive_enabled)
    ctx.store(STORE_NAME).set(PARAMS, raw.SerializeToString())


def denom(ctx: ReadContext, digest: bytes) -> Denom | None:
    """Return the denomination whose path hashes to `digest` (32 bytes), None if it is unknown."""
    raw = ctx.reader(STORE_NAME).get(DENOM + digest)
    return None if raw is None else decode_denom(raw)


def add_denom(ctx: WriteContext, new: Denom) -> None:
    """Store a denomination, if it is new."""
    store, path = ctx.store(STORE_NAME), DENOM + new.digest
    if not store.has(path):
        store.set(path, encode_denom(new))


def denom_entry(known: Denom) -> tuple[bytes, bytes]:
    """Return key and value of a denomination."""
    return DENOM + known.digest, encode_denom(known)


def total_escrow(ctx: ReadContext, coin_denom: str) -> int:
    """Return the sum of `coin_denom` in all escrow accounts."""
    raw = ctx.reader(STORE_NAME).get(TOTAL_ESCROW + coin_denom.encode())
    return 0 if raw is None else _decode_total(raw)


def set_total_escrow(ctx: WriteContext, coin_denom: str, total: int) -> None:
    """Set the sum of `coin_denom` in escrow; zero deletes the entry."""
    path, value = total_escrow_entry(coin_denom, total)
    if total:
        ctx.store(STORE_NAME).set(path, value)
    else:
        ctx.store(STORE_NAME).delete(path)


def add_to_total_escrow(ctx: WriteContext, added: Coin) -> None:
    """Add coins to the total in escrow."""
    set_total_escrow(ctx, added.denom, total_escrow(ctx, added.denom) + added.amount)


def subtract_from_total_escrow(ctx: WriteContext, taken: Coin) -> None:
    """Subtract coins from the total in escrow.

    Raises:
        LogicFault: more than was ever escrowed.
    """
    total = total_escrow(ctx, taken.denom) - taken.amount
    # guard: h73-totals-in-escrow-go-below-zero test_h73_no_more_comes_out_of_escrow_than_ever_went_in
    #   test_h73_no_more_is_refunded_than_went_in
    if total < 0:
        raise LogicFault(f"{-total}{taken.denom} more than was ever escrowed would leave escrow")
    set_total_escrow(ctx, taken.denom, total)


def total_escrow_entry(coin_denom: str, total: int) -> tuple[bytes, bytes]:
    """Return key and value of a total in escrow."""
    digits = str(total).encode()
    return TOTAL_ESCROW + coin_denom.encode(), _INT_TEXT + bytes([len(digits)]) + digits


def total_escrows(ctx: ReadContext) -> list[tuple[str, int]]:
    """Return all totals in escrow as (denomination, amount), ordered by denomination."""
    entries = ctx.reader(STORE_NAME).iterate(TOTAL_ESCROW, b"totalEscrowForDenom0")
    return [(key[len(TOTAL_ESCROW) :].decode(), _decode_total(raw)) for key, raw in entries]


def _decode_total(raw: bytes) -> int:
    if raw[:1] != _INT_TEXT or len(raw) != 2 + raw[1]:
        raise LogicFault("a total in escrow cannot be read")
    return int(raw[2:])


ENTRY = "transfer"
"""Key of ICS-20's state in a host's genesis."""


def init(ctx: WriteContext, genesis: Mapping[str, Any]) -> None:
    """Write the entry `transfer` of a genesis; by default transfers are enabled in both directions.

    Raises:
        InvalidGenesis: it is malformed; nothing is written, and the message has key and value.
    """
    given = part_of(genesis, ENTRY)
    found = state_of(GenesisState, given, ENTRY)
    if not found.HasField("params"):
        found.params.CopyFrom(transfer_pb2.Params(send_enabled=True, receive_enabled=True))
    found.port_id = found.port_id or packet_data.PORT_ID
    _check(found)
    write_store(ctx.store(STORE_NAME), entries_of(found, SECTIONS), given, ENTRY)


def export(ctx: ReadContext) -> dict[str, Any]:
    """Export every entry of the store; vouchers could not be returned without the denominations."""
    empty = GenesisState(params=transfer_pb2.Params())
    return {ENTRY: export_store(ctx.reader(STORE_NAME), empty, SECTIONS)}


def _read_port(key: bytes, value: bytes) -> str | None:
    return value.decode() if key == PORT and value.isascii() else None


def _port(port_id: str) -> Iterable[Entry]:
    yield PORT, port_id.encode()


def _read_denom(key: bytes, value: bytes) -> token_pb2.Denom | None:
    if not key.startswith(DENOM):
        return None
    item = token_pb2.Denom.FromString(value)
    _unpack(item).validate()
    return item


def _denom(item: token_pb2.Denom) -> Iterable[Entry]:
    yield denom_entry(_unpack(item))


def _unpack(item: token_pb2.Denom) -> Denom:
    return make_denom(item.base, tuple([Hop(hop.port_id, hop.channel_id) for hop in item.trace]))


def _read_total(key: bytes, value: bytes) -> coin_pb2.Coin | None:
    name = key.removeprefix(TOTAL_ESCROW).decode("ascii", "replace")
    amount = value[2:].decode("ascii", "replace")
    if not key.startswith(TOTAL_ESCROW) or not is_denom(name) or not _is_amount(amount):
        return None
    return coin_pb2.Coin(denom=name, amount=amount)


def _total(item: coin_pb2.Coin) -> Iterable[Entry]:
    yield total_escrow_entry(item.denom, int(item.amount))


SECTIONS = (
    Section("", "port_id", _read_port, _port),
    Section("", "denoms", _read_denom, _denom),
    single("", "params", PARAMS, transfer_pb2.Params),
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
