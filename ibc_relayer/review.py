"""Looks at what is there between two chains: is it what it claims to be, and are its terms ours?"""

from dataclasses import dataclass

from ibc_core import paths as keys
from ibc_core.address import decode_bech32
from ibc_core.connection.types import ConnectionEnd, ConnectionState
from ibc_core.errors import IbcError
from ibc_relayer.driver import Difference, Drivers, Terms
from ibc_relayer.endpoint import ChainEndpoint
from ibc_relayer.ends import connection_end
from ibc_relayer.errors import (
    ClientUnusable,
    DifferentTerms,
    EndpointRefused,
    EndpointUnavailable,
    MalformedAnswer,
    NodeBehind,
    RelayerError,
    WrongCounterparty,
)
from ibc_relayer.foreign_client import ForeignClient
from ibc_relayer.listings import header_heights
from ibc_relayer.path import Side, other
from ibc_relayer.terms import (
    NOTHING,
    client_type_differences,
    connection_differences,
    relayer_differences,
    unaccepted,
)

MAX_COMPARED = 100
"""Consensus states of a stranger's client that are compared with the chain, two queries each."""


@dataclass(frozen=True)
class Findings:
    """What was found out about a client, a connection or a path."""

    faults: tuple[RelayerError, ...] = ()  # why it cannot be used at all
    differences: tuple[Difference, ...] = ()  # that are not accepted

    def __add__(self, more: "Findings") -> "Findings":
        """Both."""
        return Findings(self.faults + more.faults, self.differences + more.differences)

    @property
    def text(self) -> str:
        """For people, "" if there is nothing."""
        texts = [str(each) for each in self.faults]
        texts += [f"{at} {term} {theirs} (ours {ours})" for term, ours, theirs, at in self.differences]
        return "; ".join(texts)

    def require_none(self, name: str) -> None:
        """Raises what was found.

        Raises:
            RelayerError: a fault.
            DifferentTerms: all differences.
        """
        if self.faults:
            raise self.faults[0]
        if self.differences:
            raise DifferentTerms(name, self.differences)


