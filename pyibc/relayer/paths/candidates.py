"""Channels and pairs of clients between two chains, with their states and the findings of an audit."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from pyibc.core.channel.types import ChannelEnd, ChannelState, Order
from pyibc.core.client_v2 import ClientCounterparty
from pyibc.core.connection.types import ConnectionEnd, ConnectionState
from pyibc.core.identifiers import is_connection_id
from pyibc.core.paths import client_state_path
from pyibc.relayer.chain.listings import ListedChannel
from pyibc.relayer.clients.driver import MAX_SHOWN, Difference, Drivers
from pyibc.relayer.errors import NodeBehind, RelayerError, WrongCounterparty
from pyibc.relayer.paths.audit import Audit, AuditResult, fault, registration_fault
from pyibc.relayer.paths.ends import channel_end, clients_of, connection_end, counterparty_of
from pyibc.relayer.paths.path import SIDES, AnyPath, ClientEnd, ClientPath, Path, PathEnd, Side, other

NONE = "UNINITIALIZED"
"""State of an end that does not exist."""


_P = TypeVar("_P", bound=AnyPath)


@dataclass(frozen=True)
class Candidate(Generic[_P]):
    """Channel, or pair of clients, that may be relayed over."""

    path: _P
    states: tuple[str, str]  # of the ends on a and b: OPEN, ...; of a pair: REGISTERED or UNINITIALIZED
    faults: tuple[RelayerError, ...]  # reasons why it cannot be relayed over
    differences: tuple[Difference, ...]  # from the policy, not accepted

    @property
    def is_usable(self) -> bool:
        """Return whether there are no faults and no differences."""
        return not self.faults and not self.differences

    @property
    def name(self) -> str:
        """Name on a: the channel id, or the client id."""
        return self.path.a.name[-1]

    @property
    def text(self) -> str:
        """Readable text: ends, states and findings."""
        ends = f"{'/'.join(self.path.a.name)} <-> {'/'.join(self.path.b.name)}"
        against = AuditResult(self.faults, self.differences).text
        text = f"{ends} {'/'.join(self.states)}: {against or 'usable'}"
        return text if text.isprintable() else ascii(text)  # a node may return control characters

    def require_usable(self) -> _P:
        """Return the path if it is usable.

        Raises:
            RelayerError: there is a fault.
            DifferentTerms: there are differences.
        """
        AuditResult(self.faults, self.differences).raise_if_any(self.name)
        return self.path


def channel_candidates(audit: Audit, listed: Iterable[ListedChannel]) -> Iterator[Candidate[Path]]:
    """Yield those of the listed channels of a whose client claims to track b.

    Raises:
        NodeBehind: two answers of a node contradict each other: it lags, or hides an entry.
        EndpointUnavailable, MalformedAnswer: a chain does not answer, or its answer is malformed.
    """
    a, _ = audit.chains
    connections: dict[str, ConnectionEnd | None] = {}
    for each in listed:
        if each.connection_id not in connections:
            connections[each.connection_id] = connection_to_b(audit, each)
        connection = connections[each.connection_id]
        if connection is None:
            continue
        end = channel_end(a, each.port_id, each.channel_id)
        if end is None:
            # guard: h234-a-listed-channel-that-is-not-there {=> continue}
            #   test_h234_a_node_that_hides_our_channel_does_not_make_a_stranger_s_the_only_one
            raise NodeBehind(a.chain_id, f"lists {each.channel_id} but has no such channel")
        if end.connection_hops == (each.connection_id,):
            yield channel_candidate(audit, (each.port_id, each.channel_id), end, connection)


def connection_to_b(audit: Audit, channel: ListedChannel) -> ConnectionEnd | None:
    """Return the connection of a listed channel; None if its client claims to track another chain than b.

    Raises:
        NodeBehind: a's node has no such connection or client; chains never remove them.
    """
    a, name = audit.chains[0], channel.connection_id
    found = connection_end(a, name)
    if found is None:
        # guard: h234-a-listed-connection-that-is-not-there drop
        #   test_h234_a_node_that_hides_our_channel_does_not_make_a_stranger_s_the_only_one
        if is_connection_id(name):
            raise NodeBehind(a.chain_id, f"lists {channel.channel_id} but has no {name}")
        return None
    if audit.claims_to_track(0, found.client_id):
        return found
    # guard: h234-a-client-that-is-not-there drop
    #   test_h234_a_node_that_hides_our_channel_does_not_make_a_stranger_s_the_only_one
    if audit.supports(found.client_id) and a.get(client_state_path(found.client_id)) is None:
        raise NodeBehind(a.chain_id, f"has {name} but no {found.client_id}")
    return None


def channel_candidate(
    audit: Audit, name: tuple[str, str], end: ChannelEnd, connection: ConnectionEnd
) -> Candidate[Path]:
    """Return a channel of a, over its connection there, with its findings."""
    a, b = audit.chains
    hops = end.connection_id, connection.counterparty.connection_id
    clients = connection.client_id, connection.counterparty.client_id
    path = Path(
        PathEnd(a.chain_id, clients[0], hops[0], *name),
        PathEnd(b.chain_id, clients[1], hops[1], end.counterparty.port_id, end.counterparty.channel_id),
        end.ordering,
        end.version,
    )
    there = channel_end(b, path.b.port_id, path.b.channel_id)
    read = audit.connection(0, hops[0]), audit.connection(1, hops[1])
    # guard: h234-a-connection-that-is-there-no-more test_h234_no_second_answer_hides_a_connection_either
    if read[0][0] is None:
        raise NodeBehind(a.chain_id, f"had {hops[0]} and no longer has it")
    # guard: h234-a-stranger-keeps-all-from-finding always
    #   test_h234_what_a_stranger_s_client_proved_of_b_may_be_missing_there
    if audit.are_ours(clients):
        # guard: h234-a-far-end-that-is-not-there drop
        #   test_h234_a_node_that_hides_our_channel_does_not_make_a_stranger_s_the_only_one
        _require_far(path, connection, read[1][0], (end, there))
    found = AuditResult()
    for side in SIDES:
        found += read[side][1] + _connection_findings(path, side, read[side][0])
    found += _channel_findings(path, (end, there))
    return Candidate(
        path, (end.state.name, there.state.name if there else NONE), found.faults, found.differences
    )


def _require_far(
    path: Path,
    connection: ConnectionEnd,
    far: ConnectionEnd | None,
    ends: tuple[ChannelEnd, ChannelEnd | None],
) -> None:
    """Check that b has the ends that a proved with the relayer's clients; else b's node is behind.

    Otherwise a node that lags or lies could hide the relayer's channel, and the only usable channel left
    would be one that a third party opened over the relayer's clients. Each entry is read once, so that the
    checked entries are the audited ones.

    Raises:
        NodeBehind: b's node has no such connection or channel.
    """
    b = path.b.chain_id
    if connection.state == ConnectionState.OPEN and far is None:
        raise NodeBehind(b, f"has no {path.b.connection_id}, the counterparty of {path.a.connection_id}")
    end, there = ends
    if end.state in {ChannelState.OPEN, ChannelState.CLOSED} and path.b.channel_id and there is None:
        raise NodeBehind(b, f"has no {path.b.channel_id}, the counterparty of {path.a.channel_id}")


def pair_candidates(audit: Audit, drivers: Drivers) -> Iterator[Candidate[ClientPath]]:
    """Yield the clients of a that claim to track b and have a counterparty (IBC v2), newest of a type first.

    Raises:
        EndpointUnavailable, MalformedAnswer: a chain does not answer, or its answer is malformed.
    """
    a, _ = audit.chains
    for driver in drivers:
        for client_id in clients_of(a, driver.client_type):
            found = counterparty_of(a, client_id)
            if found is not None and audit.claims_to_track(0, client_id):
                yield pair_candidate(audit, client_id, found)


def require_no_hidden_pair(audit: Audit, drivers: Drivers) -> None:
    """Check that a's node does not hide the counterparty of a client that the relayer created.

    This is checked before a third party's pair is used as the only one. A half registered pair of the
    relayer looks the same: it must be completed, or named by the user.

    Raises:
        NodeBehind: a client of the relayer on b names one on a that has no counterparty.
        EndpointUnavailable, MalformedAnswer: a chain does not answer, or its answer is malformed.
    """
    a, b = audit.chains
    for driver in drivers:
        for client_id in clients_of(b, driver.client_type):
            found = counterparty_of(b, client_id)
            if found is None or not audit.are_ours((found.client_id, client_id)):
                continue
            if counterparty_of(a, found.client_id) is None:
                reason = f"{found.client_id} has no counterparty, but {client_id} of {b.chain_id} names it"
                raise NodeBehind(a.chain_id, reason)


def pair_candidate(audit: Audit, client_id: str, registered: ClientCounterparty) -> Candidate[ClientPath]:
    """Return a client of a and its registered counterparty, with their findings."""
    a, b = audit.chains
    path = ClientPath(ClientEnd(a.chain_id, client_id), ClientEnd(b.chain_id, registered.client_id))
    back = counterparty_of(b, path.b.client_id)
    found = AuditResult()
    for side in SIDES:  # clients first: their faults explain those of the counterparties
        found += audit.client(side, path.end(side).client_id)
    wrong = (
        registration_fault(audit.foreign_client(0, path.a.client_id), registered, path.b.client_id),
        registration_fault(audit.foreign_client(1, path.b.client_id), back, path.a.client_id),
    )
    found += AuditResult(tuple(each for each in wrong if each is not None))
    return Candidate(path, ("REGISTERED", "REGISTERED" if back else NONE), found.faults, found.differences)


def with_parameters(
    candidates: Iterable[Candidate[Path]], port_on_b: str, order: Order, version: str
) -> Iterator[Candidate[Path]]:
    """Yield the candidates, with a fault for those that have other parameters."""
    for each in candidates:
        path = each.path
        if (path.b.port_id, path.order, path.version) == (port_on_b, order, version):
            yield each
            continue
        parameters = f"{path.order.name.lower()} to {path.b.port_id!a}, version {path.version[:MAX_SHOWN]!a}"
        wrong = WrongCounterparty(path.a.chain_id, each.name, parameters)
        yield replace(each, faults=(*each.faults, wrong))


def _connection_findings(path: Path, side: Side, end: ConnectionEnd | None) -> AuditResult:
    """Return a fault if a connection end has another client or counterparty."""
    near, far = path.end(side), path.end(other(side))
    if end is None:
        return AuditResult()
    theirs = end.counterparty.client_id, end.counterparty.connection_id
    if end.client_id == near.client_id and theirs == (far.client_id, far.connection_id):
        return AuditResult()
    return fault(near.chain_id, near.connection_id, f"leads to {theirs[1]} over {theirs[0]}")


def _channel_findings(path: Path, ends: tuple[ChannelEnd | None, ChannelEnd | None]) -> AuditResult:
    found = AuditResult()
    for side in SIDES:
        near, far, end = path.end(side), path.end(other(side)), ends[side]
        if end is None:
            found += fault(near.chain_id, near.channel_id or "its counterparty", "no such channel")
            continue
        if end.state not in {ChannelState.OPEN, ChannelState.CLOSED}:
            found += fault(near.chain_id, near.channel_id, f"is {end.state.name}, not open")
        if (end.counterparty.port_id, end.counterparty.channel_id) != (far.port_id, far.channel_id):
            found += fault(near.chain_id, near.channel_id, f"leads to {end.counterparty.channel_id!r}")
        if end.connection_hops != (near.connection_id,) or end.ordering != path.order:
            found += fault(near.chain_id, near.channel_id, "hops or order do not fit the other end's")
    return found
