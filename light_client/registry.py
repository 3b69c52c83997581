"""Registry of a chain's light clients by client type and by message type."""

from collections.abc import Iterable, Iterator, Mapping

from google.protobuf.message import Message

from light_client.checks import check_light_client
from light_client.interface import LightClient
from light_client.localhost import LocalhostLightClient
from light_client.solomachine.client import SolomachineLightClient
from light_client.tendermint.client import TendermintLightClient
from pyibc.codec.anys import KnownTypes, Role, type_url
from pyibc.core.errors import ClientTypeNotFound, UnpackAny
from pyibc.core.host.gas import DEFAULT_PRICES, Prices
from pyibc.core.setup_error import SetupError
from pyibc.isolation.builtin import is_builtin
from pyibc.isolation.call_depth import depth_limited


class DuplicateLightClient(SetupError):
    """Raised if two light clients have the same client type or message type."""


class Registry(Mapping[str, LightClient]):
    """Immutable mapping of client types to light clients, in the order given."""

    def __init__(self, light_clients: Iterable[LightClient]) -> None:
        """Register the light clients of one chain.

        Raises:
            InvalidLightClient: an object is no complete light client.
            DuplicateLightClient: two have the same client type or message type.
        """
        self._by_type: dict[str, LightClient] = {}
        self._by_client_state: dict[str, LightClient] = {}
        self._by_consensus_state: dict[str, LightClient] = {}
        self._by_message: dict[str, LightClient] = {}
        for light_client in light_clients:
            check_light_client(light_client)
            self._add(light_client if is_builtin(light_client) else depth_limited(light_client))
        self.known = _known(self._by_type.values())
        """The types allowed in the Anys of this chain's messages."""

    def _add(self, light_client: LightClient) -> None:
        _claim(self._by_type, light_client.client_type, light_client)
        types = light_client.types
        if types.client_state is not None:
            _claim(self._by_client_state, type_url(types.client_state), light_client)
        if types.consensus_state is not None:
            _claim(self._by_consensus_state, type_url(types.consensus_state), light_client)
        for message in types.messages:
            _claim(self._by_message, type_url(message), light_client)

    def by_client_state(self, url: str) -> LightClient:
        """Return the light client whose client states have this type URL.

        Raises:
            UnpackAny: the type URL is empty, as of an absent Any.
            ClientTypeNotFound: no light client has the type.
        """
        return _find(self._by_client_state, url)

    def by_consensus_state(self, url: str) -> LightClient:
        """Return the light client whose consensus states have this type URL.

        Raises:
            UnpackAny: the type URL is empty, as of an absent Any.
            ClientTypeNotFound: no light client has the type.
        """
        return _find(self._by_consensus_state, url)

    def by_message(self, url: str) -> LightClient:
        """Return the light client whose headers or misbehaviour have this type URL.

        Raises:
            UnpackAny: the type URL is empty, as of an absent Any.
            ClientTypeNotFound: no light client has the type.
        """
        return _find(self._by_message, url)

    def __getitem__(self, client_type: str) -> LightClient:
        return self._by_type[client_type]

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_type)

    def __len__(self) -> int:
        return len(self._by_type)


def _claim(owners: dict[str, LightClient], name: str, light_client: LightClient) -> None:
    if name in owners:
        raise DuplicateLightClient(f"two light clients of type {name!a}")
    owners[name] = light_client


def _find(owners: dict[str, LightClient], url: str) -> LightClient:
    found = owners.get(url)
    if found is None:
        raise ClientTypeNotFound(url[:128]) if url else UnpackAny("", "missing")
    return found


def _known(light_clients: Iterable[LightClient]) -> KnownTypes:
    declared: dict[Role, list[type[Message]]] = {
        Role.CLIENT_STATE: [],
        Role.CONSENSUS_STATE: [],
        Role.CLIENT_MESSAGE: [],
    }
    for types in (each.types for each in light_clients):
        declared[Role.CLIENT_MESSAGE] += types.messages
        if types.client_state is not None:
            declared[Role.CLIENT_STATE].append(types.client_state)
        if types.consensus_state is not None:
            declared[Role.CONSENSUS_STATE].append(types.consensus_state)
    return KnownTypes(declared)


def builtin_light_clients(prices: Prices = DEFAULT_PRICES) -> tuple[LightClient, ...]:
    """Return the light clients of this distribution; `prices` has the gas of verification."""
    return (TendermintLightClient(prices), SolomachineLightClient(prices), LocalhostLightClient())
