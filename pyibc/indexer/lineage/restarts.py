"""Chains that were restarted from genesis under their id, in blocks that do not name their incarnation.

The blocks of such chains are told apart by their times: two records of a height with different block times
are of two chains. Files that agree at most of their common heights are of one chain, whatever a few damaged
records say; files that contradict each other at nearly all of them are not. Files without common heights are
of different chains if the lower heights have the later times.

A block time has nanoseconds, so two chains do not have the same one at a height by chance. Records without a
time decide nothing.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from hashlib import blake2b
from heapq import heappop, heappush
from typing import NamedTuple

Pair = tuple[int, int]

_NEARLY_ALL = 10  # common heights of which one may agree although the chains are different
_CLUSTERS = 64  # incarnations of a chain id to which a file is compared
_VARIANTS = 8  # block times of one height that are compared with each other


class Piece(NamedTuple):
    """Blocks of one chain id in one file."""

    file: int  # pieces of one file are of one chain
    incarnation: str  # "": not known
    first: int  # lowest and highest height
    last: int
    first_ns: int | None  # earliest and latest block time
    last_ns: int | None


class Comparison:
    """Comparison of pieces at their common heights."""

    def __init__(self) -> None:
        self._times = defaultdict[int, dict[int, int]](dict)  # first piece by height and time
        self._agreeing = defaultdict[Pair, int](int)
        self._differing = defaultdict[Pair, int](int)

    def add(self, piece: int, height: int, time_ns: int | None) -> None:
        """Add a block of a piece (by its index)."""
        if time_ns is None:
            return
        variants = self._times[height]
        for time, first in variants.items():
            if first != piece:
                (self._agreeing if time == time_ns else self._differing)[first, piece] += 1
        if len(variants) < _VARIANTS:
            variants.setdefault(time_ns, piece)

    def agreeing(self) -> Iterator[Pair]:
        """Yield the pairs of pieces that are of one chain."""
        contradicting = set(self.contradicting())
        yield from (pair for pair in self._agreeing if pair not in contradicting)

    def contradicting(self) -> Iterator[Pair]:
        """Yield the pairs of pieces that are of two chains."""
        for pair, differing in self._differing.items():
            # guard: a-few-damaged-records-are-another-chain {_NEARLY_ALL => 0}
            #   test_a_few_heights_that_differ_are_no_other_chain
            if self._agreeing.get(pair, 0) * _NEARLY_ALL <= differing + self._agreeing.get(pair, 0):
                yield pair


class _Cluster:
    """Pieces of one chain, which are added in the order of time."""

    def __init__(self) -> None:
        self.places = set[int]()
        self._told = set[str]()
        self._open: list[tuple[int, int]] = []  # last times and first heights, a heap
        self._begun = 0  # highest first height of the pieces that ended before those that are added now

    def add(self, places: Iterable[int], pieces: Sequence[Piece]) -> None:
        """Add pieces."""
        self.places.update(places)
        for piece in (pieces[place] for place in places):
            self._told |= {piece.incarnation} - {""}
            if piece.last_ns is not None:
                heappush(self._open, (piece.last_ns, piece.first))

    def admits(self, pieces: Sequence[Piece], against: Collection[int]) -> bool:
        """Return whether pieces may be of this chain; `against` are the pieces that contradict them."""
        told = {piece.incarnation for piece in pieces} - {""}
        if not self.places.isdisjoint(against) or (told and self._told and told != self._told):
            return False
        since = min((piece.first_ns for piece in pieces if piece.first_ns is not None), default=None)
        while since is not None and self._open and self._open[0][0] < since:
            self._begun = max(self._begun, heappop(self._open)[1])
        return since is None or all(piece.last >= self._begun for piece in pieces)


def incarnations_of(chain_id: str, pieces: Sequence[Piece], compared: Comparison) -> list[str]:
    """Return the incarnation of each piece; that which it has if all are of one chain.

    Args:
        chain_id: chain id of the pieces.
        pieces: all pieces, those that take precedence first.
        compared: their comparison.
    """
    against = defaultdict[int, set[int]](set)
    for one, other in compared.contradicting():
        against[one].add(other)
        against[other].add(one)
    if not against and not _is_inverted(pieces):
        return [piece.incarnation for piece in pieces]
    clusters = list[_Cluster]()
    for group in _groups(pieces, compared.agreeing()):
        some, others = [pieces[place] for place in group], set().union(*(against[place] for place in group))
        latest = reversed(clusters[-_CLUSTERS:])
        cluster = next((one for one in latest if one.admits(some, others)), None)
        if cluster is None:
            clusters.append(cluster := _Cluster())
        cluster.add(group, pieces)
    return _named(chain_id, pieces, clusters)


def _named(chain_id: str, pieces: Sequence[Piece], clusters: Sequence[_Cluster]) -> list[str]:
    found, used = [piece.incarnation for piece in pieces], set[str]()
    if len(clusters) > 1:
        for cluster in clusters:
            name = _name(chain_id, [pieces[place] for place in cluster.places], used)
            used.add(name)
            for place in cluster.places:
                found[place] = name
    return found


def _is_inverted(pieces: Iterable[Piece]) -> bool:
    """Return whether a piece with lower heights than another one has later times."""
    timed = [piece for piece in pieces if piece.first_ns is not None]
    below, latest, place = sorted(timed, key=lambda piece: piece.last), 0, 0
    for piece in sorted(timed, key=lambda piece: piece.first):
        while below[place].last < piece.first:
            latest = max(latest, below[place].first_ns or 0)
            place += 1
        if latest > (piece.last_ns or 0):
            return True
    return False


def _groups(pieces: Sequence[Piece], agreeing: Iterable[Pair]) -> list[list[int]]:
    """Return the pieces that are connected by agreement, in the order of time and precedence."""
    group = {place: [place] for place in range(len(pieces))}
    of_file = dict[int, int]()
    same = ((of_file.setdefault(piece.file, place), place) for place, piece in enumerate(pieces))
    for one, other in (*same, *agreeing):
        if group[one] is not group[other]:
            group[one].extend(group[other])
            for place in group[other]:
                group[place] = group[one]
    found = list({id(some): sorted(some) for some in group.values()}.values())
    return sorted(found, key=lambda some: (min(pieces[place].first_ns or 0 for place in some), some[0]))


def _name(chain_id: str, pieces: Sequence[Piece], used: Collection[str]) -> str:
    """Return the incarnation that pieces of a chain have, or a digest of its first known block."""
    told = sorted({piece.incarnation for piece in pieces} - {"", *used})
    if told:
        return told[0]
    first = min(piece.first for piece in pieces)
    time_ns = min((piece.first_ns for piece in pieces if piece.first_ns is not None), default=None)
    content = f"{chain_id} {first} {time_ns} {{}}"
    digests = (
        blake2b(content.format(number).encode(), digest_size=8).hexdigest() for number in range(len(used) + 1)
    )
    return next(digest for digest in digests if digest not in used)
