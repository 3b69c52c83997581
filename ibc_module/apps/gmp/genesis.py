"""GMP's genesis: the accounts that were called (ibc-go's `GenesisState`)."""

from collections.abc import Iterable, Mapping
from typing import Any

from ibc_core.address import AddressCodec
from ibc_core.errors import IbcError
from ibc_core.genesis.entries import InvalidGenesis, parse_entries
from ibc_core.genesis.section import Entry, Section, require, require_new
from ibc_core.genesis.store import OTHER, entries_of, export_store
from ibc_core.gmp import names
from ibc_core.gmp.account import CallAccount, decode_account, pack_identifier, unpack_identifier
from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.identifiers import validate_client_id
from ibc_core.wire.protojson import from_json
from ibc_module.apps.gmp import state
from ibc_proto.ibc.applications.gmp.v1.genesis_pb2 import GenesisState, RegisteredICS27Account

ENTRY = "gmp"
"""GMP in a host's genesis."""


class GmpGenesis:
    """Writes and exports the accounts; `addresses` reads those of this chain."""

    def __init__(self, addresses: AddressCodec) -> None:
        self._addresses = addresses
        self._sections = (Section("", "ics27_accounts", self._read, self._entries),)

    def init(self, ctx: WriteContext, genesis: Mapping[str, Any]) -> None:
        """Writes `genesis`; by default nobody was called.

        Raises:
            InvalidGenesis: it is malformed, before anything is written; the message names key and value.
        """
        given = genesis.get(ENTRY, {})
        if not isinstance(given, Mapping):
            raise InvalidGenesis(ENTRY, given, "is not an object")
        found = from_json(GenesisState, {name: given[name] for name in given if name != OTHER}, ENTRY)
        self._check(found)
        store, other = ctx.store(state.STORE_NAME), parse_entries(given.get(OTHER, []), f"{ENTRY}.{OTHER}")
        for _, key, value in entries_of(found, self._sections):
            store.set(key, value)
        for key, value in other:
            store.set(key, value)

    def export(self, ctx: ReadContext) -> dict[str, Any]:
        """Every entry of the store."""
        return {ENTRY: export_store(ctx.reader(state.STORE_NAME), GenesisState(), self._sections)}

    def _read(self, key: bytes, value: bytes) -> RegisteredICS27Account | None:
        if not key.startswith(state.ACCOUNTS):
            return None
        account = decode_account(value)
        return RegisteredICS27Account(
            account_address=account.address, account_id=pack_identifier(account.identifier)
        )

    def _entries(self, item: RegisteredICS27Account) -> Iterable[Entry]:
        account = CallAccount(item.account_address, unpack_identifier(item.account_id))
        return state.entries(account, self._addresses.decode(item.account_address, "account_address").raw)

    def _check(self, found: GenesisState) -> None:
        """Checks what ibc-go's `GenesisState.Validate` checks, but for senders: they are of another chain."""
        seen: set[bytes] = set()
        for number, item in enumerate(found.ics27_accounts):
            key = f"{ENTRY}.ics27_accounts[{number}]"
            try:
                added = dict(self._entries(item))
            except IbcError as error:
                raise InvalidGenesis(f"{key}.account_address", item.account_address, str(error)) from error
            require(validate_client_id, item.account_id.client_id, f"{key}.account_id.client_id")
            if len(item.account_id.salt) > names.MAX_SALT_SIZE:
                raise InvalidGenesis(f"{key}.account_id.salt", item.account_id.salt.hex(), "is too long")
            for each in added:
                require_new(each, seen, key)
