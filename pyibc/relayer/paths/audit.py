"""Audit of clients and connections between two chains: their identity, state and terms."""

from collections.abc import Sequence
from dataclasses import dataclass

from pyibc.core import paths as keys
from pyibc.core.address import decode_bech32
from pyibc.core.channel.types import ChannelEnd, ChannelState, Order
from pyibc.core.client_v2 import ClientCounterparty
from pyibc.core.connection.types import ConnectionEnd, ConnectionState
from pyibc.core.errors import IbcError
from pyibc.relayer.chain.endpoint import ChainEndpoint
from pyibc.relayer.chain.listings import consensus_state_heights
from pyibc.relayer.clients.driver import Difference, Drivers, Terms
from pyibc.relayer.clients.foreign_client import ForeignClient
from pyibc.relayer.errors import (
    ClientUnusable,
    DifferentTerms,
    EndpointRefused,
    EndpointUnavailable,
    MalformedAnswer,
    NodeBehind,
    RelayerError,
    WrongCounterparty,
)
from pyibc.relayer.packets.backlog import ChannelBacklog
from pyibc.relayer.paths.channel_policy import (
    ACCEPT_NONE,
    client_type_differences,
    connection_differences,
    relayer_differences,
    unaccepted,
)
from pyibc.relayer.paths.ends import channel_end, connection_end, counterparty_of
from pyibc.relayer.paths.path import SIDES, AnyPath, ClientPath, Path, PathEnd, Side, other

MAX_COMPARED = 100
"""Maximum number of consensus states of a client to compare with the chain, two queries each."""


@dataclass(frozen=True)
class AuditResult:
    """Findings about a client, a connection or a path."""

    faults: tuple[RelayerError, ...] = ()  # reasons why it cannot be used
    differences: tuple[Difference, ...] = ()  # from the policy, not accepted

    def __add__(self, more: "AuditResult") -> "AuditResult":
        """Combine two findings."""
        return AuditResult(self.faults + more.faults, self.differences + more.differences)

    @property
    def text(self) -> str:
        """Readable text, "" without findings."""
        texts = [str(each) for each in self.faults]
        texts += [f"{at} {term} {theirs} (ours {ours})" for term, ours, theirs, at in self.differences]
        return "; ".join(texts)

    def raise_if_any(self, name: str) -> None:
        """Raise the first fault, or else all differences.

        Raises:
            RelayerError: there is a fault.
            DifferentTerms: there are differences.
        """
        if self.faults:
            raise self.faults[0]
        if self.differences:
            raise DifferentTerms(name, self.differences)


