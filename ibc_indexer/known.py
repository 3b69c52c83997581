"""What the manifests of sealed ranges tell of chains: heights, last blocks, names."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

from ibc_core.height import revision_of
from ibc_core.numbers import MAX_I64
from ibc_indexer.coverage import Coverage, Heights
from ibc_indexer.incarnations import ChainKey, Incarnations
from ibc_indexer.packet_table import Tip
from ibc_indexer.segments.manifest import Manifest


class Known(NamedTuple):
    """The chains of a run, by their names in the results."""

    chains: dict[str, str]  # those names, by how sealed rows call them
    coverage: dict[str, Coverage]
    blocks: dict[str, int]  # heights of which anything is known
    tips: dict[str, Tip]
    events: dict[str, int]  # by type


def known_of(manifests: Sequence[Manifest], chains: Incarnations) -> Known:
    """What `manifests` tell."""
    keys = {key for manifest in manifests for key in manifest.chains}
    names = {key: chains.name(ChainKey.parsed(key)) for key in sorted(keys)}
    coverage = _coverage(manifests, chains)
    blocks, tips = _blocks(manifests, chains, coverage)
    events = sum((Counter(manifest.counts) for manifest in manifests), Counter[str]())
    return Known(names, coverage, blocks, tips, dict(sorted(events.items())))


def with_coverage(counts: dict[str, Any], coverage: dict[str, Coverage]) -> dict[str, Any]:
    """Counts by chain, with its ranges of heights and its gaps."""
    for chain, numbers in counts.items():
        known = coverage.get(chain, Coverage())
        numbers["ranges"] = [list(each) for each in known.full.ranges]
        numbers["gaps"] = [list(each) for each in known.gaps.ranges]
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
    """By chain: how many heights anything is known of, and the last block."""
    told, times, revisions = dict[str, list[tuple[int, int]]](), dict[str, int](), dict[str, int]()
    for manifest in manifests:
        for key, part in manifest.chains.items():
            chain = ChainKey.parsed(key)
            name = chains.name(chain)
            revisions[name] = min(revision_of(chain.chain_id), MAX_I64)
            told.setdefault(name, []).extend((*part.known, *part.part))
            if part.time_ns is not None:
                times[name] = max(part.time_ns, times.get(name, 0))
    heights = {name: Heights.spanning(ranges) for name, ranges in told.items()}
    tips = {
        name: Tip(name, known.last, times.get(name), coverage[name].gaps.last, revisions[name])
        for name, known in heights.items()
        if known.ranges
    }
    return {name: heights[name].count for name in tips}, tips
