"""Finds what can be relayed over. Nothing is created here, and nothing chosen by a stranger.

Of several usable paths none is taken: the newest is whatever somebody made last, the oldest whatever somebody
made first, and the busiest whatever somebody filled. Tokens sent over one channel are not those sent over
another, so the user says which path it is. A single one is taken only if its terms are ours
(`ibc_relayer.terms`); a user who names a path accepts other terms one by one.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import TypeVar

from ibc_core.channel.types import Order
from ibc_relayer.candidates import (
    Candidate,
    channel_candidate,
    channel_candidates,
    of_kind,
    pair_candidate,
    pair_candidates,
    require_no_pair_of_ours,
)
from ibc_relayer.driver import Drivers, Terms
from ibc_relayer.endpoint import ChainEndpoint
from ibc_relayer.ends import channel_end, connection_end, counterparty_of
from ibc_relayer.errors import AmbiguousPath, NoPath, WrongCounterparty
from ibc_relayer.listings import all_channels, channels_on
from ibc_relayer.path import AnyPath, ClientPath, Path
from ibc_relayer.review import Review
from ibc_relayer.tendermint import DRIVERS
from ibc_relayer.terms import NOTHING

SHOWN = 20
"""Unusable candidates that an error lists: strangers may make any number."""

_P = TypeVar("_P", bound=AnyPath)


def find_path(
    a: ChainEndpoint,
    b: ChainEndpoint,
    port: str | tuple[str, str],
    order: Order,
    version: str,
    *,
    drivers: Drivers = DRIVERS,
    accept: Terms = NOTHING,
) -> Path:
    """The only open channel between two chains that has these parameters and our terms.

    Args:
        a: one chain.
        b: the other.
        port: port id on both chains, or (on a, on b).
        order: of the channel.
        version: of the application, e.g. `ics20-1`.
        drivers: the supported client types, and which we would create on a and b.
        accept: terms that may be other than ours (`ibc_relayer.terms`).

    Raises:
        NoPath: none will do; with all that were found, and why.
        AmbiguousPath: several will do.
        EndpointUnavailable, MalformedAnswer: a chain does not answer, or what it cannot mean.
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
    accept: Terms = NOTHING,
) -> Iterator[Candidate[Path]]:
    """The channels of a's port that claim to lead to b; what speaks against each. Arguments as `find_path`.

    Raises:
        EndpointUnavailable, MalformedAnswer: a chain does not answer, or what it cannot mean.
    """
    on_a, on_b = (port, port) if isinstance(port, str) else port
    review = Review(a, b, drivers, accept, is_chosen=False)
    for each in of_kind(channel_candidates(review, channels_on(a, on_a)), on_b, order, version):
        yield each if "CLOSED" not in each.states else closed(each)


def find_channel(
    a: ChainEndpoint,
    b: ChainEndpoint,
    port: str,
    channel_id: str,
    *,
    drivers: Drivers = DRIVERS,
    accept: Terms = NOTHING,
) -> Path:
    """The path of a channel that the user names by its port and id on a: open or closed, of any order.

    Raises:
        WrongCounterparty: there is no such channel, it is not open, or does not lead to `b`.
        ClientUnusable: a client is frozen or expired.
        DifferentTerms: it has other terms than ours.
        EndpointUnavailable, MalformedAnswer: a chain does not answer, or what it cannot mean.
    """
    end = channel_end(a, port, channel_id)
    if end is None:
        raise WrongCounterparty(a.chain_id, channel_id, f"no such channel on port {port}")
    connection = connection_end(a, end.connection_id)
    if connection is None:
        raise WrongCounterparty(a.chain_id, end.connection_id, "no such connection")
    review = Review(a, b, drivers, accept, is_chosen=True)
    return channel_candidate(review, (port, channel_id), end, connection).require_usable()


def find_client_path(
    a: ChainEndpoint,
    b: ChainEndpoint,
    client_id: str = "",
    *,
    drivers: Drivers = DRIVERS,
    accept: Terms = NOTHING,
) -> ClientPath:
    """The pair of a client that the user names by its id on a; "": the only pair with our terms (IBC v2).

    Raises:
        WrongCounterparty: the named client has no counterparty, or they do not track these chains.
        ClientUnusable: one of them is frozen or expired.
        DifferentTerms: they have other terms than ours.
        NoPath, AmbiguousPath: none will do, or several.
        NodeBehind: a stranger's would do, and a's node hides one of ours, or does not have it yet.
        EndpointUnavailable, MalformedAnswer: a chain does not answer, or what it cannot mean.
    """
    review = Review(a, b, drivers, accept, is_chosen=bool(client_id))
    if not client_id:
        found = single(
            pair_candidates(review, drivers), f"pair of clients between {a.chain_id} and {b.chain_id}"
        )
        if not review.are_ours((found.a.client_id, found.b.client_id)):
            # guard: h234-a-pair-that-is-not-there drop
            #   test_h234_a_node_that_hides_our_pair_does_not_make_a_stranger_s_the_only_one
            require_no_pair_of_ours(review, drivers)
        return found
    registered = counterparty_of(a, client_id)
    if registered is None:
        raise WrongCounterparty(a.chain_id, client_id, "no counterparty is registered")
    return pair_candidate(review, client_id, registered).require_usable()


def discover(
    a: ChainEndpoint,
    b: ChainEndpoint,
    *,
    port: str = "*",
    channel: str = "*",
    drivers: Drivers = DRIVERS,
    accept: Terms = NOTHING,
) -> list[Candidate[Path] | Candidate[ClientPath]]:
    """All channels and pairs of clients between two chains, with states and what speaks against them.

    Args:
        a: one chain.
        b: the other.
        port: pattern (`*`, `?`, `[...]`) of ports on a.
        channel: pattern of channel ids on a; of client ids for pairs.
        drivers: the supported client types.
        accept: terms that may be other than ours.

    Raises:
        EndpointUnavailable, MalformedAnswer: a chain does not answer, or what it cannot mean.
        IbcError: a chain does not list its channels.
    """
    review = Review(a, b, drivers, accept, is_chosen=False)
    names = (
        each
        for each in all_channels(a)
        if fnmatchcase(each.port_id, port) and fnmatchcase(each.channel_id, channel)
    )
    pairs = (each for each in pair_candidates(review, drivers) if fnmatchcase(each.name, channel))
    return [*channel_candidates(review, names), *pairs]


def single(candidates: Iterable[Candidate[_P]], what: str) -> _P:
    """The path of the only usable candidate.

    Raises:
        NoPath, AmbiguousPath: there is none, or several.
    """
    found = list(candidates)
    fitting = [each for each in found if each.is_usable]
    if not fitting:
        raise NoPath(what, tuple(each.text for each in found[:SHOWN]), max(0, len(found) - SHOWN))
    return only_one(fitting, what).path


def only_one(fitting: Sequence[Candidate[_P]], what: str) -> Candidate[_P]:
    """The only one of at least one.

    Raises:
        AmbiguousPath: there are several.
    """
    # guard: h131-the-first-of-several-paths-is-taken drop
    #   test_h131_a_stranger_s_newer_channel_over_our_connection_is_not_chosen
    if len(fitting) > 1:
        raise AmbiguousPath(what, tuple(each.name for each in fitting))
    return fitting[0]


def closed(candidate: Candidate[Path]) -> Candidate[Path]:
    """Nobody means a closed channel without naming it."""
    fault = WrongCounterparty(candidate.path.a.chain_id, candidate.name, "is closed")
    return replace(candidate, faults=(*candidate.faults, fault))
