"""What a relayer must know of a type of light client to make, tend and guard its clients.

A driver reads chains and makes messages; it sends nothing. Who relays over clients of a type of his own
gives its driver to `make_path`, `Link`, `Watch`, ... in a `Drivers`.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple, Protocol

from ibc_core.any_message import AnyMessage
from ibc_core.client.types import TENDERMINT
from ibc_core.errors import InvalidIdentifier
from ibc_core.height import Height
from ibc_core.identifiers import parse_client_id
from ibc_relayer.endpoint import ChainEndpoint


class ClientView(NamedTuple):
    """What a relayer reads of a client's state."""

    chain_id: str  # of the chain that the client follows
    latest: Height
    frozen: bool
    trusting_ns: int  # how long a header lets the client live, nanoseconds; 0: for ever


class FirstStates(NamedTuple):
    """What a new client begins with."""

    client_state: AnyMessage
    consensus_state: AnyMessage


class Given(NamedTuple):
    """A header that somebody gave to a client."""

    height: Height
    message: AnyMessage


class Held(NamedTuple):
    """What a client holds of one height."""

    height: Height
    consensus_state: AnyMessage


class ClientDriver(Protocol):
    """One type of light client, as a relayer handles it. `target` is the chain that the client follows.

    A client that knows height H proves the state after block H - 1, as the headers of CometBFT do.
    """

    @property
    def client_type(self) -> str:
        """`07-tendermint`, ...; the first part of its clients' identifiers."""

    def first_states(self, target: ChainEndpoint) -> FirstStates:
        """States of a new client of `target`, at its last block."""

    def view(self, client_state: AnyMessage) -> ClientView:
        """What a client's state says.

        Raises:
            ValueError, IbcError: it is none of this type.
        """

    def time_of(self, consensus_state: AnyMessage) -> int:
        """The target's time in a consensus state, unix nanoseconds.

        Raises:
            ValueError, IbcError: it is none of this type.
        """

    def is_own(self, consensus_state: AnyMessage, target: ChainEndpoint, height: int) -> bool:
        """Whether the target itself has at `height` what a client holds of it.

        Raises:
            ValueError, IbcError: it is no consensus state of this type.
        """

    def headers(
        self, client_state: AnyMessage, target: ChainEndpoint, height: int, widest: int
    ) -> Iterator[AnyMessage]:
        """The headers that bring a client to `height`, in order; none where it knows it.

        No header goes more than `widest` heights beyond the one before: who is refused for a lack of trust
        asks again with less.
        """

    def headers_in(self, tx: bytes, chain_id: str) -> Iterator[Given]:
        """Every header of a chain in a transaction; what looks like one and is none is passed over."""

    def contradicts(self, given: Given, target: ChainEndpoint, newest: int) -> bool:
        """Whether a header is a lie: it and the target's own blocks up to `newest` exclude each other."""

    def evidence(
        self, client_id: str, given: Given, target: ChainEndpoint, newest: int, held: Iterable[Held]
    ) -> AnyMessage | None:
        """What freezes a client, of a header that contradicts the target's own blocks up to `newest`.

        Args:
            client_id: the client that is to freeze.
            given: the lie.
            target: the chain that did not say so.
            newest: its last block when the lie was found.
            held: what the client holds, newest first; read as it is asked for.

        Returns:
            None where the client holds nothing that the evidence could be checked from.
        """


class Drivers:
    """The types of clients that a relayer knows, and which it makes where none is found."""

    def __init__(self, *drivers: ClientDriver, new: tuple[str, str] = (TENDERMINT, TENDERMINT)) -> None:
        """`new`: the types of clients on a (of b) and on b (of a).

        Raises:
            ValueError: there is no driver of one of them, or two of one type.
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
        """The driver of the client's type, None where there is none."""
        try:
            return self._by_type.get(parse_client_id(client_id)[0])
        except InvalidIdentifier:
            return None


def only(driver: ClientDriver) -> Drivers:
    """One driver alone, on both sides."""
    return Drivers(driver, new=(driver.client_type, driver.client_type))
