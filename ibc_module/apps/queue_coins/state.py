"""The application's own store: what its vouchers stand for."""

from ibc_core.host.context import ReadContext, WriteContext
from ibc_module.apps.queue_coins.denom import QueueDenom, decode_denom, encode_denom

STORE_NAME = "queue_coins"


def voucher(ctx: ReadContext, name: str) -> QueueDenom | None:
    """The denomination of the voucher `name`, None if it was never minted."""
    raw = ctx.reader(STORE_NAME).get(name.encode())
    return None if raw is None else decode_denom(raw)


def add_voucher(ctx: WriteContext, denom: QueueDenom) -> None:
    """Records a voucher, once."""
    store, key = ctx.store(STORE_NAME), denom.name.encode()
    if not store.has(key):
        store.set(key, encode_denom(denom))
