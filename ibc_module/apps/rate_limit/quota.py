"""Counts transfers against limits: outgoing, incoming, refunded."""

from typing import NamedTuple

from ibc_core.errors import QuotaExceeded
from ibc_core.host.context import WriteContext
from ibc_core.value import sealed
from ibc_module.apps.rate_limit import state
from ibc_module.apps.rate_limit.limit import RateLimit

DENIED = "transfer_denied"
"""Type of the event of a transfer that exceeds its quota, as in ibc-go's rate limiting."""


@sealed
class Moved(NamedTuple):
    """A coin transferred over one of this chain's channels or clients."""

    channel_or_client_id: str
    denom: str  # the coin's name on this chain
    amount: int


def count_sent(ctx: WriteContext, moved: Moved | None) -> RateLimit | None:
    """Counts outgoing coins; returns the limit that they count against, None if there is none.

    Raises:
        QuotaExceeded: they exceed what is left.
    """
    limit = _limit_of(ctx, moved)
    if moved is not None and limit is not None:
        flow = state.flow(ctx, limit)
        _require_left(ctx, moved, limit.max_send, flow.sent, "packet_send")
        state.set_flow(ctx, limit, flow._replace(sent=flow.sent + moved.amount))
    return limit


def count_received(ctx: WriteContext, moved: Moved | None) -> RateLimit | None:
    """Counts incoming coins; returns the limit that they count against, None if there is none.

    Raises:
        QuotaExceeded: they exceed what is left.
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
    """Records the window that a sent packet was counted in, until its life cycle ends."""
    if limit is not None:
        state.note_packet(ctx, state.SENT, limit, sequence)


def note_waiting(ctx: WriteContext, limit: RateLimit | None, sequence: int) -> None:
    """The same for a received packet that is acknowledged later."""
    if limit is not None:
        state.note_packet(ctx, state.WAITING, limit, sequence)


def settle_sent(ctx: WriteContext, end: str, sequence: int, moved: Moved | None, *, refunded: bool) -> None:
    """A sent packet's life cycle ended: refunded coins restore the quota."""
    note = state.take_packet(ctx, state.SENT, end, sequence)
    limit = _limit_under_way(ctx, moved, note) if refunded else None
    if moved is not None and limit is not None:
        flow = state.flow(ctx, limit)
        state.set_flow(ctx, limit, flow._replace(sent=max(0, flow.sent - moved.amount)))


def settle_received(
    ctx: WriteContext, end: str, sequence: int, moved: Moved | None, *, refused: bool
) -> None:
    """A received packet is acknowledged: refused coins restore the quota."""
    note = state.take_packet(ctx, state.WAITING, end, sequence)
    limit = _limit_under_way(ctx, moved, note) if refused else None
    if moved is not None and limit is not None:
        flow = state.flow(ctx, limit)
        state.set_flow(ctx, limit, flow._replace(received=max(0, flow.received - moved.amount)))


def _limit_of(ctx: WriteContext, moved: Moved | None) -> RateLimit | None:
    return None if moved is None else state.limit(ctx, moved.channel_or_client_id, moved.denom)


def _limit_under_way(ctx: WriteContext, moved: Moved | None, note: bytes | None) -> RateLimit | None:
    """The limit, if the window that the coins were counted in is the current one."""
    limit = None if note is None else _limit_of(ctx, moved)
    return limit if limit is not None and state.is_of_window(ctx, note or b"", limit) else None
