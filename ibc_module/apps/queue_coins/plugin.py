"""Coins over queues as a plugin, registered through the hook of every application."""

from collections.abc import Mapping, Sequence
from typing import Any

from ibc_core.genesis.entries import export_entries, restore_entries
from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.host.module_account import module_address
from ibc_core.host.shipped import shipped
from ibc_core.queue.application import MakeQueueApp, QueueApp, QueueServices
from ibc_module import hookimpl
from ibc_module.apps.queue_coins.app import MODULE_NAME, CoinsApp
from ibc_module.apps.queue_coins.state import STORE_NAME

COINS = "coins"
"""Type of its packets."""


@shipped
class QueueCoinsPlugin:
    """Gives a host with coins and queues the application of packets of type `coins`."""

    @hookimpl
    def chain_stores(self) -> Sequence[str]:
        """One store, `queue_coins`."""
        return (STORE_NAME,)

    @hookimpl
    def ibc_register_queue_apps(self) -> Mapping[str, MakeQueueApp]:
        """The application."""
        return {COINS: _make}

    @hookimpl
    def chain_init_genesis(self, ctx: WriteContext, genesis: Mapping[str, Any]) -> None:
        """Restores what was exported.

        Raises:
            InvalidGenesis: the entry is malformed; the message names key and value.
        """
        restore_entries(ctx.store(STORE_NAME), genesis, MODULE_NAME)

    @hookimpl
    def chain_export_genesis(self, ctx: ReadContext) -> Mapping[str, Any]:
        """Every entry of the store: without them vouchers could not be redeemed."""
        return {MODULE_NAME: {"entries": export_entries(ctx.reader(STORE_NAME).iterate(b"\0", None))}}


def _make(services: QueueServices) -> QueueApp:
    if services.bank is None:
        raise ValueError("coins over queues need a host that offers its coins through the hook ibc_bank")
    module = services.addresses.encode(module_address(MODULE_NAME))
    return CoinsApp(services.bank, services.addresses, module)
