"""All applications and middleware of this distribution, for chains of a localnet.

As plugins: `localnet.applications:plugins` (`pyibc localnet up --apps`). The transfer stack is rate limits
over packet forwarding over ICS-20, as in ibc-go's testing application.
"""

from ibc_module.plugin import AttestationsPlugin
from pyibc.apps.gmp.plugin import GmpPlugin
from pyibc.apps.interchain_accounts.plugin import InterchainAccountsPlugin
from pyibc.apps.packet_forward.plugin import PacketForwardPlugin
from pyibc.apps.rate_limit.plugin import RateLimitPlugin

NAME = f"{__name__}:plugins"
"""Name of the plugins in a node's settings."""


def plugins() -> list[object]:
    """Return the plugins of rate limits, packet forwarding, interchain accounts, GMP and attestations."""
    return [
        RateLimitPlugin(),
        PacketForwardPlugin(),
        InterchainAccountsPlugin(),
        GmpPlugin(),
        AttestationsPlugin(),
    ]
