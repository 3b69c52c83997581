"""Plugin of interchain accounts: controller, host, or both."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from ibc_module import hookimpl
from ibc_module.registration import AtWiring
from pyibc.apps.interchain_accounts import host as host_messages
from pyibc.apps.interchain_accounts import queries
from pyibc.apps.interchain_accounts import state as accounts_genesis
from pyibc.apps.interchain_accounts.controller import ControllerApp, ControllerKeeper
from pyibc.apps.interchain_accounts.execution import TxExecutor
from pyibc.apps.interchain_accounts.host import HostApp
from pyibc.apps.interchain_accounts.messages import (
    MsgModuleQuerySafe,
    MsgRegisterInterchainAccount,
    MsgSendTx,
    MsgUpdateControllerParams,
    MsgUpdateHostParams,
)
from pyibc.apps.interchain_accounts.packet_data import CONTROLLER, HOST_PORT, MODULE_NAME
from pyibc.apps.interchain_accounts.state import CONTROLLER_STORE, HOST_STORE, AccountsState
from pyibc.core.application.classic import BoundApp, IbcApp, bind_app
from pyibc.core.application.services import PortKey, PortPrefix, Services
from pyibc.core.host.context import MessageRoute, QueryRoute, ReadContext, WriteContext
from pyibc.core.wire.message import route_of
from pyibc.isolation.isolate import builtin, grant_of

CONTROLLER_KEY = PortPrefix(CONTROLLER)
"""Ports of the controller; ports with this prefix but without an owner reach it too and are refused."""


@builtin
class InterchainAccountsPlugin:
    """Interchain accounts (ICS-27): controls accounts on other chains, hosts accounts for other chains."""

    control = AtWiring[ControllerKeeper]()
    """Controller, for modules of the chain that act as owners; unset if `controller` is False."""
    _services = AtWiring[Services]()

    def __init__(
        self,
        *,
        controller: bool = True,
        host: bool = True,
        authentication: IbcApp | None = None,
        stores: Collection[str] = (),
    ) -> None:
        """Enable `controller`, `host`, or both.

        Args:
            controller: Control accounts on other chains.
            host: Host accounts on this chain, which must offer its accounts (hook `ibc_accounts`).
            authentication: Application below the controller (ibc-go's underlying application); it gets the
                callbacks of channels that modules register through `control`.
            stores: Stores that it may write.
        """
        self._controller, self._is_controller = AccountsState(CONTROLLER_STORE), controller
        self._host, self._is_host = AccountsState(HOST_STORE), host
        self._below = None if authentication is None else _bound(authentication, frozenset(stores))

    @hookimpl
    def chain_stores(self) -> Sequence[str]:
        """Declare the stores `icacontroller` and `icahost`."""
        parts = (CONTROLLER_STORE, self._is_controller), (HOST_STORE, self._is_host)
        return tuple(name for name, is_part in parts if is_part)

    @hookimpl
    def ibc_register_apps(self, services: Services) -> Mapping[PortKey, IbcApp]:
        """Register the controller on all ports `icacontroller-...`, the host on `icahost`.

        Raises:
            ValueError: `host` is set, and the chain offers no accounts.
        """
        self._services, apps = services, dict[PortKey, IbcApp]()
        if self._is_controller:
            self.control = ControllerKeeper(self._controller, services)
            apps[CONTROLLER_KEY] = ControllerApp(self._controller, self._below)
        if self._is_host:
            if services.accounts is None:
                raise ValueError(
                    "interchain accounts need a host that offers its accounts through the hook ibc_accounts"
                )
            executor = TxExecutor(self._host, services.messages, services.addresses)
            apps[HOST_PORT] = HostApp(self._host, services.accounts, services.addresses, executor)
        return apps

    @hookimpl
    def chain_messages(self) -> Mapping[str, MessageRoute]:
        """Route the messages of owners and of the authority, and MsgModuleQuerySafe."""
        services, routes = self._services, dict[str, MessageRoute]()
        if self._is_controller:
            control = self.control
            for cls, deliver in (
                (MsgRegisterInterchainAccount, control.register_by_message),
                (MsgSendTx, control.send_by_message),
                (MsgUpdateControllerParams, control.update_params),
            ):
                routes[cls.TYPE_URL] = route_of(cls, services, deliver)
        if self._is_host:
            routes[MsgUpdateHostParams.TYPE_URL] = route_of(MsgUpdateHostParams, services, self._update_host)
            routes[MsgModuleQuerySafe.TYPE_URL] = route_of(MsgModuleQuerySafe, services, self._query_safe)
        return routes

    @hookimpl
    def chain_queries(self) -> Mapping[str, QueryRoute]:
        """Route the queries for accounts and parameters."""
        routes = dict[str, QueryRoute]()
        if self._is_controller:
            routes.update(queries.controller_routes(self._controller))
        if self._is_host:
            routes.update(queries.host_routes(self._host))
        return routes

    @hookimpl
    def chain_init_genesis(self, ctx: WriteContext, genesis: Mapping[str, Any]) -> None:
        """Restore an exported state, or set the default parameters: everything is enabled.

        Raises:
            InvalidGenesis: the entry is malformed; the message has key and value.
        """
        if self._is_controller:
            accounts_genesis.init_controller(ctx, genesis)
        if self._is_host:
            accounts_genesis.init_host(ctx, genesis)

    @hookimpl
    def chain_export_genesis(self, ctx: ReadContext) -> Mapping[str, Any]:
        """Export every entry of the stores."""
        parts = {}
        if self._is_controller:
            parts[accounts_genesis.CONTROLLER_SECTION] = accounts_genesis.export_controller(ctx)
        if self._is_host:
            parts[accounts_genesis.HOST_SECTION] = accounts_genesis.export_host(ctx)
        return {MODULE_NAME: parts}

    def _update_host(self, ctx: WriteContext, msg: MsgUpdateHostParams) -> bytes:
        return host_messages.update_params(ctx, msg, self._host, self._services.authority)

    def _query_safe(self, ctx: WriteContext, msg: MsgModuleQuerySafe) -> bytes:
        return host_messages.query_safe(ctx, msg, self._services)


def _bound(authentication: IbcApp, stores: frozenset[str]) -> BoundApp:
    """Bind the application below the controller, which writes only its stores unless it is builtin."""
    # guard: h160-the-application-below-has-the-block {grant_of(stores, authentication) => None}
    #   test_h160_the_application_below_is_confined
    grant = grant_of(stores, authentication)
    return bind_app(authentication, "the application below icacontroller", grant)
