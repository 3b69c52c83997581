"""The account in which a sender of another chain has messages executed.

One for each client, sender and salt. Its address has 32 bytes, which nobody has a key of.
"""

from hashlib import sha256
from typing import NamedTuple

from ibc_core.errors import InvalidAddress
from ibc_core.identifiers import is_blank, validate_client_id
from ibc_core.numbers import be8
from ibc_core.value import sealed
from ibc_core.wire.encoding import encode
from ibc_proto.ibc.applications.gmp.v1 import account_pb2 as pb

_KIND = sha256(b"module").digest()
_MODULE = b"gmp-accounts\x00"


@sealed
class AccountIdentifier(NamedTuple):
    """Whose account it is."""

    client_id: str  # of this chain: which chain the sender is on
    sender: str  # in that chain's spelling
    salt: bytes  # one sender may have several

    @property
    def address(self) -> bytes:
        """The account's 32 bytes (the SDK's `address.Module`, of each part with its length in 8 bytes).

        Raises:
            InvalidIdentifier, InvalidAddress: there is no such client identifier, or no sender.
        """
        validate_client_id(self.client_id)
        if is_blank(self.sender):
            raise InvalidAddress("sender", "")
        parts = self.client_id.encode(), self.sender.encode(), self.salt
        key = b"".join(be8(len(part)) + part for part in parts)
        return sha256(_KIND + _MODULE + key).digest()


@sealed
class CallAccount(NamedTuple):
    """ibc-go's `ICS27Account`: an account that was called."""

    address: str  # in this chain's spelling
    identifier: AccountIdentifier


def encode_account(account: CallAccount) -> bytes:
    """The bytes that stand in the store."""
    return encode(pb.ICS27Account(address=account.address, account_id=pack_identifier(account.identifier)))


def decode_account(raw: bytes) -> CallAccount:
    """The account that `encode_account` wrote."""
    wire = pb.ICS27Account.FromString(raw)
    return CallAccount(wire.address, unpack_identifier(wire.account_id))


def pack_identifier(identifier: AccountIdentifier) -> pb.AccountIdentifier:
    """The message of an identifier."""
    return pb.AccountIdentifier(**identifier._asdict())


def unpack_identifier(wire: pb.AccountIdentifier) -> AccountIdentifier:
    """The identifier that a message says."""
    return AccountIdentifier(wire.client_id, wire.sender, wire.salt)
