"""Plugin of ICS-20."""

from collections.abc import Mapping, Sequence
from typing import Any

from ibc_module import hookimpl
from ibc_module.registration import AtWiring
from pyibc.apps.transfer import msg_server as msg_update_params
from pyibc.apps.transfer import packet_data, queries, state
from pyibc.apps.transfer import state as transfer_genesis
from pyibc.apps.transfer.app import TransferApp
from pyibc.apps.transfer.app_v2 import TransferAppV2
from pyibc.apps.transfer.coins import CoinMover, TransferKeeper
from pyibc.apps.transfer.messages import MsgTransfer, MsgUpdateTransferParams
from pyibc.apps.transfer.msg_server import Senders, TransferHandler
from pyibc.core.address import module_address
from pyibc.core.application.classic import IbcApp
from pyibc.core.application.services import Services
from pyibc.core.application.v2 import IbcAppV2
from pyibc.core.host.context import MessageRoute, QueryRoute, ReadContext, WriteContext
from pyibc.core.setup_error import WiringError
from pyibc.core.wire.message import route_of
from pyibc.isolation.isolate import builtin


@builtin
class TransferPlugin:
    """ICS-20 for hosts with a bank: application (v1 and v2), messages, queries and store."""

    _services = AtWiring[Services]()
    _handler = AtWiring[TransferHandler]()
    _app_v2 = AtWiring[TransferAppV2]()

    @hookimpl
    def chain_stores(self) -> Sequence[str]:
        """Declare the store `transfer`."""
        return (state.STORE_NAME,)

    @hookimpl
    def ibc_register_apps(self, services: Services) -> Mapping[str, IbcApp]:
        """Register the v1 application on port `transfer`.

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
        keeper = TransferKeeper(coins, services.bank, services.addresses)
        senders = Senders(services.sender, services.sender_v2)
        self._handler = TransferHandler(coins, services.bank, keeper, senders, services.addresses)
        self._app_v2 = TransferAppV2(coins, keeper, services.addresses)
        return {packet_data.PORT_ID: TransferApp(keeper)}

    @hookimpl
    def ibc_register_apps_v2(self) -> Mapping[str, IbcAppV2]:
        """Register the v2 application on port `transfer`."""
        return {packet_data.PORT_ID: self._app_v2}

    @hookimpl
    def chain_messages(self) -> Mapping[str, MessageRoute]:
        """Route MsgTransfer and MsgUpdateParams."""
        services = self._services
        return {
            MsgTransfer.TYPE_URL: route_of(MsgTransfer, services, self._deliver),
            MsgUpdateTransferParams.TYPE_URL: route_of(
                MsgUpdateTransferParams, services, self._update_params
            ),
        }

    @hookimpl
    def chain_queries(self) -> Mapping[str, QueryRoute]:
        """Route the queries for parameters, denominations and escrow."""
        return queries.routes(self._services.addresses)

    @hookimpl
    def chain_init_genesis(self, ctx: WriteContext, genesis: Mapping[str, Any]) -> None:
        """Restore an exported state, or set the default parameters: both directions enabled.

        Raises:
            InvalidGenesis: the entry is malformed; the message has key and value.
        """
        transfer_genesis.init(ctx, genesis)

    @hookimpl
    def chain_export_genesis(self, ctx: ReadContext) -> Mapping[str, Any]:
        """Export every entry of the store."""
        return transfer_genesis.export(ctx)

    def _update_params(self, ctx: WriteContext, msg: MsgUpdateTransferParams) -> bytes:
        msg_update_params.execute(ctx, msg, self._services.authority)
        return msg.RESPONSE.encode(None)

    def _deliver(self, ctx: WriteContext, msg: MsgTransfer) -> bytes:
        sequence = self._handler.execute(ctx, self._handler.validate(ctx, msg))
        return msg.RESPONSE.encode(sequence)
