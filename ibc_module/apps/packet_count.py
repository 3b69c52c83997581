"""Counts the packets of a port: a minimal middleware (ICS-30), the one to read first."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ibc_core.application import classic, v2
from ibc_core.application.middleware import PassThroughApp, PassThroughSender
from ibc_core.application.middleware_v2 import PassThroughAppV2
from ibc_core.application.services import PacketSender
from ibc_core.genesis.entries import export_entries, restore_entries
from ibc_core.height import Height
from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.host.shipped import shipped
from ibc_core.numbers import be8
from ibc_module import hookimpl
from ibc_module.hookspecs import Middleware, MiddlewareV2


@shipped
class PacketCountPlugin:
    """Numbers by `{sent|received|acknowledged|timed_out}/{channel or client}`: eight bytes, big-endian."""

    def __init__(self, port_id: str, store: str = "packetcount", *, v2: bool = False) -> None:
        """`v2`: the port has an application of IBC v2 as well, whose payloads are to be counted."""
        self._port_id, self._store, self._v2 = port_id, store, v2

    def read(self, ctx: ReadContext, kind: str, name: str) -> int:
        """The count over one channel or client."""
        return int.from_bytes(ctx.reader(self._store).get(f"{kind}/{name}".encode()) or b"", "big")

    def total(self, ctx: ReadContext, kind: str) -> int:
        """The total count."""
        found = ctx.reader(self._store).iterate(f"{kind}/".encode(), f"{kind}0".encode())
        return sum(int.from_bytes(raw, "big") for _, raw in found)

    def add(self, ctx: WriteContext, kind: str, name: str) -> None:
        """Increments a count; reverted with the transaction, or with a packet that is refused."""
        ctx.store(self._store).set(f"{kind}/{name}".encode(), be8(self.read(ctx, kind, name) + 1))

    @hookimpl
    def chain_stores(self) -> Sequence[str]:
        """One store."""
        return (self._store,)

    @hookimpl
    def ibc_register_middleware(self) -> Iterable[Middleware]:
        """One layer around the application, one between it and the module."""
        return [Middleware(self._port_id, lambda app, _: _App(app, self), lambda out: _Sender(out, self))]

    @hookimpl
    def ibc_register_middleware_v2(self) -> Iterable[MiddlewareV2]:
        """One layer around the application of IBC v2, if there is one."""
        return [MiddlewareV2(self._port_id, lambda app, _: _AppV2(app, self))] if self._v2 else []

    @hookimpl
    def chain_init_genesis(self, ctx: WriteContext, genesis: Mapping[str, Any]) -> None:
        """Restores the counts; raises InvalidGenesis."""
        restore_entries(ctx.store(self._store), genesis, self._store)

    @hookimpl
    def chain_export_genesis(self, ctx: ReadContext) -> Mapping[str, Any]:
        """Every count."""
        return {self._store: {"entries": export_entries(ctx.reader(self._store).iterate(b"\0", None))}}


@shipped
class _App(PassThroughApp):
    def __init__(self, below: classic.BoundApp, counts: PacketCountPlugin) -> None:
        super().__init__(below)
        self._add = counts.add

    def on_recv_packet(
        self, ctx: WriteContext, received: classic.Received
    ) -> classic.AppAcknowledgement | None:
        self._add(ctx, "received", received.packet.channel_id_on_b)
        return self.below.on_recv_packet(ctx, received)

    def on_acknowledgement_packet(self, ctx: WriteContext, acknowledged: classic.Acknowledged) -> None:
        self._add(ctx, "acknowledged", acknowledged.packet.channel_id_on_a)
        self.below.on_acknowledgement_packet(ctx, acknowledged)

    def on_timeout_packet(self, ctx: WriteContext, timed_out: classic.TimedOut) -> None:
        self._add(ctx, "timed_out", timed_out.packet.channel_id_on_a)
        self.below.on_timeout_packet(ctx, timed_out)


@shipped
class _Sender(PassThroughSender):
    def __init__(self, above: PacketSender, counts: PacketCountPlugin) -> None:
        super().__init__(above)
        self._add = counts.add

    def send_packet(
        self, ctx: WriteContext, port_id: str, channel_id: str, height: Height, time_ns: int, data: bytes
    ) -> int:
        self._add(ctx, "sent", channel_id)
        return self.above.send_packet(ctx, port_id, channel_id, height, time_ns, data)


@shipped
class _AppV2(PassThroughAppV2):
    def __init__(self, below: v2.BoundAppV2, counts: PacketCountPlugin) -> None:
        super().__init__(below)
        self._add = counts.add

    def on_send_packet(self, ctx: WriteContext, sending: v2.SendingV2) -> None:
        self._add(ctx, "sent", sending.client_id_on_a)
        self.below.on_send_packet(ctx, sending)

    def on_recv_packet(self, ctx: WriteContext, received: v2.ReceivedV2) -> v2.PayloadAnswer | None:
        self._add(ctx, "received", received.client_id_on_b)
        return self.below.on_recv_packet(ctx, received)

    def on_acknowledgement_packet(self, ctx: WriteContext, acknowledged: v2.AcknowledgedV2) -> None:
        self._add(ctx, "acknowledged", acknowledged.client_id_on_a)
        self.below.on_acknowledgement_packet(ctx, acknowledged)

    def on_timeout_packet(self, ctx: WriteContext, timed_out: v2.TimedOutV2) -> None:
        self._add(ctx, "timed_out", timed_out.client_id_on_a)
        self.below.on_timeout_packet(ctx, timed_out)
