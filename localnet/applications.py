"""Every application and middleware of this distribution, as chains of a localnet may have them.

Listed as plugins, `localnet.applications:plugins` (`pyibc localnet up --apps`). The transfer stack is then rate
limits over packet forwarding over ICS-20, as in ibc-go's testing application.
"""

from ibc_module.apps.gmp.plugin import GmpPlugin
from ibc_module.apps.interchain_accounts.plugin import InterchainAccountsPlugin
from ibc_module.apps.packet_forward.plugin import PacketForwardPlugin
from ibc_module.apps.rate_limit.plugin import RateLimitPlugin
from ibc_module.plugin import AttestationsPlugin

NAME = f"{__name__}:plugins"
"""As a node's settings name them."""


def plugins() -> list[object]:
    """Rate limits, packet forwarding, interchain accounts, GMP, and the client of what attestors signed."""
    return [
        RateLimitPlugin(),
        PacketForwardPlugin(),
        InterchainAccountsPlugin(),
        GmpPlugin(),
        AttestationsPlugin(),
    ]
