"""Lineages: chains that continue each other with their IBC state, such as `osmo-1` and `osmo-2`.

A chain that is upgraded to a new revision keeps its channels, sequences and packets in flight; its heights
may restart or go on. Two chains are joined by evidence only: the same name with a newer revision and later
blocks is necessary, not sufficient, because unrelated networks have such ids, too. A group of chains with
contradicting evidence stays apart as a whole. The result does not depend on the order of the arguments.
"""

from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from pyibc.core.height import revision_of
from pyibc.core.numbers import MAX_I64
from pyibc.indexer.blocks.block import is_unknown

PACKETS, CLIENT, REGISTRY = "packets", "client", "registry"
"""Evidence that a chain continues another one: packets of the older chain that the newer one completes, or
one counterparty whose packets agree with both; a client that claims both, and verified packets of one of
them; the user's file."""
_STRONGEST = (REGISTRY, PACKETS, CLIENT)
_SHOWN = 10  # names in a note


class ChainSpan(NamedTuple):
    """Known blocks of a chain, which is one incarnation of a chain id."""

    name: str  # in the results, without regard to lineages
    chain_id: str
    incarnation: str  # "": not known
    first_height: int
    last_height: int
    first_ns: int | None  # earliest and latest block time
    last_ns: int | None
    working_ns: int | None = None  # earliest time of the blocks above its first one, if that one is too early

    @property
    def began_ns(self) -> int | None:
        """Time from which it made blocks; the time of its first one may be any, from the genesis file."""
        return self.first_ns if self.working_ns is None else self.working_ns

    @property
    def revision(self) -> int:
        """Revision number in the chain id."""
        return min(revision_of(self.chain_id), MAX_I64)


class Link(NamedTuple):
    """Evidence that two chains are of one lineage."""

    one: str  # names of chains
    other: str
    by: str  # PACKETS, CLIENT or REGISTRY


class Contradiction(NamedTuple):
    """Evidence that two chains are not of one lineage."""

    one: str
    other: str
    reason: str


class Member(NamedTuple):
    """Chain as part of a lineage."""

    span: ChainSpan
    lineage: str  # name of its last chain
    known_by: str  # evidence that it continues the chain before it; "": it is the first
    base: int  # what its heights are raised by, to be above those of the chains before it
    since: int = 0  # first height after the chain before it; 0: it is the first


class Placed(NamedTuple):
    """Chain in the results."""

    name: str  # of its lineage
    base: int = 0


class Lineages:
    """All chains of a run by lineage."""

    def __init__(self, members: Iterable[Member]) -> None:
        """`members` has the chains of each lineage in order."""
        self.members = list(members)
        self.notes: list[str] = []
        self._of = {one.span.name: one for one in self.members}
        self._lines = defaultdict[str, list[Member]](list)
        self._ids = defaultdict[str, set[str]](set)
        for one in self.members:
            self._ids[one.span.chain_id].add(one.lineage)
            self._lines[one.lineage].append(one)

    def placed(self, chain: str) -> Placed:
        """Return the lineage of a chain, and what its heights are raised by."""
        found = self._of.get(chain)
        return Placed(found.lineage, found.base) if found else Placed(chain)

    def named(self, chain: str) -> str:
        """Return the name of a chain's lineage; `chain` itself if it is in no lineage."""
        return self.placed(chain).name

    def current(self, chain_id: str) -> str:
        """Return the lineage of a chain that is known by its id only; the id if it is in several or none."""
        found = self._ids.get(chain_id, set())
        return next(iter(found)) if len(found) == 1 else chain_id

    def lines(self) -> Iterator[tuple[str, list[Member]]]:
        """Yield every lineage with its chains, the oldest first."""
        yield from self._lines.items()

    def origin(self, lineage: str) -> str:
        """Return the name of a lineage's first chain, which an upgrade does not change."""
        found = self._lines.get(lineage)
        return found[0].span.name if found else lineage

    def continued(self) -> dict[str, str]:
        """Return the lineages of the chains that other chains continue, by name."""
        return {name: one.lineage for name, one in self._of.items() if name != one.lineage}


def candidates(chains: Iterable[ChainSpan]) -> list[list[ChainSpan]]:
    """Return the groups of chains whose ids are revisions of one name, each ordered by age."""
    named = defaultdict[str, list[ChainSpan]](list)
    for chain in chains:
        if chain.revision and not is_unknown(chain.chain_id):
            named[base_name(chain.chain_id)].append(chain)
    groups = (sorted(found, key=_age) for _, found in sorted(named.items()))
    return [group for group in groups if group[0].revision < group[-1].revision]


def too_early(group: Iterable[ChainSpan]) -> Iterator[ChainSpan]:
    """Yield the chains of a group of `candidates` that have blocks no later than those of older ones."""
    ended = 0
    for chain in group:
        if ended and chain.first_ns is not None and chain.first_ns <= ended:
            yield chain
        ended = max(ended, chain.last_ns or 0)


def base_name(chain_id: str) -> str:
    """Return a chain id without its revision."""
    return chain_id.rpartition("-")[0] if revision_of(chain_id) else chain_id


