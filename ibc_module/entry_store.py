"""The hooks of a plugin with one store, all of whose entries are in the genesis."""

from collections.abc import Mapping, Sequence
from typing import Any

from ibc_core.genesis.entries import export_entries, restore_entries
from ibc_core.host.context import ReadContext, WriteContext
from ibc_module import hookimpl


class EntryStore:
    """Declares the store `store_name` and keeps it in the genesis, under its own name, in base64."""

    store_name: str

    @hookimpl
    def chain_stores(self) -> Sequence[str]:
        """The store."""
        return (self.store_name,)

    @hookimpl
    def chain_init_genesis(self, ctx: WriteContext, genesis: Mapping[str, Any]) -> None:
        """Restores what was exported; a new chain has no entries.

        Raises:
            InvalidGenesis: the entry is malformed; the message names key and value.
        """
        restore_entries(ctx.store(self.store_name), genesis, self.store_name)

    @hookimpl
    def chain_export_genesis(self, ctx: ReadContext) -> Mapping[str, Any]:
        """Every entry of the store."""
        entries = ctx.reader(self.store_name).iterate(b"\0", None)
        return {self.store_name: {"entries": export_entries(entries)}}
