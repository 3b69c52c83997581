"""Client driver: the interface of a light client type for creation, updates, and misbehaviour detection.

A driver queries chains and builds messages, but does not submit them. To relay over clients of another type,
pass its driver in a `Drivers` to `make_path`, `Link`, `MisbehaviourMonitor` and others.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from pyibc.codec.anys import AnyMessage
from pyibc.core import paths as keys
from pyibc.core.client.types import TENDERMINT
from pyibc.core.errors import InvalidIdentifier
from pyibc.core.height import Height
from pyibc.core.identifiers import parse_client_id
from pyibc.relayer.chain.endpoint import ChainEndpoint
from pyibc.relayer.chain.values import Proven, height_on
from pyibc.relayer.errors import RelayerError


class ClientView(NamedTuple):
    """Fields of a client state that a relayer needs."""

    chain_id: str  # of the reference chain
    latest: Height
    frozen: bool
    trusting_ns: int  # trusting period, nanoseconds; 0: the client never expires


class InitialStates(NamedTuple):
    """Client state and consensus state of a new client (MsgCreateClient)."""

    client_state: AnyMessage
    consensus_state: AnyMessage


class Difference(NamedTuple):
    """Parameter of a client or connection that differs from the relayer's own (`paths.channel_policy`)."""

    term: str
    ours: str
    theirs: str
    at: str = ""  # chain and identifier


Terms = frozenset[str]
"""Names of parameters, as in `Difference.term`."""

MAX_SHOWN = 200
"""Maximum characters of a counterparty's parameter in an error."""


def differences_in(terms: Iterable[tuple[str, str, str]]) -> list[Difference]:
    """Return the differences among (name, ours, theirs); equal texts must mean equal parameters."""
    return [Difference(term, ours, theirs[:MAX_SHOWN]) for term, ours, theirs in terms if ours != theirs]


class SubmittedHeader(NamedTuple):
    """Header that was submitted to a client."""

    height: Height
    message: AnyMessage


class ConsensusStateWithHeight(NamedTuple):
    """Consensus state that a client stores, and its height."""

    height: Height
    consensus_state: AnyMessage


MERKLE_PREFIX = (keys.COMMITMENT_PREFIX, b"")
"""Merkle prefix of Cosmos SDK chains as registered in IBC v2; its last element is prepended to each key."""


class Convention(NamedTuple):
    """Naming of the reference chain's state by a client type: Merkle prefix and heights."""

    merkle_prefix: tuple[bytes, ...] = MERKLE_PREFIX
    has_revisions: bool = True  # heights have the revision number of the chain id; otherwise 0

    def height(self, chain_id: str, height: int) -> Height:
        """Return a height of the reference chain with the revision number that these clients use."""
        return height_on(chain_id, height) if self.has_revisions else Height(0, height)


COSMOS = Convention()
ProveForClients = Callable[[ChainEndpoint, Sequence[bytes], int], list[Proven | RelayerError]]


@dataclass(frozen=True, kw_only=True)
class DriverExtras:
    """Features of a client type beyond `ClientDriver`; by default there are none."""

    convention: Convention = COSMOS
    """Convention by which the clients name the chain's state; by default that of Cosmos SDK chains."""
    prove_many: ProveForClients | None = None
    """Returns entries of the reference chain after a block, if not with the chain's own Merkle proofs."""
    prefetch_header: Callable[[ChainEndpoint, int], None] | None = None
    """Loads the light block for an update into the endpoint's cache, for updates that need light blocks only.

    Such a block can be had before it is executed. Raises RelayerError, which the caller may ignore.
    """
    trusts: Callable[[AnyMessage, ChainEndpoint, int], bool] | None = None
    """Returns whether a client with this consensus state trusts the signers of a block of the chain.

    It decides whether a client can be updated if the block of its latest height is pruned. Raises ValueError
    or IbcError for a consensus state of another type.
    """


