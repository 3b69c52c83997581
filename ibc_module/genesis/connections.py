"""Genesis section `connection_genesis` (ICS-3): connections, parameters, the counter."""

from collections.abc import Iterable

from pyibc.codec.encoding import encode
from pyibc.core import paths
from pyibc.core.connection.types import ConnectionState
from pyibc.core.genesis import Entry, Section, counter, require, require_new, require_next, single
from pyibc.core.identifiers import (
    LOCALHOST_CONNECTION_ID,
    parse_numbered,
    validate_client_id,
    validate_connection_id,
)
from pyibc.core.setup_error import InvalidGenesis
from pyibc.proto.ibc.core.connection.v1 import connection_pb2, genesis_pb2

PART = "connection_genesis"
_KEY = f"ibc.{PART}"
_SHARED = ("client_id", "versions", "state", "counterparty", "delay_period")
_STATES = frozenset(state.value for state in ConnectionState)


def _read_connection(key: bytes, value: bytes) -> connection_pb2.IdentifiedConnection | None:
    if not key.startswith(paths.CONNECTIONS):
        return None
    connection_id = paths.split_connection_path(key.removeprefix(paths.CONNECTIONS))
    if connection_id is None:
        return None
    end = connection_pb2.ConnectionEnd.FromString(value)
    shared = {name: getattr(end, name) for name in _SHARED}
    return connection_pb2.IdentifiedConnection(id=connection_id, **shared)


def _connection(item: connection_pb2.IdentifiedConnection) -> Iterable[Entry]:
    shared = {name: getattr(item, name) for name in _SHARED}
    yield paths.connection_path(item.id), encode(connection_pb2.ConnectionEnd(**shared))


def _read_paths(key: bytes, value: bytes) -> connection_pb2.ConnectionPaths | None:
    found = paths.split_client_path(key)
    if found is None or key != paths.client_connections_path(found[0]):
        return None
    known = connection_pb2.ClientPaths.FromString(value)
    return connection_pb2.ConnectionPaths(client_id=found[0], paths=known.paths)


def _paths(item: connection_pb2.ConnectionPaths) -> Iterable[Entry]:
    value = encode(connection_pb2.ClientPaths(paths=item.paths))
    yield paths.client_connections_path(item.client_id), value


SECTIONS = (
    Section(PART, "connections", _read_connection, _connection),
    Section(PART, "client_connection_paths", _read_paths, _paths),
    counter(PART, "next_connection_sequence", paths.NEXT_CONNECTION_SEQUENCE),
    single(PART, "params", paths.CONNECTION_PARAMS, connection_pb2.Params),
)


def check(state: genesis_pb2.GenesisState) -> None:
    """Check what ibc-go's `GenesisState.Validate` checks, and that identifiers are unique.

    Raises:
        InvalidGenesis: an entry is malformed or inconsistent.
    """
    seen: set[str] = set()
    used = []
    for number, item in enumerate(state.connections):
        key = f"{_KEY}.connections[{number}]"
        require_new(item.id, seen, f"{key}.id")
        if item.id != LOCALHOST_CONNECTION_ID:
            used += _number(item.id, f"{key}.id")
        _check_connection(item, key)
    clients: set[str] = set()
    for number, group in enumerate(state.client_connection_paths):
        key = f"{_KEY}.client_connection_paths[{number}]"
        require(validate_client_id, group.client_id, f"{key}.client_id")
        require_new(group.client_id, clients, f"{key}.client_id")
        for place, connection_id in enumerate(group.paths):
            require(validate_connection_id, connection_id, f"{key}.paths[{place}]")
    require_next(state.next_connection_sequence, used, f"{_KEY}.next_connection_sequence")
    if not state.params.max_expected_time_per_block:
        raise InvalidGenesis(f"{_KEY}.params.max_expected_time_per_block", 0, "is zero")


def _number(connection_id: str, key: str) -> list[int]:
    """Return the counter value in an identifier, [] for a chosen identifier (ADR 0013)."""
    # guard: h302-a-connection-of-any-name-is-imported test_h302_a_name_that_no_chain_can_give_is_refused
    require(validate_connection_id, connection_id, key)
    number = parse_numbered(connection_id, "connection-")
    # guard: h302-a-chosen-connection-ends-the-export {[] => [2**64]}
    #   test_h302_a_chain_with_chosen_names_goes_on
    return [] if number is None else [number]


def _check_connection(item: connection_pb2.IdentifiedConnection, key: str) -> None:
    require(validate_client_id, item.client_id, f"{key}.client_id")
    require(validate_client_id, item.counterparty.client_id, f"{key}.counterparty.client_id")
    if item.counterparty.connection_id:
        require(validate_connection_id, item.counterparty.connection_id, f"{key}.counterparty.connection_id")
    if not item.counterparty.prefix.key_prefix:
        raise InvalidGenesis(f"{key}.counterparty.prefix.key_prefix", "", "is empty")
    if item.state not in _STATES:
        raise InvalidGenesis(f"{key}.state", item.state, "is not a connection state")
    if not item.versions:
        raise InvalidGenesis(f"{key}.versions", [], "is empty")
