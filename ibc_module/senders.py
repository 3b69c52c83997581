"""The senders given to applications: the handlers, with the middleware of their port in between (ICS-30)."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Protocol, TypeVar

from handlers.keepers_ref import KeepersRef
from ibc_core.address import Address
from ibc_core.application.ports import PortKey, PortTable
from ibc_core.application.services import PacketSender
from ibc_core.application.v2 import PacketSenderV2
from ibc_core.errors import InvalidPacketV2
from ibc_core.height import Height
from ibc_core.host.confined import ConfinedCall, Grant, opened
from ibc_core.host.context import WriteContext
from ibc_core.packet.types import Packet
from ibc_core.packet_v2.types import AcknowledgementV2, Payload
from ibc_module.offers import check_wrap
from ibc_module.wiring_error import name_of
from keepers.keepers import Keepers

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
        """Sends a packet of the port; returns its sequence."""
        sender = self._sender_of(port_id)
        return sender.send_packet(ctx, port_id, channel_id, timeout_height_on_b, timeout_ns_on_b, data)

    def write_acknowledgement(self, ctx: WriteContext, packet: Packet, acknowledgement: bytes) -> None:
        """Writes an asynchronous acknowledgement of a packet that its port received."""
        sender = self._sender_of(packet.port_id_on_b)
        sender.write_acknowledgement(ctx, packet, acknowledgement)

    def close_channel(self, ctx: WriteContext, port_id: str, channel_id: str) -> None:
        """Closes the port's end of a channel."""
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
        """Sends a packet of one port's payloads; returns its sequence.

        Raises:
            InvalidPacketV2: see `_sender_of`.
        """
        sender = self._sender_of({payload.port_id_on_a: None for payload in payloads})
        return sender.send_packet(ctx, client_id_on_a, timeout_s_on_b, payloads, signer)

    def write_acknowledgement(
        self, ctx: WriteContext, client_id_on_b: str, sequence: int, acknowledgement: AcknowledgementV2
    ) -> None:
        """Writes an asynchronous acknowledgement of a packet that one port received.

        Raises:
            InvalidAcknowledgementV2: no such packet awaits an acknowledgement.
            InvalidPacketV2: see `_sender_of`.
        """
        packet = self._ref.keepers.v2.packets.unanswered(ctx, client_id_on_b, sequence)
        sender = self._sender_of({payload.port_id_on_b: None for payload in packet.payloads})
        sender.write_acknowledgement(ctx, client_id_on_b, sequence, acknowledgement)

    def _sender_of(self, ports: dict[str, None]) -> PacketSenderV2:
        """The sender for a packet of these ports.

        Raises:
            InvalidPacketV2: its ports have different middleware, of which each must see the whole packet.
        """
        senders = [self._by_port.find(port_id) for port_id in ports]
        if any(sender is not senders[0] for sender in senders):
            raise InvalidPacketV2(f"ports {', '.join(ports)} have different middleware in between")
        return self._core if not senders or senders[0] is None else senders[0]


class Wraps(Protocol[_S]):
    """A declared middleware, of either version of IBC."""

    @property
    def port_id(self) -> PortKey:
        """Where it stands."""

    @property
    def wrap_sender(self) -> Callable[[_S], _S] | None:
        """Its layer between the application and the module."""


def stack_senders(
    layers: Sequence[tuple[object, Wraps[_S]]],
    gate: Callable[[PortKey], _S],
    seen: Callable[[_S, object], _S],
) -> tuple[dict[PortKey, _S], list[_S]]:
    """The sender of each port with middleware, and of each layer itself.

    `layers`: outermost first, each after its plugin. `gate`: makes what the outermost layer of a port sends
    through. `seen`: a layer's own sender, and its plugin, as what is called from outside.
    """
    by_port: dict[PortKey, _S] = {}
    above: list[_S] = []
    for plugin, layer in layers:
        top = by_port.get(layer.port_id)
        above.append(gate(layer.port_id) if top is None else top)
        if layer.wrap_sender is not None:
            check_wrap(layer.wrap_sender, ("above",), f"{name_of(plugin)}: `wrap_sender`")
            by_port[layer.port_id] = seen(layer.wrap_sender(above[-1]), plugin)
    return by_port, above


def _entered(ctx: WriteContext, grant: Grant | None) -> AbstractContextManager[WriteContext]:
    return nullcontext(opened(ctx)) if grant is None else ConfinedCall(ctx, grant)


def _entering(name: str) -> Callable[..., Any]:
    """The method `name` of the sender below, called with the plugin's own context."""

    def call(self: "LayerSender", ctx: WriteContext, *given: Any, **named: Any) -> Any:
        with _entered(ctx, self._grant) as own:
            return getattr(self._sender, name)(own, *given, **named)

    return call


class LayerSender:
    """A middleware's sender, of either version of IBC: what `PacketSender` and `PacketSenderV2` have.

    It is called with what its plugin may see of a block. A stranger's has a confined context for each call.
    What this distribution ships has the block's own, also where a stranger's middleware below it calls with
    a confined one: its `grant` is None.
    """

    __slots__ = ("_grant", "_sender")

    def __init__(self, sender: PacketSender | PacketSenderV2, grant: Grant | None) -> None:
        self._sender = sender
        self._grant = grant

    send_packet = _entering("send_packet")
    write_acknowledgement = _entering("write_acknowledgement")
    close_channel = _entering("close_channel")
