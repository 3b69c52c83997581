"""Counters in the store, encoded as 8-byte big-endian integers."""

from pyibc.core.host.context import ReadContext, WriteContext
from pyibc.core.numbers import be8, u64


def read(ctx: ReadContext, path: bytes) -> int | None:
    """Return the counter at `path`; None if it is not set."""
    raw = ctx.ibc.get(path)
    return None if raw is None else int.from_bytes(raw, "big")


def write(ctx: WriteContext, path: bytes, number: int) -> None:
    """Set the counter at `path`.

    Raises:
        InvalidRequest: the number does not fit 64 bits.
    """
    ctx.ibc.set(path, be8(u64(number, "sequence")))


def increment(ctx: WriteContext, path: bytes) -> int:
    """Return the counter's value and increment it in the store."""
    number = read(ctx, path) or 0
    write(ctx, path, number + 1)
    return number
