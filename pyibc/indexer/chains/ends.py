"""Ends of the paths of packets, each of one chain, and their pairing by packets.

Events of a receiving chain contain both channel ids, but not the counterparty chain, and several pairs of
chains may use the same pair of channel ids. Packets identify the counterparty: the same sequence has the same
timeouts and the same data on both chains. Two ends are paired if they agree on at least one packet and differ
on at most one in `TOLERATED`, which allows for damaged records. Among several candidates, the chain with the
most agreeing packets is chosen; among equals, the one whose opposite direction is already paired with the
receiver. Otherwise the ends stay unpaired: rows are never joined by guess.
"""

from collections import defaultdict
from collections.abc import Container, Iterable, Mapping
from typing import NamedTuple

from pyibc.indexer.chains.lineages import Placed
from pyibc.indexer.errors import Skipped
from pyibc.indexer.events.packet_facts import QUEUE, End, Path

TOLERATED = 10  # compared packets per tolerated difference

_End = tuple[int, int]  # path, receiving chain


class Ends(NamedTuple):
    """All path ends in the inputs."""

    # An end may have several numbers, one for each revision of its chain; and one more if only some of the
    # blocks contain the incarnation of the chain.
    by_number: dict[int, End]
    refused: list[Skipped]
    bases: dict[int, int]  # what the heights of an end's events are raised by, by number

    def over(self, paths: Container[Path]) -> "Ends":
        """Return the ends of some paths."""
        kept = {number: end for number, end in self.by_number.items() if path_of(end) in paths}
        return self._replace(by_number=kept)


class Pairs(NamedTuple):
    """Chains at both ends of the paths."""

    senders: dict[End, str]  # by receiving end
    receivers: dict[tuple[Path, str], str]  # by path and sending chain
    undecided: int  # receiving ends whose sender is unknown although their path has senders
    differing: list[Skipped]  # notes about paths with packets that differ between the two chains
    agreeing: dict[End, set[str]]  # all chains whose packets agree with those of a receiving end


def all_ends(told: Iterable[tuple[int, End]], chains: Mapping[str, Placed]) -> Ends:
    """Return the ends with the chains in the results.

    Ends with the same 64-bit hash, which takes an attacker about 2^32 attempts, are left out and reported.

    Args:
        told: ends with their numbers.
        chains: chains in the results by their names in `told`.
    """
    numbers, bases = dict[int, set[End]](), dict[int, int]()
    for number, end in told:
        name, bases[number] = chains[end.chain]
        numbers.setdefault(number, set()).add(end._replace(chain=name))
    refused = [
        Skipped("", f"ends with the same hash are left out: {', '.join(sorted(map(_shown, found)))}")
        for found in numbers.values()
        if len(found) > 1
    ]
    kept = {number: end for number, found in numbers.items() if len(found) == 1 for end in found}
    return Ends(kept, refused, bases)


def differing_note(end: End, some: int, compared: int) -> Skipped:
    """Describe a receiving end some of whose packets differ from those of its sender."""
    return Skipped("", f"{_shown(end)}: {some} of {compared} compared packets differ on both chains")


def _shown(end: End) -> str:
    return f"{end.chain} {'/'.join(str(part) for part in path_of(end))}"


def path_of(end: End) -> Path:
    """Return the path of an end."""
    return (end.protocol, end.src_port, end.src_channel, end.dst_port, end.dst_channel)


def named_chains(path: Path) -> tuple[str, str] | None:
    """Return the chains in the name of a queue path: the part of each end before the first slash."""
    protocol, _, source, _, destination = path
    if protocol != QUEUE:
        return None
    return ((source or "").partition("/")[0], (destination or "").partition("/")[0])


class Pairing(NamedTuple):
    """Result of the pairing."""

    senders: dict[_End, int]  # sending chain by end
    undecided: set[_End]  # ends that could not be paired


def decide(scores: dict[_End, dict[int, int]], back: Mapping[int, int]) -> Pairing:
    """Choose the sending chain of every end by the number of agreeing packets of each candidate."""
    choices = {end: _alone(end, found) for end, found in scores.items()}
    senders = {end: choice for end, choice in choices.items() if choice is not None}
    more = senders
    while more:  # each round sees only the rounds before it, so the order of ends does not matter
        left = {end: found for end, found in scores.items() if end not in senders}
        choices = {end: _best(end, found, senders, back) for end, found in left.items()}
        more = {end: choice for end, choice in choices.items() if choice is not None}
        senders |= more
    for end in _claimed_twice(senders, scores):
        del senders[end]
    return Pairing(senders, scores.keys() - senders.keys())


def _alone(end: _End, found: dict[int, int]) -> int | None:
    """Return the only chain with the highest score; the receiver itself is the last resort."""
    others = {sender: score for sender, score in found.items() if sender != end[1]} or found
    top = [sender for sender, score in others.items() if score == max(others.values())]
    return top[0] if len(top) == 1 else None


def _best(end: _End, found: dict[int, int], senders: dict[_End, int], back: Mapping[int, int]) -> int | None:
    """Return the only candidate whose opposite direction is paired with the receiver."""
    path, receiver = end
    known = [s for s in found if path in back and senders.get((back[path], s)) == receiver]
    return known[0] if len(known) == 1 else None


def _claimed_twice(senders: dict[_End, int], scores: dict[_End, dict[int, int]]) -> set[_End]:
    """Return the ends that lose their sender, because an end with a higher score has the same one."""
    claims: dict[tuple[int, int], list[_End]] = defaultdict(list)
    for end, sender in senders.items():
        claims[end[0], sender].append(end)
    lost = set[_End]()
    for (_, sender), ends in claims.items():
        best = max(scores[end][sender] for end in ends)
        winners = [end for end in ends if scores[end][sender] == best]
        lost.update(end for end in ends if len(winners) > 1 or end not in winners)
    return lost
