"""Gold table `packets`: one row per packet, computed from all its events, and merged by its key."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from pyibc.indexer.chains.routes import ENDS, TX_KINDS, first_seen
from pyibc.indexer.events.packet_facts import ACK, ACK_STATES, KINDS, RECV, TIMEOUT
from pyibc.indexer.pipeline.lake import Batch, Lake, spans_of
from pyibc.indexer.pipeline.routes import Routes
from pyibc.indexer.pipeline.tables import PACKET_EVENTS, PACKETS, REPLACED
from pyibc.indexer.results.packets import COLUMNS, STEPS, WAYS, followed, latencies, moments, states
from pyibc.indexer.sql import EVENT_ORDER, HAS_TIMEOUT, POSITION, TURN, Dialect

_TRANSFER = ("denom", "amount", "sender", "receiver", "memo")
_TIMEOUT = ("timeout_revision", "timeout_height", "timeout_ns")
_OF_MOVED_PATHS = """
SELECT DISTINCT path_id, sequence FROM {events} WHERE path_id IN (SELECT path_id FROM moved_paths)
"""
_OPEN = """
SELECT path_id, sequence FROM {packets} AS packets
SEMI JOIN moved_routes ON packets.route = moved_routes.route
WHERE state IN ('sent', 'received', 'unknown', 'stuck') AND in_flight
"""
_OTHERS = """
SELECT DISTINCT found.path_id, found.sequence FROM ({found}) AS found
ANTI JOIN touched ON found.path_id = touched.path_id AND found.sequence = touched.sequence
"""
_SPLIT = """
SELECT new.* FROM made_packets AS new
{join} JOIN old_packets AS old ON new.path_id = old.path_id AND new.sequence = old.sequence
"""
_GONE = """
SELECT old.packet_id FROM {packets} AS old
SEMI JOIN wanted ON old.path_id = wanted.path_id AND old.sequence = wanted.sequence
ANTI JOIN made_packets AS new ON old.packet_id = new.packet_id
"""


def packets_of(lake: Lake, batch: Batch, *, shared: bool) -> str:
    """Build the query for the packets with events in a batch, as `path_id` and `sequence`.

    They are those in the view `batch_events`, and, if the batch was compared with the tables (`shared`),
    those in blocks that it replaced.
    """
    query = "SELECT path_id, sequence FROM batch_events"
    if shared:
        query += f" UNION SELECT path_id, sequence FROM {lake.at(REPLACED)} WHERE {_replaced_by(batch)}"
    return f"SELECT DISTINCT path_id, sequence FROM ({query}) AS found"


def _replaced_by(batch: Batch) -> str:
    return f"batch = '{batch.name}' AND path_id IS NOT NULL"


def replaced_paths(lake: Lake, batch: Batch) -> set[int]:
    """Return the paths with events in blocks that a batch replaced."""
    query = f"SELECT DISTINCT path_id FROM {lake.at(REPLACED)} WHERE {_replaced_by(batch)}"
    return {row.path_id for row in lake.rows(query)}


def events_of(lake: Lake, view: str, *, parts: bool, where: str = "TRUE") -> str:
    """Build the query for all events of the packets in a view with `path_id` and `sequence`.

    Args:
        lake: the tables, with the views of `number_parts` if there are parts.
        view: the view.
        parts: whether blocks may be known in part.
        where: condition on the events.
    """
    rows = "numbered_events" if parts else lake.at(PACKET_EVENTS)
    return (
        f"SELECT {_listed('events')} FROM {rows} AS events SEMI JOIN {view} AS wanted"
        " ON events.path_id = wanted.path_id AND events.sequence = wanted.sequence"
        f" WHERE {where} AND ({spans_of(lake, view, 'path_id', 'events')})"
    )


def _listed(events: str) -> str:
    return ", ".join(f"{events}.{name}" for name in PACKET_EVENTS.names)


@contextmanager
def touched_events(lake: Lake, batch: Batch, *, parts: bool, earlier: bool) -> Iterator[None]:
    """Create the view `touched_events` with all events of the packets in the view `touched`.

    Args:
        lake: the tables, with the view `batch_events`.
        batch: the batch.
        parts: whether blocks may be known in part, so that the batch changes numbers in others.
        earlier: whether earlier batches may have events of these packets.
    """
    if parts:
        with lake.kept("touched_events", events_of(lake, "touched", parts=True)):
            yield
        return
    every = f"SELECT {_listed('batch_events')} FROM batch_events"
    if not earlier:
        lake.view("touched_events", every)
        yield
        return
    before = events_of(lake, "touched", parts=False, where=f"events.batch <> '{batch.name}'")
    with lake.kept("earlier_events", before):
        lake.view("touched_events", f"{every} UNION ALL SELECT * FROM earlier_events")
        yield


@contextmanager
def wanted_events(lake: Lake, routes: Routes, *, parts: bool) -> Iterator[None]:
    """Create the views `wanted`, of the packets whose rows may change, and `wanted_events`, of their events.

    They are those in the view `touched`, which have new events, and those in the view `other_packets`: of
    paths whose routes have changed, and in flight, whose state may have changed because their chains went on.
    """
    queries = list[str]()
    if routes.moved_paths:
        paths = [(path,) for path in sorted(routes.moved_paths)]
        lake.table("moved_paths", (("path_id", "bigint"),), paths)
        queries.append(_OF_MOVED_PATHS.format(events=lake.at(PACKET_EVENTS)))
    if routes.moved:
        lake.table("moved_routes", (("route", "string"),), [(route,) for route in routes.moved])
        queries.append(_OPEN.format(packets=lake.at(PACKETS)))
    if not queries:
        lake.view("wanted", "SELECT * FROM touched")
        lake.view("wanted_events", "SELECT * FROM touched_events")
        yield
        return
    with lake.kept("other_packets", _OTHERS.format(found=" UNION ALL ".join(queries))):
        lake.view("wanted", "SELECT * FROM touched UNION ALL SELECT * FROM other_packets")
        with lake.kept("other_events", events_of(lake, "other_packets", parts=parts)):
            lake.view("wanted_events", "SELECT * FROM touched_events UNION ALL SELECT * FROM other_events")
            yield


def write_packets(
    lake: Lake, routes: Routes, batch: Batch, *, old: Sequence[str] | None, may_vanish: bool
) -> None:
    """Compute the rows of the packets in the view `wanted`, and append new ones and merge others.

    All their events are in the view `wanted_events`.

    Args:
        lake: the tables.
        routes: routes of all ends.
        batch: the batch.
        old: views with the packets that may have rows; None: all may. To append costs less than to merge.
        may_vanish: whether rows of these packets may exist under other keys: of routes that changed, or of
            packets whose only event was replaced.
    """
    register_routes(lake, routes)
    rows = packets_query(lake.dialect)
    if old is not None and not old:
        lake.append(PACKETS, rows, batch.writer, batch.number)
        return
    with lake.kept("made_packets", rows):
        merged = "SELECT * FROM made_packets"
        if old is not None:
            lake.view("old_packets", " UNION ALL ".join(f"SELECT path_id, sequence FROM {v}" for v in old))
            lake.append(PACKETS, _SPLIT.format(join="ANTI"), batch.writer, batch.number)
            merged = _SPLIT.format(join="SEMI")
        lake.view("merged_packets", merged)
        within = spans_of(lake, "merged_packets", "route", "old")
        lake.merge(PACKETS, "SELECT * FROM merged_packets", within=within)
        if may_vanish:
            lake.view("gone_packets", _GONE.format(packets=lake.at(PACKETS)))
            lake.delete(PACKETS, "gone_packets", "old.packet_id = new.packet_id")


def packets_query(dialect: Dialect) -> str:
    """Build the query for one row per packet in the views `wanted_events`, `route_ends` and `ways`."""
    expressions = {
        **states(),
        **moments(dialect),
        **latencies(),
        "ack_error": "detail",
        **{name: f"transfer.{name}" for name in _TRANSFER},
        **{f"{STEPS[kind]}_tx": f"{kind}_tx" for kind in TX_KINDS},
        "packet_id": "(way_key || '-' || CAST(sequence AS string))",
        "ack_overdue": "(in_flight AND arrived AND silent AND NOT gap)",
    }
    listed = dialect.listed(COLUMNS, expressions)
    return (
        f"WITH told AS (\n{_told()}\n), grouped AS (\n{_grouped(dialect)}\n), packets AS (\n"
        "SELECT *, timeouts.* FROM grouped\n), followed AS (\n"
        f"{followed()}\n)\nSELECT {listed},\n  way_key AS route, path_id FROM followed"
    )


def _told() -> str:
    acks = " ".join(f"WHEN '{state}' THEN {number}" for number, state in enumerate(ACK_STATES, 1))
    # The hint spares Spark a sort for aggregates in part, as few events of a packet are close together.
    return (
        "SELECT /*+ REPARTITION(way, path_id, sequence) */ route_ends.way, events.*,\n"
        f"  {POSITION} AS position, {TURN} AS turn, {EVENT_ORDER} AS event_order,\n"
        f"  CASE ack {acks} END AS ack_state\n"
        "FROM wanted_events AS events JOIN route_ends ON events.end_id = route_ends.end_id"
    )


def _grouped(dialect: Dialect) -> str:
    transfer, timeouts = (dialect.struct({name: name for name in names}) for names in (_TRANSFER, _TIMEOUT))
    columns = [
        f"min_by({timeouts}, CASE WHEN {HAS_TIMEOUT} THEN event_order END) AS timeouts",
        *(column for kind in KINDS for column in first_seen(kind)),
        _earliest("relayer", [RECV], "relayer_recv"),
        _earliest("relayer", [ACK, TIMEOUT], "relayer_back"),
        f"min_by({transfer}, CASE WHEN denom IS NOT NULL THEN event_order END) AS transfer",
        *(_earliest("tx_hash", [kind], f"{kind}_tx") for kind in TX_KINDS),
        "min_by(payloads, CASE WHEN payloads IS NOT NULL THEN event_order END) AS payloads",
        "max(CASE WHEN receiving THEN ack_state END) AS ack_written",
        "max(CASE WHEN NOT receiving THEN ack_state END) AS ack_returned",
        "min_by(detail, CASE WHEN ack = 'error' AND detail IS NOT NULL THEN event_order END) AS detail",
    ]
    listed = ",\n  ".join(columns)
    return f"SELECT way, path_id, sequence,\n  {listed}\nFROM told GROUP BY sequence, way, path_id"


def _earliest(column: str, kinds: list[str], name: str) -> str:
    numbers = ", ".join(str(KINDS.index(kind)) for kind in kinds)
    return f"min_by({column}, CASE WHEN kind IN ({numbers}) AND {column} IS NOT NULL THEN turn END) AS {name}"


def register_routes(lake: Lake, routes: Routes) -> None:
    """Register the routes as the view `ways`, and the ends with their routes as `route_ends`."""
    numbers = {row[0]: number for number, row in enumerate(routes.rows)}
    ways = [
        (number, *row[1:-1], *routes.moving[key], key)  # the row ends with its ends
        for (key, number), row in zip(numbers.items(), routes.rows, strict=True)
    ]
    lake.table("ways", WAYS, ways)
    ends = [(end, numbers[key], routes.bases[end]) for end, key in routes.of_end.items()]
    lake.table("route_ends", ENDS, ends)
