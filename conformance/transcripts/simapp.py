"""Plugins of the recorded hosts: ibc-go's testing application, and that of its callbacks module.

The recordings' README lists the middleware of each application, outermost first.
"""

from typing import Final

from conformance.transcripts.mock_app import MockPlugin
from conformance.transcripts.mock_app_v2 import MockPluginV2
from conformance.transcripts.mock_contracts import MockContractsPlugin
from conformance.transcripts.ports import RecordedIbcPlugin
from ibc_module.plugin import AttestationsPlugin, Config, LightClientsPlugin
from pyibc.apps.callbacks.plugin import CallbacksPlugin
from pyibc.apps.gmp import packet_data as gmp
from pyibc.apps.gmp.plugin import GmpPlugin
from pyibc.apps.interchain_accounts.plugin import CONTROLLER_KEY, InterchainAccountsPlugin
from pyibc.apps.packet_forward.plugin import PacketForwardPlugin
from pyibc.apps.rate_limit.plugin import RateLimitPlugin
from pyibc.apps.transfer.plugin import TransferPlugin
from pyibc.core.application.services import PacketSender, Services
from pyibc.core.application.v2 import PacketSenderV2
from pyibc.core.errors import UnknownRequest

PREFIX: Final = "cosmos"
SIMAPP: Final = ""
"""The application testing/simapp, the default of a recording."""
CALLBACKS: Final = "callbacks"
"""The test application of ibc-go's callbacks: no rate limits, no forwarding, no mock apps of IBC v2."""


class RecordedHost:
    """One chain's plugins, and access to those that recorded actions use."""

    def __init__(self, app: str, authority: str) -> None:
        """Create it; `app`: `SIMAPP` or `CALLBACKS`; `authority`: address of the governance account."""
        config = Config(account_prefix=PREFIX, authority=authority, strict_mempool=True)
        self.ibc = RecordedIbcPlugin(config)
        self.mock, self.mock_v2 = MockPlugin(), MockPluginV2()
        self.transfer = TransferPlugin()
        self.limits = RateLimitPlugin()
        self.interchain_accounts = InterchainAccountsPlugin()
        around: list[object] = [self.limits, PacketForwardPlugin()]
        mocks: list[object] = [self.mock, self.mock_v2]
        if app == CALLBACKS:
            around = [CallbacksPlugin(("transfer", CONTROLLER_KEY), ("transfer", gmp.PORT_ID))]
            mocks = [self.mock, MockContractsPlugin()]
        self.plugins = [
            self.ibc,
            LightClientsPlugin(),
            AttestationsPlugin(),
            *around,
            self.transfer,
            self.interchain_accounts,
            GmpPlugin(),
            *mocks,
        ]

    def sender(self, stack: str) -> PacketSender:
        """Return the packet sender of the application at the bottom of a stack.

        Raises:
            UnknownRequest: the stack's name is unknown.
        """
        return self._services(stack).sender

    def sender_v2(self, stack: str) -> PacketSenderV2:
        """Return the IBC v2 packet sender of the application at the bottom of a stack.

        Raises:
            UnknownRequest: the stack's name is unknown.
        """
        return self._services(stack).sender_v2

    def _services(self, stack: str) -> Services:
        if stack != "transfer":
            raise UnknownRequest(f"stack {stack}")
        return self.transfer._services  # noqa: SLF001 - the action acts as the application
