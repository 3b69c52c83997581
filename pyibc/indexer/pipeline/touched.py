"""Packets that a batch concerns, and all their events."""

from pyspark.sql import DataFrame

from pyibc.indexer.pipeline.delta import Lake
from pyibc.indexer.pipeline.observations import Batch
from pyibc.indexer.pipeline.tables import PACKET_EVENTS, REPLACED


def packets_of(lake: Lake, batch: Batch, *, shared: bool) -> DataFrame:
    """Return the packets with events in a batch, as `path_id` and `sequence`.

    They are those in the view `batch_events`, and, if the batch was compared with the tables (`shared`),
    those in blocks that it replaced.
    """
    query = "SELECT path_id, sequence FROM batch_events"
    if shared:
        query += f" UNION ALL SELECT path_id, sequence FROM {lake.at(REPLACED)} WHERE batch = '{batch.name}'"
    return lake.spark.sql(query).distinct()


def replaced_paths(lake: Lake, batch: Batch) -> set[int]:
    """Return the paths with events in blocks that a batch replaced."""
    rows = lake.read(REPLACED).where(f"batch = '{batch.name}'").select("path_id").distinct().collect()
    return {row.path_id for row in rows}


def events_of(lake: Lake, view: str) -> DataFrame:
    """Return all events of the packets in a view with `path_id` and `sequence`."""
    return lake.spark.sql(
        f"SELECT events.* FROM {lake.at(PACKET_EVENTS)} AS events LEFT SEMI JOIN {view} AS wanted"
        " ON events.path_id = wanted.path_id AND events.sequence = wanted.sequence"
        f" WHERE {lake.within(lake.spark.table(view), 'path_id', 'events')}"
    )