def lineages_of(
    chains: Sequence[ChainSpan], links: Iterable[Link], contradictions: Iterable[Contradiction]
) -> Lineages:
    """Decide which chains continue each other.

    Args:
        chains: all chains.
        links: evidence that two of them are of one lineage.
        contradictions: evidence that two of them are not.
    """
    spans = {chain.name: chain for chain in chains}
    known = defaultdict[frozenset[str], set[str]](set)
    for one, other, by in links:
        if one != other and one in spans and other in spans:
            known[frozenset((one, other))].add(by)
    against = {frozenset((one, other)): reason for one, other, reason in sorted(contradictions, reverse=True)}
    members, notes, apart = list[Member](), list[str](), set[str]()
    for names in _groups(spans, known):
        line = ordered(spans[name] for name in names)
        if reason := _misfit(line, known, against):
            notes.append(f"{_listed(line)} are listed as separate chains: {reason}")
            apart |= names
            members += [Member(chain, chain.name, "", 0) for chain in line]
        else:
            members += _joined(line, known)
    lineages = Lineages(members)
    lineages.notes = sorted({*notes, *_joins(lineages), *_undecided(chains, lineages, apart)})
    return lineages


def _age(chain: ChainSpan) -> tuple[int, int, str]:
    return chain.revision, chain.first_ns or 0, chain.name


def _groups(spans: Iterable[str], known: Iterable[frozenset[str]]) -> list[set[str]]:
    """Return the chains that are connected by evidence; a chain without any is a group of its own."""
    group = {name: {name} for name in spans}
    for pair in known:
        one, other = pair
        if group[one] is not group[other]:
            group[one] |= group[other]
            for name in group[other]:
                group[name] = group[one]
    return list({id(found): found for found in group.values()}.values())


def ordered(chains: Iterable[ChainSpan]) -> list[ChainSpan]:
    """Order the chains of a lineage by revision, or by time if a user's file joins different names."""
    found = list(chains)
    if len({base_name(chain.chain_id) for chain in found}) == 1:
        return sorted(found, key=_age)
    return sorted(found, key=lambda chain: (chain.first_ns or 0, *_age(chain)))


def _misfit(
    line: Sequence[ChainSpan],
    known: Mapping[frozenset[str], set[str]],
    against: Mapping[frozenset[str], str],
) -> str:
    """Return the reason why the chains, which evidence connects, are no lineage; "" if they are."""
    names = {chain.name for chain in line}
    for pair, reason in sorted(against.items(), key=lambda item: sorted(item[0])):
        if pair <= names:
            older, newer = (chain.name for chain in line if chain.name in pair)
            return f"{newer} does not continue {older}, because {reason}"
    ended = 0
    for one, other in pairwise(line):
        stated = REGISTRY in known.get(frozenset((one.name, other.name)), ())
        if one.revision >= other.revision and not stated:
            return f"{one.name} and {other.name} have the same revision"
        ended = max(ended, one.last_ns or 0)
        # guard: chains-that-ran-at-once-are-joined {other.began_ns <= ended => False}
        #   test_revisions_that_ran_at_the_same_time_stay_apart
        if ended and other.began_ns is not None and other.began_ns <= ended:
            return f"{other.name} has blocks that are no later than the last one of {one.name}"
    return ""


def _listed(line: Iterable[ChainSpan]) -> str:
    return _text([chain.name for chain in line])


def _text(names: Sequence[str]) -> str:
    *some, last = names if len(names) <= _SHOWN else [*names[:_SHOWN], f"{len(names) - _SHOWN} others"]
    return f"{', '.join(some)} and {last}"


def _joined(line: Sequence[ChainSpan], known: Mapping[frozenset[str], set[str]]) -> Iterator[Member]:
    yield Member(line[0], line[-1].name, "", 0)
    base = 0
    for before, chain in pairwise(line):
        since = before.last_height + 1
        if chain.first_height < since:  # the heights restarted
            base, since = min(base + before.last_height, MAX_I64), 1
        yield Member(chain, line[-1].name, _evidence(chain, line, known), base, since)


def _evidence(chain: ChainSpan, line: Iterable[ChainSpan], known: Mapping[frozenset[str], set[str]]) -> str:
    """Return the strongest evidence that connects a chain with the others."""
    found = {by for other in line for by in known.get(frozenset((chain.name, other.name)), ())}
    return next(by for by in _STRONGEST if by in found)


def _joins(lineages: Lineages) -> Iterator[str]:
    for name, line in lineages.lines():
        if len(line) > 1:
            by = ", ".join(dict.fromkeys(one.known_by for one in line[1:]))
            chains = _listed(one.span for one in line)
            yield f"{chains} are one chain (known by {by}), whose packets are listed under {name}"


def _undecided(chains: Iterable[ChainSpan], lineages: Lineages, apart: Container[str]) -> Iterator[str]:
    """Describe the chains whose ids are revisions of one name, without evidence for or against a lineage."""
    for group in candidates(chains):
        separate = list(
            dict.fromkeys(lineages.named(chain.name) for chain in group if chain.name not in apart)
        )
        if len(separate) > 1:
            yield (
                f"{_text(separate)} are listed as separate chains: nothing in the inputs shows that one"
                " continues another; a file with chain_lineages can state it"
            )
