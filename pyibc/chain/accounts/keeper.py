"""Accounts: address, public key, account number and sequence.

Store `acc`: `01 address` -> Any of cosmos.auth.v1beta1.BaseAccount or ModuleAccount, or of ibc-go's
InterchainAccount; `globalAccountNumber` -> the next account number (8 bytes, big-endian). Account numbers are
consecutive and never reused.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple, cast

from google.protobuf.any_pb2 import Any as PbAny
from google.protobuf.message import Message

from pyibc.core.address import Address
from pyibc.core.crypto import secp256k1
from pyibc.core.host.context import ReadContext, WriteContext, prefix_end
from pyibc.core.numbers import be8
from pyibc.core.value import sealed
from pyibc.proto.cosmos.auth.v1beta1.auth_pb2 import BaseAccount, ModuleAccount
from pyibc.proto.cosmos.crypto.secp256k1.keys_pb2 import PubKey
from pyibc.proto.ibc.applications.interchain_accounts.v1.account_pb2 import InterchainAccount

STORE = "acc"
TYPE_URL = "/cosmos.auth.v1beta1.BaseAccount"
MODULE_TYPE_URL = "/cosmos.auth.v1beta1.ModuleAccount"
INTERCHAIN_TYPE_URL = "/ibc.applications.interchain_accounts.v1.InterchainAccount"
ACCOUNTS = b"\x01"
_NEXT_NUMBER = b"globalAccountNumber"


@sealed
class Account(NamedTuple):
    """One account."""

    address: str  # bech32
    public_key: bytes  # 33 bytes; empty until its first transaction
    number: int
    sequence: int
    module: str = ""  # name of the module, for a module account
    owner: str = ""  # port id of the controller, for an interchain account


def encode_account(account: Account) -> bytes:
    """Return an account of any of the three types as an Any, as stored and as returned by `Query/Account`."""
    base = BaseAccount(address=account.address, account_number=account.number, sequence=account.sequence)
    if account.public_key:
        base.pub_key.type_url = secp256k1.TYPE_URL
        base.pub_key.value = PubKey(key=account.public_key).SerializeToString()
    kind, wire = TYPE_URL, cast("Message", base)
    if account.owner:
        kind, wire = INTERCHAIN_TYPE_URL, InterchainAccount(base_account=base, account_owner=account.owner)
    elif account.module:
        kind, wire = MODULE_TYPE_URL, ModuleAccount(base_account=base, name=account.module)
    return PbAny(type_url=kind, value=wire.SerializeToString()).SerializeToString()


@lru_cache(1024)  # fee and signature checks, and the signer's next transaction, read the same bytes
def decode_account(raw: bytes) -> Account:
    """Decode an account that `encode_account` encoded."""
    packed, module, owner = PbAny.FromString(raw), "", ""
    if packed.type_url == MODULE_TYPE_URL:
        of_module = ModuleAccount.FromString(packed.value)
        base, module = of_module.base_account, of_module.name
    elif packed.type_url == INTERCHAIN_TYPE_URL:
        interchain = InterchainAccount.FromString(packed.value)
        base, owner = interchain.base_account, interchain.account_owner
    else:
        base = BaseAccount.FromString(packed.value)
    key = PubKey.FromString(base.pub_key.value).key if base.HasField("pub_key") else b""
    return Account(base.address, key, base.account_number, base.sequence, module, owner)


class Accounts:
    """The only writer of the `acc` store."""

    def get(self, ctx: ReadContext | WriteContext, address: bytes) -> Account | None:
        """Return the account at `address`, or None."""
        raw = ctx.reader(STORE).get(ACCOUNTS + address)
        return decode_account(raw) if raw is not None else None

    def encoded(self, ctx: ReadContext, address: bytes) -> bytes | None:
        """Return the account at `address` as an encoded Any, or None."""
        return ctx.reader(STORE).get(ACCOUNTS + address)

    def put(self, ctx: WriteContext, address: bytes, account: Account) -> None:
        """Store an account."""
        ctx.store(STORE).set(ACCOUNTS + address, encode_account(account))

    def ensure(self, ctx: WriteContext, address: Address) -> None:
        """Create an account at `address` if there is none."""
        if not ctx.store(STORE).has(ACCOUNTS + address.raw):
            self.create(ctx, address)

    def create(self, ctx: WriteContext, address: Address, module: str = "", owner: str = "") -> Account:
        """Create an account with the next account number; the caller has checked that none exists."""
        store = ctx.store(STORE)
        raw = store.get(_NEXT_NUMBER)
        number = int.from_bytes(raw, "big") if raw is not None else 0
        store.set(_NEXT_NUMBER, be8(number + 1))
        account = Account(address.text, b"", number, 0, module, owner)
        self.put(ctx, address.raw, account)
        return account

    def all(self, ctx: ReadContext) -> Iterator[tuple[bytes, Account]]:
        """Iterate over addresses and accounts, in address order."""
        for key, raw in ctx.reader(STORE).iterate(ACCOUNTS, prefix_end(ACCOUNTS)):
            yield key[1:], decode_account(raw)
