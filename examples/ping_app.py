"""An application of one's own (ICS-26): port `ping`, a message to ask with, and `pong` for an answer.

Put `PingPlugin()` among a chain's plugins, and open a channel between two `ping` ports.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated

import msgspec

from ibc_core.address import Address
from ibc_core.any_message import AnyMessage
from ibc_core.application.classic import AppAcknowledgement, IbcApp
from ibc_core.application.services import Services
from ibc_core.channel.types import ChannelCounterparty, Order
from ibc_core.errors import InvalidChannelVersion, InvalidPacket, InvalidRequest, TxDecode
from ibc_core.height import ZERO_HEIGHT
from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.host.routes import MessageRoute
from ibc_core.numbers import be8
from ibc_core.packet import acknowledgement as acks
from ibc_core.packet.types import Packet
from ibc_module import hookimpl

PORT_ID = "ping"
VERSION = "ping-1"
PING = "/examples.Ping"
STORE = "ping"
_PONG = acks.success(b"pong")


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
    """What happens on channels of the port."""

    def on_chan_open_init(
        self,
        ctx: WriteContext,  # noqa: ARG002
        order: Order,  # noqa: ARG002 - ordered or not, a ping is a ping
        connection_id: str,  # noqa: ARG002
        port_id: str,  # noqa: ARG002
        channel_id: str,  # noqa: ARG002
        counterparty: ChannelCounterparty,  # noqa: ARG002
        version: str,
    ) -> str:
        """Proposes the one version there is."""
        return _checked(version or VERSION)

    def on_chan_open_try(
        self,
        ctx: WriteContext,  # noqa: ARG002
        order: Order,  # noqa: ARG002
        connection_id: str,  # noqa: ARG002
        port_id: str,  # noqa: ARG002
        channel_id: str,  # noqa: ARG002
        counterparty: ChannelCounterparty,  # noqa: ARG002
        counterparty_version: str,
    ) -> str:
        """Agrees, if it is our version."""
        return _checked(counterparty_version)

    def on_chan_open_ack(
        self,
        ctx: WriteContext,  # noqa: ARG002
        port_id: str,  # noqa: ARG002
        channel_id: str,  # noqa: ARG002
        counterparty_channel_id: str,  # noqa: ARG002
        counterparty_version: str,
    ) -> None:
        """Checks what the other chain settled on."""
        _checked(counterparty_version)

    def on_chan_open_confirm(self, ctx: WriteContext, port_id: str, channel_id: str) -> None:
        """Nothing is left to check."""

    def on_chan_close_init(self, ctx: WriteContext, port_id: str, channel_id: str) -> None:  # noqa: ARG002
        """Nobody may close a channel that everybody uses."""
        raise InvalidRequest("a ping channel stays open")

    def on_chan_close_confirm(self, ctx: WriteContext, port_id: str, channel_id: str) -> None:
        """The other end closed; there is nothing to clean up."""

    def on_recv_packet(
        self,
        ctx: WriteContext,
        channel_version: str,  # noqa: ARG002
        packet: Packet,
        relayer: Address,  # noqa: ARG002
    ) -> AppAcknowledgement:
        """Answers. A refusal is an acknowledgement too; what was written for it is undone."""
        if packet.data != b"ping":
            return AppAcknowledgement(success=False, data=acks.failure(InvalidPacket("not a ping")))
        _add(ctx, "received")
        return AppAcknowledgement(success=True, data=_PONG)

    def on_acknowledgement_packet(
        self,
        ctx: WriteContext,
        channel_version: str,  # noqa: ARG002
        packet: Packet,  # noqa: ARG002
        acknowledgement: bytes,
        relayer: Address,  # noqa: ARG002
    ) -> None:
        """Counts the answer."""
        _add(ctx, "answered" if acknowledgement == _PONG else "lost")

    def on_timeout_packet(
        self,
        ctx: WriteContext,
        channel_version: str,  # noqa: ARG002
        packet: Packet,  # noqa: ARG002
        relayer: Address,  # noqa: ARG002
    ) -> None:
        """Counts the loss."""
        _add(ctx, "lost")


class PingPlugin:
    """Registers the application, its message and its store."""

    def __init__(self) -> None:
        self._services: Services | None = None

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
        return (self._ref().addresses.decode(msg.signer, "signer").raw,)

    def _deliver(self, ctx: WriteContext, msg: Ping) -> bytes:
        sender = self._ref().sender
        sequence = sender.send_packet(ctx, PORT_ID, msg.channel, ZERO_HEIGHT, msg.timeout_ns, b"ping")
        return be8(sequence)

    def _ref(self) -> Services:
        if self._services is None:
            raise ValueError("the ping plugin was used before a Pipeline held it")
        return self._services


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
    ctx.store(STORE).set(what.encode(), be8(count(ctx, what) + 1))
