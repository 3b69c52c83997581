"""GMP's genesis: the accounts that were called (ibc-go's `GenesisState`)."""

from collections.abc import Mapping
from typing import Any

from google.protobuf.message import DecodeError

from ibc_core.address import AddressCodec
from ibc_core.errors import IbcError
from ibc_core.genesis.entries import InvalidGenesis, export_entries, parse_entries
from ibc_core.genesis.section import require, require_new
from ibc_core.genesis.store import OTHER
from ibc_core.gmp import names
from ibc_core.gmp.account import CallAccount, decode_account, pack_identifier, unpack_identifier
from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.identifiers import validate_client_id
from ibc_core.wire.protojson import from_json, to_json
from ibc_module.apps.gmp import state
from ibc_proto.ibc.applications.gmp.v1.genesis_pb2 import GenesisState, RegisteredICS27Account

ENTRY = "gmp"
"""GMP in a host's genesis."""


class GmpGenesis:
    """Writes and exports the accounts; `addresses` reads those of this chain."""

    def __init__(self, addresses: AddressCodec) -> None:
        self._addresses = addresses

    def init(self, ctx: WriteContext, genesis: Mapping[str, Any]) -> None:
        """Writes `genesis`; by default nobody was called.

        Raises:
            InvalidGenesis: it is malformed, before anything is written; the message names key and value.
        """
        given = genesis.get(ENTRY, {})
        if not isinstance(given, Mapping):
            raise InvalidGenesis(ENTRY, given, "is not an object")
        found = from_json(GenesisState, {name: given[name] for name in given if name != OTHER}, ENTRY)
        entries = self._checked(found)
        entries += parse_entries(given.get(OTHER, []), f"{ENTRY}.{OTHER}")
        store = ctx.store(state.STORE_NAME)
        for key, value in entries:
            store.set(key, value)

    def export(self, ctx: ReadContext) -> dict[str, Any]:
        """Every entry of the store."""
        stored = dict(ctx.reader(state.STORE_NAME).iterate(b"\0", None))
        accounts, told = [], set[bytes]()
        for key, value in stored.items():
            item = self._item(value) if key.startswith(state.ACCOUNTS) else None
            both = {} if item is None else dict(self._entries(item))
            if item is not None and key in both and both.items() <= stored.items():
                accounts.append(to_json(item))
                told |= both.keys()
        others = export_entries(entry for entry in stored.items() if entry[0] not in told)
        return {ENTRY: {"ics27_accounts": accounts, OTHER: others}}

    def _item(self, value: bytes) -> RegisteredICS27Account | None:
        """The account in an entry; None if its address is not one of this chain."""
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
        return state.entries(account, self._addresses.decode(item.account_address, "account_address").raw)

    def _checked(self, found: GenesisState) -> list[tuple[bytes, bytes]]:
        """The entries, after ibc-go's checks but for senders, who are of another chain; none comes twice."""
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
