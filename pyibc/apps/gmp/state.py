"""Store and genesis of GMP: accounts of remote senders by owner and by address.

Keys follow the SDK's collections, except that they hold the sender's full UTF-8. The SDK writes only the
first byte of a multi-byte character, so that two senders could share an account.
"""

from collections.abc import Mapping
from typing import Any

from google.protobuf.message import DecodeError

from pyibc.apps.gmp import packet_data as names
from pyibc.apps.gmp.packet_data import (
    AccountIdentifier,
    CallAccount,
    decode_account,
    encode_account,
    pack_identifier,
    unpack_identifier,
)
from pyibc.codec.protojson import to_json
from pyibc.core.address import Address, AddressCodec
from pyibc.core.application.services import Accounts
from pyibc.core.errors import CallAccountNotFound, IbcError, InvalidAddress
from pyibc.core.genesis import OTHER, export_entries, part_of, require, require_new, state_of, write_store
from pyibc.core.host.context import ReadContext, WriteContext
from pyibc.core.identifiers import validate_client_id
from pyibc.core.setup_error import InvalidGenesis
from pyibc.proto.ibc.applications.gmp.v1.genesis_pb2 import GenesisState, RegisteredICS27Account

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
    for key, value in account_entries(account, address):
        store.set(key, value)


def account_entries(account: CallAccount, address: bytes) -> tuple[tuple[bytes, bytes], ...]:
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


ENTRY = "gmp"
"""Key of GMP's state in a host's genesis."""


class GmpGenesis:
    """Writes and exports the accounts; `addresses` decodes this chain's addresses."""

    def __init__(self, addresses: AddressCodec) -> None:
        self._addresses = addresses

    def init(self, ctx: WriteContext, genesis: Mapping[str, Any]) -> None:
        """Write the entry `gmp` of a genesis; by default there are no accounts.

        Raises:
            InvalidGenesis: it is malformed; nothing is written, and the message has key and value.
        """
        given = part_of(genesis, ENTRY)
        entries = self._checked(state_of(GenesisState, given, ENTRY))
        write_store(ctx.store(STORE_NAME), entries, given, ENTRY)

    def export(self, ctx: ReadContext) -> dict[str, Any]:
        """Export every entry of the store."""
        stored = dict(ctx.reader(STORE_NAME).iterate(b"\0", None))
        accounts, exported = [], set[bytes]()
        for key, value in stored.items():
            item = self._item(value) if key.startswith(ACCOUNTS) else None
            both = {} if item is None else dict(self._entries(item))
            if item is not None and key in both and both.items() <= stored.items():
                accounts.append(to_json(item))
                exported |= both.keys()
        others = export_entries(entry for entry in stored.items() if entry[0] not in exported)
        return {ENTRY: {"ics27_accounts": accounts, OTHER: others}}

    def _item(self, value: bytes) -> RegisteredICS27Account | None:
        """Decode an entry; None if its address is not one of this chain."""
        try:
            account = decode_account(value)
            self._addresses.decode(account.address, "account_address")
        except (DecodeError, IbcError):
            return None
        return RegisteredICS27Account(
            account_address=account.address, account_id=pack_identifier(account.identifier)
        )

    def _entries(self, item: RegisteredICS27Account) -> tuple[tuple[bytes, bytes], ...]:
        account = CallAccount(item.account_address, unpack_identifier(item.account_id))
        return account_entries(account, self._addresses.decode(item.account_address, "account_address").raw)

    def _checked(self, found: GenesisState) -> list[tuple[bytes, bytes]]:
        """Run ibc-go's checks, except on senders (addresses of other chains), and return the entries."""
        seen: set[bytes] = set()
        entries: list[tuple[bytes, bytes]] = []
        for number, item in enumerate(found.ics27_accounts):
            key = f"{ENTRY}.ics27_accounts[{number}]"
            require(validate_client_id, item.account_id.client_id, f"{key}.account_id.client_id")
            # guard: h166-a-salt-of-any-size-in-a-genesis test_a_genesis_that_is_refused
            if len(item.account_id.salt) > names.MAX_SALT_SIZE:
                raise InvalidGenesis(f"{key}.account_id.salt", item.account_id.salt.hex(), "is too long")
            try:
                entries += self._entries(item)
            except IbcError as error:
                raise InvalidGenesis(f"{key}.account_address", item.account_address, str(error)) from error
            for each, _ in entries[-2:]:
                # guard: h166-an-account-twice-in-a-genesis test_a_genesis_that_is_refused
                require_new(each, seen, key)
        return entries
