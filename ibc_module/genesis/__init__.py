"""Genesis of the IBC module (ibc-go's `GenesisState`): of a new chain, or an export of an older one."""

from collections.abc import Mapping
from typing import Any

from ibc_module.genesis import channels, clients, clients_v2, connections, upgrade
from keepers.keepers import Keepers
from pyibc.core import paths
from pyibc.core.connection.types import (
    COMPATIBLE_VERSIONS,
    ConnectionCounterparty,
    ConnectionEnd,
    ConnectionState,
)
from pyibc.core.errors import LogicFault
from pyibc.core.genesis import OTHER, entries_of, export_store, parse_entries, part_of, state_of
from pyibc.core.host.context import Config, ReadContext, WriteContext
from pyibc.core.identifiers import LOCALHOST_CLIENT_ID, LOCALHOST_CONNECTION_ID
from pyibc.proto.ibc.core.types.v1.genesis_pb2 import GenesisState

ENTRY = "ibc"
"""Key of the module in a host's genesis."""

SECTIONS = (*clients.SECTIONS, *connections.SECTIONS, *channels.SECTIONS, *clients_v2.SECTIONS)


def init(keepers: Keepers, ctx: WriteContext, config: Config, genesis: Mapping[str, Any]) -> None:
    """Write the initial state: `genesis`, with the defaults of a new chain for missing fields.

    Raises:
        LogicFault: the chain has a genesis already: a second one would restart its counters.
        InvalidGenesis: it is malformed; nothing is written, and the message has key and value.
    """
    if ctx.ibc.has(paths.connection_path(LOCALHOST_CONNECTION_ID)):
        raise LogicFault("this chain has a genesis already")
    ours, planned = (part_of(genesis, name) for name in (ENTRY, upgrade.ENTRY))
    state = state_of(GenesisState, ours, ENTRY)
    _complete(state, config)
    check(state, keepers)
    other = parse_entries(ours.get(OTHER, []), f"{ENTRY}.{OTHER}")
    upgrade.restore(ctx.store(paths.UPGRADE_STORE_NAME), planned, ctx.chain_id)
    # Bypasses the keepers: a whole store is restored.
    for key, value in (*entries_of(state, SECTIONS), *other):
        ctx.ibc.set(key, value)
    if not ctx.ibc.has(paths.connection_path(LOCALHOST_CONNECTION_ID)):
        keepers.connections.set(ctx, LOCALHOST_CONNECTION_ID, _LOCALHOST_END)


def check(state: GenesisState, keepers: Keepers) -> None:
    """Check that a chain can start from `state`.

    Raises:
        InvalidGenesis: it cannot; the message has key and value.
    """
    clients.check(state.client_genesis, keepers.clients.registry)
    clients_v2.check(state.client_v2_genesis, state.channel_v2_genesis)
    connections.check(state.connection_genesis)
    channels.check(state.channel_genesis)


def export(ctx: ReadContext) -> dict[str, Any]:
    """Export every entry of the stores `ibc` and `upgrade`."""
    return {
        ENTRY: export_store(ctx.ibc, _empty(), SECTIONS),
        upgrade.ENTRY: upgrade.export(ctx.reader(paths.UPGRADE_STORE_NAME)),
    }


def _empty() -> GenesisState:
    """Return a state with all of its sections, each empty."""
    state = GenesisState()
    for field in state.DESCRIPTOR.fields:
        getattr(state, field.name).SetInParent()
    return state


def _complete(state: GenesisState, config: Config) -> None:
    """Set parameters that the genesis does not contain."""
    if not state.client_genesis.HasField("params"):
        state.client_genesis.params.allowed_clients.extend(config.allowed_clients)
    if not state.connection_genesis.HasField("params"):
        state.connection_genesis.params.max_expected_time_per_block = config.max_expected_time_per_block_ns


_LOCALHOST_END = ConnectionEnd(
    LOCALHOST_CLIENT_ID,
    COMPATIBLE_VERSIONS,
    ConnectionState.OPEN,
    ConnectionCounterparty(LOCALHOST_CLIENT_ID, LOCALHOST_CONNECTION_ID, paths.COMMITMENT_PREFIX),
    0,
)
"""Connection of a chain with itself, which every ibc-go chain has from genesis on (ICS-9)."""
