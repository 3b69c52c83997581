"""All keepers of one chain, for its handlers."""

from collections.abc import Callable
from typing import NamedTuple

from ibc_core.address import AddressCodec
from ibc_core.application.classic import BoundApp
from ibc_core.application.v2 import BoundAppV2
from keepers.channel.keeper import ChannelKeeper, PacketKeeper
from keepers.client.keeper import ClientKeeper
from keepers.client.upgrade import UpgradeKeeper
from keepers.client_v2.keeper import ClientKeeperV2
from keepers.connection.keeper import ConnectionKeeper
from keepers.packet_v2.keeper import PacketKeeperV2
from keepers.port import PortKeeper
from light_client.registry import Registry


class KeepersV2(NamedTuple):
    """What IBC v2 keeps, and what the host settled about it."""

    clients: ClientKeeperV2
    packets: PacketKeeperV2
    ports: PortKeeper[BoundAppV2]
    several_payloads: bool  # whether a packet may have more than one


class ChannelRules(NamedTuple):
    """What the host settled about channels beyond ibc-go's rules; by default nothing."""

    optimistic_sends: int = 0  # packets a channel may send before it is OPEN
    validate_channel_identifier: Callable[[str, str], bool] | None = None  # (port, chosen channel id)


class Keepers(NamedTuple):
    """The keepers and settings of a chain, made once, at wiring."""

    clients: ClientKeeper
    connections: ConnectionKeeper
    channels: ChannelKeeper
    packets: PacketKeeper
    ports: PortKeeper[BoundApp]
    upgrades: UpgradeKeeper
    addresses: AddressCodec
    authority: str  # address text of who may send authority messages
    v2: KeepersV2
    rules: ChannelRules = ChannelRules()

    @property
    def client_types(self) -> Registry:
        """The light clients, for stateless checks."""
        return self.clients.registry

    @property
    def several_payloads(self) -> bool:
        """Whether a packet of IBC v2 may have more than one payload."""
        return self.v2.several_payloads
