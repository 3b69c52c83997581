"""Coins over queues as a plugin, registered through the hook of every application."""

from collections.abc import Mapping

from ibc_core.host.module_account import module_address
from ibc_core.host.shipped import shipped
from ibc_core.queue.application import MakeQueueApp, QueueApp, QueueServices
from ibc_module import hookimpl
from ibc_module.apps.queue_coins.app import MODULE_NAME, CoinsApp
from ibc_module.apps.queue_coins.state import STORE_NAME
from ibc_module.entry_store import EntryStore

COINS = "coins"
"""Type of its packets."""


@shipped
class QueueCoinsPlugin(EntryStore):
    """Gives a host with coins and queues the application of packets of type `coins`.

    Its store must outlive a genesis: without the entries vouchers could not be redeemed.
    """

    store_name = STORE_NAME

    @hookimpl
    def ibc_register_queue_apps(self) -> Mapping[str, MakeQueueApp]:
        """The application."""
        return {COINS: _make}


def _make(services: QueueServices) -> QueueApp:
    if services.bank is None:
        raise ValueError("coins over queues need a host that offers its coins through the hook ibc_bank")
    module = services.addresses.encode(module_address(MODULE_NAME))
    return CoinsApp(services.bank, services.addresses, module)
