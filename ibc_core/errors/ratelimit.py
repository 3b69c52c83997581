"""Errors of the rate-limiting middleware (codespace `ratelimit`, as ibc-go's)."""

from dataclasses import dataclass
from typing import ClassVar

from ibc_core.errors.base import IbcError


@dataclass(eq=False)
class RateLimitError(IbcError):
    """Any error of codespace `ratelimit`."""

    codespace: ClassVar[str] = "ratelimit"


@dataclass(eq=False)
class RateLimitNotFound(RateLimitError):
    """Rate limits: `ratelimit/2`."""

    channel_or_client_id: str
    denom: str
    code: ClassVar[int] = 2
    text: ClassVar[str] = "no rate limit of {denom} over {channel_or_client_id}"


@dataclass(eq=False)
class QuotaExceeded(RateLimitError):
    """Rate limits: `ratelimit/4`."""

    channel_or_client_id: str
    denom: str
    amount: int
    left: int
    code: ClassVar[int] = 4
    text: ClassVar[str] = "{amount} {denom} over {channel_or_client_id}: {left} are left in this window"
