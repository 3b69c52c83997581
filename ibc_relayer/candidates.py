"""Channels and pairs of clients between two chains, with their states and all that speaks against them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from ibc_core.channel.types import ChannelEnd, ChannelState, Order
from ibc_core.client_v2.types import ClientCounterparty
from ibc_core.connection.types import ConnectionEnd, ConnectionState
from ibc_core.identifiers import is_connection_id
from ibc_core.paths import client_state_path
from ibc_relayer.driver import SHOWN, Difference, Drivers
from ibc_relayer.ends import channel_end, clients_of, connection_end, counterparty_of
from ibc_relayer.errors import NodeBehind, RelayerError, WrongCounterparty
from ibc_relayer.foreign_client import ForeignClient
from ibc_relayer.listings import ListedChannel
from ibc_relayer.path import SIDES, AnyPath, ClientEnd, ClientPath, Path, PathEnd, Side, other
from ibc_relayer.review import Findings, Review

NONE = "UNINITIALIZED"
"""State of an end that does not exist."""


_P = TypeVar("_P", bound=AnyPath)


@dataclass(frozen=True)
class Candidate(Generic[_P]):
    """A channel, or a pair of clients."""

    path: _P
    states: tuple[str, str]  # of the ends on a and b: OPEN, ...; of a pair: REGISTERED or UNINITIALIZED
    faults: tuple[RelayerError, ...]  # why it cannot be relayed over at all
    differences: tuple[Difference, ...]  # terms that are not ours and not accepted

    @property
    def is_usable(self) -> bool:
        """Whether nothing speaks against it."""
        return not self.faults and not self.differences

    @property
    def name(self) -> str:
        """Its name on a: the channel's id, or the client's."""
        return self.path.a.name[-1]

    @property
    def text(self) -> str:
        """For people: its ends, states and what speaks against it."""
        ends = f"{'/'.join(self.path.a.name)} <-> {'/'.join(self.path.b.name)}"
        against = Findings(self.faults, self.differences).text
        text = f"{ends} {'/'.join(self.states)}: {against or 'usable'}"
        return text if text.isprintable() else ascii(text)  # a terminal obeys what a node may have made up

    def require_usable(self) -> _P:
        """The path.

        Raises:
            RelayerError: a fault.
            DifferentTerms: all differences.
        """
        Findings(self.faults, self.differences).require_none(self.name)
        return self.path


def channel_candidates(review: Review, listed: Iterable[ListedChannel]) -> Iterator[Candidate[Path]]:
    """Those of the channels of a whose client claims to track b; no other is read.

    Raises:
        NodeBehind: an answer of a node contradicts another: it lags, or hides something.
        EndpointUnavailable, MalformedAnswer: a chain does not answer, or what it cannot mean.
    """
    a, _ = review.chains
    connections: dict[str, ConnectionEnd | None] = {}
    for each in listed:
        if each.connection_id not in connections:
            connections[each.connection_id] = _connection_to_b(review, each)
        connection = connections[each.connection_id]
        if connection is None:
            continue
        end = channel_end(a, each.port_id, each.channel_id)
        if end is None:
            # guard: h234-a-listed-channel-that-is-not-there {=> continue}
            #   test_h234_a_node_that_hides_our_channel_does_not_make_a_stranger_s_the_only_one
            raise NodeBehind(a.chain_id, f"lists {each.channel_id}, and has no such channel")
        if end.connection_hops == (each.connection_id,):
            yield channel_candidate(review, (each.port_id, each.channel_id), end, connection)


def _connection_to_b(review: Review, channel: ListedChannel) -> ConnectionEnd | None:
    """The connection of a listed channel, None if its client claims to track another chain than b.

    Raises:
        NodeBehind: a has no such connection or client, which a chain never removes.
    """
    a, name = review.chains[0], channel.connection_id
    found = connection_end(a, name)
    if found is None:
        # guard: h234-a-listed-connection-that-is-not-there drop
        #   test_h234_a_node_that_hides_our_channel_does_not_make_a_stranger_s_the_only_one
        if is_connection_id(name):
            raise NodeBehind(a.chain_id, f"lists {channel.channel_id}, and has no {name}")
        return None
    if review.claims(0, found.client_id):
        return found
    # guard: h234-a-client-that-is-not-there drop
    #   test_h234_a_node_that_hides_our_channel_does_not_make_a_stranger_s_the_only_one
    if review.knows(found.client_id) and a.get(client_state_path(found.client_id)) is None:
        raise NodeBehind(a.chain_id, f"has {name}, and no {found.client_id}")
    return None


def channel_candidate(
    review: Review, name: tuple[str, str], end: ChannelEnd, connection: ConnectionEnd
) -> Candidate[Path]:
    """A channel of a, over its connection there."""
    a, b = review.chains
    hops = end.connection_id, connection.counterparty.connection_id
    clients = connection.client_id, connection.counterparty.client_id
    path = Path(
        PathEnd(a.chain_id, clients[0], hops[0], *name),
        PathEnd(b.chain_id, clients[1], hops[1], end.counterparty.port_id, end.counterparty.channel_id),
        end.ordering,
        end.version,
    )
    there = channel_end(b, path.b.port_id, path.b.channel_id)
    read = review.connection(0, hops[0]), review.connection(1, hops[1])
    # guard: h234-a-connection-that-is-there-no-more test_h234_no_second_answer_hides_a_connection_either
    if read[0][0] is None:
        raise NodeBehind(a.chain_id, f"had {hops[0]}, and has it no more")
    # guard: h234-a-stranger-keeps-all-from-finding always
    #   test_h234_what_a_stranger_s_client_proved_of_b_may_be_missing_there
    if review.are_ours(clients):
        # guard: h234-a-far-end-that-is-not-there drop
        #   test_h234_a_node_that_hides_our_channel_does_not_make_a_stranger_s_the_only_one
        _require_far(path, connection, read[1][0], (end, there))
    found = Findings()
    for side in SIDES:
        found += read[side][1] + _leads(path, side, read[side][0])
    found += _ends(path, (end, there))
    return Candidate(
        path, (end.state.name, there.state.name if there else NONE), found.faults, found.differences
    )


def _require_far(
    path: Path,
    connection: ConnectionEnd,
    far: ConnectionEnd | None,
    ends: tuple[ChannelEnd, ChannelEnd | None],
) -> None:
    """What a proved with our clients is on b; if b's node does not have it, it must not look unusable.

    Otherwise a node that lags or lies could hide our channel, and the only usable one left would be whatever
    a stranger has opened over our clients. Each entry is read once: what is checked here is what is judged.

    Raises:
        NodeBehind: b's node has no such connection or channel.
    """
    b = path.b.chain_id
    if connection.state == ConnectionState.OPEN and far is None:
        raise NodeBehind(b, f"has no {path.b.connection_id}, which {path.a.connection_id} leads to")
    end, there = ends
    if end.state in {ChannelState.OPEN, ChannelState.CLOSED} and path.b.channel_id and there is None:
        raise NodeBehind(b, f"has no {path.b.channel_id}, which {path.a.channel_id} leads to")


def pair_candidates(review: Review, drivers: Drivers) -> Iterator[Candidate[ClientPath]]:
    """The clients of a that claim to track b and have a counterparty (IBC v2), newest of a type first.

    Raises:
        EndpointUnavailable, MalformedAnswer: a chain does not answer, or what it cannot mean.
    """
    a, _ = review.chains
    for driver in drivers:
        for client_id in clients_of(a, driver.client_type):
            found = counterparty_of(a, client_id)
            if found is not None and review.claims(0, client_id):
                yield pair_candidate(review, client_id, found)


def require_no_pair_of_ours(review: Review, drivers: Drivers) -> None:
    """No client of ours on b names one of ours on a, of which a's node knows no counterparty.

    Asked before a stranger's pair is taken for the only one. A pair of ours that was left half registered
    looks the same: it is to be completed, or named.

    Raises:
        NodeBehind: there is one.
        EndpointUnavailable, MalformedAnswer: a chain does not answer, or what it cannot mean.
    """
    a, b = review.chains
    for driver in drivers:
        for client_id in clients_of(b, driver.client_type):
            found = counterparty_of(b, client_id)
            if found is None or not review.are_ours((found.client_id, client_id)):
                continue
            if counterparty_of(a, found.client_id) is None:
                reason = f"{found.client_id} has no counterparty, {client_id} of {b.chain_id} names it"
                raise NodeBehind(a.chain_id, reason)


def pair_candidate(review: Review, client_id: str, registered: ClientCounterparty) -> Candidate[ClientPath]:
    """A client of a and its registered counterparty."""
    a, b = review.chains
    path = ClientPath(ClientEnd(a.chain_id, client_id), ClientEnd(b.chain_id, registered.client_id))
    back = counterparty_of(b, path.b.client_id)
    found = Findings()
    for side in SIDES:  # first: what is wrong with a client explains what it leads to
        found += review.client(side, path.end(side).client_id)
    found += _leads_to(review.foreign(0, path.a.client_id), registered, path.b.client_id)
    found += _leads_to(review.foreign(1, path.b.client_id), back, path.a.client_id)
    return Candidate(path, ("REGISTERED", "REGISTERED" if back else NONE), found.faults, found.differences)


def of_kind(
    candidates: Iterable[Candidate[Path]], port_on_b: str, order: Order, version: str
) -> Iterator[Candidate[Path]]:
    """The candidates, with a fault more where something else is wanted than this."""
    for each in candidates:
        path = each.path
        if (path.b.port_id, path.order, path.version) == (port_on_b, order, version):
            yield each
            continue
        said = f"{path.order.name.lower()} to {path.b.port_id!a}, version {path.version[:SHOWN]!a}"
        fault = WrongCounterparty(path.a.chain_id, each.name, said)
        yield replace(each, faults=(*each.faults, fault))


def _leads(path: Path, side: Side, end: ConnectionEnd | None) -> Findings:
    """What speaks against where a connection end leads."""
    near, far = path.end(side), path.end(other(side))
    if end is None:
        return Findings()
    theirs = end.counterparty.client_id, end.counterparty.connection_id
    if end.client_id == near.client_id and theirs == (far.client_id, far.connection_id):
        return Findings()
    return _fault(near.chain_id, near.connection_id, f"leads to {theirs[1]} over {theirs[0]}")


def _ends(path: Path, ends: tuple[ChannelEnd | None, ChannelEnd | None]) -> Findings:
    found = Findings()
    for side in SIDES:
        near, far, end = path.end(side), path.end(other(side)), ends[side]
        if end is None:
            found += _fault(near.chain_id, near.channel_id or "its counterparty", "no such channel")
            continue
        if end.state not in {ChannelState.OPEN, ChannelState.CLOSED}:
            found += _fault(near.chain_id, near.channel_id, f"is {end.state.name}, not open")
        if (end.counterparty.port_id, end.counterparty.channel_id) != (far.port_id, far.channel_id):
            found += _fault(near.chain_id, near.channel_id, f"leads to {end.counterparty.channel_id!r}")
        if end.connection_hops != (near.connection_id,) or end.ordering != path.order:
            found += _fault(near.chain_id, near.channel_id, "hops or order do not fit the other end's")
    return found


def _leads_to(client: ForeignClient, found: ClientCounterparty | None, far_id: str) -> Findings:
    """What speaks against a registered counterparty; its prefix is a fault: packets name other entries."""
    if found is None:
        return _fault(client.host.chain_id, client.client_id, "no counterparty is registered")
    if found != ClientCounterparty(client.convention.merkle_prefix, far_id):
        where = b"/".join(found.merkle_prefix)
        return _fault(client.host.chain_id, client.client_id, f"leads to {found.client_id} below {where!r}")
    return Findings()


def _fault(chain_id: str, name: str, reason: str) -> Findings:
    return Findings((WrongCounterparty(chain_id, name, reason),))
