"""Genesis state of GMP: accounts of remote senders (ibc-go's `GenesisState`)."""

from collections.abc import Mapping
from typing import Any

from google.protobuf.message import DecodeError

from pyibc.apps.gmp import packet_data as names
from pyibc.apps.gmp import state
from pyibc.apps.gmp.packet_data import CallAccount, decode_account, pack_identifier, unpack_identifier
from pyibc.codec.protojson import from_json, to_json
from pyibc.core.address import AddressCodec
from pyibc.core.errors import IbcError
from pyibc.core.genesis import OTHER, export_entries, parse_entries, require, require_new
from pyibc.core.host.context import ReadContext, WriteContext
from pyibc.core.identifiers import validate_client_id
from pyibc.core.setup_error import InvalidGenesis
from pyibc.proto.ibc.applications.gmp.v1.genesis_pb2 import GenesisState, RegisteredICS27Account

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
        """Export every entry of the store."""
        stored = dict(ctx.reader(state.STORE_NAME).iterate(b"\0", None))
        accounts, exported = [], set[bytes]()
        for key, value in stored.items():
            item = self._item(value) if key.startswith(state.ACCOUNTS) else None
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
        return state.entries(account, self._addresses.decode(item.account_address, "account_address").raw)

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
