"""Which chain is at the other end of a channel.

A receiving chain's events name the channel at both ends, not the chain at the other one, and two pairs of
chains may well use the same pair of channel names. What ties the ends together is the packets: same
sequence, same timeouts, same data. Two ends are one channel if they agree on at least one packet and differ
on one in `TOLERATED` at most, which a damaged record may do and another channel does not; of several such
chains the one that agrees most often; of equals the one with which the channel back is decided already. Where
that settles nothing the ends stay apart: no row is joined by guess.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

TOLERATED = 10  # packets of which one may differ

_Packets = dict[int, tuple[object, int | None]]  # sequence -> timeouts, data (None: not known)
_End = tuple[int, int]  # path, receiving chain


class Seen(NamedTuple):
    """A packet event, as far as pairing looks at it. Numbers stand for names."""

    path: int  # both ports and channels
    receiving: bool  # seen on the receiving chain
    chain: int
    sequence: int
    timeouts: object  # compared alone
    data: int | None


class Pairing(NamedTuple):
    """The sending chain by (path, receiving chain), and what is odd about the others."""

    senders: dict[_End, int]
    undecided: set[_End]  # ends that could not be paired
    differing: dict[_End, tuple[int, int]]  # paired ends: how many of how many compared packets differ


def pair(seen: Iterable[Seen], back: Mapping[int, int]) -> Pairing:
    """Pairs the ends of channels; `back` gives the path of the opposite direction."""
    sides: dict[bool, dict[int, dict[int, _Packets]]] = {
        side: defaultdict(lambda: defaultdict(dict)) for side in (False, True)
    }
    for one in seen:
        packets = sides[one.receiving][one.path][one.chain]
        known = packets.get(one.sequence)
        data = one.data if known is None or one.data is not None else known[1]
        packets[one.sequence] = (one.timeouts, data)
    compared = {
        (path, receiver): _compared(packets, sides[False][path])
        for path, receivers in sides[True].items()
        for receiver, packets in receivers.items()
    }
    scores = {
        end: {sender: agreeing for sender, (agreeing, _) in found.items()} for end, found in compared.items()
    }
    paired = _decide(scores, back)
    for end, sender in paired.senders.items():
        agreeing, all_of = compared[end][sender]
        if agreeing < all_of:
            paired.differing[end] = (all_of - agreeing, all_of)
    return paired


def _compared(received: _Packets, senders: Mapping[int, _Packets]) -> dict[int, tuple[int, int]]:
    """How many of each sender's packets agree with those received, and of how many.

    Senders that differ too often are left out.
    """
    found = dict[int, tuple[int, int]]()
    for sender, sent in senders.items():
        verdicts = [_agree(sent[sequence], received[sequence]) for sequence in sent.keys() & received.keys()]
        agreeing = sum(verdicts)
        if agreeing and (len(verdicts) - agreeing) * TOLERATED <= len(verdicts):
            found[sender] = (agreeing, len(verdicts))
    return found


def _agree(one: tuple[object, int | None], other: tuple[object, int | None]) -> bool:
    return one[0] == other[0] and (one[1] == other[1] or None in {one[1], other[1]})


def _decide(scores: dict[_End, dict[int, int]], back: Mapping[int, int]) -> Pairing:
    senders = dict[_End, int]()
    for decide in (_alone, _best):
        for end, found in scores.items():
            choice = decide(end, found, senders, back) if end not in senders else None
            if choice is not None:
                senders[end] = choice
    for end in _claimed_twice(senders, scores):
        del senders[end]
    return Pairing(senders, scores.keys() - senders.keys(), {})


def _alone(
    end: _End, found: dict[int, int], _senders: dict[_End, int], _back: Mapping[int, int]
) -> int | None:
    """The one chain that agrees most often, another than the receiver before the receiver itself."""
    others = {sender: score for sender, score in found.items() if sender != end[1]} or found
    top = [sender for sender, score in others.items() if score == max(others.values())]
    return top[0] if len(top) == 1 else None


def _best(end: _End, found: dict[int, int], senders: dict[_End, int], back: Mapping[int, int]) -> int | None:
    """The one chain whose channel back leads to the receiver."""
    path, receiver = end
    known = [s for s in found if path in back and senders.get((back[path], s)) == receiver]
    return known[0] if len(known) == 1 else None


def _claimed_twice(senders: dict[_End, int], scores: dict[_End, dict[int, int]]) -> set[_End]:
    """Ends that lose their sender: a channel has one other end, that with the higher score."""
    claims: dict[tuple[int, int], list[_End]] = defaultdict(list)
    for end, sender in senders.items():
        claims[end[0], sender].append(end)
    lost = set[_End]()
    for (_, sender), ends in claims.items():
        best = max(scores[end][sender] for end in ends)
        winners = [end for end in ends if scores[end][sender] == best]
        lost.update(end for end in ends if len(winners) > 1 or end not in winners)
    return lost
