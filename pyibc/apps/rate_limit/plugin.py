"""Plugin of rate limits; list it next to ICS-20's: `RateLimitPlugin()`."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ibc_module import hookimpl
from ibc_module.hookspecs import Middleware, MiddlewareV2
from ibc_module.registration import AtWiring
from keepers.keepers import Keepers
from pyibc.apps.rate_limit import genesis as limits_genesis
from pyibc.apps.rate_limit import queries, state
from pyibc.apps.rate_limit.limit import HourEpoch, WhitelistedAddressPair
from pyibc.apps.rate_limit.messages import (
    MsgAddRateLimit,
    MsgRemoveRateLimit,
    MsgResetRateLimit,
    MsgUpdateRateLimit,
)
from pyibc.apps.rate_limit.middleware import LimitedApp, LimitedAppV2, LimitedSender, LimitedSenderV2
from pyibc.apps.rate_limit.msg_server import RateLimitMsgServer
from pyibc.apps.transfer.packet_data import PORT_ID
from pyibc.core.application.classic import BoundApp, IbcApp
from pyibc.core.application.services import Services
from pyibc.core.host.context import MessageRoute, QueryRoute, ReadContext, WriteContext
from pyibc.core.setup_error import WiringError
from pyibc.core.wire.message import route_of
from pyibc.isolation.isolate import builtin


@builtin
class RateLimitPlugin:
    """Middleware on port `transfer`, with messages, queries and a store.

    There are no messages for the lists and the epoch: the host's governance calls the plugin's methods in a
    block.
    """

    _services = AtWiring[Services]()
    _keepers = AtWiring[Keepers]()
    _msg_server = AtWiring[RateLimitMsgServer]()

    # -- for the host's authority

    def blacklist_denom(self, ctx: WriteContext, denom: str) -> None:
        """Forbid all transfers of a coin, given by its name on this chain, in both directions."""
        state.add_to_blacklist(ctx, denom)

    def unblacklist_denom(self, ctx: WriteContext, denom: str) -> None:
        """Allow transfers of the coin again."""
        state.remove_from_blacklist(ctx, denom)

    def whitelist_pair(self, ctx: WriteContext, pair: WhitelistedAddressPair) -> None:
        """Exempt transfers of an address pair from all limits; the blacklist still applies."""
        state.add_to_whitelist(ctx, pair)

    def unwhitelist_pair(self, ctx: WriteContext, pair: WhitelistedAddressPair) -> None:
        """Count transfers of the pair again."""
        state.remove_from_whitelist(ctx, pair)

    def set_hour_epoch(self, ctx: WriteContext, epoch: HourEpoch) -> None:
        """Set the current epoch, for a chain whose genesis had no time.

        Raises:
            InvalidEpoch: the start is outside the years 1 to 9999, or a number outside 64 bits.
        """
        state.set_epoch(ctx, epoch)

    # -- hooks

    @hookimpl
    def chain_stores(self) -> Sequence[str]:
        """Declare the store `ratelimit`."""
        return (state.STORE_NAME,)

    @hookimpl
    def ibc_register_middleware(self) -> Iterable[Middleware]:
        """Register a layer around ICS-20 and one between it and core."""
        return [Middleware(PORT_ID, self._wrap, LimitedSender, ("decode_packet_data",))]

    @hookimpl
    def ibc_register_middleware_v2(self) -> Iterable[MiddlewareV2]:
        """Register both layers for ICS-20 of IBC v2."""
        return [MiddlewareV2(PORT_ID, lambda below, _: LimitedAppV2(below), LimitedSenderV2)]

    @hookimpl
    def ibc_wired(self, keepers: Keepers) -> None:
        """Store the keepers that messages and queries need.

        Raises:
            WiringError: the host offers no bank.
        """
        services = self._services
        # guard: ratelimit-rates-without-a-bank test_a_host_without_coins_is_told_so
        if services.bank is None:
            raise WiringError("rate limits need a host that offers its coins through the hook ibc_bank")
        self._keepers, self._msg_server = (
            keepers,
            RateLimitMsgServer(services.bank, keepers.clients, services.authority),
        )

    @hookimpl
    def chain_messages(self) -> Mapping[str, MessageRoute]:
        """Route MsgAddRateLimit, MsgUpdateRateLimit, MsgRemoveRateLimit and MsgResetRateLimit."""
        msg_server, services = self._msg_server, self._services
        return {
            MsgAddRateLimit.TYPE_URL: route_of(MsgAddRateLimit, services, msg_server.add),
            MsgUpdateRateLimit.TYPE_URL: route_of(MsgUpdateRateLimit, services, msg_server.update),
            MsgRemoveRateLimit.TYPE_URL: route_of(MsgRemoveRateLimit, services, msg_server.remove),
            MsgResetRateLimit.TYPE_URL: route_of(MsgResetRateLimit, services, msg_server.reset),
        }

    @hookimpl
    def chain_queries(self) -> Mapping[str, QueryRoute]:
        """Route the queries for limits and lists."""
        return queries.routes(self._keepers)

    @hookimpl
    def chain_begin_block(self, ctx: WriteContext) -> None:
        """Start the windows that are due."""
        self._msg_server.begin_block(ctx)

    @hookimpl
    def chain_init_genesis(self, ctx: WriteContext, genesis: Mapping[str, Any]) -> None:
        """Restore an exported state, or start the epoch.

        Raises:
            InvalidGenesis: the entry is malformed; the message has key and value.
        """
        limits_genesis.init(ctx, genesis)

    @hookimpl
    def chain_export_genesis(self, ctx: ReadContext) -> Mapping[str, Any]:
        """Export every entry of the store."""
        return limits_genesis.export(ctx)

    def _wrap(self, below: BoundApp, services: Services) -> IbcApp:
        self._services = services
        return LimitedApp(below)
