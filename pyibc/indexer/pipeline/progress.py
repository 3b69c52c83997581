"""Lineages and progress of chains, kept from batch to batch."""

from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from pyibc.core.numbers import MAX_I64
from pyibc.indexer.coverage import Coverage
from pyibc.indexer.joining import Joined
from pyibc.indexer.known import line_coverage, tips_of
from pyibc.indexer.lineage.incarnations import ChainKey
from pyibc.indexer.lineage.lineages import Member
from pyibc.indexer.lineage.table import MEMBERS, member_row
from pyibc.indexer.names.registry import Registry
from pyibc.indexer.packet_table import Tip
from pyibc.indexer.pipeline.lake import Lake
from pyibc.indexer.pipeline.lineages import lineages_in
from pyibc.indexer.pipeline.sql import CHAIN_KEY
from pyibc.indexer.pipeline.state import State
from pyibc.indexer.pipeline.tables import BLOCKS, CHAINS
from pyibc.indexer.progress import CLOCKS, Clock, clocks_of, completed, progress_query

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Chains(NamedTuple):
    """Chains of the tables."""

    joined: Joined
    coverage: dict[str, Coverage]  # known positions by lineage
    tips: dict[str, Tip]  # by lineage


def update_chains(lake: Lake, state: State, given: Registry) -> Chains:
    """Compute the chains anew, with the blocks of a batch; `given` is the user's file."""
    joined = lineages_in(lake, state, given)
    coverage = line_coverage(joined.known, joined.lineages)
    return Chains(joined, coverage, _with_progress(lake, joined, coverage))


def write_chains(lake: Lake, state: State, chains: Chains) -> None:
    """Write the table `chains`."""
    rows = sorted(_row(one, chains) for one in chains.joined.lineages.members)
    if rows != state.chains:
        lake.replace(CHAINS, rows)
        state.chains = rows


def _row(one: Member, chains: Chains) -> tuple[Any, ...]:
    names = (name for name, _ in MEMBERS)
    found: dict[str, Any] = dict(zip(names, member_row(one), strict=True)) | {"height_base": one.base}
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
