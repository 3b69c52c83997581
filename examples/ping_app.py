"""An application of one's own (ICS-26): port `ping`, a message to ask with, and `pong` for an answer.

Put `PingPlugin()` among a chain's plugins, and open a channel between two `ping` ports.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated

import msgspec

from ibc_core.application.classic import Acknowledged, Opened, Opening, Received
from ibc_module.at_wiring import AtWiring
from pyibc import (
    ZERO_HEIGHT,
    AnyMessage,
    AppAcknowledgement,
    IbcApp,
    MessageRoute,
    ReadContext,
    Services,
    WriteContext,
    hookimpl,
)
from pyibc.apps import acknowledgement as acks
from pyibc.errors import InvalidChannelVersion, InvalidPacket, TxDecode

PORT_ID, STORE, VERSION, PING = "ping", "ping", "ping-1", "/examples.Ping"


class Ping(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The message that sends a ping; JSON, so that this file needs no .proto."""

    signer: str
    channel: str
    timeout_ns: Annotated[int, msgspec.Meta(gt=0, le=2**63 - 1)]  # on the other chain, unix nanoseconds


def ping(signer: str, channel: str, timeout_ns: int) -> AnyMessage:
    """The message as a transaction carries it."""
    return AnyMessage(PING, msgspec.json.encode(Ping(signer, channel, timeout_ns)))


def count(ctx: ReadContext, what: str) -> int:
    """How many pings were `received`, `answered` or `lost` on this chain."""
    return int.from_bytes(ctx.reader(STORE).get(what.encode()) or b"", "big")


class PingApp(IbcApp):
    """What happens on channels of the port. Nobody may close one: there is no callback that lets him."""

    def on_chan_open_init(self, opening: Opening) -> str:
        """Proposes the one version there is."""
        return _checked(opening.version or VERSION)

    def on_chan_open_try(self, opening: Opening) -> str:
        """Agrees, if it is our version."""
        return _checked(opening.version)

    def on_chan_open_ack(self, opened: Opened) -> None:
        """Checks what the other chain settled on."""
        _checked(opened.version)

    def on_chan_open_confirm(self) -> None:
        """Nothing is left to check."""

    def on_recv_packet(self, ctx: WriteContext, received: Received) -> AppAcknowledgement:
        """Answers. A refusal is an acknowledgement too; what was written for it is undone."""
        if received.packet.data != b"ping":
            return AppAcknowledgement(success=False, data=acks.failure(InvalidPacket("not a ping")))
        _add(ctx, "received")
        return AppAcknowledgement(success=True, data=acks.success(b"pong"))

    def on_acknowledgement_packet(self, ctx: WriteContext, acknowledged: Acknowledged) -> None:
        """Counts the answer."""
        _add(ctx, "answered" if acknowledged.acknowledgement == acks.success(b"pong") else "lost")

    def on_timeout_packet(self, ctx: WriteContext) -> None:
        """Counts the loss."""
        _add(ctx, "lost")


class PingPlugin:
    """Registers the application, its message and its store."""

    _services = AtWiring[Services]()

    @hookimpl
    def ibc_register_apps(self, services: Services) -> Mapping[str, IbcApp]:
        """The application on its port."""
        self._services = services
        return {PORT_ID: PingApp()}

    @hookimpl
    def chain_stores(self) -> Sequence[str]:
        """Its store."""
        return (STORE,)

    @hookimpl
    def chain_messages(self) -> Mapping[str, MessageRoute]:
        """Its message."""
        return {PING: MessageRoute(_decode, self._signers, self._deliver, f"{PING}Response")}

    def _signers(self, msg: Ping) -> tuple[bytes, ...]:
        return (self._services.addresses.decode(msg.signer, "signer").raw,)

    def _deliver(self, ctx: WriteContext, msg: Ping) -> bytes:
        sender = self._services.sender
        sequence = sender.send_packet(ctx, PORT_ID, msg.channel, ZERO_HEIGHT, msg.timeout_ns, b"ping")
        return sequence.to_bytes(8)


def _decode(raw: bytes) -> Ping:
    try:
        return msgspec.json.decode(raw, type=Ping)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise TxDecode(str(error)) from error


def _checked(version: str) -> str:
    if version != VERSION:
        raise InvalidChannelVersion(VERSION, version[:64])
    return version


def _add(ctx: WriteContext, what: str) -> None:
    ctx.store(STORE).set(what.encode(), (count(ctx, what) + 1).to_bytes(8))
