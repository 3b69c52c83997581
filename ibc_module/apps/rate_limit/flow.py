"""Counts transfers against limits, and takes off what came to nothing in the same window."""

from collections.abc import Callable

from ibc_core.errors import (
    DenomIsBlacklisted,
    InvalidAcknowledgement,
    QuotaExceeded,
    RateLimitError,
    UnknownMessage,
)
from ibc_core.host.context import WriteContext
from ibc_core.packet import acknowledgement as acks
from ibc_core.packet_v2.types import SENTINEL
from ibc_core.rate_limit.limit import RateLimit
from ibc_module.apps.rate_limit import state
from ibc_module.apps.rate_limit.transfers import Moved

DENIED = "transfer_denied"
"""Type of the event of a transfer that is refused."""
EXCEEDED, BLACKLISTED = "rate_limit_exceeded", "blacklisted_denom"
"""Its reasons."""


def count_sent(ctx: WriteContext, moved: Moved, sequence: int) -> None:
    """Counts coins that leave; the packet is marked, so that they can be taken off again.

    Raises:
        DenomIsBlacklisted: no such coin may leave.
        QuotaExceeded: they are more than the window has left.
        LogicFault: see `RateLimit.with_outflow`.
    """
    if _count(ctx, moved, "packet_send", RateLimit.with_outflow):
        # guard: ratelimit-a-sent-packet-is-not-marked test_what_leaves_is_counted_and_marked
        #   test_a_refund_gives_the_quota_back
        state.note_packet(ctx, _sent(moved), sequence)


def count_received(ctx: WriteContext, moved: Moved, sequence: int) -> None:
    """Counts coins that come in; the packet is marked until it is acknowledged. Raises as `count_sent`."""
    if _count(ctx, moved, "packet_recv", RateLimit.with_inflow):
        # guard: ratelimit-a-received-packet-is-not-marked test_a_packet_that_is_answered_later_stays_marked
        state.note_packet(ctx, _received(moved), sequence)


def _count(
    ctx: WriteContext, moved: Moved, action: str, counted: Callable[[RateLimit, int], RateLimit]
) -> bool:
    """Whether the coins count against a limit: there is one, and the pair is not on the whitelist."""
    # guard: ratelimit-no-blacklist test_a_blacklisted_coin_goes_nowhere_with_or_without_a_limit
    #   test_the_blacklist_holds_over_clients
    if state.is_blacklisted(ctx, moved.denom):
        error = DenomIsBlacklisted(moved.denom)
        _emit_denied(ctx, moved, action, BLACKLISTED, error)
        raise error
    limit = state.limit(ctx, moved.denom, moved.channel_or_client_id)
    # guard: ratelimit-no-whitelist drop:is_whitelisted
    #   test_a_whitelisted_pair_is_counted_in_neither_direction_and_only_it
    if limit is None or state.is_whitelisted(ctx, moved.sender, moved.receiver):
        return False
    try:
        state.set_limit(ctx, counted(limit, moved.amount))
    except QuotaExceeded as error:
        # guard: ratelimit-a-refusal-without-an-event test_quotas_of_a_client
        _emit_denied(ctx, moved, action, EXCEEDED, error)
        raise
    return True


def _emit_denied(ctx: WriteContext, moved: Moved, action: str, reason: str, error: RateLimitError) -> None:
    attributes = (
        ("module", state.STORE_NAME),
        ("reason", reason),
        ("action", action),
        ("denom", moved.denom),
        ("channel_or_client", moved.channel_or_client_id),
        ("amount", str(moved.amount)),
        ("error", str(error)),
    )
    ctx.emit((DENIED, attributes))


def settle_sent(ctx: WriteContext, moved: Moved, sequence: int, *, arrived: bool) -> None:
    """A sent packet's life cycle ended: coins that did not arrive are taken off, in their window only.

    Raises:
        InvalidRateLimitChannel, InvalidRateLimitPacket: see `state.check_packet_key`.
    """
    prefix = _sent(moved)
    # guard: ratelimit-what-arrived-is-taken-off drop:arrived test_coins_that_arrived_stay_counted
    limit = None if arrived else state.limit(ctx, moved.denom, moved.channel_or_client_id)
    if limit is not None:
        if not state.is_counted(ctx, prefix, sequence):
            # guard: ratelimit-packets-of-other-windows-are-taken-off drop
            #   test_a_packet_of_another_window_gives_nothing_back
            #   test_a_packet_from_before_the_limit_gives_nothing_back
            return
        state.set_limit(ctx, limit.without_outflow(moved.amount))
    state.forget_packet(ctx, prefix, sequence)


def settle_received(ctx: WriteContext, moved: Moved, sequence: int, *, taken: bool) -> None:
    """A received packet is acknowledged: coins that were refused later are taken off, in their window only.

    Raises:
        InvalidRateLimitChannel, InvalidRateLimitPacket: see `state.check_packet_key`.
    """
    prefix = _received(moved)
    limit = None if taken else state.limit(ctx, moved.denom, moved.channel_or_client_id)
    if limit is not None:
        if not state.is_counted(ctx, prefix, sequence):
            # guard: ratelimit-late-answers-of-other-windows-are-taken-off drop
            #   test_a_late_answer_of_another_window_takes_nothing_off
            return
        state.set_limit(ctx, limit.without_inflow(moved.amount))
    state.forget_packet(ctx, prefix, sequence)


def _sent(moved: Moved) -> bytes:
    return state.packets_prefix(state.SENT, moved.channel_or_client_id, moved.denom)


def _received(moved: Moved) -> bytes:
    return state.packets_prefix(state.RECEIVED, moved.channel_or_client_id, moved.denom)


def has_arrived(acknowledgement: bytes) -> bool:
    """Whether an acknowledgement says that a transfer arrived.

    Raises:
        UnknownMessage: it is no standard acknowledgement.
        InvalidAcknowledgement: it is one with neither a result nor an error, or with an empty result.
    """
    # guard: ratelimit-the-sentinel-is-no-refusal test_coins_of_a_client_that_come_back
    if acknowledgement == SENTINEL:
        return False
    answer = acks.parse(acknowledgement)
    if answer is None:
        raise UnknownMessage("the acknowledgement of a transfer cannot be read")
    if answer.error is not None:
        return False
    # guard: h182-an-empty-result-is-an-arrival drop
    #   test_h182_an_acknowledgement_that_says_nothing_is_for_ics_20_to_judge
    #   test_h182_an_acknowledgement_that_says_nothing_fails_its_message
    if not answer.result:
        raise InvalidAcknowledgement("neither a result nor an error")
    return True
