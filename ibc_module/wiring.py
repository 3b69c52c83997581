"""The composition root: the only place where keepers, applications and light clients meet."""

from collections.abc import Mapping
from typing import cast

from handlers.channel import close_init
from handlers.packet import send, write_acknowledgement
from handlers.sender_v2 import CoreSenderV2
from ibc_module.core.address import AddressCodec
from ibc_module.core.application import IbcApp, PacketSender, Services
from ibc_module.core.application_v2 import IbcAppV2
from ibc_module.core.channel_events import packet_head
from ibc_module.core.config import Config
from ibc_module.core.context import WriteContext
from ibc_module.core.height import Height
from ibc_module.core.packet import Packet
from ibc_module.errors import LogicFault
from ibc_module.hookspecs import Middleware
from ibc_module.pipeline import Pipeline
from keepers.channel import ChannelKeeper
from keepers.client import ClientKeeper
from keepers.client_v2 import ClientKeeperV2
from keepers.connection import ConnectionKeeper
from keepers.keepers import Keepers, KeepersV2
from keepers.packet import PacketKeeper
from keepers.packet_v2 import PacketKeeperV2
from keepers.port import PortKeeper
from keepers.upgrade import UpgradeKeeper
from light_client.interface import LightClient
from light_client.registry import Registry


class PortSenders(PacketSender):
    """What each port's application sends through, where a middleware stands in between."""

    def __init__(self, core: PacketSender, by_port: Mapping[str, PacketSender]) -> None:
        self._core = core
        self._by_port = by_port

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
        sender = self._by_port.get(port_id, self._core)
        return sender.send_packet(ctx, port_id, channel_id, timeout_height_on_b, timeout_ns_on_b, data)

    def write_acknowledgement(self, ctx: WriteContext, packet: Packet, acknowledgement: bytes) -> None:
        """Answers a packet that came to its port."""
        sender = self._by_port.get(packet.port_id_on_b, self._core)
        sender.write_acknowledgement(ctx, packet, acknowledgement)

    def close_channel(self, ctx: WriteContext, port_id: str, channel_id: str) -> None:
        """Closes the port's end of a channel."""
        self._by_port.get(port_id, self._core).close_channel(ctx, port_id, channel_id)


class CoreSender(PacketSender):
    """What applications send through; bound to the keepers once these exist."""

    def __init__(self) -> None:
        self._keepers: Keepers | None = None

    def bind(self, keepers: Keepers) -> None:
        """Gives the sender its keepers."""
        self._keepers = keepers

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

    def _bound(self) -> Keepers:
        if self._keepers is None:
            raise LogicFault("an application sent a packet before the module was wired")
        return self._keepers


def wire(pipeline: Pipeline, config: Config) -> Keepers:
    """Builds one chain's IBC module out of what the plugins register.

    Raises:
        ValueError: two applications claim a port, two light clients a type, a middleware an empty port; the
            host's addresses have another prefix than `config` says.
    """
    _check_prefix(pipeline, config)
    addresses = AddressCodec(config.account_prefix)
    sender, sender_v2 = CoreSender(), CoreSenderV2()
    layers = pipeline.middleware()
    below, senders = _senders(sender, layers)
    services = Services(below, pipeline.bank(), addresses, config.authority, sender_v2)
    apps = pipeline.apps(services)
    # The hook cannot name LightClient, which stands above it; a class that is none fails its first call.
    registry = Registry(cast("list[LightClient]", pipeline.light_clients()))
    clients = ClientKeeper(registry)
    keepers = Keepers(
        clients,
        ConnectionKeeper(clients),
        ChannelKeeper(),
        PacketKeeper(),
        PortKeeper(_stacked(apps, layers, senders, services)),
        UpgradeKeeper(),
        addresses,
        config.authority,
        KeepersV2(
            ClientKeeperV2(addresses),
            PacketKeeperV2(),
            PortKeeper(_apps_v2(pipeline, services)),
            config.several_payloads,
        ),
    )
    sender.bind(keepers)
    sender_v2.bind(keepers)
    return keepers


def _check_prefix(pipeline: Pipeline, config: Config) -> None:
    ours, hosts = config.account_prefix, pipeline.account_prefix()
    if hosts is not None and hosts != ours:
        raise ValueError(f"the host's addresses begin with {hosts!r}, Config.account_prefix is {ours!r}")


def _senders(core: PacketSender, layers: list[Middleware]) -> tuple[PacketSender, list[PacketSender]]:
    """What applications send through, and what each layer itself does: what stands above it."""
    by_port: dict[str, PacketSender] = {}
    above = []
    for layer in layers:
        above.append(by_port.get(layer.port_id, core))
        if layer.wrap_sender is not None:
            by_port[layer.port_id] = layer.wrap_sender(above[-1])
    return (PortSenders(core, by_port) if by_port else core), above


def _stacked(
    apps: dict[str, IbcApp], layers: list[Middleware], senders: list[PacketSender], services: Services
) -> dict[str, IbcApp]:
    """Applications with their middleware around them; the first declared ends up outermost."""
    stacked = dict(apps)
    for layer, sender in reversed(list(zip(layers, senders, strict=True))):
        if layer.port_id not in stacked:
            raise ValueError(f"a middleware is declared for port {layer.port_id!r}, which no application has")
        stacked[layer.port_id] = layer.wrap(stacked[layer.port_id], services._replace(sender=sender))
    return stacked


def _apps_v2(pipeline: Pipeline, services: Services) -> dict[str, IbcAppV2]:
    """Applications of IBC v2 with their middleware around them, in the same order."""
    stacked = pipeline.apps_v2(services)
    for layer in reversed(pipeline.middleware_v2()):
        if layer.port_id not in stacked:
            raise ValueError(f"a middleware is declared for IBC v2's port {layer.port_id!r}, which is empty")
        stacked[layer.port_id] = layer.wrap(stacked[layer.port_id], services)
    return stacked
