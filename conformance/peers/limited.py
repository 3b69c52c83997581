"""A chain of ours, or of ibc-go's, that begins with limits on its first channel's coins."""

from collections.abc import Mapping
from typing import Any, Final

from ibc_core.host.context import WriteContext
from ibc_core.transfer.denom import parse_denom
from ibc_module import hookimpl
from ibc_module.apps.rate_limit.genesis import ENTRY
from ibc_module.apps.rate_limit.plugin import RateLimitPlugin
from localnet import applications

QUOTA: Final = 100
"""What may go out, and what may come in, of either coin: the net flow."""
CHANNEL: Final = "channel-0"
OWN, VOUCHER = "stake", parse_denom(f"transfer/{CHANNEL}/stake").coin_denom


def _limit(denom: str) -> dict[str, Any]:
    return {
        "path": {"denom": denom, "channel_or_client_id": CHANNEL},
        "quota": {"max_percent_send": "1", "max_percent_recv": "1", "duration_hours": "1000000"},
        "flow": {"inflow": "0", "outflow": "0", "channel_value": str(100 * QUOTA)},
    }


STATE: Final[Mapping[str, Any]] = {ENTRY: {"rate_limits": [_limit(OWN), _limit(VOUCHER)]}}
"""In a genesis of either make."""


class LimitedPlugin(RateLimitPlugin):
    """Rate limits that a chain begins with."""

    @hookimpl
    def chain_init_genesis(self, ctx: WriteContext, genesis: Mapping[str, Any]) -> None:
        """As a genesis with `STATE`."""
        super().chain_init_genesis(ctx, {**genesis, **STATE})


NAME: Final = f"{__name__}:plugins"


def plugins() -> list[object]:
    """Every application, with these limits."""
    return [LimitedPlugin() if type(each) is RateLimitPlugin else each for each in applications.plugins()]
