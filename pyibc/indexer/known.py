"""Chain data from the manifests of segments: heights, last blocks, names."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

from pyibc.core.height import revision_of
from pyibc.core.numbers import MAX_I64
from pyibc.indexer.coverage import Coverage, Heights, described
from pyibc.indexer.incarnations import ChainKey, Incarnations
from pyibc.indexer.packet_table import Tip
from pyibc.indexer.segments.manifest import Manifest


class Known(NamedTuple):
    """Chains of a run by their names in the results."""

    chains: dict[str, str]  # name in the results by name in segments
    coverage: dict[str, Coverage]
    blocks: dict[str, int]  # number of heights with any data
    tips: dict[str, Tip]
    events: dict[str, int]  # by type


def known_of(manifests: Sequence[Manifest], chains: Incarnations) -> Known:
    """Collect the chain data of `manifests`."""
    keys = {key for manifest in manifests for key in manifest.chains}
    names = {key: chains.name(ChainKey.parsed(key)) for key in sorted(keys)}
    coverage = _coverage(manifests, chains)
    blocks, tips = _blocks(manifests, chains, coverage)
    events = sum((Counter(manifest.counts) for manifest in manifests), Counter[str]())
    return Known(names, coverage, blocks, tips, dict(sorted(events.items())))


def with_coverage(counts: dict[str, Any], coverage: dict[str, Coverage]) -> dict[str, Any]:
    """Add descriptions of the known ranges of heights and of the gaps to the counts of each chain."""
    for chain, numbers in counts.items():
        known = coverage.get(chain, Coverage())
        numbers["ranges"] = described(known.full)
        numbers["gaps"] = described(known.gaps)
    return counts


def _coverage(manifests: Sequence[Manifest], chains: Incarnations) -> dict[str, Coverage]:
    full, part = dict[str, list[tuple[int, int]]](), dict[str, list[tuple[int, int]]]()
    for manifest in manifests:
        for key, found in manifest.chains.items():
            name = chains.name(ChainKey.parsed(key))
            full.setdefault(name, []).extend(found.known)
            part.setdefault(name, []).extend((*found.part, *found.lost))
    return {
        name: Coverage(Heights.spanning(full[name]), Heights.spanning(part[name]), chains.key(name))
        for name in sorted(full)
    }


def _blocks(
    manifests: Sequence[Manifest], chains: Incarnations, coverage: dict[str, Coverage]
) -> tuple[dict[str, int], dict[str, Tip]]:
    """Return the number of known heights and the last block, both by chain."""
    ranges, times, revisions = dict[str, list[tuple[int, int]]](), dict[str, int](), dict[str, int]()
    for manifest in manifests:
        for key, part in manifest.chains.items():
            chain = ChainKey.parsed(key)
            name = chains.name(chain)
            revisions[name] = min(revision_of(chain.chain_id), MAX_I64)
            ranges.setdefault(name, []).extend((*part.known, *part.part))
            if part.time_ns is not None:
                times[name] = max(part.time_ns, times.get(name, 0))
    heights = {name: Heights.spanning(some) for name, some in ranges.items()}
    tips = {
        name: Tip(name, known.last, times.get(name), coverage[name].gaps.last, revisions[name])
        for name, known in heights.items()
        if known.ranges
    }
    return {name: heights[name].count for name in tips}, tips