class Audit:
    """Checks clients and connections between two chains, each of them once."""

    def __init__(
        self,
        a: ChainEndpoint,
        b: ChainEndpoint,
        drivers: Drivers,
        accept: Terms = ACCEPT_NONE,
        *,
        is_chosen: bool,
    ) -> None:
        """Read nothing yet.

        Args:
            a: one chain.
            b: the other chain.
            drivers: the supported client types.
            accept: terms that may differ from the policy.
            is_chosen: the user has named the path. If not, the consensus states of third parties' clients are
                checked too.
        """
        self.chains = (a, b)
        self._drivers = drivers
        self._accept = accept
        self._is_chosen = is_chosen
        self._clients: dict[tuple[Side, str], AuditResult] = {}
        self._tracks: dict[tuple[Side, str], bool] = {}

    def foreign_client(self, side: Side, client_id: str) -> ForeignClient:
        """Return a client on one side that tracks the other side."""
        return ForeignClient(self.chains[side], self.chains[other(side)], client_id, self._drivers)

    def claims_to_track(self, side: Side, client_id: str) -> bool:
        """Return whether a client's state has the other chain's id."""
        key = side, client_id
        if key not in self._tracks:
            try:
                view = self.foreign_client(side, client_id).view()
                self._tracks[key] = view.chain_id == self.chains[other(side)].chain_id
            except WrongCounterparty:
                self._tracks[key] = False
        return self._tracks[key]

    def client(self, side: Side, client_id: str) -> AuditResult:
        """Check that a client tracks the other chain, is active, and meets the policy.

        Raises:
            EndpointUnavailable: a chain does not answer.
        """
        key = side, client_id
        if key not in self._clients:
            self._clients[key] = self._client(side, client_id)
        return self._clients[key]

    def connection(self, side: Side, connection_id: str) -> tuple[ConnectionEnd | None, AuditResult]:
        """Return a connection end, None if there is none, and the findings about it and its client."""
        host = self.chains[side]
        end = connection_end(host, connection_id)
        if end is None:
            return None, fault(host.chain_id, connection_id, "no such connection")
        found = AuditResult((), self._located(host, connection_id, connection_differences(end)))
        if end.state != ConnectionState.OPEN:
            found += fault(host.chain_id, connection_id, f"is {end.state.name}, not open")
        return end, found + self.client(side, end.client_id)

    def is_ours(self, side: Side, client_id: str) -> bool | None:
        """Return whether the relayer's account created the client; None if the chain does not record it."""
        host = self.chains[side]
        creator = host.get(keys.client_creator_path(client_id))
        return None if creator is None else creator == decode_bech32(host.signer)[1]

    def are_ours(self, clients: tuple[str, str]) -> bool:
        """Return whether the relayer's accounts created the clients on a and b, and the chains record it."""
        return self.is_ours(0, clients[0]) is True and self.is_ours(1, clients[1]) is True

    def supports(self, client_id: str) -> bool:
        """Return whether there is a driver of the client's type."""
        return self._drivers.find(client_id) is not None

    def _client(self, side: Side, client_id: str) -> AuditResult:
        client, host = self.foreign_client(side, client_id), self.chains[side]
        is_known = self._is_history_trusted(side, client_id)
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
            return AuditResult((fault,))
        left = self._located(host, client_id, differences)
        # guard: h133-only-the-newest-header-is-compared {not left and (not is_known) => left and (not left)}
        #   test_h133_a_client_that_began_with_a_forged_header_is_not_built_upon
        if not left and not is_known:
            left = self._located(host, client_id, _history_differences(client))
        return AuditResult((), left)

    def _is_history_trusted(self, side: Side, client_id: str) -> bool:
        """Return whether the client's consensus states need no check."""
        if self._is_chosen or "consensus_states" in self._accept:
            return True
        return bool(self.is_ours(side, client_id))

    def _located(
        self, host: ChainEndpoint, name: str, differences: list[Difference]
    ) -> tuple[Difference, ...]:
        at = f"{host.chain_id} {name}"
        return tuple(each._replace(at=at) for each in unaccepted(differences, self._accept))


def fault(chain_id: str, name: str, reason: str) -> AuditResult:
    """Return the finding that something does not lead where it should."""
    return AuditResult((WrongCounterparty(chain_id, name, reason),))


def _history_differences(client: ForeignClient) -> list[Difference]:
    """Compare all consensus states of a client with the headers of its chain.

    The creator of a client chooses its first header, and an update trusts any header that the client has: a
    forged one below the newest can prove forged packets. Clients that the relayer's account created began
    with a header that the relayer had read.
    """
    theirs = _history_problem(client)
    return [Difference("consensus_states", "the chain's own", theirs)] if theirs else []


def _history_problem(client: ForeignClient) -> str:
    """Return what is wrong with the consensus states, "" if nothing."""
    try:
        heights = consensus_state_heights(client.host, client.client_id)
    except (EndpointUnavailable, MalformedAnswer):
        raise
    except IbcError:
        return "not listed by the chain"
    if not heights:
        return "none listed by the chain"
    if len(heights) > MAX_COMPARED:
        return f"{len(heights)}; at most {MAX_COMPARED} are compared"
    for height in sorted(heights):
        try:
            if not client.holds_own(height):
                return f"another header {height}"
        except (EndpointRefused, WrongCounterparty):  # pruned by the node, or by the client meanwhile
            return f"a header {height} that cannot be compared"
    return ""


# -- checks that a path leads to the expected chains, not to other chains with the same ids (hermes#1038)

Endpoints = tuple[ChainEndpoint, ChainEndpoint]
Clients = tuple[ForeignClient, ForeignClient]


def foreign_clients(paths: Sequence[AnyPath], endpoints: Endpoints, drivers: Drivers) -> Clients:
    """Return the clients that the paths share, on a and on b, after a check against both chains.

    Raises:
        WrongCounterparty: the paths do not share their clients, or a client tracks another chain.
        ClientUnusable: a client is frozen or expired.
        ValueError: there is no path.
    """
    if not paths:
        raise ValueError("a link needs at least one path")
    _require_shared_clients(paths, endpoints[0].chain_id)
    return _client(paths, endpoints, 0, drivers), _client(paths, endpoints, 1, drivers)


