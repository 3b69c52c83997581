"""Store of ICS-20: parameters, denominations, totals in escrow."""

from functools import lru_cache
from typing import NamedTuple

from pyibc.apps.transfer.denom import Denom, decode_denom, encode_denom
from pyibc.core.coin import Coin
from pyibc.core.errors import LogicFault
from pyibc.core.host.context import ReadContext, WriteContext
from pyibc.core.value import sealed
from pyibc.proto.ibc.applications.transfer.v1 import transfer_pb2

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
