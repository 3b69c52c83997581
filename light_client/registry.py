"""Which light client keeps which kind of client."""

from collections.abc import Iterable, Iterator, Mapping

from ibc_core.errors import ClientTypeNotFound, UnpackAny
from light_client.interface import LightClient
from light_client.localhost import LocalhostLightClient
from light_client.solomachine.client import SolomachineLightClient
from light_client.tendermint.client import TendermintLightClient


class DuplicateLightClient(ValueError):
    """Two light clients claim one client type: the host is set up wrongly."""


class Registry(Mapping[str, LightClient]):
    """Light clients by client type; filled once, when the host is wired, in the order given."""

    def __init__(self, light_clients: Iterable[LightClient]) -> None:
        self._by_type: dict[str, LightClient] = {}
        for light_client in light_clients:
            if light_client.client_type in self._by_type:
                raise DuplicateLightClient(f"two light clients of type {light_client.client_type!a}")
            self._by_type[light_client.client_type] = light_client

    def by_client_state(self, type_url: str) -> LightClient:
        """The light client whose client states have this type URL.

        Raises:
            UnpackAny: it is empty: there was no Any.
            ClientTypeNotFound: none has.
        """
        return self._find(type_url, "client_state_type")

    def by_consensus_state(self, type_url: str) -> LightClient:
        """The light client whose consensus states have this type URL.

        Raises:
            UnpackAny: it is empty: there was no Any.
            ClientTypeNotFound: none has.
        """
        return self._find(type_url, "consensus_state_type")

    def by_message(self, type_url: str) -> LightClient:
        """The light client whose headers or evidence have this type URL.

        Raises:
            UnpackAny: it is empty: there was no Any.
            ClientTypeNotFound: none has.
        """
        for client in self._by_type.values():
            if type_url in client.message_types:
                return client
        raise _nobody(type_url)

    def _find(self, type_url: str, attribute: str) -> LightClient:
        for client in self._by_type.values():
            if type_url and getattr(client, attribute) == type_url:
                return client
        raise _nobody(type_url)

    def __getitem__(self, client_type: str) -> LightClient:
        return self._by_type[client_type]

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_type)

    def __len__(self) -> int:
        return len(self._by_type)


def _nobody(type_url: str) -> UnpackAny | ClientTypeNotFound:
    return ClientTypeNotFound(type_url[:128]) if type_url else UnpackAny("", "missing")


def builtin() -> tuple[LightClient, ...]:
    """The light clients this distribution brings."""
    return (TendermintLightClient(), SolomachineLightClient(), LocalhostLightClient())
