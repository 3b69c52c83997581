"""All keepers of one chain, as handlers take them."""

from typing import NamedTuple

from ibc_module.core.address import AddressCodec
from keepers.channel import ChannelKeeper
from keepers.client import ClientKeeper
from keepers.connection import ConnectionKeeper
from keepers.packet import PacketKeeper
from keepers.port import PortKeeper
from keepers.upgrade import UpgradeKeeper


class Keepers(NamedTuple):
    """Made once, at wiring."""

    clients: ClientKeeper
    connections: ConnectionKeeper
    channels: ChannelKeeper
    packets: PacketKeeper
    ports: PortKeeper
    upgrades: UpgradeKeeper
    addresses: AddressCodec
    authority: str  # address text of who may send authority messages
