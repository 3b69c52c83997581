"""What IBC v2 keeps beside a client (ICS-2 v2): who is at the other end, and who may relay."""

from ibc_core.value import value
from ibc_core.wire._generated.ibc.core.client.v2 import counterparty_pb2
from ibc_core.wire.table import on_wire

MAX_PREFIX_PARTS = 32
MAX_PREFIX_PART_SIZE = 256
MAX_RELAYERS = 20


@on_wire(counterparty_pb2.CounterpartyInfo)
@value
class ClientCounterparty:
    """The client on the other chain that follows ours, and where that chain keeps its entries."""

    merkle_prefix: tuple[bytes, ...]  # the last part goes before each key: `(b"ibc", b"")`
    client_id: str

    def merkle_path(self, path: bytes) -> tuple[bytes, ...]:
        """Where the other chain has `path`."""
        return (*self.merkle_prefix[:-1], self.merkle_prefix[-1] + path)
