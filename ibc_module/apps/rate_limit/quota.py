"""Counting against limits: what goes out, what comes in, and what comes back."""

from typing import NamedTuple

from ibc_core.errors import QuotaExceeded
from ibc_core.host.context import WriteContext
from ibc_module.apps.rate_limit import state
from ibc_module.apps.rate_limit.limit import RateLimit

DENIED = "transfer_denied"
"""Type of the event that tells of a transfer beyond its quota, as in ibc-go's rate limits."""


class Moved(NamedTuple):
    """A coin on its way over one of this chain's channels or clients."""

    channel_or_client_id: str
    denom: str  # the coin's name on this chain
    amount: int


def count_sent(ctx: WriteContext, moved: Moved) -> RateLimit | None:
    """Counts coins that leave; the limit that they count against, None where there is none.

    Raises:
        QuotaExceeded: they are more than is left.
    """
    limit = state.limit(ctx, moved.channel_or_client_id, moved.denom)
    if limit is not None:
        flow = state.flow(ctx, limit)
        _require_left(ctx, moved, limit.max_send, flow.sent, "packet_send")
        state.set_flow(ctx, limit, flow._replace(sent=flow.sent + moved.amount))
    return limit


def count_received(ctx: WriteContext, moved: Moved) -> RateLimit | None:
    """Counts coins that come in; the limit that they count against, None where there is none.

    Raises:
        QuotaExceeded: they are more than is left.
    """
    limit = state.limit(ctx, moved.channel_or_client_id, moved.denom)
    if limit is not None:
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


def give_back_sent(ctx: WriteContext, moved: Moved, note: bytes) -> None:
    """Coins that left came back: their quota does too, if the window that they were counted in lasts."""
    limit = state.limit(ctx, moved.channel_or_client_id, moved.denom)
    if limit is not None and state.is_of_window(ctx, note, limit):
        flow = state.flow(ctx, limit)
        state.set_flow(ctx, limit, flow._replace(sent=max(0, flow.sent - moved.amount)))


def give_back_received(ctx: WriteContext, moved: Moved, note: bytes) -> None:
    """Coins that came in were refused later on: as `give_back_sent`."""
    limit = state.limit(ctx, moved.channel_or_client_id, moved.denom)
    if limit is not None and state.is_of_window(ctx, note, limit):
        flow = state.flow(ctx, limit)
        state.set_flow(ctx, limit, flow._replace(received=max(0, flow.received - moved.amount)))
