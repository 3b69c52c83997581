"""ICS-20's own store: parameters, denominations, totals in escrow. The only writer of the store `transfer`."""

from typing import NamedTuple

from ibc_module.apps.transfer.denom import Denom, decode_denom, encode_denom
from ibc_module.core.context import ReadContext, WriteContext
from ibc_module.errors import LogicFault
from ibc_module.wire.encoding import bytes_field, read_fields, varint_field

STORE_NAME = "transfer"
PORT_ID = "transfer"
VERSION = "ics20-1"

_PORT = b"\x01"
_PARAMS = b"params"
_DENOM = b"\x03"
_TOTAL_ESCROW = b"totalEscrowForDenom/"


class Params(NamedTuple):
    """Whether transfers may leave and come in."""

    send_enabled: bool = True
    receive_enabled: bool = True


def params(ctx: ReadContext) -> Params:
    """The parameters.

    Raises:
        LogicFault: genesis did not set them.
    """
    raw = ctx.reader(STORE_NAME).get(_PARAMS)
    if raw is None:
        raise LogicFault("transfer parameters are not set")
    found = dict(read_fields(raw))
    return Params(bool(found.get(1)), bool(found.get(2)))


def set_params(ctx: WriteContext, new: Params) -> None:
    """Sets the parameters."""
    raw = b"".join(varint_field(number, 1) for number, on in enumerate(new, start=1) if on)
    # The store takes no empty values: with both off, protobuf's explicit zero stands for nothing written.
    ctx.store(STORE_NAME).set(_PARAMS, raw or varint_field(1, 0))


def set_port(ctx: WriteContext) -> None:
    """Notes the port that the application is bound to, as ibc-go's store has it."""
    ctx.store(STORE_NAME).set(_PORT, PORT_ID.encode())


def denom(ctx: ReadContext, digest: bytes) -> Denom | None:
    """The denomination whose path hashes to `digest` (32 bytes)."""
    raw = ctx.reader(STORE_NAME).get(_DENOM + digest)
    return None if raw is None else decode_denom(raw)


def add_denom(ctx: WriteContext, new: Denom) -> None:
    """Remembers a denomination, once."""
    store = ctx.store(STORE_NAME)
    if not store.has(_DENOM + new.digest):
        store.set(_DENOM + new.digest, encode_denom(new))


def denoms(ctx: ReadContext) -> list[Denom]:
    """Every denomination known, in the order of their hashes."""
    return [decode_denom(raw) for _, raw in ctx.reader(STORE_NAME).iterate(_DENOM, b"\x04")]


def total_escrow(ctx: ReadContext, coin_denom: str) -> int:
    """The sum of `coin_denom` in all escrow accounts."""
    raw = ctx.reader(STORE_NAME).get(_TOTAL_ESCROW + coin_denom.encode())
    return 0 if raw is None else _decode_total(raw)


def set_total_escrow(ctx: WriteContext, coin_denom: str, total: int) -> None:
    """Sets the sum of `coin_denom` in escrow; zero leaves no entry."""
    store, path = ctx.store(STORE_NAME), _TOTAL_ESCROW + coin_denom.encode()
    if total:
        store.set(path, bytes_field(1, str(total).encode()))
    else:
        store.delete(path)


def total_escrows(ctx: ReadContext) -> list[tuple[str, int]]:
    """Every total in escrow, by denomination."""
    entries = ctx.reader(STORE_NAME).iterate(_TOTAL_ESCROW, b"totalEscrowForDenom0")
    return [(key[len(_TOTAL_ESCROW) :].decode(), _decode_total(raw)) for key, raw in entries]


def _decode_total(raw: bytes) -> int:
    for number, text in read_fields(raw):
        if number == 1 and isinstance(text, bytes):
            return int(text)
    raise LogicFault("a total in escrow cannot be read")
