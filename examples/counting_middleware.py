"""A middleware of one's own (ICS-30): counts what a port sends and receives, in a store of its own.

Put `CountingPlugin("transfer")` among a chain's plugins. Where several plugins declare middleware for one
port, the first in the configuration stands outermost: it sees a packet that comes in before the others,
and one that goes out after them.
"""

from collections.abc import Iterable, Sequence

from ibc_module import hookimpl
from ibc_module.core.address import Address
from ibc_module.core.application import AppAcknowledgement, IbcApp, PacketSender, Services
from ibc_module.core.context import ReadContext, WriteContext
from ibc_module.core.height import Height
from ibc_module.core.middleware import PassThroughApp, PassThroughSender
from ibc_module.core.numbers import be8
from ibc_module.core.packet import Packet
from ibc_module.hookspecs import Middleware


class Counter:
    """Numbers in a store, by name."""

    def __init__(self, store: str) -> None:
        self.store = store

    def read(self, ctx: ReadContext, what: str) -> int:
        """How many there were."""
        return int.from_bytes(ctx.reader(self.store).get(what.encode()) or b"", "big")

    def add(self, ctx: WriteContext, what: str) -> None:
        """One more."""
        ctx.store(self.store).set(what.encode(), be8(self.read(ctx, what) + 1))


class CountingApp(PassThroughApp):
    """Around the application: counts packets that come in, and refuses nothing."""

    def __init__(self, below: IbcApp, counter: Counter) -> None:
        super().__init__(below)
        self._counter = counter

    def on_recv_packet(
        self, ctx: WriteContext, channel_version: str, packet: Packet, relayer: Address
    ) -> AppAcknowledgement | None:
        """Counts packets that the application took: what a refused one writes is undone."""
        self._counter.add(ctx, "received")
        return super().on_recv_packet(ctx, channel_version, packet, relayer)


class CountingSender(PassThroughSender):
    """Between the application and the module: counts packets that go out."""

    def __init__(self, above: PacketSender, counter: Counter) -> None:
        super().__init__(above)
        self._counter = counter

    def send_packet(
        self,
        ctx: WriteContext,
        port_id: str,
        channel_id: str,
        timeout_height_on_b: Height,
        timeout_ns_on_b: int,
        data: bytes,
    ) -> int:
        """Counts; a failed transaction takes its count back with it."""
        self._counter.add(ctx, "sent")
        return super().send_packet(ctx, port_id, channel_id, timeout_height_on_b, timeout_ns_on_b, data)


class CountingPlugin:
    """Declares the middleware for one port, and the store of its counts."""

    def __init__(self, port_id: str, store: str = "counts") -> None:
        self._port_id = port_id
        self.counter = Counter(store)

    @hookimpl
    def chain_stores(self) -> Sequence[str]:
        """Its store."""
        return (self.counter.store,)

    @hookimpl
    def ibc_register_middleware(self) -> Iterable[Middleware]:
        """One layer around the application, one below the module."""
        return [Middleware(self._port_id, self._wrap, self._wrap_sender)]

    def _wrap(self, below: IbcApp, services: Services) -> IbcApp:  # noqa: ARG002 - the hook's shape
        return CountingApp(below, self.counter)

    def _wrap_sender(self, above: PacketSender) -> PacketSender:
        return CountingSender(above, self.counter)
