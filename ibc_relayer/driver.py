"""What a relayer must know about a light client type to create, update and monitor its clients.

A driver reads chains and builds messages; it submits nothing. To relay over clients of another type, pass its
driver to `make_path`, `Link`, `MisbehaviourMonitor`, ... in a `Drivers`.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol

from ibc_core.any_message import AnyMessage
from ibc_core.client.types import TENDERMINT
from ibc_core.errors import InvalidIdentifier
from ibc_core.height import Height
from ibc_core.identifiers import parse_client_id
from ibc_relayer.endpoint import ChainEndpoint


class ClientView(NamedTuple):
    """The fields of a client state that a relayer needs."""

    chain_id: str  # of the reference chain
    latest: Height
    frozen: bool
    trusting_ns: int  # trusting period, nanoseconds; 0: the client never expires


class InitialStates(NamedTuple):
    """The client state and consensus state of a new client (MsgCreateClient)."""

    client_state: AnyMessage
    consensus_state: AnyMessage


class Difference(NamedTuple):
    """A term of a client or connection that is not what we would have made (`ibc_relayer.terms`)."""

    term: str
    ours: str
    theirs: str
    at: str = ""  # chain and identifier


Terms = frozenset[str]
"""Names of terms."""

SHOWN = 200
"""Characters of a stranger's term in an error."""


def differences_in(terms: Iterable[tuple[str, str, str]]) -> list[Difference]:
    """Those of (term, ours, theirs) that are not equal; texts must be equal only where the terms are."""
    return [Difference(term, ours, theirs[:SHOWN]) for term, ours, theirs in terms if ours != theirs]


class SubmittedHeader(NamedTuple):
    """A header that somebody submitted to a client."""

    height: Height
    message: AnyMessage


class ConsensusStateWithHeight(NamedTuple):
    """A consensus state that a client stores, and its height."""

    height: Height
    consensus_state: AnyMessage


class ClientDriver(Protocol):
    """One light client type, as a relayer handles it. `reference` is the chain that the client tracks.

    A consensus state of height H proves the state after block H - 1, as with the headers of CometBFT.
    """

    @property
    def client_type(self) -> str:
        """`07-tendermint`, ...; the first part of its clients' identifiers."""

    def initial_states(self, reference: ChainEndpoint) -> InitialStates:
        """The states of a new client that tracks `reference`, at its last block."""

    def view(self, client_state: AnyMessage) -> ClientView:
        """Decodes a client state.

        Raises:
            ValueError, IbcError: it is not a client state of this type.
        """

    def differences(self, client_state: AnyMessage, reference: ChainEndpoint) -> Sequence[Difference]:
        """The terms in which a client differs from one that `initial_states` would make now.

        Chain id, latest height and frozen state are no terms: they are checked by `view`.

        Raises:
            ValueError, IbcError: it is not a client state of this type.
        """

    def time_of(self, consensus_state: AnyMessage) -> int:
        """The timestamp of a consensus state, unix nanoseconds.

        Raises:
            ValueError, IbcError: it is not a consensus state of this type.
        """

    def is_own(self, consensus_state: AnyMessage, reference: ChainEndpoint, height: int) -> bool:
        """Whether a consensus state is that of the reference chain's own block `height`.

        Raises:
            ValueError, IbcError: it is not a consensus state of this type.
        """

    def headers(
        self, client_state: AnyMessage, reference: ChainEndpoint, height: int, max_step: int
    ) -> Iterator[AnyMessage]:
        """The headers that update a client to `height`, in order; none if it is there already.

        No header skips more than `max_step` heights: after a refusal for lack of trust the caller
        retries with smaller steps.
        """

    def headers_in(self, tx: bytes, chain_id: str) -> Iterator[SubmittedHeader]:
        """Every header of a chain in a transaction; bytes that do not decode as a header are skipped."""

    def contradicts(self, submitted: SubmittedHeader, reference: ChainEndpoint, newest: int) -> bool:
        """Whether a header conflicts with the reference chain's own blocks up to `newest`."""

    def evidence(
        self,
        client_id: str,
        submitted: SubmittedHeader,
        reference: ChainEndpoint,
        newest: int,
        consensus_states: Iterable[ConsensusStateWithHeight],
    ) -> AnyMessage | None:
        """The misbehaviour that freezes a client, made from a header that conflicts with the reference chain.

        Args:
            client_id: the client to freeze.
            submitted: the conflicting header.
            reference: the chain that the client tracks.
            newest: its last block when the conflict was detected.
            consensus_states: those that the client stores, newest first; read lazily.

        Returns:
            None if the client stores no consensus state from which the misbehaviour can be verified.
        """


class Drivers:
    """The client types that a relayer supports, and which of them it creates where no client is found."""

    def __init__(self, *drivers: ClientDriver, new: tuple[str, str] = (TENDERMINT, TENDERMINT)) -> None:
        """`new`: the types of the clients that are created on a and on b.

        Raises:
            ValueError: a type has no driver, or two.
        """
        self._by_type = {driver.client_type: driver for driver in drivers}
        if len(self._by_type) < len(drivers):
            raise ValueError("two drivers of one type of clients")
        unknown = [each for each in new if each not in self._by_type]
        if unknown:
            raise ValueError(f"no driver of clients of type {unknown[0]!a}")
        self.new = self._by_type[new[0]], self._by_type[new[1]]

    def __iter__(self) -> Iterator[ClientDriver]:
        return iter(self._by_type.values())

    def find(self, client_id: str) -> ClientDriver | None:
        """The driver of the client's type, None if there is none."""
        try:
            return self._by_type.get(parse_client_id(client_id)[0])
        except InvalidIdentifier:
            return None


def only(driver: ClientDriver) -> Drivers:
    """A single driver, for both chains."""
    return Drivers(driver, new=(driver.client_type, driver.client_type))
