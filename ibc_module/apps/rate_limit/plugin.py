"""Rate limits as a plugin: put it beside ICS-20's, `RateLimitPlugin()`."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ibc_core.application.classic import BoundApp, IbcApp
from ibc_core.application.services import Services
from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.host.routes import MessageRoute, QueryRoute
from ibc_core.host.shipped import shipped
from ibc_core.rate_limit.epoch import HourEpoch
from ibc_core.rate_limit.msg_add_rate_limit import MsgAddRateLimit
from ibc_core.rate_limit.msg_remove_rate_limit import MsgRemoveRateLimit
from ibc_core.rate_limit.msg_reset_rate_limit import MsgResetRateLimit
from ibc_core.rate_limit.msg_update_rate_limit import MsgUpdateRateLimit
from ibc_core.rate_limit.whitelist import WhitelistedAddressPair
from ibc_core.wire.message import route_of
from ibc_module import hookimpl
from ibc_module.apps.rate_limit import genesis as limits_genesis
from ibc_module.apps.rate_limit import queries, state
from ibc_module.apps.rate_limit.layers import LimitedApp, LimitedSender
from ibc_module.apps.rate_limit.layers_v2 import LimitedAppV2, LimitedSenderV2
from ibc_module.apps.rate_limit.limits import Limits
from ibc_module.apps.transfer.state import PORT_ID
from ibc_module.at_wiring import AtWiring
from ibc_module.hookspecs import Middleware, MiddlewareV2
from ibc_module.wiring_error import WiringError
from keepers.keepers import Keepers


@shipped
class RateLimitPlugin:
    """Declares the middleware on port `transfer`, its messages, its queries and its store.

    Lists and hours have no messages: whoever governs the host calls the plugin's methods, in a block.
    """

    _services = AtWiring[Services]()
    _keepers = AtWiring[Keepers]()
    _limits = AtWiring[Limits]()

    # -- what the host's authority may do

    def blacklist_denom(self, ctx: WriteContext, denom: str) -> None:
        """Forbids transfers of a coin, by its name on this chain, in both directions and over everything."""
        state.add_to_blacklist(ctx, denom)

    def unblacklist_denom(self, ctx: WriteContext, denom: str) -> None:
        """Allows transfers of the coin again."""
        state.remove_from_blacklist(ctx, denom)

    def whitelist_pair(self, ctx: WriteContext, pair: WhitelistedAddressPair) -> None:
        """Counts transfers of the pair against no limit; the blacklist holds for it all the same."""
        state.add_to_whitelist(ctx, pair)

    def unwhitelist_pair(self, ctx: WriteContext, pair: WhitelistedAddressPair) -> None:
        """Counts transfers of the pair again."""
        state.remove_from_whitelist(ctx, pair)

    def set_hour_epoch(self, ctx: WriteContext, epoch: HourEpoch) -> None:
        """Sets the hour under way, for a chain whose genesis had no time.

        Raises:
            InvalidEpoch: a time outside the years 1 to 9999, or numbers beyond 64 bits.
        """
        state.set_epoch(ctx, epoch)

    # -- hooks

    @hookimpl
    def chain_stores(self) -> Sequence[str]:
        """One store, `ratelimit`."""
        return (state.STORE_NAME,)

    @hookimpl
    def ibc_register_middleware(self) -> Iterable[Middleware]:
        """One layer around ICS-20, one between it and the module."""
        return [Middleware(PORT_ID, self._wrap, LimitedSender, ("decode_packet_data",))]

    @hookimpl
    def ibc_register_middleware_v2(self) -> Iterable[MiddlewareV2]:
        """The same for ICS-20 of IBC v2."""
        return [MiddlewareV2(PORT_ID, lambda below, _: LimitedAppV2(below), LimitedSenderV2)]

    @hookimpl
    def ibc_wired(self, keepers: Keepers) -> None:
        """Takes what limits ask of clients.

        Raises:
            WiringError: the host offers no bank.
        """
        given = self._services
        # guard: ratelimit-rates-without-a-bank test_a_host_without_coins_is_told_so
        if given.bank is None:
            raise WiringError("rate limits need a host that offers its coins through the hook ibc_bank")
        self._keepers, self._limits = keepers, Limits(given.bank, keepers.clients, given.authority)

    @hookimpl
    def chain_messages(self) -> Mapping[str, MessageRoute]:
        """MsgAddRateLimit, MsgUpdateRateLimit, MsgRemoveRateLimit, MsgResetRateLimit."""
        limits, given = self._limits, self._services
        return {
            MsgAddRateLimit.TYPE_URL: route_of(MsgAddRateLimit, given, limits.add),
            MsgUpdateRateLimit.TYPE_URL: route_of(MsgUpdateRateLimit, given, limits.update),
            MsgRemoveRateLimit.TYPE_URL: route_of(MsgRemoveRateLimit, given, limits.remove),
            MsgResetRateLimit.TYPE_URL: route_of(MsgResetRateLimit, given, limits.reset),
        }

    @hookimpl
    def chain_queries(self) -> Mapping[str, QueryRoute]:
        """Limits and lists."""
        return queries.routes(self._keepers)

    @hookimpl
    def chain_begin_block(self, ctx: WriteContext) -> None:
        """Begins windows whose hour has come."""
        self._limits.begin_block(ctx)

    @hookimpl
    def chain_init_genesis(self, ctx: WriteContext, genesis: Mapping[str, Any]) -> None:
        """Restores what was exported, or begins to count hours.

        Raises:
            InvalidGenesis: the entry is malformed; the message names key and value.
        """
        limits_genesis.init(ctx, genesis)

    @hookimpl
    def chain_export_genesis(self, ctx: ReadContext) -> Mapping[str, Any]:
        """Every entry of the store."""
        return limits_genesis.export(ctx)

    def _wrap(self, below: BoundApp, services: Services) -> IbcApp:
        self._services = services
        return LimitedApp(below)
