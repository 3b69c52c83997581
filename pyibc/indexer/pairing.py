"""Pairing of channel ends by their packets, to find the counterparty chain of a channel.

Events of a receiving chain contain both channel ids, but not the counterparty chain, and several pairs of
chains may use the same pair of channel ids. Packets identify the counterparty: the same sequence has the same
timeouts and the same data on both chains. Two ends are paired if they agree on at least one packet and differ
on at most one in `TOLERATED`, which allows for damaged records. Among several candidates, the chain with the
most agreeing packets is chosen; among equals, the one whose opposite direction is already paired with the
receiver. Otherwise the ends stay unpaired: rows are never joined by guess.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

TOLERATED = 10  # compared packets per tolerated difference

_Packets = dict[int, tuple[object, int | None]]  # sequence -> timeouts, data (None: not known)
_End = tuple[int, int]  # path, receiving chain


class PacketSample(NamedTuple):
    """Packet event for pairing. Paths and chains are numbered."""

    path: int  # number of the ports and channels
    receiving: bool  # the event is of the receiving chain
    chain: int
    sequence: int
    timeouts: object  # only compared for equality
    data: int | None


class Pairing(NamedTuple):
    """Result of the pairing: sending chain by (path, receiving chain), unpaired ends, differences."""

    senders: dict[_End, int]
    undecided: set[_End]  # ends that could not be paired
    differing: dict[_End, tuple[int, int]]  # paired ends: differing packets, compared packets
    agreeing: dict[_End, set[int]]  # all chains whose packets agree with those of an end


def pair(samples: Iterable[PacketSample], back: Mapping[int, int]) -> Pairing:
    """Pair the ends of channels; `back` maps a path to that of the opposite direction.

    A sequence is in `samples` once for each end.
    """
    sides: dict[bool, dict[int, dict[int, _Packets]]] = {
        side: defaultdict(lambda: defaultdict(dict)) for side in (False, True)
    }
    for one in samples:
        sides[one.receiving][one.path][one.chain][one.sequence] = (one.timeouts, one.data)
    compared = {
        (path, receiver): _compared(packets, sides[False][path])
        for path, receivers in sides[True].items()
        for receiver, packets in receivers.items()
    }
    scores = {
        end: {sender: agreeing for sender, (agreeing, _) in found.items()} for end, found in compared.items()
    }
    paired = decide(scores, back)
    paired.agreeing.update((end, set(found)) for end, found in scores.items())
    for end, sender in paired.senders.items():
        agreeing, all_of = compared[end][sender]
        if agreeing < all_of:
            paired.differing[end] = (all_of - agreeing, all_of)
    return paired


def _compared(received: _Packets, senders: Mapping[int, _Packets]) -> dict[int, tuple[int, int]]:
    """Count the agreeing and the compared packets by sender; omit senders with too many differences."""
    found = dict[int, tuple[int, int]]()
    for sender, sent in senders.items():
        verdicts = [_agree(sent[sequence], received[sequence]) for sequence in sent.keys() & received.keys()]
        agreeing = sum(verdicts)
        if agreeing and (len(verdicts) - agreeing) * TOLERATED <= len(verdicts):
            found[sender] = (agreeing, len(verdicts))
    return found


def _agree(one: tuple[object, int | None], other: tuple[object, int | None]) -> bool:
    return one[0] == other[0] and (one[1] == other[1] or None in {one[1], other[1]})


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
    return Pairing(senders, scores.keys() - senders.keys(), {}, {})


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
