"""`connection_genesis` (ICS-3): connections, which client has which, parameters, the counter."""

from collections.abc import Iterable

from ibc_core import path_parts, paths
from ibc_core.connection.types import ConnectionState
from ibc_core.genesis.entries import InvalidGenesis
from ibc_core.genesis.section import Entry, Section, counter, require, require_new, require_next, single
from ibc_core.identifiers import (
    LOCALHOST_CONNECTION_ID,
    parse_numbered,
    validate_client_id,
    validate_connection_id,
)
from ibc_core.wire.encoding import encode
from ibc_proto.ibc.core.connection.v1 import connection_pb2, genesis_pb2

PART = "connection_genesis"
_KEY = f"ibc.{PART}"
_SHARED = ("client_id", "versions", "state", "counterparty", "delay_period")
_STATES = frozenset(state.value for state in ConnectionState)


def _read_connection(key: bytes, value: bytes) -> connection_pb2.IdentifiedConnection | None:
    if not key.startswith(paths.CONNECTIONS):
        return None
    connection_id = path_parts.split_connection_path(key.removeprefix(paths.CONNECTIONS))
    if connection_id is None:
        return None
    end = connection_pb2.ConnectionEnd.FromString(value)
    shared = {name: getattr(end, name) for name in _SHARED}
    return connection_pb2.IdentifiedConnection(id=connection_id, **shared)


def _connection(item: connection_pb2.IdentifiedConnection) -> Iterable[Entry]:
    shared = {name: getattr(item, name) for name in _SHARED}
    yield paths.connection_path(item.id), encode(connection_pb2.ConnectionEnd(**shared))


def _read_paths(key: bytes, value: bytes) -> connection_pb2.ConnectionPaths | None:
    found = path_parts.split_client_path(key)
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
    """Checks what ibc-go's `GenesisState.Validate` checks, and that no identifier comes twice.

    Raises:
        InvalidGenesis: something is malformed or does not fit.
    """
    seen: set[str] = set()
    used = []
    for number, item in enumerate(state.connections):
        key = f"{_KEY}.connections[{number}]"
        require_new(item.id, seen, f"{key}.id")
        if item.id != LOCALHOST_CONNECTION_ID:
            used.append(_number(item.id, f"{key}.id"))
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


def _number(connection_id: str, key: str) -> int:
    number = parse_numbered(connection_id, "connection-")
    if number is None:
        raise InvalidGenesis(key, connection_id, "is not connection-{N}")
    return number


def _check_connection(item: connection_pb2.IdentifiedConnection, key: str) -> None:
    require(validate_client_id, item.client_id, f"{key}.client_id")
    require(validate_client_id, item.counterparty.client_id, f"{key}.counterparty.client_id")
    if item.counterparty.connection_id:
        require(validate_connection_id, item.counterparty.connection_id, f"{key}.counterparty.connection_id")
    if not item.counterparty.prefix.key_prefix:
        raise InvalidGenesis(f"{key}.counterparty.prefix.key_prefix", "", "is empty")
    if item.state not in _STATES:
        raise InvalidGenesis(f"{key}.state", item.state, "is no state of a connection")
    if not item.versions:
        raise InvalidGenesis(f"{key}.versions", [], "is empty")
