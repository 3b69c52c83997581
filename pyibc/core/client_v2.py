"""The counterparty of a client and its allowed relayers (ICS-2 v2)."""

from typing import Annotated

from pyibc.core.checking import HasAddresses
from pyibc.core.errors import InvalidClientCounterparty, TooLarge
from pyibc.core.identifiers import parse_client_id, validate_client_id
from pyibc.core.value import value
from pyibc.core.wire.columns import Signer, Wire
from pyibc.core.wire.message import Msg, message
from pyibc.core.wire.table import on_wire
from pyibc.proto.ibc.core.client.v2 import counterparty_pb2, tx_pb2

MAX_PREFIX_PARTS = 32
MAX_PREFIX_PART_SIZE = 256
MAX_RELAYERS = 20


@on_wire(counterparty_pb2.CounterpartyInfo)
@value
class ClientCounterparty:
    """The counterparty client, and the Merkle prefix of the counterparty chain."""

    merkle_prefix: tuple[bytes, ...]  # the last element is prepended to each key: `(b"ibc", b"")`
    client_id: str

    def merkle_path(self, path: bytes) -> tuple[bytes, ...]:
        """Return the Merkle path of `path` on the counterparty chain."""
        return (*self.merkle_prefix[:-1], self.merkle_prefix[-1] + path)


# -- messages of clients in IBC v2: registering a counterparty, setting the allowed relayers


@message(tx_pb2.MsgRegisterCounterparty)
@value
class MsgRegisterCounterparty(Msg):
    """Register the counterparty client of a client; for the client's creator."""

    client_id: str
    counterparty_merkle_prefix: tuple[bytes, ...]
    counterparty_client_id: str
    signer: Signer

    def check(self, chain: HasAddresses) -> None:
        """Run the stateless checks.

        Raises:
            InvalidAddress, InvalidClientCounterparty, TooLarge, InvalidIdentifier.
        """
        chain.addresses.decode(self.signer, "signer")
        parts = self.counterparty_merkle_prefix
        if not parts:
            raise InvalidClientCounterparty("no merkle prefix")
        if len(parts) > MAX_PREFIX_PARTS:
            raise TooLarge("counterparty_merkle_prefix", len(parts), MAX_PREFIX_PARTS)
        for part in parts:
            if len(part) > MAX_PREFIX_PART_SIZE:
                raise TooLarge("part of counterparty_merkle_prefix", len(part), MAX_PREFIX_PART_SIZE)
        validate_client_id(self.client_id)
        validate_client_id(self.counterparty_client_id)
        parse_client_id(self.client_id)
        parse_client_id(self.counterparty_client_id)


@message(tx_pb2.MsgUpdateClientConfig)
@value
class MsgUpdateClientConfig(Msg):
    """Set the allowed relayers of a client; an empty list allows all."""

    client_id: str
    allowed_relayers: Annotated[tuple[str, ...], Wire("config.allowed_relayers")]
    signer: Signer

    def check(self, chain: HasAddresses) -> None:
        """Run the stateless checks.

        Raises:
            InvalidAddress, InvalidIdentifier, TooLarge.
        """
        chain.addresses.decode(self.signer, "signer")
        validate_client_id(self.client_id)
        parse_client_id(self.client_id)
        if len(self.allowed_relayers) > MAX_RELAYERS:
            raise TooLarge("allowed_relayers", len(self.allowed_relayers), MAX_RELAYERS)
        for relayer in self.allowed_relayers:
            chain.addresses.decode(relayer, "allowed relayer")
