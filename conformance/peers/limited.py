"""A chain, pyibc or ibc-go, whose genesis has rate limits on its first channel."""

from collections.abc import Mapping
from typing import Any, Final

from ibc_module import hookimpl
from localnet import applications
from pyibc.apps.rate_limit.genesis import ENTRY
from pyibc.apps.rate_limit.plugin import RateLimitPlugin
from pyibc.apps.transfer.denom import parse_denom
from pyibc.core.host.context import WriteContext

QUOTA: Final = 100
"""Quota: the limit on net flow in either direction."""
CHANNEL: Final = "channel-0"
OWN, VOUCHER = "stake", parse_denom(f"transfer/{CHANNEL}/stake").coin_denom


def _limit(denom: str) -> dict[str, Any]:
    return {
        "path": {"denom": denom, "channel_or_client_id": CHANNEL},
        "quota": {"max_percent_send": "1", "max_percent_recv": "1", "duration_hours": "1000000"},
        "flow": {"inflow": "0", "outflow": "0", "channel_value": str(100 * QUOTA)},
    }


STATE: Final[Mapping[str, Any]] = {ENTRY: {"rate_limits": [_limit(OWN), _limit(VOUCHER)]}}
"""Rate limits for the genesis of either implementation."""


class LimitedPlugin(RateLimitPlugin):
    """Sets the rate limits at genesis."""

    @hookimpl
    def chain_init_genesis(self, ctx: WriteContext, genesis: Mapping[str, Any]) -> None:
        """Initialise the store from a genesis with `STATE`."""
        super().chain_init_genesis(ctx, {**genesis, **STATE})


NAME: Final = f"{__name__}:plugins"


def plugins() -> list[object]:
    """Return every application, with these limits."""
    return [LimitedPlugin() if type(each) is RateLimitPlugin else each for each in applications.plugins()]
