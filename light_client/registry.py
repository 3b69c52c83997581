"""Light clients of a chain by client type and by type URL, the localhost among them (ICS-2, ICS-9)."""

from collections.abc import Iterable, Iterator, Mapping

from google.protobuf.message import Message

from light_client.checks import check_light_client
from light_client.interface import Claim, LightClient
from light_client.solomachine.client import SolomachineLightClient
from light_client.tendermint.client import TendermintLightClient
from pyibc.codec.anys import KnownTypes, Role, type_url
from pyibc.core.client.types import LOCALHOST, Status
from pyibc.core.errors import (
    ClientExists,
    ClientTypeNotFound,
    ConsensusStateNotFound,
    FailedMembershipVerification,
    FailedNonMembershipVerification,
    InvalidPath,
    InvalidProof,
    UnpackAny,
)
from pyibc.core.height import Height
from pyibc.core.host.context import ReadContext, WriteContext
from pyibc.core.host.gas import DEFAULT_PRICES, Prices
from pyibc.core.setup_error import SetupError
from pyibc.isolation.call_depth import depth_limited
from pyibc.isolation.isolate import builtin, is_builtin

SENTINEL_PROOF = b"\x01"
"""Placeholder for a proof: messages without a proof are refused."""


@builtin
class LocalhostLightClient(LightClient):
    """Client that verifies claims in the chain's own `ibc` store, in the current block."""

    client_type = LOCALHOST

    def status(self, _ctx: ReadContext, _client_id: str, /) -> Status:
        """Return Active."""
        return Status.ACTIVE

    def latest_height(self, ctx: ReadContext, _client_id: str, /) -> Height:
        """Return the height of the current block."""
        return ctx.height

    def timestamp_at_height(self, ctx: ReadContext, client_id: str, height: Height, /) -> int:
        """Return the time of the current block, in Unix nanoseconds, for any height up to the current one.

        Raises:
            ConsensusStateNotFound: the height is in the future. ibc-go accepts any height, so that a packet
                could be timed out before its timeout height (ADR 0010).
        """
        # guard: h74-a-localhost-proof-is-of-any-height drop
        #   test_h74_nobody_times_a_packet_out_by_a_height_of_his_choice
        if height > ctx.height:
            raise ConsensusStateNotFound(client_id, str(height))
        return ctx.time_ns

    def initialize(self, _ctx: WriteContext, client_id: str, _state: bytes, _consensus: bytes, /) -> None:
        """Refuse creation, as the client always exists.

        Raises:
            ClientExists: always.
        """
        raise ClientExists(client_id)

    def verify_membership(self, ctx: ReadContext, _client_id: str, claim: Claim, /) -> None:
        """Check that this chain has `claim.value` at `claim.path`.

        Raises:
            InvalidProof: the proof is not `SENTINEL_PROOF`.
            InvalidPath: the path is not a store and a key.
            FailedMembershipVerification: there is no value, or another one.
        """
        key = _key(claim)
        if ctx.ibc.get(key) != claim.value:
            raise FailedMembershipVerification(f"nothing, or another value, at {key!a:.200}")

    def verify_non_membership(self, ctx: ReadContext, _client_id: str, claim: Claim, /) -> None:
        """Check that this chain has nothing at `claim.path`.

        Raises:
            InvalidProof, InvalidPath: as above.
            FailedNonMembershipVerification: there is a value.
        """
        key = _key(claim)
        if ctx.ibc.has(key):
            raise FailedNonMembershipVerification(f"a value at {key!a:.200}")


def _key(claim: Claim) -> bytes:
    if claim.proof != SENTINEL_PROOF:
        raise InvalidProof(f"expected {SENTINEL_PROOF.hex()}, got {claim.proof.hex()[:64]}")
    if len(claim.path) != 2:
        raise InvalidPath(f"{len(claim.path)} parts, a store and a key expected")
    return claim.path[1]


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