class Review:
    """Reviews clients and connections between two chains, each of them once."""

    def __init__(
        self,
        a: ChainEndpoint,
        b: ChainEndpoint,
        drivers: Drivers,
        accept: Terms = NOTHING,
        *,
        is_chosen: bool,
    ) -> None:
        """Nothing is read yet.

        Args:
            a: one chain.
            b: the other.
            drivers: the supported client types.
            accept: terms that may differ.
            is_chosen: the user has named what is reviewed; if not, also the past of strangers' clients is.
        """
        self.chains = (a, b)
        self._drivers = drivers
        self._accept = accept
        self._is_chosen = is_chosen
        self._clients: dict[tuple[Side, str], Findings] = {}
        self._claims: dict[tuple[Side, str], bool] = {}

    def foreign(self, side: Side, client_id: str) -> ForeignClient:
        """A client on one side, of the other."""
        return ForeignClient(self.chains[side], self.chains[other(side)], client_id, self._drivers)

    def claims(self, side: Side, client_id: str) -> bool:
        """Whether a client says that it tracks the other chain."""
        key = side, client_id
        if key not in self._claims:
            try:
                view = self.foreign(side, client_id).view()
                self._claims[key] = view.chain_id == self.chains[other(side)].chain_id
            except WrongCounterparty:
                self._claims[key] = False
        return self._claims[key]

    def client(self, side: Side, client_id: str) -> Findings:
        """A client: does it track the other chain, is it active, are its terms ours?

        Raises:
            EndpointUnavailable: a chain does not answer.
        """
        key = side, client_id
        if key not in self._clients:
            self._clients[key] = self._client(side, client_id)
        return self._clients[key]

    def connection(self, side: Side, connection_id: str) -> tuple[ConnectionEnd | None, Findings]:
        """A connection end and its client; None if there is none."""
        host = self.chains[side]
        end = connection_end(host, connection_id)
        if end is None:
            return None, _fault(host, connection_id, "no such connection")
        found = Findings((), self._placed(host, connection_id, connection_differences(end)))
        if end.state != ConnectionState.OPEN:
            found += _fault(host, connection_id, f"is {end.state.name}, not open")
        return end, found + self.client(side, end.client_id)

    def is_ours(self, side: Side, client_id: str) -> bool | None:
        """Whether our account created the client; None where the chain does not record it."""
        host = self.chains[side]
        creator = host.get(keys.client_creator_path(client_id))
        return None if creator is None else creator == decode_bech32(host.signer)[1]

    def are_ours(self, clients: tuple[str, str]) -> bool:
        """Whether our accounts created the clients on a and b, as far as the chains record it."""
        return self.is_ours(0, clients[0]) is True and self.is_ours(1, clients[1]) is True

    def knows(self, client_id: str) -> bool:
        """Whether there is a driver of the client's type."""
        return self._drivers.find(client_id) is not None

    def _client(self, side: Side, client_id: str) -> Findings:
        client, host = self.foreign(side, client_id), self.chains[side]
        is_known = self._past_is_known(side, client_id)
        try:
            # guard: h225-a-client-that-nobody-knows-is-taken {is_known => True}
            #   test_h225_nor_if_nobody_named_it_and_nobody_knows_who_made_it
            client.check(is_chosen=is_known)
            # guard: h130-a-client-s-terms-are-not-compared drop:client
            #   test_h130_all_terms_that_differ_are_named
            # guard: h132-a-client-s-configuration-is-not-looked-at drop:relayer_differences
            #   test_h132_a_pair_whose_creator_says_who_may_relay_is_named
            differences = [
                *client_type_differences(client_id, self._drivers.new[side]),
                *client.differences(),
                *relayer_differences(host, client_id),
            ]
        except (WrongCounterparty, ClientUnusable, EndpointRefused, NodeBehind) as fault:
            return Findings((fault,))
        left = self._placed(host, client_id, differences)
        # guard: h133-only-the-newest-header-is-compared {not left and (not is_known) => left and (not left)}
        #   test_h133_a_client_that_began_with_a_forged_header_is_not_built_upon
        if not left and not is_known:
            left = self._placed(host, client_id, _past_differences(client))
        return Findings((), left)

    def _past_is_known(self, side: Side, client_id: str) -> bool:
        """Whether nobody has to look at what a client held before."""
        if self._is_chosen or "consensus_states" in self._accept:
            return True
        return bool(self.is_ours(side, client_id))

    def _placed(
        self, host: ChainEndpoint, name: str, differences: list[Difference]
    ) -> tuple[Difference, ...]:
        at = f"{host.chain_id} {name}"
        return tuple(each._replace(at=at) for each in unaccepted(differences, self._accept))


def _fault(host: ChainEndpoint, name: str, reason: str) -> Findings:
    return Findings((WrongCounterparty(host.chain_id, name, reason),))


def _past_differences(client: ForeignClient) -> list[Difference]:
    """Whether all consensus states of a client are headers of its chain.

    Who creates a client chooses its first header, and an update trusts any that it holds: a forged one below
    the newest forges packets. What our account created began with a header that we had read.
    """
    theirs = _past(client)
    return [Difference("consensus_states", "the chain's own", theirs)] if theirs else []


def _past(client: ForeignClient) -> str:
    """What is wrong with the consensus states, "" if nothing."""
    try:
        heights = header_heights(client.host, client.client_id)
    except (EndpointUnavailable, MalformedAnswer):
        raise
    except IbcError:
        return "not listed by the chain"
    if not heights:
        return "none listed by the chain"
    if len(heights) > MAX_COMPARED:
        return f"{len(heights)}, compared are up to {MAX_COMPARED}"
    for height in sorted(heights):
        try:
            if not client.holds_own(height):
                return f"another header {height}"
        except (EndpointRefused, WrongCounterparty):  # pruned by the node, or by the client meanwhile
            return f"a header {height} that cannot be compared"
    return ""
