"""Views with the tables of the results, over the Delta tables of the pipeline.

What is cheap to compute from `silver/blocks`, `silver/packet_events` and `gold/packets` is not stored again:
blocks, packet events, transactions and messages are their rows with the names of chains; transfers and calls
are joined with their packets; clients and channels are made from aggregates of what events tell about them.
"""

from collections.abc import Iterator

from pyibc.indexer.bronze.contents import FORWARDS
from pyibc.indexer.bronze.records import CONTENTS
from pyibc.indexer.bronze.rows import FACTS
from pyibc.indexer.chains.resolve import PACKETS as TOLD_BY_PACKETS
from pyibc.indexer.events.facts import CHANNEL
from pyibc.indexer.pipeline.chains import Chains, chain_rows
from pyibc.indexer.pipeline.hours import register_hours
from pyibc.indexer.pipeline.lake import Lake
from pyibc.indexer.pipeline.packets import register_routes
from pyibc.indexer.pipeline.routes import Routes
from pyibc.indexer.pipeline.silver import items_of, number_parts
from pyibc.indexer.pipeline.tables import (
    BLOCKS,
    CHAIN_KEY,
    CHAINS,
    PACKET_EVENTS,
    PACKETS,
)
from pyibc.indexer.results import contents
from pyibc.indexer.results.hours import END_COLUMNS, FACT_COLUMNS
from pyibc.indexer.results.packets import COLUMNS
from pyibc.indexer.results.tables import register_chains, register_ends, table_queries

_DIGEST = 16  # hexadecimal digits of the time at the end of a block's digest
_EVENT_COLUMNS = ", ".join(
    name for name in PACKET_EVENTS.names if name not in {"chain", "incarnation", "tx", "batch"}
)
_SILVER = {
    "sealed_blocks": f"""
SELECT {CHAIN_KEY} AS chain, height, time_ns, transaction_count AS txs, app_hash,
  left(digest, length(digest) - {_DIGEST}) AS digest, FALSE AS partial
FROM {{blocks}} WHERE NOT partial AND tx = ''
UNION ALL SELECT {CHAIN_KEY} AS chain, height, max(time_ns), CAST(sum(transaction_count) AS bigint),
  max(app_hash), CASE WHEN count(*) = 1 THEN min(left(digest, length(digest) - {_DIGEST})) END, TRUE
FROM {{blocks}} WHERE partial GROUP BY chain, incarnation, height""",
    "sealed_events": f"SELECT {CHAIN_KEY} AS chain, {_EVENT_COLUMNS} FROM {{events}}",
    "ends": "SELECT * FROM route_ends",
}
_FACTS = f"""
SELECT chain, n, {", ".join(name for name in FACT_COLUMNS if name != "chain")} FROM facts_by_hour
UNION ALL SELECT chain, n, {{columns}}
FROM (
  SELECT *, (least(height, {(1 << 43) - 1}) << 20) | (number - 1) AS place
  FROM (
    SELECT *, row_number() OVER (PARTITION BY chain, height ORDER BY {{order}}) AS number
    FROM (SELECT {{ends}}, max(height) AS height, sum(n) AS n FROM ends_by_hour GROUP BY {{ends}}) AS grouped
  ) AS numbered
) AS placed"""
_OF_ENDS = {"type": f"'{CHANNEL}'", "told_by": f"'{TOLD_BY_PACKETS}'"}
"""Columns of a fact that a packet of a channel tells about the end on its chain."""


def register_views(lake: Lake, chains: Chains, routes: Routes, since: int | None = None) -> None:
    """Register the result tables as temporary views, and the aggregates, which say what is since a moment."""
    register_chains(lake, chains.joined.known.chains, chains.joined.lineages)
    register_ends(lake, chains.joined.names)
    lake.table("lineage_members", CHAINS.typed, chain_rows(chains))
    register_routes(lake, routes)
    parts = any(known.part.ranges for known in chains.joined.known.coverage.values())
    for name, query in _sources(lake, parts=parts):
        lake.view(name, query)
    register_hours(lake, parts=parts, since=since)
    lake.view("sealed_facts", _facts())
    lake.view("sealed_forwards", "SELECT * FROM forwards_by_hour")
    for name, query in contents.origin_steps():
        lake.keep(name, query)  # each step reads the one before several times
    for name, query in (*table_queries(lake.dialect), *contents.content_queries(lake.dialect)):
        lake.view(name, query)


def _sources(lake: Lake, *, parts: bool) -> Iterator[tuple[str, str]]:
    """Yield views of the silver tables with one text for chain and incarnation, and the query of each."""
    places = {"blocks": lake.at(BLOCKS), "events": lake.at(PACKET_EVENTS)}
    if parts:
        number_parts(lake)
        places = {"blocks": "numbered_blocks", "events": "numbered_events"}
    for name, query in _SILVER.items():
        yield name, query.format(**places)
    for name, of in CONTENTS.items():
        if name not in {FACTS, FORWARDS}:
            place = [] if "end_id" in of.names else [f"{CHAIN_KEY} AS chain", "height", "time_ns"]
            yield f"sealed_{name}", items_of(lake, places["blocks"], name, place)
    packets = f"SELECT {', '.join(name for name, _ in COLUMNS)} FROM {lake.at(PACKETS)}"
    yield from (("packets", packets), ("made_packets", packets))


def _facts() -> str:
    """Build the query for facts, and for channel ends in packets, as facts with the last height of each."""
    ends = END_COLUMNS[:-1]
    known = {name: name for name in (*END_COLUMNS, "place")} | _OF_ENDS
    columns = (f"{known.get(name, 'NULL')} AS {name}" for name in FACT_COLUMNS if name != "chain")
    order = ", ".join(f"{name} NULLS FIRST" for name in ends if name != "chain")
    return _FACTS.format(columns=", ".join(columns), order=order, ends=", ".join(ends))
