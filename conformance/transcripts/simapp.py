"""The plugins of the recorded hosts: ibc-go's testing application, and that of its callbacks module.

The README of the recordings says which layers stand around which application; the first listed is outermost.
"""

from typing import Final

from conformance.transcripts.mock_app import MockPlugin
from conformance.transcripts.mock_app_v2 import MockPluginV2
from conformance.transcripts.mock_contracts import MockContractsPlugin
from conformance.transcripts.ports import RecordedIbcPlugin
from ibc_core.application.services import PacketSender, Services
from ibc_core.application.v2 import PacketSenderV2
from ibc_core.errors import UnknownRequest
from ibc_core.gmp import names as gmp
from ibc_module.apps.callbacks.plugin import CallbacksPlugin
from ibc_module.apps.gmp.plugin import GmpPlugin
from ibc_module.apps.interchain_accounts.plugin import CONTROLLER_KEY, InterchainAccountsPlugin
from ibc_module.apps.packet_forward.plugin import PacketForwardPlugin
from ibc_module.apps.rate_limit.plugin import RateLimitPlugin
from ibc_module.apps.transfer.plugin import TransferPlugin
from ibc_module.plugin import AttestationsPlugin, Config, LightClientsPlugin

PREFIX: Final = "cosmos"
SIMAPP: Final = ""
"""testing/simapp: what a recording means that does not name its application."""
CALLBACKS: Final = "callbacks"
"""The test application of ibc-go's callbacks: no rate limits, no forwarding, no mock apps of IBC v2."""


class RecordedHost:
    """One chain's plugins, and those that a recording's actions reach into."""

    def __init__(self, app: str, authority: str) -> None:
        """`app`: `SIMAPP` or `CALLBACKS`; `authority`: who governs the chain."""
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
        """What the application at the bottom of a stack sends and answers through.

        Raises:
            UnknownRequest: no recording names this stack.
        """
        return self._services(stack).sender

    def sender_v2(self, stack: str) -> PacketSenderV2:
        """As `sender`, over clients.

        Raises:
            UnknownRequest: no recording names this stack.
        """
        return self._services(stack).sender_v2

    def _services(self, stack: str) -> Services:
        if stack != "transfer":
            raise UnknownRequest(f"stack {stack}")
        return self.transfer._services  # noqa: SLF001 - the action acts as the application
