"""Accounts as a plugin of the host: store, genesis, queries."""

from collections.abc import Mapping, Sequence
from typing import Any

from ibc_module import hookimpl
from ibc_module.core.address import AddressCodec
from ibc_module.core.context import ReadContext, WriteContext
from ibc_module.core.entries import InvalidGenesis
from ibc_module.core.numbers import MAX_U64
from ibc_module.errors import UnknownAccount
from ibc_module.hookspecs import QueryRoute
from ibc_module.wire._generated.cosmos.auth.v1beta1 import query_pb2 as pb
from localnet.host.accounts import STORE, Account, Accounts, decode_account
from localnet.host.genesis_parts import Entry, address, entries, number, text
from localnet.host.requests import parse_request


class AccountsPlugin:
    """Hooks of the accounts."""

    def __init__(self, accounts: Accounts, addresses: AddressCodec) -> None:
        self._accounts = accounts
        self._addresses = addresses

    @hookimpl
    def chain_stores(self) -> Sequence[str]:
        """Its store."""
        return (STORE,)

    @hookimpl
    def ibc_account_prefix(self) -> str:
        """Of all addresses of the host."""
        return self._addresses.prefix

    @hookimpl
    def chain_queries(self) -> Mapping[str, QueryRoute]:
        """`cosmos.auth.v1beta1.Query`: Account, AccountInfo, Bech32Prefix."""
        return {
            "/cosmos.auth.v1beta1.Query/Account": self._account,
            "/cosmos.auth.v1beta1.Query/AccountInfo": self._account_info,
            "/cosmos.auth.v1beta1.Query/Bech32Prefix": self._bech32_prefix,
        }

    @hookimpl
    def chain_init_genesis(self, ctx: WriteContext, genesis: Mapping[str, Any]) -> None:
        """`{"auth": {"accounts": [{"address", "public_key" (hex, may be absent), "sequence"}]}}`.

        Raises:
            InvalidGenesis: it is malformed, or an account comes twice.
        """
        for key, entry in entries(genesis.get("auth", {}), "accounts", "auth"):
            holder = address(entry, key, self._addresses)
            if self._accounts.encoded(ctx, holder.raw) is not None:
                raise InvalidGenesis(f"{key}.address", holder.text, "comes twice")
            made = self._accounts.create(ctx, holder)
            public_key, sequence = _public_key(entry, key), number(entry, "sequence", key, MAX_U64)
            self._accounts.put(ctx, holder.raw, made._replace(public_key=public_key, sequence=sequence))

    @hookimpl
    def chain_export_genesis(self, ctx: ReadContext) -> Mapping[str, Any]:
        """All accounts by number, so that an import gives the same order."""
        accounts = sorted((account for _, account in self._accounts.all(ctx)), key=_number)
        return {"auth": {"accounts": [_entry(account) for account in accounts]}}

    def _account(self, ctx: ReadContext, request: bytes) -> bytes:
        response = pb.QueryAccountResponse()
        response.account.ParseFromString(self._encoded(ctx, request, pb.QueryAccountRequest))
        return response.SerializeToString(deterministic=True)

    def _account_info(self, ctx: ReadContext, request: bytes) -> bytes:
        any_bytes = self._encoded(ctx, request, pb.QueryAccountInfoRequest)
        account = decode_account(any_bytes)
        response = pb.QueryAccountInfoResponse()
        response.info.address = account.address
        response.info.account_number = account.number
        response.info.sequence = account.sequence
        return response.SerializeToString(deterministic=True)

    def _encoded(
        self,
        ctx: ReadContext,
        request: bytes,
        kind: type[pb.QueryAccountRequest] | type[pb.QueryAccountInfoRequest],
    ) -> bytes:
        text = parse_request(kind, request).address
        raw = self._accounts.encoded(ctx, self._addresses.decode(text, "address").raw)
        if raw is None:
            raise UnknownAccount(text)
        return raw

    def _bech32_prefix(self, ctx: ReadContext, request: bytes) -> bytes:  # noqa: ARG002 - a query's shape
        return pb.Bech32PrefixResponse(bech32_prefix=self._addresses.prefix).SerializeToString()


def _public_key(entry: Entry, key: str) -> bytes:
    found = text(entry, "public_key", key, "")
    try:
        return bytes.fromhex(found)
    except ValueError:
        raise InvalidGenesis(f"{key}.public_key", found, "is not hex") from None


def _number(account: Account) -> int:
    return account.number


def _entry(account: Account) -> dict[str, Any]:
    return {
        "address": account.address,
        "public_key": account.public_key.hex(),
        "sequence": account.sequence,
    }
