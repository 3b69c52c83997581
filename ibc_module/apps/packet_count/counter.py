"""Counts in a store: of each kind over each channel or client."""

from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.numbers import be8

KINDS = ("sent", "received", "acknowledged", "timed_out")
"""What is counted; packets that a chain receives are counted if its application took them."""


class Counter:
    """Numbers in a store of its own, `{kind}/{channel or client}` -> eight bytes, big-endian."""

    def __init__(self, store: str) -> None:
        self.store = store

    def read(self, ctx: ReadContext, kind: str, channel_or_client_id: str) -> int:
        """How many there were over one channel or client."""
        raw = ctx.reader(self.store).get(_path(kind, channel_or_client_id))
        return int.from_bytes(raw or b"", "big")

    def total(self, ctx: ReadContext, kind: str) -> int:
        """How many there were over all."""
        found = ctx.reader(self.store).iterate(f"{kind}/".encode(), f"{kind}0".encode())
        return sum(int.from_bytes(raw, "big") for _, raw in found)

    def add(self, ctx: WriteContext, kind: str, channel_or_client_id: str) -> None:
        """One more."""
        count = self.read(ctx, kind, channel_or_client_id) + 1
        ctx.store(self.store).set(_path(kind, channel_or_client_id), be8(count))


def _path(kind: str, channel_or_client_id: str) -> bytes:
    return f"{kind}/{channel_or_client_id}".encode()
