"""Lineages of the chains in the tables, found as in `pyibc/indexer/lineage`.

Packets of chains that may continue each other are compared in silver. The comparison is kept until a batch
has events of the older chains, or of the newest one about packets that the older ones may have, too. The
other evidence comes from votes and facts, which are in memory.
"""

from collections.abc import Iterator, Sequence
from functools import partial

from pyspark.sql.functions import max as spark_max

from pyibc.indexer.bronze.records import path_id
from pyibc.indexer.coverage import NONE
from pyibc.indexer.ends import Ends, path_of
from pyibc.indexer.joining import Joined, Told, join_chains
from pyibc.indexer.known import Known, known_in
from pyibc.indexer.lineage.evidence import Comparisons, Evidence, packet_evidence
from pyibc.indexer.lineage.incarnations import ChainKey, Incarnations
from pyibc.indexer.names.registry import Registry
from pyibc.indexer.names.resolve import ChainFact
from pyibc.indexer.pipeline.delta import Lake
from pyibc.indexer.pipeline.routes import pairs_of
from pyibc.indexer.pipeline.sql import SparkSql
from pyibc.indexer.pipeline.state import FACT_NAMES, Compared, State
from pyibc.indexer.pipeline.tables import PACKET_EVENTS
from pyibc.indexer.segments.manifest import ChainPart, SealedEnd

_LIMITED = """
SELECT told.* FROM {rows} AS told JOIN evidence_limits AS limits
  ON told.path_id = limits.path_id AND told.sequence <= limits.sequence
WHERE told.path_id IN ({paths})
"""


def lineages_in(lake: Lake, state: State, given: Registry) -> Joined:
    """Find which chains of the tables continue each other; `given` is the user's file."""
    compare = Comparisons(partial(_compared, lake, state), partial(pairs_of, state))
    ends = [SealedEnd(end, number, 0, ()) for number, end in state.ends.items()]
    return join_chains(compare, _known(state), Told(ends, list(chain_facts(state))), given)


def _known(state: State) -> Known:
    keys = state.keys
    return known_in({str(key): [_part(state, key)] for key in keys}, Incarnations(keys))


def _part(state: State, key: ChainKey) -> ChainPart:
    known, part = (state.ranges.get((key, whole), NONE).ranges for whole in (True, False))
    return ChainPart(known, part, (), *state.times.get(key, (None, None)))


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
        found = packet_evidence(_events(lake, limits), ends, groups)
        state.compared = known = Compared(listed, limits, found)
    return known.found


def _ends_of(ends: Ends, chains: set[str]) -> set[int]:
    return {number for number, end in ends.by_number.items() if end.chain in chains}


def _limits(lake: Lake, ends: Ends, older: set[int]) -> dict[int, int]:
    """Return the highest sequence of the older chains by path.

    Packets with higher ones are of the newest chain alone, and show nothing.
    """
    if not older:
        return {}
    events = lake.read(PACKET_EVENTS)
    paths = sorted({path_id(path_of(ends.by_number[number])) for number in older})
    found = events.where(events.path_id.isin(paths) & events.end_id.isin(sorted(older)))
    return {row[0]: row[1] for row in found.groupBy("path_id").agg(spark_max("sequence")).collect()}


def _touches(lake: Lake, limits: dict[int, int]) -> bool:
    """Return whether the batch has packets up to the limits; its packets are the view `wanted`."""
    _register(lake, limits)
    return not lake.spark.sql(_LIMITED.format(rows="wanted", paths=_listed(limits))).isEmpty()


def _register(lake: Lake, limits: dict[int, int]) -> None:
    rows = lake.table_of("path_id bigint, sequence bigint", list(limits.items()))
    rows.createOrReplaceTempView("evidence_limits")


def _listed(limits: dict[int, int]) -> str:
    return ", ".join(map(str, sorted(limits))) or "NULL"


def _events(lake: Lake, limits: dict[int, int]) -> SparkSql:
    """Register the packet events up to the limits of their paths as the view `events`."""
    _register(lake, limits)
    query = _LIMITED.format(rows=lake.at(PACKET_EVENTS), paths=_listed(limits))
    lake.spark.sql(query).createOrReplaceTempView("events")
    return SparkSql(lake)
