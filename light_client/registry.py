"""Which light client keeps which type of client, on one chain."""

from collections.abc import Iterable, Iterator, Mapping

from google.protobuf.message import Message

from ibc_core.errors import ClientTypeNotFound, UnpackAny
from ibc_core.host.counted_calls import with_depth_counted
from ibc_core.host.gas import DEFAULT_PRICES, Prices
from ibc_core.setup_error import SetupError
from ibc_core.wire.anys import type_url
from ibc_core.wire.interfaces import KnownTypes, Role
from light_client.checks import check_light_client
from light_client.interface import LightClient
from light_client.localhost import LocalhostLightClient
from light_client.solomachine.client import SolomachineLightClient
from light_client.tendermint.client import TendermintLightClient


class DuplicateLightClient(SetupError):
    """Two light clients claim one client type, or one message type: the host is set up wrongly."""


class Registry(Mapping[str, LightClient]):
    """Light clients by client type; filled once, when the host is wired, in the order given."""

    def __init__(self, light_clients: Iterable[LightClient]) -> None:
        """Takes the light clients of one chain; nothing of them is known to another.

        Raises:
            InvalidLightClient: one lacks a method, or is something else.
            DuplicateLightClient: two claim one type of clients or of messages.
        """
        self._by_type: dict[str, LightClient] = {}
        self._by_client_state: dict[str, LightClient] = {}
        self._by_consensus_state: dict[str, LightClient] = {}
        self._by_message: dict[str, LightClient] = {}
        for light_client in light_clients:
            check_light_client(light_client)
            self._add(with_depth_counted(light_client))
        self.known = _known(self._by_type.values())
        """The types that may stand in the Anys of this chain's messages."""

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
        """The light client whose client states have this type URL.

        Raises:
            UnpackAny: it is empty: there was no Any.
            ClientTypeNotFound: none has.
        """
        return _find(self._by_client_state, url)

    def by_consensus_state(self, url: str) -> LightClient:
        """The light client whose consensus states have this type URL.

        Raises:
            UnpackAny: it is empty: there was no Any.
            ClientTypeNotFound: none has.
        """
        return _find(self._by_consensus_state, url)

    def by_message(self, url: str) -> LightClient:
        """The light client whose headers or evidence have this type URL.

        Raises:
            UnpackAny: it is empty: there was no Any.
            ClientTypeNotFound: none has.
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


def builtin(prices: Prices = DEFAULT_PRICES) -> tuple[LightClient, ...]:
    """The light clients this distribution brings; `prices`: gas of what they verify."""
    return (TendermintLightClient(prices), SolomachineLightClient(prices), LocalhostLightClient())
