"""Chains that were restarted from genesis under their id, in blocks that do not name their incarnation.

The blocks of such chains are told apart by their times: two records of a height with different block times
are of two chains. Files that agree at most of their common heights are of one chain, whatever a few damaged
records say; files that contradict each other at nearly all of them are not. Files without common heights are
of different chains if the lower heights have the later times.

Times are compared in whole seconds, as some recordings tell no more digits. Two chains do not have the same
second at a height by chance. Records without a time decide nothing.
"""

from bisect import bisect_right, insort_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from heapq import heappop, heappush
from typing import NamedTuple

Pair = tuple[int, int]

_NEARLY_ALL = 10  # common heights of which one may agree although the chains are different
_CLUSTERS = 64  # incarnations of a chain id to which a file is compared
SECOND_NS = 10**9
VARIANTS = 8  # block times of one height that are compared with each other
BY_TIMES = "t"
"""First character of incarnations that no block names."""


class Piece(NamedTuple):
    """Blocks of one chain id in one file."""

    file: int  # pieces of one file are of one chain
    incarnation: str  # "": not known
    first: int  # lowest and highest height of blocks with times, if there are such blocks
    last: int
    first_ns: int | None  # earliest and latest block time
    last_ns: int | None


class Known(NamedTuple):
    """Chain whose incarnation was decided earlier, and stays."""

    name: str  # its incarnation; "": the plain one
    told: frozenset[str]  # incarnations that its blocks name
    first: int  # lowest and highest height of blocks with times, if there are such blocks
    last: int
    first_ns: int | None  # earliest and latest block time
    last_ns: int | None

    def excludes(self, piece: Piece) -> bool:
        """Return whether a piece is of another chain, as lower heights would have later times."""
        if None in {self.first_ns, self.last_ns, piece.first_ns, piece.last_ns}:
            return False
        if self.first <= piece.last and (self.first_ns or 0) > (piece.last_ns or 0):
            return True
        return self.last >= piece.first and (self.last_ns or 0) < (piece.first_ns or 0)


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
        time_ns -= time_ns % SECOND_NS
        variants = self._times[height]
        for time, first in variants.items():
            if first != piece:
                (self._agreeing if time == time_ns else self._differing)[first, piece] += 1
        if len(variants) < VARIANTS:
            variants.setdefault(time_ns, piece)

    def count(self, pair: Pair, agreeing: int, differing: int) -> None:
        """Add numbers of common heights of a pair of pieces, with equal and with different times."""
        if agreeing:
            self._agreeing[pair] += agreeing
        if differing:
            self._differing[pair] += differing

    @property
    def differs(self) -> bool:
        """True if a height has different times."""
        return bool(self._differing)

    def agreeing(self) -> Iterator[Pair]:
        """Yield the pairs of pieces that are of one chain, those with most heights first."""
        contradicting = set(self.contradicting())
        pairs = sorted(self._agreeing.items(), key=lambda item: (-item[1], item[0]))
        yield from (pair for pair, _ in pairs if pair not in contradicting)

    def contradicting(self) -> Iterator[Pair]:
        """Yield the pairs of pieces that are of two chains."""
        for pair, differing in self._differing.items():
            # guard: a-few-damaged-records-are-another-chain {_NEARLY_ALL => 0}
            #   test_a_few_heights_that_differ_are_no_other_chain
            if self._agreeing.get(pair, 0) * _NEARLY_ALL <= differing + self._agreeing.get(pair, 0):
                yield pair


class _Cluster:
    """Pieces of one chain, which are added in the order of time."""

    def __init__(self, begun_ns: int, known: Known | None = None, place: int = -1) -> None:
        self.begun_ns = begun_ns
        self.known = known
        self.places = {place} if known else set[int]()
        self._told = set(known.told) if known else set[str]()
        self._open: list[tuple[int, int]] = []  # last times and heights, a heap
        self._ended = 0  # highest height of the pieces that ended before those that are added now

    def add(self, places: Iterable[int], pieces: Mapping[int, Piece]) -> None:
        """Add pieces."""
        self.places.update(places)
        for piece in (pieces[place] for place in places):
            self._told |= {piece.incarnation} - {""}
            if piece.last_ns is not None:
                heappush(self._open, (piece.last_ns, piece.last))

    def admits(self, pieces: Sequence[Piece], against: Collection[int]) -> bool:
        """Return whether pieces may be of this chain; `against` are the pieces that contradict them."""
        told = {piece.incarnation for piece in pieces} - {""}
        if not self.places.isdisjoint(against) or (told and self._told and told.isdisjoint(self._told)):
            return False
        if self.known is not None and any(map(self.known.excludes, pieces)):
            return False
        since = min((piece.first_ns for piece in pieces if piece.first_ns is not None), default=None)
        while since is not None and self._open and self._open[0][0] < since:
            self._ended = max(self._ended, heappop(self._open)[1])
        return since is None or all(piece.first > self._ended for piece in pieces)


