"""Packets that a batch concerns, and all their events."""

from pyspark.sql import DataFrame

from pyibc.indexer.pipeline.delta import Lake
from pyibc.indexer.pipeline.silver import Batch
from pyibc.indexer.pipeline.tables import PACKET_EVENTS, REPLACED

_OF_BATCH = """
SELECT path_id, sequence FROM {events} WHERE batch = '{batch}'
UNION SELECT path_id, sequence FROM {replaced} WHERE batch = '{batch}'
"""
_BOUNDS = "SELECT path_id, min(sequence) AS first, max(sequence) AS last FROM {view} GROUP BY path_id"
MOST_BOUNDS = 200
"""Paths whose sequences are listed in a condition, by which Delta leaves out files."""


def packets_of(lake: Lake, batch: Batch) -> DataFrame:
    """Return the packets with events in a batch, as `path_id` and `sequence`."""
    return lake.spark.sql(
        _OF_BATCH.format(events=lake.at(PACKET_EVENTS), replaced=lake.at(REPLACED), batch=batch.name)
    )


def events_of(lake: Lake, view: str) -> DataFrame:
    """Return all events of the packets in a view with `path_id` and `sequence`."""
    return lake.spark.sql(
        f"SELECT events.* FROM {lake.at(PACKET_EVENTS)} AS events LEFT SEMI JOIN {view} AS wanted"
        " ON events.path_id = wanted.path_id AND events.sequence = wanted.sequence"
        f" WHERE {_within(lake, view)}"
    )


def _within(lake: Lake, view: str) -> str:
    """Return a condition on paths and sequences that the packets in a view fulfil."""
    bounds = lake.spark.sql(_BOUNDS.format(view=view)).limit(MOST_BOUNDS + 1).collect()
    if len(bounds) > MOST_BOUNDS:
        return "TRUE"
    spans = (f"(path_id = {path} AND sequence BETWEEN {first} AND {last})" for path, first, last in bounds)
    return " OR ".join(spans) or "FALSE"
