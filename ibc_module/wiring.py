"""The composition root: the only place where keepers, applications and light clients meet."""

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar, cast

from handlers.channel import close_init
from handlers.packet import send, write_acknowledgement
from handlers.packet_v2 import send as send_v2
from handlers.packet_v2.write_acknowledgement import write_later
from ibc_module.core import basic_checks_v2
from ibc_module.core.address import Address, AddressCodec
from ibc_module.core.application import PacketSender, Services
from ibc_module.core.application_v2 import PacketSenderV2
from ibc_module.core.channel_events import packet_head
from ibc_module.core.config import Config
from ibc_module.core.context import WriteContext
from ibc_module.core.height import Height
from ibc_module.core.messages_v2 import MsgSendPacket
from ibc_module.core.packet import Packet
from ibc_module.core.packet_v2 import AcknowledgementV2, Payload
from ibc_module.errors import LogicFault
from ibc_module.pipeline import Pipeline
from keepers.channel import ChannelKeeper
from keepers.client import ClientKeeper
from keepers.client_v2 import ClientKeeperV2
from keepers.connection import ConnectionKeeper
from keepers.keepers import Keepers, KeepersV2
from keepers.packet import PacketKeeper
from keepers.packet_v2 import PacketKeeperV2
from keepers.port import PortKeeper
from light_client.interface import LightClient
from light_client.registry import Registry


class _Bound:
    """What applications hold from wiring on; bound to the keepers once these exist."""

    def __init__(self) -> None:
        self._keepers: Keepers | None = None

    def bind(self, keepers: Keepers) -> None:
        """Gives the sender its keepers."""
        self._keepers = keepers

    def _bound(self) -> Keepers:
        if self._keepers is None:
            raise LogicFault("an application sent a packet before the module was wired")
        return self._keepers


class CoreSender(_Bound, PacketSender):
    """What applications on channels send through."""

    def send_packet(
        self,
        ctx: WriteContext,
        port_id: str,
        channel_id: str,
        timeout_height_on_b: Height,
        timeout_ns_on_b: int,
        data: bytes,
    ) -> int:
        """Sends a packet; returns its sequence."""
        keepers = self._bound()
        msg = send.SendPacket(port_id, channel_id, timeout_height_on_b, timeout_ns_on_b, data)
        return send.execute(keepers, ctx, send.validate(keepers, ctx, msg))

    def write_acknowledgement(self, ctx: WriteContext, packet: Packet, acknowledgement: bytes) -> None:
        """Answers a packet whose `on_recv_packet` returned None."""
        keepers = self._bound()
        verified = write_acknowledgement.validate(keepers, ctx, packet, acknowledgement)
        write_acknowledgement.execute(keepers, ctx, verified, packet_head(packet))

    def close_channel(self, ctx: WriteContext, port_id: str, channel_id: str) -> None:
        """Closes the application's own end of a channel."""
        keepers = self._bound()
        close_init.close(keepers, ctx, close_init.validate_close(keepers, ctx, port_id, channel_id))


class CoreSenderV2(_Bound, PacketSenderV2):
    """What applications of IBC v2 send through."""

    def send_packet(
        self,
        ctx: WriteContext,
        client_id_on_a: str,
        timeout_s_on_b: int,
        payloads: tuple[Payload, ...],
        signer: Address,
    ) -> int:
        """Sends a packet in the name of `signer`, as MsgSendPacket does; returns its sequence."""
        keepers = self._bound()
        msg = MsgSendPacket(client_id_on_a, timeout_s_on_b, payloads, signer.text)
        basic_checks_v2.send_packet(msg, keepers.addresses, several=keepers.v2.several_payloads)
        return send_v2.execute(keepers, ctx, send_v2.validate(keepers, ctx, msg))

    def write_acknowledgement(
        self, ctx: WriteContext, client_id_on_b: str, sequence: int, acknowledgement: AcknowledgementV2
    ) -> None:
        """Answers a packet whose `on_recv_packet` returned None."""
        write_later(self._bound(), ctx, client_id_on_b, sequence, acknowledgement)


def wire(pipeline: Pipeline, config: Config) -> Keepers:
    """Builds one chain's IBC module out of what the plugins register.

    Raises:
        ValueError: two applications claim a port, two light clients a type, a middleware an empty port.
    """
    addresses = AddressCodec(config.account_prefix)
    sender, sender_v2 = CoreSender(), CoreSenderV2()
    services = Services(sender, pipeline.bank(), addresses, config.authority, sender_v2)
    apps, apps_v2 = pipeline.apps(services), pipeline.apps_v2(services)
    # The hook cannot name LightClient, which stands above it; a class that is none fails its first call.
    registry = Registry(cast("list[LightClient]", pipeline.light_clients()))
    clients = ClientKeeper(registry)
    v2 = KeepersV2(
        ClientKeeperV2(addresses),
        PacketKeeperV2(),
        PortKeeper(_stacked(apps_v2, pipeline.middleware_v2(), services)),
        config.several_payloads,
    )
    keepers = Keepers(
        clients,
        ConnectionKeeper(clients),
        ChannelKeeper(),
        PacketKeeper(),
        PortKeeper(_stacked(apps, pipeline.middleware(), services)),
        addresses,
        config.authority,
        v2,
    )
    sender.bind(keepers)
    sender_v2.bind(keepers)
    return keepers


_App = TypeVar("_App")


class _Layer(Protocol[_App]):
    """`Middleware` or `MiddlewareV2`."""

    @property
    def port_id(self) -> str: ...

    @property
    def wrap(self) -> Callable[[_App, Services], _App]: ...


def _stacked(apps: dict[str, _App], layers: Sequence[_Layer[_App]], services: Services) -> dict[str, _App]:
    """Applications with their middleware around them; the first declared ends up outermost."""
    stacked = dict(apps)
    for layer in reversed(layers):
        if layer.port_id not in stacked:
            raise ValueError(f"a middleware is declared for port {layer.port_id!r}, which no application has")
        stacked[layer.port_id] = layer.wrap(stacked[layer.port_id], services)
    return stacked
