"""Errors of the rate-limiting middleware (codespace `ratelimit`, as ibc-go's)."""

from ibc_core.errors.base import IbcError


class RateLimitError(IbcError):
    """Any error of codespace `ratelimit`."""

    codespace = "ratelimit"


class RateLimitNotFound(RateLimitError, code=2, source="rate limits, ibc-go's `ErrRateLimitNotFound`"):
    """There is no limit of this denomination over this channel or client to remove."""

    channel_or_client_id: str
    denom: str
    text = "no rate limit of {denom} over {channel_or_client_id}"


class QuotaExceeded(RateLimitError, code=4, source="rate limits, ibc-go's `ErrQuotaExceeded`"):
    """The transfer would move more of the denomination than the current window has left."""

    channel_or_client_id: str
    denom: str
    amount: int
    left: int
    text = "{amount} {denom} over {channel_or_client_id}: {left} are left in this window"
