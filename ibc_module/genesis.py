"""Genesis of the `ibc` store: parameters and counters of a new chain, or everything an older one had."""

from collections.abc import Mapping
from typing import Any

from ibc_module.core import paths
from ibc_module.core.config import Config
from ibc_module.core.connection import (
    COMPATIBLE_VERSIONS,
    ConnectionCounterparty,
    ConnectionEnd,
    ConnectionState,
)
from ibc_module.core.context import ReadContext, WriteContext
from ibc_module.core.entries import export_entries, restore_entries
from ibc_module.core.identifiers import LOCALHOST_CLIENT_ID, LOCALHOST_CONNECTION_ID
from ibc_module.core.numbers import be8
from keepers.keepers import Keepers

ENTRY = "ibc"
"""The module's name in a host's genesis."""


def init(keepers: Keepers, ctx: WriteContext, config: Config, genesis: Mapping[str, Any]) -> None:
    """Writes the first state: what `export` gave, or that of a new chain.

    Raises:
        ValueError: the entry is malformed; the message names key and value.
    """
    exported = genesis.get("entries")
    if exported is not None:
        restore_entries(ctx.ibc, exported, ENTRY)
        return
    keepers.clients.set_allowed_clients(ctx, config.allowed_clients)
    keepers.connections.set_max_expected_time_per_block(ctx, config.max_expected_time_per_block_ns)
    keepers.connections.set(ctx, LOCALHOST_CONNECTION_ID, _LOCALHOST_END)
    for counter in (paths.NEXT_CLIENT_SEQUENCE, paths.NEXT_CONNECTION_SEQUENCE, paths.NEXT_CHANNEL_SEQUENCE):
        ctx.ibc.set(counter, be8(0))


_LOCALHOST_END = ConnectionEnd(
    LOCALHOST_CLIENT_ID,
    COMPATIBLE_VERSIONS,
    ConnectionState.OPEN,
    ConnectionCounterparty(LOCALHOST_CLIENT_ID, LOCALHOST_CONNECTION_ID, paths.COMMITMENT_PREFIX),
    0,
)
"""The connection of a chain with itself, which every ibc-go chain has from genesis on (ICS-9)."""


def export(ctx: ReadContext) -> dict[str, Any]:
    """Every entry of the store."""
    return {ENTRY: {"entries": export_entries(ctx.ibc)}}
