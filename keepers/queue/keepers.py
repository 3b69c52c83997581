"""The dependencies of the queue protocol's handlers."""

from collections.abc import Mapping
from typing import NamedTuple

from ibc_core.address import AddressCodec
from ibc_core.queue.application import BoundQueueApp
from ibc_core.queue.packet import QueueConfig
from keepers.client.keeper import ClientKeeper
from keepers.queue.keeper import QueueKeeper
from keepers.queue.registration import RegistrationKeeper


class QueueKeepers(NamedTuple):
    """Made once, at wiring."""

    queues: QueueKeeper
    registrations: RegistrationKeeper
    clients: ClientKeeper
    apps: Mapping[str, BoundQueueApp]  # by type of packet
    addresses: AddressCodec
    authority: str  # address text of who may register ends
    config: QueueConfig
