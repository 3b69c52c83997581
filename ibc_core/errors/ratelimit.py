"""Errors of the rate-limiting middleware (codespace `ratelimit`, as ibc-go's)."""

from typing import ClassVar

from ibc_core.errors.base import IbcError


class RateLimitError(IbcError):
    """Any error of codespace `ratelimit`."""

    codespace: ClassVar[str] = "ratelimit"


class RateLimitNotFound(RateLimitError):
    """There is no limit of this denomination over this channel or client to remove.

    `ratelimit/2`: rate limits, ibc-go's `ErrRateLimitNotFound`.
    """

    channel_or_client_id: str
    denom: str
    code: ClassVar[int] = 2
    text: ClassVar[str] = "no rate limit of {denom} over {channel_or_client_id}"


class QuotaExceeded(RateLimitError):
    """The transfer would move more of the denomination than the current window has left.

    `ratelimit/4`: rate limits, ibc-go's `ErrQuotaExceeded`.
    """

    channel_or_client_id: str
    denom: str
    amount: int
    left: int
    code: ClassVar[int] = 4
    text: ClassVar[str] = "{amount} {denom} over {channel_or_client_id}: {left} are left in this window"
