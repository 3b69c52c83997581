"""Genesis of the module (ibc-go's `GenesisState`): of a new chain, or everything an older one had."""

from collections.abc import Mapping
from typing import Any

from ibc_core import paths
from ibc_core.config import Config
from ibc_core.connection.types import (
    COMPATIBLE_VERSIONS,
    ConnectionCounterparty,
    ConnectionEnd,
    ConnectionState,
)
from ibc_core.errors import LogicFault
from ibc_core.genesis.entries import InvalidGenesis, parse_entries
from ibc_core.genesis.store import OTHER, entries_of, export_store
from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.identifiers import LOCALHOST_CLIENT_ID, LOCALHOST_CONNECTION_ID
from ibc_core.wire.protojson import from_json
from ibc_module.genesis import channels, clients, clients_v2, connections, upgrade
from ibc_proto.ibc.core.types.v1.genesis_pb2 import GenesisState
from keepers.keepers import Keepers

ENTRY = "ibc"
"""The module's name in a host's genesis."""

SECTIONS = (*clients.SECTIONS, *connections.SECTIONS, *channels.SECTIONS, *clients_v2.SECTIONS)


def init(keepers: Keepers, ctx: WriteContext, config: Config, genesis: Mapping[str, Any]) -> None:
    """Writes the initial state: `genesis`, with the defaults of a new chain for what it leaves out.

    Raises:
        LogicFault: the chain has begun: a second genesis would count its clients and packets anew.
        InvalidGenesis: it is malformed, before anything is written; the message names key and value.
    """
    if ctx.ibc.has(paths.connection_path(LOCALHOST_CONNECTION_ID)):
        raise LogicFault("this chain has begun, and a genesis is for its first block")
    ours, planned = (_part(genesis, name) for name in (ENTRY, upgrade.ENTRY))
    state = from_json(GenesisState, {name: ours[name] for name in ours if name != OTHER}, ENTRY)
    _complete(state, config)
    check(state, keepers)
    other = parse_entries(ours.get(OTHER, []), f"{ENTRY}.{OTHER}")
    upgrade.restore(ctx.store(paths.UPGRADE_STORE_NAME), planned)
    # Bypasses the keepers: a whole store is restored.
    for _, key, value in entries_of(state, SECTIONS):
        ctx.ibc.set(key, value)
    for key, value in other:
        ctx.ibc.set(key, value)
    if not ctx.ibc.has(paths.connection_path(LOCALHOST_CONNECTION_ID)):
        keepers.connections.set(ctx, LOCALHOST_CONNECTION_ID, _LOCALHOST_END)


def check(state: GenesisState, keepers: Keepers) -> None:
    """Checks that a chain can start from `state`.

    Raises:
        InvalidGenesis: it cannot.
    """
    clients.check(state.client_genesis, keepers.clients.registry)
    clients_v2.check(state.client_v2_genesis, state.channel_v2_genesis)
    connections.check(state.connection_genesis)
    channels.check(state.channel_genesis)


def export(ctx: ReadContext) -> dict[str, Any]:
    """Every entry of the stores `ibc` and `upgrade`."""
    return {
        ENTRY: export_store(ctx.ibc, _empty(), SECTIONS),
        upgrade.ENTRY: upgrade.export(ctx.reader(paths.UPGRADE_STORE_NAME)),
    }


def _part(genesis: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = genesis.get(name, {})
    if not isinstance(part, Mapping):
        raise InvalidGenesis(name, part, "is not an object")
    return part


def _empty() -> GenesisState:
    """A state with all of its parts, none of which holds anything."""
    state = GenesisState()
    for field in state.DESCRIPTOR.fields:
        getattr(state, field.name).SetInParent()
    return state


def _complete(state: GenesisState, config: Config) -> None:
    """Sets the parameters that the genesis does not contain."""
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
"""The connection of a chain with itself, which every ibc-go chain has from genesis on (ICS-9)."""
