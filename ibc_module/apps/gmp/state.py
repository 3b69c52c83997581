"""GMP's own store: the accounts that were called, by whose they are and by address. Nothing else writes it.

Keys are those of the SDK's collections, except that a sender stands in them whole. There only the first byte
is written of a character that has several, so that the senders e-acute and e-grave share an account.
"""

from ibc_core.errors import InvalidAddress
from ibc_core.gmp.account import AccountIdentifier, CallAccount, decode_account, encode_account
from ibc_core.host.context import ReadContext, WriteContext

STORE_NAME = "gmp"
ACCOUNTS = b"\x00"
BY_ADDRESS = b"\x01"


def account_key(identifier: AccountIdentifier) -> bytes:
    """The key of an account.

    Raises:
        InvalidAddress: the sender has a zero byte, which ends it in a key.
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
    """The account of a sender; None if it was never called.

    Raises:
        InvalidAddress: see `account_key`.
    """
    raw = ctx.reader(STORE_NAME).get(account_key(identifier))
    return None if raw is None else decode_account(raw)


def account_at(ctx: ReadContext, address: bytes) -> CallAccount | None:
    """The account with these 32 bytes."""
    raw = ctx.reader(STORE_NAME).get(BY_ADDRESS + address)
    return None if raw is None else decode_account(raw)


def set_account(ctx: WriteContext, account: CallAccount, address: bytes) -> None:
    """Writes an account under both its names."""
    store = ctx.store(STORE_NAME)
    for key, value in entries(account, address):
        store.set(key, value)


def entries(account: CallAccount, address: bytes) -> tuple[tuple[bytes, bytes], ...]:
    """The two entries of an account; raises InvalidAddress, see `account_key`."""
    raw = encode_account(account)
    return (account_key(account.identifier), raw), (BY_ADDRESS + address, raw)
