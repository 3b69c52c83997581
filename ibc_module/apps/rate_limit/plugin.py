"""Rate limits as a plugin: put it beside ICS-20's, `RateLimitPlugin()`."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ibc_core.application.classic import BoundApp, IbcApp
from ibc_core.application.services import Services
from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.host.routes import MessageRoute, QueryRoute
from ibc_core.host.shipped import shipped
from ibc_core.wire.message import route_of
from ibc_module import hookimpl
from ibc_module.apps.rate_limit import genesis as limits_genesis
from ibc_module.apps.rate_limit import messages, queries, state
from ibc_module.apps.rate_limit.layers import LimitedApp, LimitedAppV2, LimitedSender
from ibc_module.apps.rate_limit.limit import RateLimit
from ibc_module.apps.rate_limit.messages import MsgRemoveRateLimit, MsgSetRateLimit
from ibc_module.at_wiring import AtWiring
from ibc_module.hookspecs import Middleware, MiddlewareV2

PORT_ID = "transfer"


@shipped
class RateLimitPlugin:
    """Declares the middleware on port `transfer`, its messages, its query and its store."""

    _services = AtWiring[Services]()

    def __init__(self, limits: Sequence[RateLimit] = ()) -> None:
        """`limits` are those of a new chain; afterwards the authority sets them.

        Raises:
            IbcError: a limit is invalid.
        """
        for limit in limits:
            limit.validate()
        self._limits = tuple(limits)

    @hookimpl
    def chain_stores(self) -> Sequence[str]:
        """One store, `ratelimit`."""
        return (state.STORE_NAME,)

    @hookimpl
    def ibc_register_middleware(self) -> Iterable[Middleware]:
        """One layer around ICS-20, one between it and the module."""
        return [Middleware(PORT_ID, self._wrap, LimitedSender)]

    @hookimpl
    def ibc_register_middleware_v2(self) -> Iterable[MiddlewareV2]:
        """One layer around ICS-20 of IBC v2."""
        return [MiddlewareV2(PORT_ID, lambda below, _: LimitedAppV2(below))]

    @hookimpl
    def chain_messages(self) -> Mapping[str, MessageRoute]:
        """MsgSetRateLimit and MsgRemoveRateLimit."""
        return {
            MsgSetRateLimit.TYPE_URL: route_of(MsgSetRateLimit, self._services, self._set),
            MsgRemoveRateLimit.TYPE_URL: route_of(MsgRemoveRateLimit, self._services, self._remove),
        }

    @hookimpl
    def chain_queries(self) -> Mapping[str, QueryRoute]:
        """The limits and their windows."""
        return queries.routes()

    @hookimpl
    def chain_init_genesis(self, ctx: WriteContext, genesis: Mapping[str, Any]) -> None:
        """Restores what was exported, or sets the limits that the plugin was made with.

        Raises:
            InvalidGenesis: the entry is malformed; the message names key and value.
        """
        limits_genesis.init(ctx, genesis, self._limits)

    @hookimpl
    def chain_export_genesis(self, ctx: ReadContext) -> Mapping[str, Any]:
        """Every entry of the store."""
        return limits_genesis.export(ctx)

    def _set(self, ctx: WriteContext, msg: MsgSetRateLimit) -> bytes:
        messages.execute_set(ctx, msg, self._services.authority)
        return msg.RESPONSE.encode(None)

    def _remove(self, ctx: WriteContext, msg: MsgRemoveRateLimit) -> bytes:
        messages.execute_remove(ctx, msg, self._services.authority)
        return msg.RESPONSE.encode(None)

    def _wrap(self, below: BoundApp, services: Services) -> IbcApp:
        self._services = services
        return LimitedApp(below)
