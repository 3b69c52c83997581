"""Chain data of a run: heights, last blocks, names."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from pyibc.core.numbers import MAX_I64
from pyibc.indexer.coverage import Coverage, Heights, Range, described
from pyibc.indexer.lineage.incarnations import ChainKey, Incarnations
from pyibc.indexer.lineage.lineages import ChainSpan, Lineages
from pyibc.indexer.packet_table import Tip


class ChainPart(NamedTuple):
    """Heights of a chain."""

    known: tuple[Range, ...]  # complete blocks
    part: tuple[Range, ...]  # partial blocks, with single transactions
    lost: tuple[Range, ...]  # unreadable blocks
    first_ns: int | None  # earliest and latest block time
    last_ns: int | None

    @property
    def told(self) -> Heights:
        """Heights with any data."""
        return Heights.spanning((*self.known, *self.part))


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


def known_in(parts: Mapping[str, Sequence[ChainPart]], chains: Incarnations) -> Known:
    """Collect the chain data of `parts`, by the texts of `ChainKey`."""
    names = {key: chains.name(ChainKey.parsed(key)) for key in sorted(parts)}
    every = dict[str, list[ChainPart]]()
    for key, name in names.items():
        every.setdefault(name, []).extend(parts[key])
    coverage = {name: _coverage(every[name], chains.key(name)) for name in sorted(every)}
    told = {name: _told(some) for name, some in every.items()}
    ids = {name: ChainKey.parsed(key).chain_id for key, name in names.items()}
    spans = {name: _span(name, ids[name], coverage[name], some) for name, some in every.items()}
    heights = {name: known for name, known in told.items() if known.ranges}
    return Known(names, spans, coverage, heights)


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


def _coverage(parts: Iterable[ChainPart], incarnation: str) -> Coverage:
    # guard: h91-a-block-known-in-part-is-covered {part.known => (*part.known, *part.lost)}
    #   test_h91_what_is_left_of_an_export_is_known_to_the_height
    full = Heights.spanning(each for part in parts for each in part.known)
    rest = Heights.spanning(each for part in parts for each in (*part.part, *part.lost))
    return Coverage(full, rest, incarnation)


def _told(parts: Iterable[ChainPart]) -> Heights:
    return Heights.spanning(each for part in parts for each in (*part.known, *part.part))


def _span(name: str, chain_id: str, coverage: Coverage, parts: Sequence[ChainPart]) -> ChainSpan:
    heights = coverage.full | coverage.part
    first = min((part.first_ns for part in parts if part.first_ns is not None), default=None)
    last = max((part.last_ns for part in parts if part.last_ns is not None), default=None)
    return ChainSpan(name, chain_id, coverage.incarnation, heights.first, heights.last, first, last)
