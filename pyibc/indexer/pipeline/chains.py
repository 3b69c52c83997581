"""Lineages and progress of the chains in the tables, kept from batch to batch.

Lineages are found as in `pyibc/indexer/chains`. Packets of chains that may continue each other are compared
in silver. The comparison is kept until a batch has events of the older chains, or of the newest one about
packets that the older ones may have, too. The other evidence comes from votes and facts, which are in
memory.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

from pyibc.core.numbers import MAX_I64
from pyibc.indexer.blocks.block import ChainKey
from pyibc.indexer.blocks.coverage import NONE, Coverage, Heights
from pyibc.indexer.bronze.records import path_id
from pyibc.indexer.chains.ends import Ends, path_of
from pyibc.indexer.chains.evidence import Comparisons, Evidence, packet_evidence
from pyibc.indexer.chains.known import (
    ChainHeights,
    Incarnations,
    Joined,
    Known,
    Told,
    join_chains,
    known_in,
    line_coverage,
    tips_of,
)
from pyibc.indexer.chains.lineages import ChainSpan, Member, candidates, too_early
from pyibc.indexer.chains.progress import CLOCKS, Clock, Tip, clocks_of, completed, progress_query
from pyibc.indexer.chains.registry import Registry
from pyibc.indexer.chains.resolve import ChainFact
from pyibc.indexer.pipeline.lake import Lake
from pyibc.indexer.pipeline.routes import pairs_of
from pyibc.indexer.pipeline.state import FACT_NAMES, Compared, State
from pyibc.indexer.pipeline.tables import BLOCKS, CHAIN_KEY, CHAINS, PACKET_EVENTS

_LIMITED = """
SELECT told.* FROM {rows} AS told JOIN evidence_limits AS limits
  ON told.path_id = limits.path_id AND told.sequence <= limits.sequence
WHERE told.path_id IN ({paths})
"""

_SEVERAL = 1000  # heights, of which some are known with their times
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def unreadable_of(state: State, keys: Sequence[ChainKey]) -> dict[ChainKey, Heights]:
    """Return the heights of unreadable lines by chain.

    A line whose head names no incarnation is of the only one; if there are several, it is of none.
    """
    found, of_id = dict.fromkeys(keys, NONE), defaultdict[str, list[ChainKey]](list)
    for key in keys:
        of_id[key.chain_id].append(key)
    for (told, whole), heights in state.ranges.items():
        if whole is not None:
            continue
        if told in found:
            found[told] |= heights
        elif not told.incarnation and len(of_id[told.chain_id]) == 1:
            found[of_id[told.chain_id][0]] |= heights
    return found


def chain_facts(state: State) -> Iterator[ChainFact]:
    """Yield the facts of all blocks, whose chains are texts of `ChainKey`."""
    for key, height in state.facts.items():
        fields = dict(zip(("chain", "incarnation", *FACT_NAMES), key, strict=True))
        chain = ChainKey(fields.pop("chain"), fields.pop("incarnation") or "")
        yield ChainFact(chain=str(chain), height=height, **fields)


def _compared(lake: Lake, state: State, ends: Ends, groups: Sequence[Sequence[str]]) -> Evidence:
    """Compare the packets of each group's chains, if they may differ from those of the last comparison."""
    listed = [list(group) for group in groups]
    older = _ends_of(ends, {name for group in groups for name in group[:-1]})
    newest = _ends_of(ends, {group[-1] for group in groups}) - older
    known = state.compared
    if (
        known is None
        or known.groups != listed
        or not older.isdisjoint(state.touched)
        or (not newest.isdisjoint(state.touched) and _touches(lake, known.limits))
    ):
        limits = _limits(lake, ends, older)
        _register(lake, limits)
        lake.view("events", _LIMITED.format(rows=lake.at(PACKET_EVENTS), paths=_listed(limits)))
        state.compared = known = Compared(listed, limits, packet_evidence(lake, ends, groups))
    return known.found


def _ends_of(ends: Ends, chains: set[str]) -> set[int]:
    return {number for number, end in ends.by_number.items() if end.chain in chains}


def _limits(lake: Lake, ends: Ends, older: set[int]) -> dict[int, int]:
    """Return the highest sequence of the older chains by path.

    Packets with higher ones are of the newest chain alone, and show nothing.
    """
    if not older:
        return {}
    paths = sorted({path_id(path_of(ends.by_number[number])) for number in older})
    found = lake.rows(
        f"SELECT path_id, max(sequence) AS last FROM {lake.at(PACKET_EVENTS)}"
        f" WHERE path_id IN ({_listed(paths)}) AND end_id IN ({_listed(older)}) GROUP BY path_id"
    )
    return {row.path_id: row.last for row in found}


def _touches(lake: Lake, limits: dict[int, int]) -> bool:
    """Return whether the batch has packets up to the limits; its packets are the view `touched`."""
    _register(lake, limits)
    return bool(lake.rows(f"{_LIMITED.format(rows='touched', paths=_listed(limits))} LIMIT 1"))


