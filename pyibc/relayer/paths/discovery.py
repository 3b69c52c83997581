"""Discovery of paths that can be relayed over. Nothing is created, and third parties decide nothing.

Of several usable paths none is chosen: a third party may have made the newest, the oldest or the busiest one,
and tokens sent over one channel differ from those sent over another. So the user names the path. A single
path is used only if it meets the policy (`pyibc.relayer.paths.channel_policy`); a user who names a path may
accept other terms one by one.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import TypeVar

from pyibc.core.channel.types import ChannelState, Order
from pyibc.relayer.chain.endpoint import ChainEndpoint
from pyibc.relayer.chain.listings import all_channels, channel_ends_on, channels_of_port
from pyibc.relayer.clients.driver import Drivers, Terms
from pyibc.relayer.clients.tendermint import DRIVERS
from pyibc.relayer.errors import AmbiguousPath, NoPath, WrongCounterparty
from pyibc.relayer.paths.audit import Audit, AuditResult
from pyibc.relayer.paths.candidates import (
    Candidate,
    channel_candidate,
    channel_candidates,
    pair_candidate,
    pair_candidates,
    require_no_hidden_pair,
    with_parameters,
)
from pyibc.relayer.paths.channel_policy import ACCEPT_NONE
from pyibc.relayer.paths.ends import channel_end, connection_end, counterparty_of
from pyibc.relayer.paths.handshake import Clients
from pyibc.relayer.paths.open_channel import ChannelParams, finish_channel
from pyibc.relayer.paths.path import AnyPath, ClientPath, Path, PathEnd

SHOWN = 20
"""Maximum number of unusable candidates that an error lists: third parties may create any number."""

_P = TypeVar("_P", bound=AnyPath)


def find_path(
    a: ChainEndpoint,
    b: ChainEndpoint,
    port: str | tuple[str, str],
    order: Order,
    version: str,
    *,
    drivers: Drivers = DRIVERS,
    accept: Terms = ACCEPT_NONE,
) -> Path:
    """Return the only open channel between two chains that has these parameters and meets the policy.

    Args:
        a: one chain.
        b: the other chain.
        port: port id on both chains, or (on a, on b).
        order: of the channel.
        version: of the application, e.g. `ics20-1`.
        drivers: the supported client types, and the types of new clients on a and b.
        accept: terms that may differ from the policy (`pyibc.relayer.paths.channel_policy`).

    Raises:
        NoPath: no channel is usable; lists the channels that were found, and their findings.
        AmbiguousPath: several channels are usable.
        EndpointUnavailable, MalformedAnswer: a chain does not answer, or its answer is malformed.
    """
    found = channels_between(a, b, port, order, version, drivers=drivers, accept=accept)
    return single(found, f"{order.name.lower()} channel from {a.chain_id} to {b.chain_id}")


def channels_between(
    a: ChainEndpoint,
    b: ChainEndpoint,
    port: str | tuple[str, str],
    order: Order,
    version: str,
    *,
    drivers: Drivers = DRIVERS,
    accept: Terms = ACCEPT_NONE,
) -> Iterator[Candidate[Path]]:
    """Yield the channels of a's port that claim to lead to b, with findings. Arguments as `find_path`.

    Raises:
        EndpointUnavailable, MalformedAnswer: a chain does not answer, or its answer is malformed.
    """
    on_a, on_b = (port, port) if isinstance(port, str) else port
    audit = Audit(a, b, drivers, accept, is_chosen=False)
    for each in with_parameters(channel_candidates(audit, channels_of_port(a, on_a)), on_b, order, version):
        yield each if "CLOSED" not in each.states else closed(each)


def find_channel(
    a: ChainEndpoint,
    b: ChainEndpoint,
    port: str,
    channel_id: str,
    *,
    drivers: Drivers = DRIVERS,
    accept: Terms = ACCEPT_NONE,
) -> Path:
    """Return the path of a channel that the user names by port and id on a: open or closed, of any order.

    Raises:
        WrongCounterparty: there is no such channel, it is not open, or does not lead to `b`.
        ClientUnusable: a client is frozen or expired.
        DifferentTerms: the path differs from the policy.
        EndpointUnavailable, MalformedAnswer: a chain does not answer, or its answer is malformed.
    """
    end = channel_end(a, port, channel_id)
    if end is None:
        raise WrongCounterparty(a.chain_id, channel_id, f"no such channel on port {port}")
    connection = connection_end(a, end.connection_id)
    if connection is None:
        raise WrongCounterparty(a.chain_id, end.connection_id, "no such connection")
    audit = Audit(a, b, drivers, accept, is_chosen=True)
    return channel_candidate(audit, (port, channel_id), end, connection).require_usable()


def find_client_path(
    a: ChainEndpoint,
    b: ChainEndpoint,
    client_id: str = "",
    *,
    drivers: Drivers = DRIVERS,
    accept: Terms = ACCEPT_NONE,
) -> ClientPath:
    """Return the pair of a client named by its id on a; "": the only pair that meets the policy (IBC v2).

    Raises:
        WrongCounterparty: the named client has no counterparty, or they do not track these chains.
        ClientUnusable: a client is frozen or expired.
        DifferentTerms: the clients differ from the policy.
        NoPath, AmbiguousPath: no pair is usable, or several are.
        NodeBehind: a third party's pair is usable, and a's node hides or lacks a pair of the relayer.
        EndpointUnavailable, MalformedAnswer: a chain does not answer, or its answer is malformed.
    """
    audit = Audit(a, b, drivers, accept, is_chosen=bool(client_id))
    if not client_id:
        found = single(
            pair_candidates(audit, drivers), f"pair of clients between {a.chain_id} and {b.chain_id}"
        )
        if not audit.are_ours((found.a.client_id, found.b.client_id)):
            # guard: h234-a-pair-that-is-not-there drop
            #   test_h234_a_node_that_hides_our_pair_does_not_make_a_stranger_s_the_only_one
            require_no_hidden_pair(audit, drivers)
        return found
    registered = counterparty_of(a, client_id)
    if registered is None:
        raise WrongCounterparty(a.chain_id, client_id, "no counterparty is registered")
    return pair_candidate(audit, client_id, registered).require_usable()


def discover(
    a: ChainEndpoint,
    b: ChainEndpoint,
    *,
    port: str = "*",
    channel: str = "*",
    drivers: Drivers = DRIVERS,
    accept: Terms = ACCEPT_NONE,
) -> list[Candidate[Path] | Candidate[ClientPath]]:
    """Return all channels and pairs of clients between two chains, with their states and findings.

    Args:
        a: one chain.
        b: the other chain.
        port: pattern (`*`, `?`, `[...]`) of ports on a.
        channel: pattern of channel ids on a; of client ids for pairs.
        drivers: the supported client types.
        accept: terms that may differ from the policy.

    Raises:
        EndpointUnavailable, MalformedAnswer: a chain does not answer, or its answer is malformed.
        IbcError: a chain does not list its channels.
    """
    audit = Audit(a, b, drivers, accept, is_chosen=False)
    names = (
        each
        for each in all_channels(a)
        if fnmatchcase(each.port_id, port) and fnmatchcase(each.channel_id, channel)
    )
    pairs = (each for each in pair_candidates(audit, drivers) if fnmatchcase(each.name, channel))
    return [*channel_candidates(audit, names), *pairs]


def single(candidates: Iterable[Candidate[_P]], what: str) -> _P:
    """Return the path of the only usable candidate.

    Raises:
        NoPath, AmbiguousPath: there is none, or several.
    """
    found = list(candidates)
    fitting = [each for each in found if each.is_usable]
    if not fitting:
        raise NoPath(what, tuple(each.text for each in found[:SHOWN]), max(0, len(found) - SHOWN))
    return only_one(fitting, what).path


def only_one(fitting: Sequence[Candidate[_P]], what: str) -> Candidate[_P]:
    """Return the only one of at least one candidate.

    Raises:
        AmbiguousPath: there are several.
    """
    # guard: h131-the-first-of-several-paths-is-taken drop
    #   test_h131_a_stranger_s_newer_channel_over_our_connection_is_not_chosen
    if len(fitting) > 1:
        raise AmbiguousPath(what, tuple(each.name for each in fitting))
    return fitting[0]


def closed(candidate: Candidate[Path]) -> Candidate[Path]:
    """Return the candidate with a fault: closed channels are used only if the user names them."""
    fault = WrongCounterparty(candidate.path.a.chain_id, candidate.name, "is closed")
    return replace(candidate, faults=(*candidate.faults, fault))


# -- path of an existing channel, given by its identifier on one chain


def known_path(
    a: ChainEndpoint,
    b: ChainEndpoint,
    port: str,
    channel_id: str,
    drivers: Drivers = DRIVERS,
    *,
    accept: Terms = ACCEPT_NONE,
) -> Path:
    """Return the path of a channel that exists on `a`; complete its handshake if it is unfinished.

    Applications may open channels themselves and negotiate versions of their own (as in ICS-27): such a
    channel can be found only by its identifier. Arguments as `discovery.find_channel`.

    Raises:
        WrongCounterparty: there is no such channel, or its connection or clients do not lead to `b`.
        ClientUnusable: a client is frozen or expired.
        DifferentTerms: connection or clients differ from the policy.
        HandshakeStuck: the handshake cannot continue.
        TransactionFailed: a chain refuses a step.
    """
    end = channel_end(a, port, channel_id)
    if end is None:
        raise WrongCounterparty(a.chain_id, channel_id, f"no such channel on port {port}")
    connections, clients = over_connection(Audit(a, b, drivers, accept, is_chosen=True), end.connection_id)
    ports = port, end.counterparty.port_id
    params = ChannelParams(ports, connections, end.ordering, end.version)
    far_id = end.counterparty.channel_id or _counterparty_of(b, params, channel_id)
    ends = end, channel_end(b, ports[1], far_id)
    # With a closed end, packets may be pending, but there is no handshake to complete.
    if all(each is None or each.state != ChannelState.CLOSED for each in ends):
        _, far_id = finish_channel(clients, params, (channel_id, far_id))
    current = channel_end(a, port, channel_id) or end
    return Path(
        PathEnd(a.chain_id, clients[0].client_id, connections[0], port, channel_id),
        PathEnd(b.chain_id, clients[1].client_id, connections[1], ports[1], far_id),
        end.ordering,
        current.version,
    )


def over_connection(audit: Audit, connection_id: str) -> tuple[tuple[str, str], Clients]:
    """Return the connection ids on a and b, and their clients, after an audit."""
    end, on_a = audit.connection(0, connection_id)
    far_id = end.counterparty.connection_id if end is not None else ""
    far, on_b = audit.connection(1, far_id) if far_id else (None, AuditResult())
    (on_a + on_b).raise_if_any(connection_id)
    if end is None or far is None:
        raise WrongCounterparty(audit.chains[0].chain_id, connection_id, "is not open")
    if (far.client_id, far.counterparty.connection_id) != (end.counterparty.client_id, connection_id):
        reason = f"leads to {far.counterparty.connection_id} over {far.client_id}"
        raise WrongCounterparty(audit.chains[1].chain_id, far_id, reason)
    return (connection_id, far_id), (
        audit.foreign_client(0, end.client_id),
        audit.foreign_client(1, far.client_id),
    )


def _counterparty_of(chain: ChainEndpoint, params: ChannelParams, far_id: str) -> str:
    """Return the newest channel end here whose counterparty is `far_id`; "" if there is none yet."""
    for name, end in channel_ends_on(chain, params.ports[1]):
        theirs = end.counterparty.port_id, end.counterparty.channel_id
        if theirs == (params.ports[0], far_id) and end.connection_hops == (params.connections[1],):
            return name
    return ""
