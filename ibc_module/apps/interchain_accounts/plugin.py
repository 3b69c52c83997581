"""Interchain accounts as a plugin: a controller, a host, or both."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from ibc_core.application.classic import BoundApp, IbcApp, bind_app, confined_app
from ibc_core.application.ports import PortKey, PortPrefix
from ibc_core.application.services import Services
from ibc_core.host.confined import Grant
from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.host.routes import MessageRoute, QueryRoute
from ibc_core.host.shipped import is_shipped, shipped
from ibc_core.interchain_accounts.msg_module_query_safe import MsgModuleQuerySafe
from ibc_core.interchain_accounts.msg_register import MsgRegisterInterchainAccount
from ibc_core.interchain_accounts.msg_send_tx import MsgSendTx
from ibc_core.interchain_accounts.msg_update_controller_params import MsgUpdateControllerParams
from ibc_core.interchain_accounts.msg_update_host_params import MsgUpdateHostParams
from ibc_core.interchain_accounts.names import CONTROLLER, HOST_PORT, MODULE_NAME
from ibc_core.wire.message import route_of
from ibc_module import hookimpl
from ibc_module.apps.interchain_accounts import genesis as accounts_genesis
from ibc_module.apps.interchain_accounts import host_messages, queries
from ibc_module.apps.interchain_accounts.control import Control
from ibc_module.apps.interchain_accounts.controller import ControllerApp
from ibc_module.apps.interchain_accounts.execution import Execution
from ibc_module.apps.interchain_accounts.host import HostApp
from ibc_module.apps.interchain_accounts.state import CONTROLLER_STORE, HOST_STORE, AccountsState
from ibc_module.at_wiring import AtWiring

CONTROLLER_KEY = PortPrefix(CONTROLLER)
"""Where the controller stands: what begins so and names no owner reaches it too, and is refused."""


@shipped
class InterchainAccountsPlugin:
    """Gives a chain accounts on other chains, and accounts to other chains' owners (ICS-27)."""

    control = AtWiring[Control]()
    """For modules of the chain that act for owners; there is none without the controller."""
    _services = AtWiring[Services]()

    def __init__(
        self,
        *,
        controller: bool = True,
        host: bool = True,
        authentication: IbcApp | None = None,
        stores: Collection[str] = (),
    ) -> None:
        """Takes part as `controller`, as `host`, or as both.

        Args:
            controller: Whether accounts elsewhere are controlled from here.
            host: Whether there are accounts here; the chain must offer its own (`ibc_accounts`).
            authentication: An application below the controller (ibc-go's underlying one), which is told of
                channels that the chain's modules register by `control`.
            stores: What it may write.
        """
        self._controller, self._is_controller = AccountsState(CONTROLLER_STORE), controller
        self._host, self._is_host = AccountsState(HOST_STORE), host
        self._below = None if authentication is None else _bound(authentication, frozenset(stores))

    @hookimpl
    def chain_stores(self) -> Sequence[str]:
        """`icacontroller` and `icahost`."""
        parts = (CONTROLLER_STORE, self._is_controller), (HOST_STORE, self._is_host)
        return tuple(name for name, is_part in parts if is_part)

    @hookimpl
    def ibc_register_apps(self, services: Services) -> Mapping[PortKey, IbcApp]:
        """The controller on all ports `icacontroller-...`, the host on `icahost`.

        Raises:
            ValueError: the host chain offers no accounts.
        """
        self._services, apps = services, dict[PortKey, IbcApp]()
        if self._is_controller:
            self.control = Control(self._controller, services)
            apps[CONTROLLER_KEY] = ControllerApp(self._controller, self._below)
        if self._is_host:
            if services.accounts is None:
                raise ValueError("interchain accounts need a chain that offers its own (hook ibc_accounts)")
            execution = Execution(self._host, services.messages, services.addresses)
            apps[HOST_PORT] = HostApp(self._host, services.accounts, services.addresses, execution)
        return apps

    @hookimpl
    def chain_messages(self) -> Mapping[str, MessageRoute]:
        """What owners and the authority tell the controller, the authority the host; queries by message."""
        given, routes = self._services, dict[str, MessageRoute]()
        if self._is_controller:
            control = self.control
            for cls, deliver in (
                (MsgRegisterInterchainAccount, control.register_by_message),
                (MsgSendTx, control.send_by_message),
                (MsgUpdateControllerParams, control.update_params),
            ):
                routes[cls.TYPE_URL] = route_of(cls, given, deliver)
        if self._is_host:
            routes[MsgUpdateHostParams.TYPE_URL] = route_of(MsgUpdateHostParams, given, self._update_host)
            routes[MsgModuleQuerySafe.TYPE_URL] = route_of(MsgModuleQuerySafe, given, self._query_safe)
        return routes

    @hookimpl
    def chain_queries(self) -> Mapping[str, QueryRoute]:
        """Accounts and parameters."""
        routes = dict[str, QueryRoute]()
        if self._is_controller:
            routes.update(queries.controller_routes(self._controller))
        if self._is_host:
            routes.update(queries.host_routes(self._host))
        return routes

    @hookimpl
    def chain_init_genesis(self, ctx: WriteContext, genesis: Mapping[str, Any]) -> None:
        """Restores what was exported, or sets the parameters: everything is on by default.

        Raises:
            InvalidGenesis: the entry is malformed; the message names key and value.
        """
        if self._is_controller:
            accounts_genesis.init_controller(ctx, genesis)
        if self._is_host:
            accounts_genesis.init_host(ctx, genesis)

    @hookimpl
    def chain_export_genesis(self, ctx: ReadContext) -> Mapping[str, Any]:
        """Every entry of the stores."""
        parts = {}
        if self._is_controller:
            parts[accounts_genesis.CONTROLLER_PART] = accounts_genesis.export_controller(ctx)
        if self._is_host:
            parts[accounts_genesis.HOST_PART] = accounts_genesis.export_host(ctx)
        return {MODULE_NAME: parts}

    def _update_host(self, ctx: WriteContext, msg: MsgUpdateHostParams) -> bytes:
        return host_messages.update_params(ctx, msg, self._host, self._services.authority)

    def _query_safe(self, ctx: WriteContext, msg: MsgModuleQuerySafe) -> bytes:
        return host_messages.query_safe(ctx, msg, self._services)


def _bound(authentication: IbcApp, stores: frozenset[str]) -> BoundApp:
    """The application below the controller, confined as any other stranger's."""
    ours = is_shipped(authentication)
    bound = bind_app(authentication, "the application below icacontroller", shipped=ours)
    # guard: h160-the-application-below-has-the-block always:ours test_h160_the_application_below_is_confined
    return bound if ours else confined_app(bound, Grant(stores))