class _Clusters:
    """Chains in the order of time."""

    def __init__(self, known: Mapping[int, Known]) -> None:
        found = (_Cluster(one.first_ns or 0, one, place) for place, one in known.items())
        self.every = sorted(found, key=_begun)
        self._of_told = defaultdict[str, list[_Cluster]](list)
        for cluster in self.every:
            for told in cluster.known.told if cluster.known else ():
                self._of_told[told].append(cluster)

    def near(self, pieces: Sequence[Piece], since_ns: int) -> Iterator[_Cluster]:
        """Yield the chains that pieces may be of: those that they name, the latest before, the next ones."""
        for told in sorted({piece.incarnation for piece in pieces} - {""}):
            yield from self._of_told[told][-_CLUSTERS:]
        place = bisect_right(self.every, since_ns, key=_begun)
        yield from reversed(self.every[max(0, place - _CLUSTERS) : place])
        yield from self.every[place : place + _CLUSTERS]

    def new(self, since_ns: int) -> _Cluster:
        """Return a chain that is added."""
        cluster = _Cluster(since_ns)
        insort_right(self.every, cluster, key=_begun)
        return cluster

    def add(self, cluster: _Cluster, group: Sequence[int], pieces: Mapping[int, Piece]) -> None:
        """Add pieces to a chain."""
        cluster.add(group, pieces)
        for told in {pieces[place].incarnation for place in group} - {""}:
            if cluster not in self._of_told[told][-_CLUSTERS:]:
                self._of_told[told].append(cluster)


def _begun(cluster: _Cluster) -> int:
    return cluster.begun_ns


def joined_incarnations(
    chain_id: str,
    known: Mapping[int, Known],
    pieces: Mapping[int, Piece],
    compared: Comparison,
    continuing: Iterable[Pair] = (),
) -> dict[int, str]:
    """Return the incarnation of each piece, beside chains of the id that are known.

    Known chains keep theirs. If there are none, the chain with the earliest times is the plain one ("",
    unless its blocks name an incarnation). Other chains whose blocks name none get a digest of their first
    block, which begins with `BY_TIMES`.

    Args:
        chain_id: chain id of the pieces.
        known: chains by number, which is negative.
        pieces: all pieces by number, those that take precedence first.
        compared: comparison of the pieces with each other and with the chains.
        continuing: known chain and piece, for each file that goes on with blocks of the chain.
    """
    found, used = dict[int, str](), {one.name for one in known.values()}
    for number, cluster in enumerate(_clusters(known, pieces, continuing, compared)):
        some = [pieces[place] for place in cluster.places if place >= 0]
        if cluster.known is not None:
            name = cluster.known.name
        else:
            plain = not known and not number
            name = _told_name(some, used) or ("" if plain else _digest(chain_id, some, used))
        used.add(name)
        found |= dict.fromkeys((place for place in cluster.places if place >= 0), name)
    return found


def _against(compared: Comparison) -> Mapping[int, set[int]]:
    """Return the pieces that contradict each piece."""
    against = defaultdict[int, set[int]](set)
    for one, other in compared.contradicting():
        against[one].add(other)
        against[other].add(one)
    return against


