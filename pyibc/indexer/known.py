"""Chain data of a run: heights, last blocks, names."""

from collections.abc import Mapping
from dataclasses import replace
from operator import itemgetter
from typing import Any, NamedTuple

from pyibc.core.numbers import MAX_I64
from pyibc.indexer.coverage import Coverage, Heights, described
from pyibc.indexer.lineage.incarnations import ChainKey, Incarnations
from pyibc.indexer.lineage.lineages import ChainSpan, Lineages
from pyibc.indexer.packet_table import Tip


class ChainHeights(NamedTuple):
    """Heights and times of the blocks of a chain."""

    full: Heights  # complete blocks
    part: Heights  # blocks with single transactions
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
        coverage[name] = Coverage(one.full, one.part, chains.key(name))
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
