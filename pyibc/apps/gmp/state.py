"""Store of GMP: accounts of remote senders by owner and by address.

Keys follow the SDK's collections, except that they hold the sender's full UTF-8. The SDK writes only the
first byte of a multi-byte character, so that two senders could share an account.
"""

from pyibc.apps.gmp.packet_data import AccountIdentifier, CallAccount, decode_account, encode_account
from pyibc.core.address import Address, AddressCodec
from pyibc.core.application.services import Accounts
from pyibc.core.errors import CallAccountNotFound, InvalidAddress
from pyibc.core.host.context import ReadContext, WriteContext

STORE_NAME = "gmp"
ACCOUNTS = b"\x00"
BY_ADDRESS = b"\x01"


def account_key(identifier: AccountIdentifier) -> bytes:
    """Return the key of an account.

    Raises:
        InvalidAddress: the sender has a zero byte, the terminator in a key.
    """
    # guard: h165-a-sender-ends-where-he-likes test_h165_no_two_senders_share_a_key
    if "\0" in identifier.sender:
        raise InvalidAddress("sender", identifier.sender[:64])
    # guard: h165-a-key-holds-less-than-the-sender {=> names =
    #   f"{identifier.client_id}\0{identifier.sender}\0".encode("ascii", "replace")}
    #   test_h165_no_two_senders_share_a_key
    names = f"{identifier.client_id}\0{identifier.sender}\0".encode()
    return ACCOUNTS + names + identifier.salt


def account(ctx: ReadContext, identifier: AccountIdentifier) -> CallAccount | None:
    """Return the account of a sender, None if it was never called.

    Raises:
        InvalidAddress: see `account_key`.
    """
    raw = ctx.reader(STORE_NAME).get(account_key(identifier))
    return None if raw is None else decode_account(raw)


def account_at(ctx: ReadContext, address: bytes) -> CallAccount | None:
    """Return the account at a 32-byte address, None if there is none."""
    raw = ctx.reader(STORE_NAME).get(BY_ADDRESS + address)
    return None if raw is None else decode_account(raw)


def set_account(ctx: WriteContext, account: CallAccount, address: bytes) -> None:
    """Store an account under its owner and its address."""
    store = ctx.store(STORE_NAME)
    for key, value in entries(account, address):
        store.set(key, value)


def entries(account: CallAccount, address: bytes) -> tuple[tuple[bytes, bytes], ...]:
    """Return both entries of an account; raise InvalidAddress, see `account_key`."""
    raw = encode_account(account)
    return (account_key(account.identifier), raw), (BY_ADDRESS + address, raw)


# -- accounts of remote senders, created at their first call


class CallAccounts:
    """Accounts that senders on other chains have on this chain."""

    def __init__(self, accounts: Accounts, addresses: AddressCodec) -> None:
        self._accounts = accounts
        self._addresses = addresses

    def ensure(self, ctx: WriteContext, identifier: AccountIdentifier) -> Address:
        """Return the account of a sender, and create it if there is none.

        An account that was funded before its first call exists in the bank's records and stays unchanged.

        Raises:
            InvalidIdentifier, InvalidAddress: client identifier or sender is malformed.
            CallAccountNotFound: it was called before, and the host has deleted it.
        """
        known = account(ctx, identifier)
        if known is not None:
            return self._existing(ctx, known)
        address = self._addresses.encode(identifier.address)
        if self._accounts.get(ctx, address.raw) is None:
            self._accounts.create(ctx, address)
        set_account(ctx, CallAccount(address.text, identifier), address.raw)
        return address

    def _existing(self, ctx: ReadContext, known: CallAccount) -> Address:
        address = self._addresses.decode(known.address, "account")
        if self._accounts.get(ctx, address.raw) is None:
            raise CallAccountNotFound(known.address)
        return address

    def address_of(self, ctx: ReadContext, identifier: AccountIdentifier) -> str:
        """Return the address that a sender has, or would have.

        Raises:
            InvalidIdentifier, InvalidAddress: client identifier or sender is malformed.
        """
        known = account(ctx, identifier)
        return self._addresses.encode(identifier.address).text if known is None else known.address