def _register(lake: Lake, limits: dict[int, int]) -> None:
    lake.table("evidence_limits", (("path_id", "bigint"), ("sequence", "bigint")), limits.items())


def _listed(numbers: Iterable[int]) -> str:
    return ", ".join(map(str, sorted(numbers))) or "NULL"


class Chains(NamedTuple):
    """Chains of the tables."""

    joined: Joined
    coverage: dict[str, Coverage]  # known positions by lineage
    tips: dict[str, Tip]  # by lineage


def update_chains(lake: Lake, state: State, given: Registry) -> Chains:
    """Compute the chains anew, with the blocks of a batch; `given` is the user's file."""
    compare = Comparisons(partial(_compared, lake, state), partial(pairs_of, state))
    told = Told(list(state.all_ends()), list(chain_facts(state)))
    joined = join_chains(compare, _with_work(lake, _known(state)), told, given)
    coverage = line_coverage(joined.known, joined.lineages)
    return Chains(joined, coverage, _with_progress(lake, joined, coverage))


def _known(state: State) -> Known:
    keys, found = state.keys, dict[ChainKey, ChainHeights]()
    unreadable = unreadable_of(state, keys)
    for key in keys:
        full, part = (state.ranges.get((key, whole), NONE) for whole in (True, False))
        found[key] = ChainHeights(full, part, unreadable[key], *state.times.get(key, (None, None)))
    return known_in(found, Incarnations(keys))


def _with_work(lake: Lake, known: Known) -> Known:
    """Add the times from which revisions made blocks, if they seem to have begun before older ones ended.

    The first block of a chain has the time in its genesis file, which may be that of an older revision.
    """
    early = [chain for group in candidates(known.spans.values()) for chain in too_early(group)]
    working = {one.name: _working(lake, one, known.heights[one.name]) for one in early}
    return known._replace(spans=known.spans | working)


def _working(lake: Lake, chain: ChainSpan, heights: Heights) -> ChainSpan:
    second = next(islice(heights, 1, None), heights.first + 1)
    [found] = lake.rows(  # times rise with heights, so a few blocks tell, and Delta leaves out other files
        f"SELECT min(time_ns) AS time_ns FROM {lake.at(BLOCKS)} WHERE chain = {lake.text(chain.chain_id)}"
        f" AND coalesce(incarnation, '') = {lake.text(chain.incarnation)}"
        f" AND height BETWEEN {second} AND {second + _SEVERAL}"
    )
    return chain._replace(working_ns=found.time_ns)


def write_chains(lake: Lake, state: State, chains: Chains) -> None:
    """Write the table `chains`."""
    rows = chain_rows(chains)
    if rows != state.chains:
        lake.replace(CHAINS, rows)
        state.chains = rows


def chain_rows(chains: Chains) -> list[tuple[Any, ...]]:
    """Return the rows of the table `chains`."""
    return sorted(_row(one, chains) for one in chains.joined.lineages.members)


def _row(one: Member, chains: Chains) -> tuple[Any, ...]:
    found: dict[str, Any] = one.span._asdict() | {
        "chain": one.span.name,
        "lineage": one.lineage,
        "revision": one.span.revision,
        "incarnation": one.span.incarnation or None,
        "known_by": one.known_by or None,
        "since_height": one.since or None,
        "height_base": one.base,
    }
    for end in ("first", "last"):
        time_ns = found[f"{end}_ns"]
        found[f"{end}_time"] = None if time_ns is None else _EPOCH + timedelta(microseconds=time_ns // 1000)
    tip = chains.tips.get(one.lineage)
    if tip is not None and one.span.name == one.lineage:
        found |= {"height": tip.height, "time_ns": tip.time_ns, "last_missing": tip.lacks}
        found |= {"overdue_ns": tip.overdue_ns, "whole_ns": tip.whole_ns}
        found["missing"] = min(chains.coverage[one.lineage].gaps.count, MAX_I64)
    return tuple(found.get(name) for name in CHAINS.names)


def _with_progress(lake: Lake, joined: Joined, coverage: dict[str, Coverage]) -> dict[str, Tip]:
    tips = tips_of(joined.known, joined.lineages)
    clocks = clocks_of(joined.placed, tips, coverage)
    lake.table("clocks", CLOCKS, clocks)
    recent = " OR ".join(_recent(lake, clock) for clock in clocks) or "FALSE"
    blocks = f"SELECT {CHAIN_KEY} AS chain, height, time_ns FROM {lake.at(BLOCKS)} AS blocks WHERE {recent}"
    return completed(tips, coverage, lake.rows(progress_query(blocks)))


def _recent(lake: Lake, clock: Clock) -> str:
    """Return a condition on the blocks of a chain whose times are needed, by which Delta leaves out files."""
    recent, whole = (place - clock.height_base for place in (clock.recent, clock.whole or 0))
    chain = lake.text(ChainKey.parsed(clock.key).chain_id)
    return f"(chain = {chain} AND (height >= {recent} OR height = {whole}))"
