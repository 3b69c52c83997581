"""Hooks of a plugin with one store that is exported to the genesis as raw entries."""

from collections.abc import Mapping, Sequence
from typing import Any

from ibc_module import hookimpl
from pyibc.core.genesis import export_entries, restore_entries
from pyibc.core.host.context import ReadContext, WriteContext


class EntryStore:
    """Declares the store `store_name` and keeps its entries in the genesis under that name, in base64."""

    store_name: str

    @hookimpl
    def chain_stores(self) -> Sequence[str]:
        """Declare the store."""
        return (self.store_name,)

    @hookimpl
    def chain_init_genesis(self, ctx: WriteContext, genesis: Mapping[str, Any]) -> None:
        """Restore exported entries; a new chain has none.

        Raises:
            InvalidGenesis: the entry is malformed; the message has key and value.
        """
        restore_entries(ctx.store(self.store_name), genesis, self.store_name)

    @hookimpl
    def chain_export_genesis(self, ctx: ReadContext) -> Mapping[str, Any]:
        """Export every entry of the store."""
        entries = ctx.reader(self.store_name).iterate(b"\0", None)
        return {self.store_name: {"entries": export_entries(entries)}}
