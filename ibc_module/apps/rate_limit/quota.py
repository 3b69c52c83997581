"""Counting against limits: what goes out, what comes in, and what comes back."""

from typing import NamedTuple

from ibc_core.errors import QuotaExceeded
from ibc_core.host.context import WriteContext
from ibc_core.value import sealed
from ibc_module.apps.rate_limit import state
from ibc_module.apps.rate_limit.limit import RateLimit

DENIED = "transfer_denied"
"""Type of the event that tells of a transfer beyond its quota, as in ibc-go's rate limits."""


@sealed
class Moved(NamedTuple):
    """A coin on its way over one of this chain's channels or clients."""

    channel_or_client_id: str
    denom: str  # the coin's name on this chain
    amount: int


def count_sent(ctx: WriteContext, moved: Moved | None) -> RateLimit | None:
    """Counts coins that leave; the limit that they count against, None where there is none.

    Raises:
        QuotaExceeded: they are more than is left.
    """
    limit = _limit_of(ctx, moved)
    if moved is not None and limit is not None:
        flow = state.flow(ctx, limit)
        _require_left(ctx, moved, limit.max_send, flow.sent, "packet_send")
        state.set_flow(ctx, limit, flow._replace(sent=flow.sent + moved.amount))
    return limit


def count_received(ctx: WriteContext, moved: Moved | None) -> RateLimit | None:
    """Counts coins that come in; the limit that they count against, None where there is none.

    Raises:
        QuotaExceeded: they are more than is left.
    """
    limit = _limit_of(ctx, moved)
    if moved is not None and limit is not None:
        flow = state.flow(ctx, limit)
        _require_left(ctx, moved, limit.max_recv, flow.received, "packet_recv")
        state.set_flow(ctx, limit, flow._replace(received=flow.received + moved.amount))
    return limit


def _require_left(ctx: WriteContext, moved: Moved, most: int | None, before: int, action: str) -> None:
    left = None if most is None else max(0, most - before)
    if left is None or moved.amount <= left:
        return
    error = QuotaExceeded(moved.channel_or_client_id, moved.denom, moved.amount, left)
    attributes = (
        ("module", state.STORE_NAME),
        ("reason", "rate_limit_exceeded"),
        ("action", action),
        ("denom", moved.denom),
        ("channel_or_client", moved.channel_or_client_id),
        ("amount", str(moved.amount)),
        ("error", str(error)),
    )
    ctx.emit((DENIED, attributes))
    raise error


def note_sent(ctx: WriteContext, limit: RateLimit | None, sequence: int) -> None:
    """Remembers the window that a packet of ours was counted in, until the packet comes to its end."""
    if limit is not None:
        state.note_packet(ctx, state.SENT, limit, sequence)


def note_waiting(ctx: WriteContext, limit: RateLimit | None, sequence: int) -> None:
    """The same of a packet that came in and is answered later."""
    if limit is not None:
        state.note_packet(ctx, state.WAITING, limit, sequence)


def settle_sent(ctx: WriteContext, end: str, sequence: int, moved: Moved | None, *, refunded: bool) -> None:
    """A packet of ours came to its end: coins that came back give their quota back."""
    note = state.take_packet(ctx, state.SENT, end, sequence)
    limit = _limit_under_way(ctx, moved, note) if refunded else None
    if moved is not None and limit is not None:
        flow = state.flow(ctx, limit)
        state.set_flow(ctx, limit, flow._replace(sent=max(0, flow.sent - moved.amount)))


def settle_received(
    ctx: WriteContext, end: str, sequence: int, moved: Moved | None, *, refused: bool
) -> None:
    """A packet that came in is answered at last: coins that were refused give their quota back."""
    note = state.take_packet(ctx, state.WAITING, end, sequence)
    limit = _limit_under_way(ctx, moved, note) if refused else None
    if moved is not None and limit is not None:
        flow = state.flow(ctx, limit)
        state.set_flow(ctx, limit, flow._replace(received=max(0, flow.received - moved.amount)))


def _limit_of(ctx: WriteContext, moved: Moved | None) -> RateLimit | None:
    return None if moved is None else state.limit(ctx, moved.channel_or_client_id, moved.denom)


def _limit_under_way(ctx: WriteContext, moved: Moved | None, note: bytes | None) -> RateLimit | None:
    """The limit, if the window that the coins were counted in lasts."""
    limit = None if note is None else _limit_of(ctx, moved)
    return limit if limit is not None and state.is_of_window(ctx, note or b"", limit) else None