def _require_shared_clients(paths: Sequence[AnyPath], chain_id: str) -> None:
    groups: dict[tuple[str, str], list[str]] = {}
    for path in paths:
        groups.setdefault((path.a.client_id, path.b.client_id), []).append("/".join(path.a.name))
    # guard: one-of-several-clients-is-taken drop
    #   test_paths_over_several_clients_are_refused_with_their_groups
    if len(groups) > 1:
        listed = "; ".join(f"{', '.join(names)} over {a} and {b}" for (a, b), names in groups.items())
        reason = (
            f"several pairs of clients: {listed}. Configure a path for each pair, or a pattern of channels"
        )
        raise WrongCounterparty(chain_id, "paths", reason)


def _client(paths: Sequence[AnyPath], endpoints: Endpoints, side: Side, drivers: Drivers) -> ForeignClient:
    host, client_id = endpoints[side], paths[0].end(side).client_id
    for end in (path.end(side) for path in paths):
        if (end.chain_id, end.client_id) != (host.chain_id, client_id):
            reason = f"the path needs {end.client_id} of {end.chain_id}"
            raise WrongCounterparty(host.chain_id, client_id, reason)
    client = ForeignClient(host, endpoints[other(side)], client_id, drivers)
    client.check(is_chosen=True)
    return client


def check_path(backlog: ChannelBacklog, clients: Clients) -> None:
    """Check both ends against the path; record closed ends, and nextSequenceRecv of ordered channels.

    Raises:
        WrongCounterparty: an end is missing or has another counterparty.
    """
    path = backlog.path
    if isinstance(path, ClientPath):
        for side in SIDES:
            require_registered(clients[side], path.end(other(side)).client_id)
    else:
        _check_channel(backlog, path, (clients[0].host, clients[1].host))


def require_registered(client: ForeignClient, far_id: str) -> None:
    """Check that `far_id` is registered as the client's counterparty, with the prefix of its type.

    Raises:
        WrongCounterparty: no counterparty or another one is registered.
        EndpointUnavailable, MalformedAnswer: no response, or a malformed one.
    """
    wrong = registration_fault(client, counterparty_of(client.host, client.client_id), far_id)
    if wrong is not None:
        raise wrong


def registration_fault(
    client: ForeignClient, found: ClientCounterparty | None, far_id: str
) -> WrongCounterparty | None:
    """Return what is wrong with the registered counterparty `found` of a client, which should be `far_id`."""
    if found == ClientCounterparty(client.convention.merkle_prefix, far_id):
        return None
    reason = "no counterparty is registered"
    if found is not None:
        reason = f"leads to {found.client_id} below {b'/'.join(found.merkle_prefix)!r}"
    return WrongCounterparty(client.host.chain_id, client.client_id, reason)


def _check_channel(channel: ChannelBacklog, path: Path, endpoints: Endpoints) -> None:
    for side in SIDES:
        endpoint, end = endpoints[side], path.end(side)
        height = endpoint.tip().height
        found = channel_end(endpoint, end.port_id, end.channel_id)
        if found is None:
            raise WrongCounterparty(endpoint.chain_id, end.channel_id, "no such channel")
        _require_counterparty(endpoint, path.end(other(side)), end, found)
        if found.state == ChannelState.CLOSED and channel.closed_at[side] is None:
            channel.closed_at[side] = height
        if path.order == Order.ORDERED:
            raw = endpoint.get(keys.next_sequence_recv_path(end.port_id, end.channel_id))
            channel.sent_from(other(side)).next_sequence_recv = int.from_bytes(raw or b"\x01", "big")


def _require_counterparty(endpoint: ChainEndpoint, far: PathEnd, near: PathEnd, found: ChannelEnd) -> None:
    theirs = found.counterparty
    if (theirs.port_id, theirs.channel_id) != (far.port_id, far.channel_id):
        raise WrongCounterparty(endpoint.chain_id, near.channel_id, f"leads to {theirs.channel_id}")
    connection = connection_end(endpoint, found.connection_id)
    if found.connection_id != near.connection_id or connection is None:
        raise WrongCounterparty(endpoint.chain_id, near.channel_id, f"hops over {found.connection_id}")
    if (connection.client_id, connection.counterparty.client_id) != (near.client_id, far.client_id):
        raise WrongCounterparty(endpoint.chain_id, near.connection_id, f"uses {connection.client_id}")
