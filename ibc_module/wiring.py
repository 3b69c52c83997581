"""The composition root: the only place where keepers, applications and light clients meet."""

from collections.abc import Mapping

from handlers.direct.handler import ModuleHandler
from handlers.packet.sender import CoreSender, PortGate
from handlers.packet_v2.sender import PortGateV2
from handlers.wired import Wired
from ibc_core.address import AddressCodec
from ibc_core.application.classic import IbcApp
from ibc_core.application.services import PacketSender, Services
from ibc_core.application.v2 import IbcAppV2
from ibc_core.config import Config
from ibc_core.direct.capability import Owner
from ibc_core.direct.module import DirectModule
from ibc_core.height import Height
from ibc_core.host.context import WriteContext
from ibc_core.packet.types import Packet
from ibc_module.hookspecs import Middleware
from ibc_module.pipeline import Pipeline
from keepers.channel.keeper import ChannelKeeper
from keepers.client.keeper import ClientKeeper
from keepers.client.upgrade import UpgradeKeeper
from keepers.client_v2.keeper import ClientKeeperV2
from keepers.connection.keeper import ConnectionKeeper
from keepers.direct.capability import CapabilityKeeper
from keepers.keepers import Ics4Rules, Keepers, KeepersV2
from keepers.packet.keeper import PacketKeeper
from keepers.packet_v2.keeper import PacketKeeperV2
from keepers.port import PortKeeper
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


def wire(pipeline: Pipeline, config: Config) -> Keepers:
    """Builds one chain's IBC module out of what the plugins register.

    Raises:
        ValueError: two applications claim a port, two light clients a type, a middleware an empty port; the
            host's addresses have another prefix than `config` says.
        InvalidLightClient: what a plugin registers as a light client lacks a method, or is none.
        PortExists: a plugin binds a port that another bound.
    """
    _check_prefix(pipeline, config)
    addresses = AddressCodec(config.account_prefix)
    shop = _Shop(pipeline, config, addresses)
    apps, apps_v2 = shop.apps(), shop.apps_v2()
    clients = ClientKeeper(Registry(pipeline.light_clients()))
    keepers = Keepers(
        clients,
        ConnectionKeeper(clients),
        ChannelKeeper(),
        PacketKeeper(),
        PortKeeper(apps),
        UpgradeKeeper(),
        addresses,
        config.authority,
        KeepersV2(ClientKeeperV2(addresses), PacketKeeperV2(), PortKeeper(apps_v2), config.several_payloads),
        Ics4Rules(config.optimistic_sends, config.validate_channel_identifier),
    )
    shop.wired.bind(keepers)
    return keepers


def _check_prefix(pipeline: Pipeline, config: Config) -> None:
    ours, hosts = config.account_prefix, pipeline.account_prefix()
    if hosts is not None and hosts != ours:
        raise ValueError(f"the host's addresses begin with {hosts!a}, Config.account_prefix is {ours!a}")


class _Shop:
    """What the applications of one chain are given, each plugin its own, and what they register."""

    def __init__(self, pipeline: Pipeline, config: Config, addresses: AddressCodec) -> None:
        self.wired = Wired()
        self._pipeline = pipeline
        self._config = config
        self._bank = pipeline.bank()
        self._addresses = addresses
        self._capabilities = CapabilityKeeper()
        self._layers = pipeline.middleware()
        self._below, self._above = _senders(CoreSender(self.wired), self._layers, self.wired)
        self._owners: list[tuple[object, Owner, Owner]] = []

    def apps(self) -> dict[str, IbcApp]:
        """Applications with their middleware around them; the first declared ends up outermost.

        A plugin owns the ports it registers; one that it bound without an application takes direct calls.
        """
        stacked: dict[str, IbcApp] = {}
        for port_id, (plugin, app) in self._pipeline.apps(self._services).items():
            self._capabilities.bind_port(self._owner(plugin)[0], port_id)
            stacked[port_id] = app
        for port_id in self._capabilities.seal():
            stacked.setdefault(port_id, DirectModule())
        for layer, sender in reversed(list(zip(self._layers, self._above, strict=True))):
            if layer.port_id not in stacked:
                raise ValueError(
                    f"a middleware is declared for port {layer.port_id!a}, which no application has"
                )
            services = self._make(sender, Owner(layer.port_id), Owner())
            stacked[layer.port_id] = layer.wrap(stacked[layer.port_id], services)
        return stacked

    def apps_v2(self) -> dict[str, IbcAppV2]:
        """Applications of IBC v2 with their middleware around them, in the same order."""
        stacked: dict[str, IbcAppV2] = {}
        for port_id, (plugin, app) in self._pipeline.apps_v2(self._services).items():
            self._owner(plugin)[1].ports.add(port_id)
            stacked[port_id] = app
        for layer in reversed(self._pipeline.middleware_v2()):
            if layer.port_id not in stacked:
                raise ValueError(f"a middleware is declared for IBC v2's empty port {layer.port_id!a}")
            services = self._make(self._below, Owner(), Owner(layer.port_id))
            stacked[layer.port_id] = layer.wrap(stacked[layer.port_id], services)
        return stacked

    def _services(self, plugin: object) -> Services:
        return self._make(self._below, *self._owner(plugin))

    def _owner(self, plugin: object) -> tuple[Owner, Owner]:
        """The plugin as the holder of ports, and of ports of IBC v2: one name may be two plugins'."""
        for known, owner, owner_v2 in self._owners:
            if known is plugin:
                return owner, owner_v2
        owner, owner_v2 = Owner(), Owner()
        self._owners.append((plugin, owner, owner_v2))
        return owner, owner_v2

    def _make(self, above: PacketSender, owner: Owner, owner_v2: Owner) -> Services:
        return Services(
            PortGate(above, owner, self.wired),
            self._bank,
            self._addresses,
            self._config.authority,
            PortGateV2(self.wired, owner_v2),
            ModuleHandler(self.wired, self._capabilities, owner),
        )


def _senders(
    core: PacketSender, layers: list[Middleware], wired: Wired
) -> tuple[PacketSender, list[PacketSender]]:
    """What applications send through, and what each layer itself does: what stands above it."""
    by_port: dict[str, PacketSender] = {}
    above = []
    for layer in layers:
        above.append(by_port.get(layer.port_id) or PortGate(core, Owner(layer.port_id), wired))
        if layer.wrap_sender is not None:
            by_port[layer.port_id] = layer.wrap_sender(above[-1])
    return (PortSenders(core, by_port) if by_port else core), above
