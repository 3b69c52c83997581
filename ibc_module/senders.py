"""Packet senders for applications: the handlers, with the middleware of the port in between (ICS-30)."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Protocol, TypeVar

from handlers.keepers_ref import KeepersRef
from ibc_module.hook_results import check_wrap
from keepers.keepers import Keepers
from pyibc.core.address import Address
from pyibc.core.application.services import PacketSender, PortKey, PortTable
from pyibc.core.application.v2 import PacketSenderV2
from pyibc.core.errors import InvalidPacketV2
from pyibc.core.height import Height
from pyibc.core.host.context import WriteContext
from pyibc.core.packet.types import Packet
from pyibc.core.packet_v2.types import AcknowledgementV2, Payload
from pyibc.core.setup_error import name_of
from pyibc.isolation.scoped_context import Grant, opened, scoped_call

_S = TypeVar("_S")


class SenderRouter(PacketSender):
    """Passes each call to the middleware of its port, or to the handlers."""

    def __init__(self, core: PacketSender, by_port: Mapping[PortKey, PacketSender]) -> None:
        self._core = core
        self._by_port = PortTable(by_port)

    def send_packet(
        self,
        ctx: WriteContext,
        port_id: str,
        channel_id: str,
        timeout_height_on_b: Height,
        timeout_ns_on_b: int,
        data: bytes,
    ) -> int:
        """Send a packet of the port; return its sequence."""
        sender = self._sender_of(port_id)
        return sender.send_packet(ctx, port_id, channel_id, timeout_height_on_b, timeout_ns_on_b, data)

    def write_acknowledgement(self, ctx: WriteContext, packet: Packet, acknowledgement: bytes) -> None:
        """Write an asynchronous acknowledgement of a packet that its port received."""
        sender = self._sender_of(packet.port_id_on_b)
        sender.write_acknowledgement(ctx, packet, acknowledgement)

    def close_channel(self, ctx: WriteContext, port_id: str, channel_id: str) -> None:
        """Close the port's end of a channel."""
        self._sender_of(port_id).close_channel(ctx, port_id, channel_id)

    def _sender_of(self, port_id: str) -> PacketSender:
        wrapped = self._by_port.find(port_id)
        return self._core if wrapped is None else wrapped


class SenderRouterV2(PacketSenderV2):
    """Passes each call to the middleware of its payloads' port, or to the handlers."""

    def __init__(
        self, core: PacketSenderV2, by_port: Mapping[PortKey, PacketSenderV2], ref: KeepersRef[Keepers]
    ) -> None:
        self._core = core
        self._by_port = PortTable(by_port)
        self._ref = ref

    def send_packet(
        self,
        ctx: WriteContext,
        client_id_on_a: str,
        timeout_s_on_b: int,
        payloads: tuple[Payload, ...],
        signer: Address,
    ) -> int:
        """Send a packet with payloads of one port; return its sequence.

        Raises:
            InvalidPacketV2: see `_sender_of`.
        """
        sender = self._sender_of({payload.port_id_on_a: None for payload in payloads})
        return sender.send_packet(ctx, client_id_on_a, timeout_s_on_b, payloads, signer)

    def write_acknowledgement(
        self, ctx: WriteContext, client_id_on_b: str, sequence: int, acknowledgement: AcknowledgementV2
    ) -> None:
        """Write an asynchronous acknowledgement of a packet that one port received.

        Raises:
            InvalidAcknowledgementV2: no such packet is pending.
            InvalidPacketV2: see `_sender_of`.
        """
        packet = self._ref.keepers.v2.packets.async_packet(ctx, client_id_on_b, sequence)
        sender = self._sender_of({payload.port_id_on_b: None for payload in packet.payloads})
        sender.write_acknowledgement(ctx, client_id_on_b, sequence, acknowledgement)

    def _sender_of(self, ports: dict[str, None]) -> PacketSenderV2:
        """Return the sender for a packet with payloads of these ports.

        Raises:
            InvalidPacketV2: the ports have different middleware, each of which must process the whole
                packet.
        """
        senders = [self._by_port.find(port_id) for port_id in ports]
        if any(sender is not senders[0] for sender in senders):
            raise InvalidPacketV2(f"ports {', '.join(ports)} have different middleware")
        return self._core if not senders or senders[0] is None else senders[0]


class SenderLayer(Protocol[_S]):
    """Declared middleware, of either IBC version."""

    @property
    def port_id(self) -> PortKey:
        """Port or prefix that it wraps."""

    @property
    def wrap_sender(self) -> Callable[[_S], _S] | None:
        """Factory of its layer between application and core."""


def stack_senders(
    layers: Sequence[tuple[object, SenderLayer[_S]]],
    gate: Callable[[PortKey], _S],
    entry: Callable[[_S, object], _S],
) -> tuple[dict[PortKey, _S], list[_S]]:
    """Return the sender of each port with middleware, and the sender above each layer.

    `layers`: outermost first, each with its plugin. `gate`: builds the sender above a port's outermost layer.
    `entry`: wraps a layer's own sender, given its plugin, for calls from outside.
    """
    by_port: dict[PortKey, _S] = {}
    above: list[_S] = []
    for plugin, layer in layers:
        top = by_port.get(layer.port_id)
        above.append(gate(layer.port_id) if top is None else top)
        if layer.wrap_sender is not None:
            check_wrap(layer.wrap_sender, ("above",), f"{name_of(plugin)}: `wrap_sender`")
            by_port[layer.port_id] = entry(layer.wrap_sender(above[-1]), plugin)
    return by_port, above


def _entered(ctx: WriteContext, grant: Grant | None) -> AbstractContextManager[WriteContext]:
    return nullcontext(opened(ctx)) if grant is None else scoped_call(ctx, grant)


def _entering(name: str) -> Callable[..., Any]:
    """Return a method that calls `name` of the wrapped sender with the plugin's own context."""

    def call(self: "LayerSender", ctx: WriteContext, *given: Any, **named: Any) -> Any:
        with _entered(ctx, self._grant) as own:
            return getattr(self._sender, name)(own, *given, **named)

    return call


class LayerSender:
    """Sender of a middleware, of either IBC version, called with the context of its plugin.

    A plugin's sender gets a scoped context for each call. A builtin one (`grant` is None) gets the block's
    own context, also if a middleware below it calls with a scoped one.
    """

    __slots__ = ("_grant", "_sender")

    def __init__(self, sender: PacketSender | PacketSenderV2, grant: Grant | None) -> None:
        self._sender = sender
        self._grant = grant

    send_packet = _entering("send_packet")
    write_acknowledgement = _entering("write_acknowledgement")
    close_channel = _entering("close_channel")
