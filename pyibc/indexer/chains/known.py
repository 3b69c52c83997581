"""Chains of a run: heights, last blocks, names, and which of them continue each other.

A chain that is restarted from genesis under the same id is another chain, an incarnation of that id.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from operator import itemgetter
from typing import Any, NamedTuple

from pyibc.core.numbers import MAX_I64
from pyibc.indexer.blocks.block import ChainKey
from pyibc.indexer.blocks.coverage import Coverage, Heights, described
from pyibc.indexer.chains.ends import Ends, all_ends
from pyibc.indexer.chains.evidence import Comparisons, find_lineages
from pyibc.indexer.chains.lineages import ChainSpan, Lineages, Placed
from pyibc.indexer.chains.progress import Tip
from pyibc.indexer.chains.registry import Registry
from pyibc.indexer.chains.resolve import ChainFact, Names, named_facts
from pyibc.indexer.errors import Skipped
from pyibc.indexer.events.packet_facts import End

_SHOWN = 8  # digits of the incarnation in a chain's name


class Incarnations:
    """Incarnations in a set of blocks, and their names in the results.

    Blocks without an incarnation are of a chain of their own, which has the plain name.
    """

    def __init__(self, keys: Iterable[ChainKey]) -> None:
        found: dict[str, set[str]] = defaultdict(set)
        for chain_id, incarnation in set(keys):
            found[chain_id].add(incarnation)
        self._known = {chain: sorted(some) for chain, some in found.items()}
        self._names = dict[ChainKey, str]()
        self._keys = dict[str, str]()
        for chain, known in sorted(self._known.items()):
            for key in known:
                name = self._free_name(chain, key) if key and len(known) > 1 else chain
                self._names[ChainKey(chain, key)] = name
                self._keys[name] = key

    def _free_name(self, chain: str, key: str) -> str:
        """Return a name that is not used by another chain, whose id may look like such a name."""
        for shown in range(_SHOWN, len(key) + 1):
            name = f"{chain}@{key[:shown]}"
            if name not in self._keys and name not in self._known:
                return name
        return f"{chain}@{key}@"

    def name(self, key: ChainKey) -> str:
        """Return the name of a chain in the results."""
        return self._names.get(key, key.chain_id)

    def key(self, name: str) -> str:
        """Return the incarnation of a chain by its name in the results; "" if not known."""
        return self._keys.get(name, "")

    def several(self) -> Iterator[tuple[str, list[str]]]:
        """Yield the chain ids with several incarnations, and their names in the results."""
        for chain, known in sorted(self._known.items()):
            if len(known) > 1:
                yield chain, [self._names[ChainKey(chain, key)] for key in known]


def notes_of(incarnations: Incarnations) -> list[Skipped]:
    """Describe the chains with several incarnations for display."""
    return [
        Skipped("", f"{chain} was restarted from genesis: its incarnations are listed as {', '.join(names)}")
        for chain, names in incarnations.several()
    ]


class ChainHeights(NamedTuple):
    """Heights and times of the blocks of a chain."""

    full: Heights  # complete blocks
    part: Heights  # blocks with single transactions
    unreadable: Heights  # lines that cannot be read
    first_ns: int | None  # earliest and latest block time
    last_ns: int | None


class Known(NamedTuple):
    """Chains of a run by their names in the results, without regard to lineages."""

    chains: dict[str, str]  # name in the results by the text of its `ChainKey`
    spans: dict[str, ChainSpan]
    coverage: dict[str, Coverage]
    heights: dict[str, Heights]  # with any data; a chain without such heights is left out

    @property
    def blocks(self) -> dict[str, int]:
        """Number of heights with any data, by chain."""
        return {name: known.count for name, known in self.heights.items()}


def known_in(found: Mapping[ChainKey, ChainHeights], chains: Incarnations) -> Known:
    """Collect the data of chains with their names in the results."""
    names = {key: chains.name(key) for key in sorted(found)}
    coverage, spans, heights = dict[str, Coverage](), dict[str, ChainSpan](), dict[str, Heights]()
    for key, name in sorted(names.items(), key=itemgetter(1)):
        one = found[key]
        # guard: a-block-known-in-part-is-covered {one.full => (one.full | one.part)}
        #   test_single_transactions_are_no_covered_heights
        coverage[name] = Coverage(one.full, one.part, chains.key(name), unreadable=one.unreadable)
        told = one.full | one.part
        times = (one.first_ns, one.last_ns)
        spans[name] = ChainSpan(name, key.chain_id, coverage[name].incarnation, told.first, told.last, *times)
        if told.ranges:
            heights[name] = told
    return Known({str(key): name for key, name in names.items()}, spans, coverage, heights)


def line_coverage(known: Known, lineages: Lineages) -> dict[str, Coverage]:
    """Return the known positions of every lineage.

    Between two chains, the first heights of the newer one are missing if its heights restarted, otherwise
    those between the last of the older one and its first.
    """
    found = dict[str, Coverage]()
    for name, line in lineages.lines():
        for one in line:
            raised = known.coverage[one.span.name].raised(one.base)
            found[name] = found.get(name, Coverage()) | raised
    return found


def chain_coverage(known: Known, lineages: Lineages) -> dict[str, Coverage]:
    """Return the known heights of every chain; what lacks before its first height is in its gaps."""
    found = dict(known.coverage)
    for _, line in lineages.lines():
        for one in line:
            found[one.span.name] = replace(found[one.span.name], since=one.since)
    return found


def tips_of(known: Known, lineages: Lineages) -> dict[str, Tip]:
    """Return the last known block of every lineage, which is one of its last chain."""
    coverage, tips = line_coverage(known, lineages), dict[str, Tip]()
    for name, line in lineages.lines():
        last = [one for one in line if one.span.name in known.heights][-1:]
        for span, _, _, base, _ in last:
            lacks = min(coverage[name].gaps.last, MAX_I64)
            height = known.heights[span.name].last
            tips[name] = Tip(
                *(name, height, span.last_ns, lacks, span.revision),
                base=base,
                first_revision=line[0].span.revision,
            )
    return tips


def with_coverage(
    counts: dict[str, Any], coverage: Mapping[str, Coverage], lineages: Lineages
) -> dict[str, Any]:
    """Add descriptions of the known heights and of the gaps to the counts of each chain, and its lineage."""
    continued = lineages.continued()
    for chain, numbers in counts.items():
        known = coverage.get(chain, Coverage())
        numbers["ranges"] = described(known.full)
        numbers["gaps"] = described(known.gaps)
        if chain in continued:
            numbers["continued_as"] = continued[chain]
    return counts


class Told(NamedTuple):
    """Ends of paths, and facts about counterparties, in the blocks of all chains."""

    ends: Sequence[tuple[int, End]]  # with their numbers
    facts: Sequence[ChainFact]


class Joined(NamedTuple):
    """Chains by lineage, and what follows from it."""

    known: Known
    lineages: Lineages
    placed: dict[str, Placed]  # by the names that chains have in ends and facts
    ends: Ends
    names: Names


def join_chains(compare: Comparisons, known: Known, told: Told, given: Registry) -> Joined:
    """Find the lineages, and the ends and names with regard to them.

    Args:
        compare: compares packets.
        known: all chains.
        told: their ends and facts.
        given: the user's file.
    """
    alone = {key: Placed(name) for key, name in known.chains.items()}
    lineages = find_lineages(
        compare,
        list(known.spans.values()),
        all_ends(told.ends, alone),
        lambda: Names(named_facts(told.facts, alone)),
        given.lineages,
    )
    current = lineages.current
    placed = {key: lineages.placed(name) for key, name in known.chains.items()}
    registered = (
        entry._replace(chain=current(entry.chain), other_chain=current(entry.other_chain))
        for entry in given.registered
    )
    names = Names(named_facts(told.facts, placed, current), registered)
    return Joined(known, lineages, placed, all_ends(told.ends, placed), names)