def _clusters(
    known: Mapping[int, Known],
    pieces: Mapping[int, Piece],
    continuing: Iterable[Pair],
    compared: Comparison,
) -> list[_Cluster]:
    """Return the chains, in the order of time."""
    against = _against(compared)
    clusters = _Clusters(known)
    of_known = {place: one for one in clusters.every for place in one.places}
    for anchor, group in _groups(known, pieces, _going_on(known, pieces, continuing, against), compared):
        some = [pieces[place] for place in group]
        others = set().union(*(against.get(place, ()) for place in group))
        since = min(piece.first_ns or 0 for piece in some)
        cluster = of_known.get(anchor)
        if cluster is None:
            near = clusters.near(some, since)
            cluster = next((one for one in near if one.admits(some, others)), None)
        clusters.add(cluster or clusters.new(since), group, pieces)
    return clusters.every


def _going_on(
    known: Mapping[int, Known],
    pieces: Mapping[int, Piece],
    continuing: Iterable[Pair],
    against: Mapping[int, set[int]],
) -> Iterator[Pair]:
    """Yield the pairs of a known chain and a piece that goes on with it, without restarts within a file."""
    for chain, piece in continuing:
        if piece not in against.get(chain, ()) and not known[chain].excludes(pieces[piece]):
            yield chain, piece


def _groups(
    known: Iterable[int], pieces: Mapping[int, Piece], continuing: Iterable[Pair], compared: Comparison
) -> list[tuple[int, list[int]]]:
    """Return the pieces that are connected by agreement, in the order of time and precedence.

    Each group comes with the known chain that it belongs to, or 0. None belongs to two.
    """
    group = {place: [place] for place in (*known, *pieces)}
    alike = (*_of_one_name(pieces, compared), *_of_one_file(pieces), *compared.agreeing())
    for one, other in (*continuing, *alike):
        first, second = group[one], group[other]
        if first is second or (first[0] < 0 and second[0] < 0):
            continue
        if len(first) < len(second):
            first, second = second, first
        size = len(first)
        first.extend(second)
        if second[0] < 0:  # a known chain comes first
            first[0], first[size] = first[size], first[0]
        for place in second:
            group[place] = first
    listed = {id(some): some for some in group.values()}.values()
    split = [(min(0, some[0]), sorted(place for place in some if place >= 0)) for some in listed]
    return sorted(
        ((anchor, some) for anchor, some in split if some),
        key=lambda item: (min(pieces[place].first_ns or 0 for place in item[1]), item[1][0]),
    )


def _of_one_name(pieces: Mapping[int, Piece], compared: Comparison) -> Iterator[Pair]:
    """Yield pairs of pieces that name one incarnation, if none of it contradict each other.

    Two starts from one genesis have the same first block, and so the same name.
    """
    of_name = defaultdict[str, list[int]](list)
    for place, piece in pieces.items():
        if piece.incarnation:
            of_name[piece.incarnation].append(place)
    several = {
        pieces[one].incarnation
        for one, other in compared.contradicting()
        if one in pieces and other in pieces and pieces[one].incarnation == pieces[other].incarnation
    }
    for name, places in of_name.items():
        if name not in several:
            yield from ((places[0], place) for place in places)


def _of_one_file(pieces: Mapping[int, Piece]) -> Iterator[Pair]:
    """Yield pairs of pieces of one file that do not name different incarnations."""
    first = dict[tuple[int, str], int]()
    for place, piece in pieces.items():
        yield first.setdefault((piece.file, piece.incarnation), place), place
    told = defaultdict[int, list[int]](list)
    for (file, _), place in first.items():
        told[file].append(place)
    # Blocks that name none are of the first of several that are named.
    for file, places in told.items():
        plain = first.get((file, ""))
        others = [place for place in places if place != plain]
        if plain is not None and others:
            yield plain, others[0]


def _told_name(pieces: Sequence[Piece], used: Collection[str]) -> str:
    """Return an incarnation that pieces of a chain name; "" if there is none that is not used."""
    return min({piece.incarnation for piece in pieces} - {"", *used}, default="")


def _digest(chain_id: str, pieces: Sequence[Piece], used: Collection[str]) -> str:
    """Return `BY_TIMES` and a digest of a chain's first known block."""
    first = min(piece.first for piece in pieces)
    time_ns = min((piece.first_ns for piece in pieces if piece.first_ns is not None), default=None)
    content = f"{chain_id} {first} {time_ns} {{}}"
    digests = (
        BY_TIMES + blake2b(content.format(number).encode(), digest_size=8).hexdigest()[:15]
        for number in range(len(used) + 1)
    )
    return next(digest for digest in digests if digest not in used)
