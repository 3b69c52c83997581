"""The accounts plugin: store, genesis, queries."""

from collections.abc import Iterable, Mapping, Sequence
from types import ModuleType
from typing import Any

from ibc_module import hookimpl
from pyibc.chain import hookspecs
from pyibc.chain.accounts.keeper import STORE, Account, Accounts
from pyibc.chain.accounts.queries import AuthQueries
from pyibc.chain.config import Entry, HostConfig, address, entries, number, text
from pyibc.core.address import Address, AddressCodec
from pyibc.core.errors import InvalidSdkRequest
from pyibc.core.host.context import QueryRoute, ReadContext, WriteContext
from pyibc.core.numbers import MAX_U64
from pyibc.core.setup_error import InvalidGenesis
from pyibc.core.wire.requests import query_routes
from pyibc.isolation.isolate import builtin


class AccountService:
    """The host's accounts as applications use them (`pyibc.core.application.services.Accounts`)."""

    def __init__(self, accounts: Accounts) -> None:
        self._accounts = accounts

    def get(self, ctx: ReadContext, address: bytes) -> Account | None:
        """Return the account at `address`, or None."""
        return self._accounts.get(ctx, address)

    def create(self, ctx: WriteContext, address: Address, module: str = "", owner: str = "") -> Account:
        """Create an account.

        Raises:
            InvalidSdkRequest: the account exists already; nothing is written.
        """
        if self._accounts.get(ctx, address.raw) is not None:
            raise InvalidSdkRequest(f"account {address.text} exists")
        return self._accounts.create(ctx, address, module, owner)


@builtin
class AccountsPlugin:
    """Hook implementations for accounts."""

    def __init__(self, accounts: Accounts, addresses: AddressCodec, config: HostConfig | None = None) -> None:
        self._accounts = accounts
        self._addresses = addresses
        self._queries = AuthQueries(accounts, addresses, config or HostConfig(""))

    @hookimpl
    def chain_hookspecs(self) -> Iterable[ModuleType]:
        """The hooks of the host's parts."""
        return (hookspecs,)

    @hookimpl
    def chain_stores(self) -> Sequence[str]:
        """The `acc` store."""
        return (STORE,)

    @hookimpl
    def ibc_accounts(self) -> AccountService:
        """Return the account service for applications."""
        return AccountService(self._accounts)

    @hookimpl
    def ibc_account_prefix(self) -> str:
        """The bech32 prefix of the host's addresses."""
        return self._addresses.prefix

    @hookimpl
    def chain_queries(self) -> Mapping[str, QueryRoute]:
        """Return the routes of `cosmos.auth.v1beta1.Query`."""
        return query_routes(self._queries)

    @hookimpl
    def chain_init_genesis(self, ctx: WriteContext, genesis: Mapping[str, Any]) -> None:
        """Create the accounts of the `auth` section of the genesis.

        Format: `{"auth": {"accounts": [{"address", "public_key" (hex), "sequence", "module", "owner"}]}}`;
        only `address` is required.

        Raises:
            InvalidGenesis: the section is malformed, or an account is duplicated.
        """
        for key, entry in entries(genesis.get("auth", {}), "accounts", "auth"):
            holder = address(entry, key, self._addresses)
            if self._accounts.encoded(ctx, holder.raw) is not None:
                raise InvalidGenesis(f"{key}.address", holder.text, "occurs twice")
            module, owner = text(entry, "module", key, ""), text(entry, "owner", key, "")
            made = self._accounts.create(ctx, holder, module, owner)
            public_key, sequence = _public_key(entry, key), number(entry, "sequence", key, MAX_U64)
            self._accounts.put(ctx, holder.raw, made._replace(public_key=public_key, sequence=sequence))

    @hookimpl
    def chain_export_genesis(self, ctx: ReadContext) -> Mapping[str, Any]:
        """Export all accounts by account number, so that an import assigns the same numbers."""
        accounts = sorted((account for _, account in self._accounts.all(ctx)), key=_number)
        return {"auth": {"accounts": [_entry(account) for account in accounts]}}


def _public_key(entry: Entry, key: str) -> bytes:
    found = text(entry, "public_key", key, "")
    try:
        return bytes.fromhex(found)
    except ValueError:
        raise InvalidGenesis(f"{key}.public_key", found, "is not hex") from None


def _number(account: Account) -> int:
    return account.number


def _entry(account: Account) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "address": account.address,
        "public_key": account.public_key.hex(),
        "sequence": account.sequence,
    }
    special = {"module": account.module, "owner": account.owner}
    return {**entry, **{name: value for name, value in special.items() if value}}
