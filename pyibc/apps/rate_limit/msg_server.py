"""Msg service of rate limits, and the begin blocker that starts new windows."""

from keepers.client import ClientKeeper
from pyibc.apps.rate_limit import state
from pyibc.apps.rate_limit.limit import Quota, RateLimit, new_flow
from pyibc.apps.rate_limit.messages import (
    MsgAddRateLimit,
    MsgRemoveRateLimit,
    MsgResetRateLimit,
    MsgUpdateRateLimit,
)
from pyibc.apps.transfer.packet_data import PORT_ID
from pyibc.core import paths
from pyibc.core.application.services import Bank
from pyibc.core.client.types import Status
from pyibc.core.errors import (
    InvalidEpoch,
    RateLimitAlreadyExists,
    RateLimitChannelNotFound,
    RateLimitNotFound,
    UnauthorizedTx,
    ZeroChannelValue,
)
from pyibc.core.host.context import ReadContext, WriteContext


class RateLimitMsgServer:
    """Executes the authority's messages and starts windows."""

    def __init__(self, bank: Bank, clients: ClientKeeper, authority: str) -> None:
        self._bank = bank
        self._clients = clients
        self._authority = authority

    def add(self, ctx: WriteContext, msg: MsgAddRateLimit) -> bytes:
        """Add a limit.

        Raises:
            UnauthorizedTx: the signer is not the authority.
            ZeroChannelValue: the coin has no supply on this chain.
            RateLimitAlreadyExists: there is a limit for this coin and channel or client.
            RateLimitChannelNotFound: neither a transfer channel nor a client has this identifier.
        """
        self._require_authority(msg.signer)
        supply = self._bank.supply(ctx, msg.denom)
        # guard: ratelimit-a-limit-of-no-coin test_limits_that_cannot_be_added
        if supply == 0:
            raise ZeroChannelValue(msg.denom[:128])
        # guard: ratelimit-a-limit-is-added-twice test_limits_that_cannot_be_added
        if state.limit(ctx, msg.denom, msg.channel_or_client_id) is not None:
            raise RateLimitAlreadyExists(msg.channel_or_client_id, msg.denom[:128])
        self._require_end(ctx, msg.channel_or_client_id)
        state.set_limit(ctx, _limit_of(msg, supply))
        return msg.RESPONSE.encode(None)

    def update(self, ctx: WriteContext, msg: MsgUpdateRateLimit) -> bytes:
        """Replace the quota and start with an empty flow; counted packets stay marked.

        Raises:
            UnauthorizedTx: the signer is not the authority.
            RateLimitNotFound: there is no such limit.
        """
        self._require_authority(msg.signer)
        _require_limit(ctx, msg.denom, msg.channel_or_client_id)
        state.set_limit(ctx, _limit_of(msg, self._bank.supply(ctx, msg.denom)))
        return msg.RESPONSE.encode(None)

    def remove(self, ctx: WriteContext, msg: MsgRemoveRateLimit) -> bytes:
        """Delete a limit; counted packets stay marked. Raises as `update`."""
        self._require_authority(msg.signer)
        _require_limit(ctx, msg.denom, msg.channel_or_client_id)
        state.remove_limit(ctx, msg.denom, msg.channel_or_client_id)
        return msg.RESPONSE.encode(None)

    def reset(self, ctx: WriteContext, msg: MsgResetRateLimit) -> bytes:
        """Restart a limit's window. Raises as `update`."""
        self._require_authority(msg.signer)
        self._begin_window(ctx, _require_limit(ctx, msg.denom, msg.channel_or_client_id))
        return msg.RESPONSE.encode(None)

    def begin_block(self, ctx: WriteContext) -> None:
        """Start the next epoch if it is due, and the windows whose hours divide its number."""
        now = state.epoch(ctx)
        following = None if now is None else now.after(ctx.time_ns, ctx.height.revision_height)
        if following is None:
            return
        try:
            state.set_epoch(ctx, following)
        # guard: h184-an-hour-beyond-the-store-halts-the-chain drop
        #   test_h184_an_hour_that_cannot_be_stored_does_not_stop_the_chain
        except InvalidEpoch:
            return  # outside the years 1 to 9999: ibc-go's epoch stops as well
        for limit in list(state.limits(ctx)):
            hours = limit.quota.duration_hours
            # guard: ratelimit-every-hour-ends-every-window drop:0
            #   test_a_transcript_is_followed_to_its_last_block
            if hours and following.epoch_number % hours == 0:
                self._begin_window(ctx, limit)

    def _begin_window(self, ctx: WriteContext, limit: RateLimit) -> None:
        """Set an empty flow and the current supply, and remove all pending marks of the limit."""
        denom, end = limit.denom, limit.channel_or_client_id
        state.set_limit(ctx, limit._replace(flow=new_flow(self._bank.supply(ctx, denom))))
        for kind in (state.SENT, state.RECEIVED):
            # guard: ratelimit-a-new-window-keeps-old-marks drop
            #   test_a_transcript_is_followed_to_its_last_block
            state.remove_pending_packets(ctx, state.packets_prefix(kind, end, denom))

    def _require_authority(self, signer: str) -> None:
        # guard: ratelimit-anybody-sets-limits test_messages_that_are_refused
        if signer != self._authority:
            raise UnauthorizedTx(f"invalid authority: expected {self._authority}, got {signer}")

    def _require_end(self, ctx: ReadContext, channel_or_client_id: str) -> None:
        """Check that the identifier names a channel of port `transfer`, or a client in any state."""
        if ctx.ibc.has(paths.channel_path(PORT_ID, channel_or_client_id)):
            return
        # guard: ratelimit-a-limit-over-nothing {{Status.UNKNOWN, Status.UNAUTHORIZED} => {Status.FROZEN}}
        #   test_limits_that_cannot_be_added
        if self._clients.status(ctx, channel_or_client_id) in {Status.UNKNOWN, Status.UNAUTHORIZED}:
            raise RateLimitChannelNotFound(channel_or_client_id[:64])


def _limit_of(msg: MsgAddRateLimit | MsgUpdateRateLimit, supply: int) -> RateLimit:
    quota = Quota(msg.max_percent_send, msg.max_percent_recv, msg.duration_hours)
    return RateLimit(msg.denom, msg.channel_or_client_id, quota, new_flow(supply))


def _require_limit(ctx: ReadContext, denom: str, channel_or_client_id: str) -> RateLimit:
    limit = state.limit(ctx, denom, channel_or_client_id)
    if limit is None:
        # guard: ratelimit-no-limit-is-changed {=> return RateLimit(denom, channel_or_client_id, Quota(1, 1,
        #   1), new_flow(0))} test_what_is_not_limited_cannot_be_changed
        raise RateLimitNotFound(channel_or_client_id[:64], denom[:128])
    return limit
