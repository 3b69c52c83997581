"""All that the handlers of the queue protocol take."""

from collections.abc import Mapping
from typing import NamedTuple

from ibc_module.core.address import AddressCodec
from ibc_module.core.queue_application import QueueApp
from ibc_module.core.queue_packet import QueueConfig
from keepers.client import ClientKeeper
from keepers.queue import QueueKeeper
from keepers.queue_registration import RegistrationKeeper


class QueueKeepers(NamedTuple):
    """Made once, at wiring."""

    queues: QueueKeeper
    registrations: RegistrationKeeper
    clients: ClientKeeper
    apps: Mapping[str, QueueApp]  # by type of packet
    addresses: AddressCodec
    authority: str  # address text of who may register ends
    config: QueueConfig
