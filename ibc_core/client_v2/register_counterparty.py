"""MsgRegisterCounterparty (ICS-2 v2)."""

from ibc_core.checking import HasAddresses
from ibc_core.client_v2.types import MAX_PREFIX_PART_SIZE, MAX_PREFIX_PARTS
from ibc_core.errors import InvalidClientCounterparty, TooLarge
from ibc_core.identifiers import parse_client_id, validate_client_id
from ibc_core.value import value
from ibc_core.wire.columns import Signer
from ibc_core.wire.message import Msg, message
from ibc_proto.ibc.core.client.v2 import tx_pb2


@message(tx_pb2.MsgRegisterCounterparty)
@value
class MsgRegisterCounterparty(Msg):
    """The creator of a client says which client on the other chain belongs to it."""

    client_id: str
    counterparty_merkle_prefix: tuple[bytes, ...]
    counterparty_client_id: str
    signer: Signer

    def check(self, chain: HasAddresses) -> None:
        """Stateless checks.

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
