"""Packet counts as a plugin: `PacketCountPlugin("transfer")` among a chain's plugins.

Where several plugins declare middleware for one port, the first in the configuration stands outermost: it
sees a packet that comes in before the others, and one that goes out after them.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ibc_core.application.classic import IbcApp
from ibc_core.application.services import PacketSender, Services
from ibc_core.application.v2 import IbcAppV2
from ibc_core.genesis.entries import InvalidGenesis, export_entries, parse_entries
from ibc_core.host.context import ReadContext, WriteContext
from ibc_module import hookimpl
from ibc_module.apps.packet_count.counter import Counter
from ibc_module.apps.packet_count.layers import CountingApp, CountingSender
from ibc_module.apps.packet_count.layers_v2 import CountingAppV2
from ibc_module.hookspecs import Middleware, MiddlewareV2


class PacketCountPlugin:
    """Declares the middleware for one port, and the store of its counts."""

    def __init__(self, port_id: str, store: str = "packetcount", *, v2: bool = False) -> None:
        """`v2`: the port has an application of IBC v2 as well, which is to be counted."""
        self._port_id = port_id
        self._v2 = v2
        self.counter = Counter(store)

    @hookimpl
    def chain_stores(self) -> Sequence[str]:
        """Its store."""
        return (self.counter.store,)

    @hookimpl
    def ibc_register_middleware(self) -> Iterable[Middleware]:
        """One layer around the application, one below the module."""
        return [Middleware(self._port_id, self._wrap, self._wrap_sender)]

    @hookimpl
    def ibc_register_middleware_v2(self) -> Iterable[MiddlewareV2]:
        """One layer around the application of IBC v2, if that is counted."""
        return [MiddlewareV2(self._port_id, self._wrap_v2)] if self._v2 else []

    @hookimpl
    def chain_init_genesis(self, ctx: WriteContext, genesis: Mapping[str, Any]) -> None:
        """Restores the counts.

        Raises:
            InvalidGenesis: the entry is malformed; the message names key and value.
        """
        name = self.counter.store
        given = genesis.get(name, {})
        if not isinstance(given, Mapping):
            raise InvalidGenesis(name, given, "is not an object")
        for key, value in parse_entries(given.get("entries", []), f"{name}.entries"):
            ctx.store(name).set(key, value)

    @hookimpl
    def chain_export_genesis(self, ctx: ReadContext) -> Mapping[str, Any]:
        """Every count."""
        name = self.counter.store
        return {name: {"entries": export_entries(ctx.reader(name).iterate(b"\0", None))}}

    def _wrap(self, below: IbcApp, services: Services) -> IbcApp:  # noqa: ARG002 - the hook's shape
        return CountingApp(below, self.counter)

    def _wrap_sender(self, above: PacketSender) -> PacketSender:
        return CountingSender(above, self.counter)

    def _wrap_v2(self, below: IbcAppV2, services: Services) -> IbcAppV2:  # noqa: ARG002 - the hook's shape
        return CountingAppV2(below, self.counter)
