"""Packets that a batch concerns, and all their events."""

from pyibc.indexer.pipeline.lake import Lake, spans_of
from pyibc.indexer.pipeline.observations import Batch
from pyibc.indexer.pipeline.tables import PACKET_EVENTS, REPLACED


def packets_of(lake: Lake, batch: Batch, *, shared: bool) -> str:
    """Build the query for the packets with events in a batch, as `path_id` and `sequence`.

    They are those in the view `batch_events`, and, if the batch was compared with the tables (`shared`),
    those in blocks that it replaced.
    """
    query = "SELECT path_id, sequence FROM batch_events"
    if shared:
        query += f" UNION SELECT path_id, sequence FROM {lake.at(REPLACED)} WHERE batch = '{batch.name}'"
    return f"SELECT DISTINCT path_id, sequence FROM ({query}) AS found"


def replaced_paths(lake: Lake, batch: Batch) -> set[int]:
    """Return the paths with events in blocks that a batch replaced."""
    query = f"SELECT DISTINCT path_id FROM {lake.at(REPLACED)} WHERE batch = '{batch.name}'"
    return {row.path_id for row in lake.rows(query)}


def events_of(lake: Lake, view: str, *, parts: bool) -> str:
    """Build the query for all events of the packets in a view with `path_id` and `sequence`.

    Args:
        lake: the tables, with the views of `number_parts` if there are parts.
        view: the view.
        parts: whether blocks may be known in part.
    """
    rows = "numbered_events" if parts else lake.at(PACKET_EVENTS)
    return (
        f"SELECT events.* FROM {rows} AS events SEMI JOIN {view} AS wanted"
        " ON events.path_id = wanted.path_id AND events.sequence = wanted.sequence"
        f" WHERE {spans_of(lake, view, 'path_id', 'events')}"
    )
