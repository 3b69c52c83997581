"""Pairing of channel ends by their packets, to find the counterparty chain of a channel.

Events of a receiving chain contain both channel ids, but not the counterparty chain, and several pairs of
chains may use the same pair of channel ids. Packets identify the counterparty: the same sequence has the same
timeouts and the same data on both chains. Two ends are paired if they agree on at least one packet and differ
on at most one in `TOLERATED`, which allows for damaged records. Among several candidates, the chain with the
most agreeing packets is chosen; among equals, the one whose opposite direction is already paired with the
receiver. Otherwise the ends stay unpaired: rows are never joined by guess.
"""

from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple

TOLERATED = 10  # compared packets per tolerated difference

_End = tuple[int, int]  # path, receiving chain


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
