"""The keepers of one chain, for its handlers."""

from collections.abc import Callable
from typing import NamedTuple

from keepers.channel import ChannelKeeper, PacketKeeper
from keepers.client import ClientKeeper, ClientKeeperV2
from keepers.connection import ConnectionKeeper
from keepers.packet_v2 import PacketKeeperV2
from keepers.port import PortKeeper
from keepers.upgrade import UpgradeKeeper
from light_client.registry import Registry
from pyibc.core.address import AddressCodec
from pyibc.core.application.classic import BoundApp
from pyibc.core.application.v2 import BoundAppV2


class KeepersV2(NamedTuple):
    """Keepers and settings of IBC v2."""

    clients: ClientKeeperV2
    packets: PacketKeeperV2
    ports: PortKeeper[BoundAppV2]
    several_payloads: bool  # True if a packet may have more than one payload


class ChannelRules(NamedTuple):
    """Settings of the host for channels beyond ibc-go's rules, none by default."""

    optimistic_sends: int = 0  # packets a channel may send before it is OPEN
    validate_channel_identifier: Callable[[str, str], bool] | None = None  # (port, chosen channel id)


class Keepers(NamedTuple):
    """The keepers and settings of a chain, created at wiring."""

    clients: ClientKeeper
    connections: ConnectionKeeper
    channels: ChannelKeeper
    packets: PacketKeeper
    ports: PortKeeper[BoundApp]
    upgrades: UpgradeKeeper
    addresses: AddressCodec
    authority: str  # address that may send authority messages
    v2: KeepersV2
    rules: ChannelRules = ChannelRules()

    @property
    def client_types(self) -> Registry:
        """The light clients, for stateless checks."""
        return self.clients.registry

    @property
    def several_payloads(self) -> bool:
        """True if a packet of IBC v2 may have more than one payload."""
        return self.v2.several_payloads
