"""The accounts plugin: store, genesis, queries."""

from collections.abc import Mapping, Sequence
from typing import Any

from ibc_core.address import Address, AddressCodec
from ibc_core.errors import InvalidSdkRequest
from ibc_core.genesis.entries import InvalidGenesis
from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.host.routes import QueryRoute
from ibc_core.host.shipped import shipped
from ibc_core.numbers import MAX_U64
from ibc_module import hookimpl
from localnet.host.accounts import STORE, Account, Accounts
from localnet.host.auth_queries import AuthQueries
from localnet.host.config import HostConfig
from localnet.host.genesis_parts import Entry, address, entries, number, text


class OfferedAccounts:
    """The host's accounts as applications see them (`ibc_core.application.services.Accounts`)."""

    def __init__(self, accounts: Accounts) -> None:
        self._accounts = accounts

    def get(self, ctx: ReadContext, address: bytes) -> Account | None:
        """As the accounts' keeper has it."""
        return self._accounts.get(ctx, address)

    def create(self, ctx: WriteContext, address: Address, module: str = "", owner: str = "") -> Account:
        """Makes an account.

        Raises:
            InvalidSdkRequest: there is one; nothing is written.
        """
        if self._accounts.get(ctx, address.raw) is not None:
            raise InvalidSdkRequest(f"account {address.text} exists")
        return self._accounts.create(ctx, address, module, owner)


@shipped
class AccountsPlugin:
    """Hook implementations for accounts."""

    def __init__(self, accounts: Accounts, addresses: AddressCodec, config: HostConfig | None = None) -> None:
        self._accounts = accounts
        self._addresses = addresses
        self._queries = AuthQueries(accounts, addresses, config or HostConfig(""))

    @hookimpl
    def chain_stores(self) -> Sequence[str]:
        """The `acc` store."""
        return (STORE,)

    @hookimpl
    def ibc_accounts(self) -> OfferedAccounts:
        """These accounts."""
        return OfferedAccounts(self._accounts)

    @hookimpl
    def ibc_account_prefix(self) -> str:
        """The bech32 prefix of the host's addresses."""
        return self._addresses.prefix

    @hookimpl
    def chain_queries(self) -> Mapping[str, QueryRoute]:
        """`cosmos.auth.v1beta1.Query`."""
        return self._queries.routes()

    @hookimpl
    def chain_init_genesis(self, ctx: WriteContext, genesis: Mapping[str, Any]) -> None:
        """`{"auth": {"accounts": [{"address", "public_key" (hex), "sequence", "module", "owner"}]}}`.

        An account needs no more than its address.

        Raises:
            InvalidGenesis: it is malformed, or an account is duplicated.
        """
        for key, entry in entries(genesis.get("auth", {}), "accounts", "auth"):
            holder = address(entry, key, self._addresses)
            if self._accounts.encoded(ctx, holder.raw) is not None:
                raise InvalidGenesis(f"{key}.address", holder.text, "comes twice")
            module, owner = text(entry, "module", key, ""), text(entry, "owner", key, "")
            made = self._accounts.create(ctx, holder, module, owner)
            public_key, sequence = _public_key(entry, key), number(entry, "sequence", key, MAX_U64)
            self._accounts.put(ctx, holder.raw, made._replace(public_key=public_key, sequence=sequence))

    @hookimpl
    def chain_export_genesis(self, ctx: ReadContext) -> Mapping[str, Any]:
        """All accounts by number, so that an import assigns the same numbers."""
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
    return {**entry, **{name: told for name, told in special.items() if told}}
