"""Counters in the store: eight bytes, big-endian."""

from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.numbers import be8, u64


def read(ctx: ReadContext, path: bytes) -> int | None:
    """The counter at `path`, None if it was never set."""
    raw = ctx.ibc.get(path)
    return None if raw is None else int.from_bytes(raw, "big")


def write(ctx: WriteContext, path: bytes, number: int) -> None:
    """Sets the counter at `path`.

    Raises:
        InvalidRequest: it does not fit 64 bits.
    """
    ctx.ibc.set(path, be8(u64(number, "sequence")))


def take(ctx: WriteContext, path: bytes) -> int:
    """The counter's value, which is then incremented in the store."""
    number = read(ctx, path) or 0
    write(ctx, path, number + 1)
    return number
