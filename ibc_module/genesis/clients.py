"""Genesis section `client_genesis` (ICS-2): clients with their metadata, parameters, the counter."""

from collections.abc import Iterable
from typing import Any

from light_client.interface import LightClient
from light_client.registry import Registry
from pyibc.codec.encoding import encode
from pyibc.core import paths
from pyibc.core.client.messages import check_allowed_clients
from pyibc.core.errors import IbcError, InvalidHeight
from pyibc.core.genesis import Entry, Section, counter, require, require_new, require_next, single
from pyibc.core.height import Height
from pyibc.core.identifiers import parse_client_id, validate_client_id
from pyibc.core.setup_error import InvalidGenesis
from pyibc.core.wire.table import pack, unpack
from pyibc.proto.google.protobuf import any_pb2
from pyibc.proto.ibc.core.client.v1 import client_pb2, genesis_pb2

PART = "client_genesis"
_KEY = f"ibc.{PART}"
_CLIENT_STATE = b"clientState"
_CONSENSUS_STATES = b"consensusStates/"


def _read_client(key: bytes, value: bytes) -> client_pb2.IdentifiedClientState | None:
    found = paths.split_client_path(key)
    if found is None or found[1] != _CLIENT_STATE:
        return None
    state = any_pb2.Any.FromString(value)
    return client_pb2.IdentifiedClientState(client_id=found[0], client_state=state)


def _client(item: client_pb2.IdentifiedClientState) -> Iterable[Entry]:
    yield paths.client_state_path(item.client_id), encode(item.client_state)


def _read_consensus(key: bytes, value: bytes) -> client_pb2.ClientConsensusStates | None:
    found = paths.split_client_path(key)
    if found is None or not found[1].startswith(_CONSENSUS_STATES):
        return None
    height = paths.split_height(found[1].removeprefix(_CONSENSUS_STATES))
    if height is None:
        return None
    state = client_pb2.ConsensusStateWithHeight(
        height=pack(height), consensus_state=any_pb2.Any.FromString(value)
    )
    return client_pb2.ClientConsensusStates(client_id=found[0], consensus_states=[state])


def _consensus(item: client_pb2.ClientConsensusStates) -> Iterable[Entry]:
    for each in item.consensus_states:
        height = unpack(Height, each.height)
        yield paths.consensus_state_path(item.client_id, height), encode(each.consensus_state)


def _read_metadata(key: bytes, value: bytes) -> genesis_pb2.IdentifiedGenesisMetadata | None:
    found = paths.split_client_path(key)
    if found is None or found[1] == _CLIENT_STATE:
        return None
    client_id, below = found
    if (
        below.startswith(_CONSENSUS_STATES)
        and paths.split_height(below.removeprefix(_CONSENSUS_STATES)) is not None
    ):
        return None
    one = genesis_pb2.GenesisMetadata(key=below, value=value)
    return genesis_pb2.IdentifiedGenesisMetadata(client_id=client_id, client_metadata=[one])


def _metadata(item: genesis_pb2.IdentifiedGenesisMetadata) -> Iterable[Entry]:
    for each in item.client_metadata:
        yield paths.client_prefix(item.client_id) + each.key, each.value


SECTIONS = (
    # Metadata first: a later section overwrites an equal key, as in ibc-go.
    Section(PART, "clients_metadata", _read_metadata, _metadata, "client_metadata"),
    Section(PART, "clients", _read_client, _client),
    Section(PART, "clients_consensus", _read_consensus, _consensus, "consensus_states"),
    single(PART, "params", paths.CLIENT_PARAMS, client_pb2.Params),
    counter(PART, "next_client_sequence", paths.NEXT_CLIENT_SEQUENCE),
)


def check(state: genesis_pb2.GenesisState, registry: Registry) -> None:
    """Check what ibc-go's `GenesisState.Validate` checks, and that the counter is beyond client 0 too.

    A client of a type that the parameters do not allow is accepted: they may have been changed.

    Raises:
        InvalidGenesis: an entry is malformed or inconsistent.
    """
    require(check_allowed_clients, tuple(state.params.allowed_clients), f"{_KEY}.params.allowed_clients")
    clients: dict[str, LightClient] = {}
    seen: set[str] = set()
    for number, item in enumerate(state.clients):
        key = f"{_KEY}.clients[{number}]"
        require_new(item.client_id, seen, f"{key}.client_id")
        clients[item.client_id] = _check_client(item, registry, key)
    for number, group in enumerate(state.clients_consensus):
        key = f"{_KEY}.clients_consensus[{number}]"
        _check_known(group.client_id, clients, key)
        _check_consensus(group, clients[group.client_id], registry, key)
    for number, group_of_metadata in enumerate(state.clients_metadata):
        key = f"{_KEY}.clients_metadata[{number}]"
        _check_known(group_of_metadata.client_id, clients, key)
        for place, each in enumerate(group_of_metadata.client_metadata):
            if not each.key:
                raise InvalidGenesis(f"{key}.client_metadata[{place}].key", "", "is empty")
    used = [parse_client_id(client_id)[1] for client_id in clients]
    require_next(state.next_client_sequence, used, f"{_KEY}.next_client_sequence")


def _check_client(item: client_pb2.IdentifiedClientState, registry: Registry, key: str) -> LightClient:
    require(validate_client_id, item.client_id, f"{key}.client_id")
    require(parse_client_id, item.client_id, f"{key}.client_id")
    url = item.client_state.type_url
    require(registry.by_client_state, url, f"{key}.client_state.@type")
    client = registry.by_client_state(url)
    if parse_client_id(item.client_id)[0] != client.client_type:
        raise InvalidGenesis(
            f"{key}.client_id", item.client_id, f"is not a client of type {client.client_type}"
        )
    _require_state(client.check_client_state, item.client_state.value, f"{key}.client_state")
    return client


def _check_known(client_id: str, clients: dict[str, LightClient], key: str) -> None:
    if client_id not in clients:
        raise InvalidGenesis(f"{key}.client_id", client_id, "is not among the clients")


def _check_consensus(
    group: client_pb2.ClientConsensusStates, client: LightClient, registry: Registry, key: str
) -> None:
    seen: set[Any] = set()
    for number, each in enumerate(group.consensus_states):
        place = f"{key}.consensus_states[{number}]"
        height = unpack(Height, each.height)
        require_new(str(height), seen, f"{place}.height")
        url = each.consensus_state.type_url
        require(registry.by_consensus_state, url, f"{place}.consensus_state.@type")
        if registry.by_consensus_state(url) is not client:
            raise InvalidGenesis(f"{place}.consensus_state.@type", url, f"is not for {group.client_id}")
        _check_stored(client, height, each.consensus_state.value, place)


def _check_stored(client: LightClient, height: Height, raw: bytes, place: str) -> None:
    try:
        client.check_stored_consensus_state(height, raw)
    except InvalidHeight as error:
        raise InvalidGenesis(f"{place}.height", str(height), error.reason) from error
    except IbcError as error:
        raise InvalidGenesis(f"{place}.consensus_state", raw.hex(), f"is refused: {error}") from error


def _require_state(check_state: Any, raw: bytes, key: str) -> None:
    require(lambda _: check_state(raw), raw.hex(), key)
