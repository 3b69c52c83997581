"""Example of an application (ICS-26): port `ping`, a message that sends a ping, `pong` as acknowledgement.

List `PingPlugin()` among a chain's plugins, and open a channel between two `ping` ports.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated

import msgspec

from pyibc import (
    ZERO_HEIGHT,
    Acknowledged,
    AppAcknowledgement,
    AtWiring,
    IbcApp,
    MessageRoute,
    Opened,
    ReadContext,
    Received,
    Services,
    WriteContext,
    hookimpl,
)
from pyibc.apps import acknowledgement as acks
from pyibc.apps import json_route
from pyibc.errors import InvalidChannelVersion, InvalidPacket

PORT, STORE, VERSION, PING = "ping", "ping", "ping-1", "/examples.Ping"


class Ping(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Message that sends a ping; JSON, so no .proto file is needed."""

    signer: str
    channel: str
    until_ns: Annotated[int, msgspec.Meta(gt=0, le=2**63 - 1)]  # on the other chain, unix nanoseconds


def count(ctx: ReadContext, what: str) -> int:
    """Return how many pings were `received`, `answered` or `lost` on this chain."""
    return int.from_bytes(ctx.reader(STORE).get(what.encode()) or b"", "big")


def _add(ctx: WriteContext, what: str) -> None:
    ctx.store(STORE).set(what.encode(), (count(ctx, what) + 1).to_bytes(8))


class PingApp(IbcApp):
    """Callbacks of the port's channels. There is none to close a channel, so closing is refused."""

    def on_chan_open_init(self) -> str:
        """Return the only version, as proposal or answer; chain A checks the answer."""
        return VERSION

    on_chan_open_try = on_chan_open_init

    def on_chan_open_ack(self, opened: Opened) -> None:
        """Check the version that chain B chose."""
        if opened.version != VERSION:
            raise InvalidChannelVersion(VERSION, opened.version[:64])

    def on_chan_open_confirm(self) -> None:
        """Accept: there is nothing to check."""

    def on_recv_packet(self, ctx: WriteContext, received: Received) -> AppAcknowledgement:
        """Acknowledge with `pong`, or with an error."""
        if ok := received.packet.data == b"ping":
            _add(ctx, "received")
        return AppAcknowledgement(ok, acks.success(b"pong") if ok else acks.failure(InvalidPacket("no ping")))

    def on_acknowledgement_packet(self, ctx: WriteContext, acknowledged: Acknowledged) -> None:
        """Count the acknowledgement."""
        _add(ctx, "answered" if acknowledged.acknowledgement == acks.success(b"pong") else "lost")

    def on_timeout_packet(self, ctx: WriteContext) -> None:
        """Count the ping as lost."""
        _add(ctx, "lost")


class PingPlugin:
    """Registers the application, its message and its store."""

    services = AtWiring[Services]()

    @hookimpl
    def chain_stores(self) -> Sequence[str]:
        """Declare the store."""
        return (STORE,)

    @hookimpl
    def ibc_register_apps(self, services: Services) -> Mapping[str, IbcApp]:
        """Register the application on its port."""
        self.services = services
        return {PORT: PingApp()}

    @hookimpl
    def chain_messages(self) -> Mapping[str, MessageRoute]:
        """Route the message."""
        return {PING: json_route(PING, Ping, self.services.addresses, self.send)}

    def send(self, ctx: WriteContext, msg: Ping) -> bytes:
        """Send a ping; return its sequence in eight bytes."""
        send = self.services.sender.send_packet
        return send(ctx, PORT, msg.channel, ZERO_HEIGHT, msg.until_ns, b"ping").to_bytes(8)


def plugins() -> list[object]:
    """Return the plugins of a localnet with this application."""
    return [PingPlugin()]
