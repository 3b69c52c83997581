"""Counter of a port's packets: a minimal middleware (ICS-30), to read first."""

from collections.abc import Callable, Iterable
from typing import Self

from ibc_module import hookimpl
from ibc_module.entry_store import EntryStore
from ibc_module.hookspecs import Middleware, MiddlewareV2
from pyibc.core.application.classic import Acknowledged, AppAcknowledgement, Received, TimedOut
from pyibc.core.application.middleware import PassThroughApp, PassThroughAppV2, PassThroughSender
from pyibc.core.application.v2 import AcknowledgedV2, PayloadAnswer, ReceivedV2, SendingV2, TimedOutV2
from pyibc.core.height import Height
from pyibc.core.host.context import ReadContext, WriteContext
from pyibc.core.numbers import be8
from pyibc.isolation.isolate import builtin


@builtin
class PacketCountPlugin(EntryStore):
    """Counters at `{sent|received|acknowledged|timed_out}/{channel or client}`: eight bytes, big-endian."""

    def __init__(self, port_id: str, store: str = "packetcount", *, v2: bool = False) -> None:
        """Set port and store; `v2`: also count the payloads of the port's IBC v2 application."""
        self._port_id, self.store_name, self._v2 = port_id, store, v2

    def read(self, ctx: ReadContext, kind: str, name: str) -> int:
        """Return the count of one channel or client."""
        return int.from_bytes(ctx.reader(self.store_name).get(f"{kind}/{name}".encode()) or b"", "big")

    def total(self, ctx: ReadContext, kind: str) -> int:
        """Return the total count."""
        found = ctx.reader(self.store_name).iterate(f"{kind}/".encode(), f"{kind}0".encode())
        return sum(int.from_bytes(raw, "big") for _, raw in found)

    def add(self, ctx: WriteContext, kind: str, name: str) -> None:
        """Increment a counter; reverted with the transaction, or with a packet that is refused."""
        ctx.store(self.store_name).set(f"{kind}/{name}".encode(), be8(self.read(ctx, kind, name) + 1))

    @hookimpl
    def ibc_register_middleware(self) -> Iterable[Middleware]:
        """Register a layer around the application and one between it and core."""
        return [Middleware(self._port_id, lambda it, _: _App(it).by(self), lambda it: _Sender(it).by(self))]

    @hookimpl
    def ibc_register_middleware_v2(self) -> Iterable[MiddlewareV2]:
        """Register a layer around the application of IBC v2, if it is to be counted."""
        return [MiddlewareV2(self._port_id, lambda app, _: _AppV2(app).by(self))] if self._v2 else []


class _Counting:
    _add: Callable[[WriteContext, str, str], None]

    def by(self, counts: PacketCountPlugin) -> Self:
        self._add = counts.add
        return self


@builtin
class _App(_Counting, PassThroughApp):
    def on_recv_packet(self, ctx: WriteContext, received: Received) -> AppAcknowledgement | None:
        self._add(ctx, "received", received.packet.channel_id_on_b)
        return self.below.on_recv_packet(ctx, received)

    def on_acknowledgement_packet(self, ctx: WriteContext, acknowledged: Acknowledged) -> None:
        self._add(ctx, "acknowledged", acknowledged.packet.channel_id_on_a)
        self.below.on_acknowledgement_packet(ctx, acknowledged)

    def on_timeout_packet(self, ctx: WriteContext, timed_out: TimedOut) -> None:
        self._add(ctx, "timed_out", timed_out.packet.channel_id_on_a)
        self.below.on_timeout_packet(ctx, timed_out)


@builtin
class _Sender(_Counting, PassThroughSender):
    def send_packet(
        self, ctx: WriteContext, port_id: str, channel_id: str, height: Height, time_ns: int, data: bytes
    ) -> int:
        self._add(ctx, "sent", channel_id)
        return self.above.send_packet(ctx, port_id, channel_id, height, time_ns, data)


@builtin
class _AppV2(_Counting, PassThroughAppV2):
    def on_send_packet(self, ctx: WriteContext, sending: SendingV2) -> None:
        self._add(ctx, "sent", sending.client_id_on_a)
        self.below.on_send_packet(ctx, sending)

    def on_recv_packet(self, ctx: WriteContext, received: ReceivedV2) -> PayloadAnswer | None:
        self._add(ctx, "received", received.client_id_on_b)
        return self.below.on_recv_packet(ctx, received)

    def on_acknowledgement_packet(self, ctx: WriteContext, acknowledged: AcknowledgedV2) -> None:
        self._add(ctx, "acknowledged", acknowledged.client_id_on_a)
        self.below.on_acknowledgement_packet(ctx, acknowledged)

    def on_timeout_packet(self, ctx: WriteContext, timed_out: TimedOutV2) -> None:
        self._add(ctx, "timed_out", timed_out.client_id_on_a)
        self.below.on_timeout_packet(ctx, timed_out)
