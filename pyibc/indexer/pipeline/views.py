"""Views with the tables of the results, over the Delta tables of the pipeline.

What is cheap to compute from `silver/blocks`, `silver/packet_events` and `gold/packets` is not stored again:
blocks, packet events, transactions and messages are their rows with the names of chains; transfers and calls
are joined with their packets; clients and channels are aggregated from what events tell about them.
"""

from collections.abc import Container, Iterator

import pyarrow as pa

from pyibc.indexer.bronze.records import CONTENTS
from pyibc.indexer.chains.resolve import PACKETS as TOLD_BY_PACKETS
from pyibc.indexer.events.facts import CHANNEL
from pyibc.indexer.events.packet_facts import V1
from pyibc.indexer.pipeline.chains import Chains, chain_rows
from pyibc.indexer.pipeline.lake import Lake
from pyibc.indexer.pipeline.packets import register_routes
from pyibc.indexer.pipeline.routes import Routes
from pyibc.indexer.pipeline.silver import items_of, number_parts
from pyibc.indexer.pipeline.tables import (
    BLOCKS,
    CHAIN_KEY,
    CHAINS,
    OTHER_END,
    OWN_END,
    PACKET_EVENTS,
    PACKETS,
    type_of,
)
from pyibc.indexer.results import contents
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
_OF_PACKETS = f"""
SELECT *, (least(height, {(1 << 43) - 1}) << 20) | (number - 1) AS place,
  '{CHANNEL}' AS type, '{TOLD_BY_PACKETS}' AS told_by
FROM (
  SELECT *, row_number() OVER (PARTITION BY chain, height ORDER BY {{order}}) AS number
  FROM (
    SELECT chain, max(height) AS height, {{names}}
    FROM (
      SELECT {CHAIN_KEY} AS chain, height, {{ends}} FROM {{events}}
      WHERE protocol = {V1} AND tx_index IS NOT NULL
    ) AS told
    GROUP BY chain, {{names}}
  ) AS every
) AS numbered
"""
_CHANNEL = {"connection": "connection", "ordering": "ordering", **OWN_END, **OTHER_END}
"""Columns of a fact that a packet of a channel tells about the end on its chain."""


def register_views(lake: Lake, chains: Chains, routes: Routes, kept: Container[str] = ()) -> None:
    """Register the result tables as temporary views; the rows of those in `kept` are computed once."""
    register_chains(lake, chains.joined.known.chains, chains.joined.lineages)
    register_ends(lake, chains.joined.names)
    lake.table("lineage_members", CHAINS.typed, chain_rows(chains))
    register_routes(lake, routes)
    parts = any(known.part.ranges for known in chains.joined.known.coverage.values())
    for name, query in _sources(lake, parts=parts):
        lake.view(name, query)
    for name, query in contents.origin_steps():
        lake.keep(name, query)  # each step reads the one before several times
    for name, query in (*table_queries(lake.dialect), *contents.content_queries(lake.dialect)):
        (lake.keep if name in kept else lake.view)(name, query)


def _sources(lake: Lake, *, parts: bool) -> Iterator[tuple[str, str]]:
    """Yield views of the silver tables with one text for chain and incarnation, and the query of each."""
    places = {"blocks": lake.at(BLOCKS), "events": lake.at(PACKET_EVENTS)}
    if parts:
        number_parts(lake)
        places = {"blocks": "numbered_blocks", "events": "numbered_events"}
    for name, query in _SILVER.items():
        yield name, query.format(**places)
    for name, of in CONTENTS.items():
        place = [] if "end_id" in of.names else [f"{CHAIN_KEY} AS chain", "height", "time_ns"]
        query = items_of(lake, places["blocks"], name, place)
        yield f"sealed_{name}", f"{query} UNION ALL {_channels(of, places)}" if name == "facts" else query
    packets = f"SELECT {', '.join(name for name, _ in COLUMNS)} FROM {lake.at(PACKETS)}"
    yield from (("packets", packets), ("made_packets", packets))


def _channels(of: pa.DataType, places: dict[str, str]) -> str:
    """Build the query for the channels in packets, as facts with the last height of each."""
    ends = ", ".join(f"{expression} AS {name}" for name, expression in _CHANNEL.items())
    known = {"place", "type", "told_by", *_CHANNEL}
    columns = ", ".join(
        field.name if field.name in known else f"CAST(NULL AS {type_of(field.type)}) AS {field.name}"
        for field in of
    )
    order = ", ".join(f"{name} NULLS FIRST" for name in _CHANNEL)
    rows = _OF_PACKETS.format(names=", ".join(_CHANNEL), order=order, ends=ends, **places)
    return f"SELECT chain, height, CAST(NULL AS bigint) AS time_ns, {columns} FROM ({rows}) AS channels"