class ClientDriver(Protocol):
    """Interface of a light client type. `reference` is the chain that the client tracks.

    As with CometBFT headers, a consensus state of height H commits to the state after block H - 1.
    """

    @property
    def client_type(self) -> str:
        """Client type, such as `07-tendermint`; the prefix of client identifiers."""

    @property
    def extras(self) -> DriverExtras:
        """Features beyond this interface."""

    def initial_states(self, reference: ChainEndpoint) -> InitialStates:
        """Return the states of a new client that tracks `reference`, at its last block."""

    def view(self, client_state: AnyMessage) -> ClientView:
        """Decode a client state.

        Raises:
            ValueError, IbcError: the client state is not of this type.
        """

    def differences(self, client_state: AnyMessage, reference: ChainEndpoint) -> Sequence[Difference]:
        """Return the parameters in which a client differs from one that `initial_states` would create now.

        Chain id, latest height and frozen state are not compared; `view` returns them.

        Raises:
            ValueError, IbcError: the client state is not of this type.
        """

    def time_of(self, consensus_state: AnyMessage) -> int:
        """Return the timestamp of a consensus state, Unix nanoseconds.

        Raises:
            ValueError, IbcError: the consensus state is not of this type.
        """

    def is_own(self, consensus_state: AnyMessage, reference: ChainEndpoint, height: int) -> bool:
        """Return whether a consensus state matches the reference chain's own block `height`.

        Raises:
            ValueError, IbcError: the consensus state is not of this type.
        """

    def headers(
        self, client_state: AnyMessage, reference: ChainEndpoint, height: int, max_step: int
    ) -> Iterator[AnyMessage]:
        """Yield the headers that update a client to `height`, in order; none if it is up to date.

        No header skips more than `max_step` heights; if the host refuses one for lack of trust, the caller
        retries with smaller steps.
        """

    def headers_in(self, tx: bytes, chain_id: str) -> Iterator[SubmittedHeader]:
        """Yield the headers of a chain in a transaction; bytes that do not decode as a header are skipped."""

    def contradicts(self, submitted: SubmittedHeader, reference: ChainEndpoint, newest: int) -> bool:
        """Return whether a header conflicts with the reference chain's own blocks up to `newest`."""

    def evidence(
        self,
        client_id: str,
        submitted: SubmittedHeader,
        reference: ChainEndpoint,
        newest: int,
        consensus_states: Iterable[ConsensusStateWithHeight],
    ) -> AnyMessage | None:
        """Build the misbehaviour that freezes a client, from a header that conflicts with the chain.

        Args:
            client_id: the client to freeze.
            submitted: the conflicting header.
            reference: the chain that the client tracks.
            newest: its last block when the conflict was detected.
            consensus_states: those that the client stores, newest first; read lazily.

        Returns:
            The packed misbehaviour; None if the client has no consensus state from which it can be verified.
        """


class Drivers:
    """Supported client types, and the types of new clients."""

    def __init__(self, *drivers: ClientDriver, new: tuple[str, str] = (TENDERMINT, TENDERMINT)) -> None:
        """Create the set of drivers.

        Args:
            drivers: one driver per client type.
            new: types of the clients to create on chain a and on chain b.

        Raises:
            ValueError: a type in `new` has no driver, or two drivers have the same type.
        """
        self._by_type = {driver.client_type: driver for driver in drivers}
        if len(self._by_type) < len(drivers):
            raise ValueError("two drivers of the same client type")
        unknown = [each for each in new if each not in self._by_type]
        if unknown:
            raise ValueError(f"no driver for client type {unknown[0]!a}")
        self.new = self._by_type[new[0]], self._by_type[new[1]]

    def __iter__(self) -> Iterator[ClientDriver]:
        return iter(self._by_type.values())

    def find(self, client_id: str) -> ClientDriver | None:
        """Return the driver for a client identifier; None if its type is not supported."""
        try:
            return self._by_type.get(parse_client_id(client_id)[0])
        except InvalidIdentifier:
            return None


def single_driver(driver: ClientDriver) -> Drivers:
    """Return a set of one driver, used for both chains."""
    return Drivers(driver, new=(driver.client_type, driver.client_type))
