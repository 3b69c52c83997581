"""ICS-20 as a plugin, registered through the hooks of every application."""

from collections.abc import Mapping, Sequence
from typing import Any

from ibc_core.application.classic import IbcApp
from ibc_core.application.services import Services
from ibc_core.application.v2 import IbcAppV2
from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.host.module_account import module_address
from ibc_core.host.routes import MessageRoute, QueryRoute
from ibc_core.host.shipped import shipped
from ibc_core.transfer.msg_transfer import MsgTransfer
from ibc_core.transfer.msg_update_params import MsgUpdateTransferParams
from ibc_core.wire.message import route_of
from ibc_module import hookimpl
from ibc_module.apps.transfer import genesis as transfer_genesis
from ibc_module.apps.transfer import msg_update_params, queries, state
from ibc_module.apps.transfer.app import TransferApp
from ibc_module.apps.transfer.app_v2 import TransferAppV2
from ibc_module.apps.transfer.coins import CoinMover, Settlement
from ibc_module.apps.transfer.msg_transfer import Senders, TransferHandler
from ibc_module.at_wiring import AtWiring
from ibc_module.wiring_error import WiringError


@shipped
class TransferPlugin:
    """Gives a host with coins the application ICS-20, its message and its store."""

    _services = AtWiring[Services]()
    _handler = AtWiring[TransferHandler]()
    _app_v2 = AtWiring[TransferAppV2]()

    @hookimpl
    def chain_stores(self) -> Sequence[str]:
        """One store, `transfer`."""
        return (state.STORE_NAME,)

    @hookimpl
    def ibc_register_apps(self, services: Services) -> Mapping[str, IbcApp]:
        """The application, on port `transfer`.

        Raises:
            WiringError: the host offers no bank.
        """
        if services.bank is None:
            raise WiringError(
                "ICS-20 needs a host that offers its coins through the hook ibc_bank; "
                "without coins: plugins(config, transfer=False)"
            )
        module = services.addresses.encode(module_address(state.MODULE_NAME))
        coins = CoinMover(services.bank, services.addresses, module)
        self._services = services
        settlement = Settlement(coins, services.bank, services.addresses)
        senders = Senders(services.sender, services.sender_v2)
        self._handler = TransferHandler(coins, services.bank, settlement, senders, services.addresses)
        self._app_v2 = TransferAppV2(coins, settlement, services.addresses)
        return {state.PORT_ID: TransferApp(settlement)}

    @hookimpl
    def ibc_register_apps_v2(self) -> Mapping[str, IbcAppV2]:
        """The application of IBC v2, on port `transfer`."""
        return {state.PORT_ID: self._app_v2}

    @hookimpl
    def chain_messages(self) -> Mapping[str, MessageRoute]:
        """MsgTransfer and MsgUpdateParams."""
        given = self._services
        return {
            MsgTransfer.TYPE_URL: route_of(MsgTransfer, given, self._deliver),
            MsgUpdateTransferParams.TYPE_URL: route_of(MsgUpdateTransferParams, given, self._update_params),
        }

    @hookimpl
    def chain_queries(self) -> Mapping[str, QueryRoute]:
        """Parameters, denominations, escrow."""
        return queries.routes(self._services.addresses)

    @hookimpl
    def chain_init_genesis(self, ctx: WriteContext, genesis: Mapping[str, Any]) -> None:
        """Restores what was exported, or sets the parameters: both directions are enabled by default.

        Raises:
            InvalidGenesis: the entry is malformed; the message names key and value.
        """
        transfer_genesis.init(ctx, genesis)

    @hookimpl
    def chain_export_genesis(self, ctx: ReadContext) -> Mapping[str, Any]:
        """Every entry of the store."""
        return transfer_genesis.export(ctx)

    def _update_params(self, ctx: WriteContext, msg: MsgUpdateTransferParams) -> bytes:
        msg_update_params.execute(ctx, msg, self._services.authority)
        return msg.RESPONSE.encode(None)

    def _deliver(self, ctx: WriteContext, msg: MsgTransfer) -> bytes:
        sequence = self._handler.execute(ctx, self._handler.validate(ctx, msg))
        return msg.RESPONSE.encode(sequence)
