"""Gold table `packets`: one row per packet, computed from all its events, and merged by its key."""

from pyspark.sql import DataFrame

from pyibc.indexer.event_order import EVENT_ORDER, HAS_TIMEOUT, TURN
from pyibc.indexer.lifecycle import ENDS, TX_KINDS, first_seen
from pyibc.indexer.packet_facts import ACK, RECV, TIMEOUT
from pyibc.indexer.packet_table import COLUMNS, STEPS, WAYS, followed, latencies, moments, states
from pyibc.indexer.pipeline.delta import Lake, ddl_of, sql_text
from pyibc.indexer.pipeline.routes import Routes
from pyibc.indexer.pipeline.tables import PACKET_EVENTS, PACKETS
from pyibc.indexer.segments.numbers import ACK_STATES, KINDS
from pyibc.indexer.spark_engine import DIALECT

_TRANSFER = ("denom", "amount", "sender", "receiver", "memo")
_TIMEOUT = ("timeout_revision", "timeout_height", "timeout_ns")
_OF_MOVED_PATHS = """
SELECT DISTINCT path_id, sequence FROM {events} WHERE path_id IN (SELECT path_id FROM moved_paths)
"""
_OPEN = """
SELECT path_id, sequence FROM {packets} AS packets
LEFT SEMI JOIN moved_routes ON packets.route = moved_routes.route
WHERE state IN ('sent', 'received', 'unknown', 'stuck') AND in_flight
"""
_GONE = """
SELECT old.packet_id FROM {packets} AS old
LEFT SEMI JOIN wanted ON old.path_id = wanted.path_id AND old.sequence = wanted.sequence
LEFT ANTI JOIN made_packets AS new ON old.packet_id = new.packet_id
"""


def affected(lake: Lake, touched: DataFrame, routes: Routes) -> DataFrame:
    """Return the packets whose rows may change, as `path_id` and `sequence`.

    They are those with new events, those of paths whose routes have changed, and those in flight whose state
    may have changed because their chains went on.
    """
    found = touched
    if routes.moved_paths:
        paths = lake.table_of("path_id bigint", [(path,) for path in sorted(routes.moved_paths)])
        paths.createOrReplaceTempView("moved_paths")
        found = found.union(lake.spark.sql(_OF_MOVED_PATHS.format(events=lake.at(PACKET_EVENTS))))
    if routes.moved:
        moved = lake.table_of("route string", [(route,) for route in routes.moved])
        moved.createOrReplaceTempView("moved_routes")
        found = found.union(lake.spark.sql(_OPEN.format(packets=lake.at(PACKETS))))
    return found.distinct()


def merge_packets(lake: Lake, events: DataFrame, routes: Routes, *, may_vanish: bool) -> None:
    """Compute the rows of the packets with `events` and merge them into the table.

    Args:
        lake: the tables.
        events: all events of the packets in the view `wanted`.
        routes: routes of all ends.
        may_vanish: whether rows of these packets may exist under other keys: of routes that changed, or of
            packets whose only event was replaced.
    """
    events.createOrReplaceTempView("wanted_events")
    register_routes(lake, routes)
    rows = lake.spark.sql(packets_query()).persist()
    try:
        rows.createOrReplaceTempView("made_packets")
        lake.merge(PACKETS, rows, within=lake.within(rows, "route", "old"))
        if may_vanish:
            lake.spark.sql(_GONE.format(packets=lake.at(PACKETS))).createOrReplaceTempView("gone_packets")
            lake.execute(
                f"MERGE INTO {lake.at(PACKETS)} AS old USING gone_packets AS new"
                " ON old.packet_id = new.packet_id WHEN MATCHED THEN DELETE"
            )
    finally:
        rows.unpersist()


def packets_query() -> str:
    """Build the query for one row per packet in the views `wanted_events`, `route_ends` and `ways`."""
    expressions = {
        **{name: name for name, _ in COLUMNS},
        **states(),
        **moments(DIALECT),
        **latencies(),
        "ack_error": "detail",
        **{name: f"transfer.{name}" for name in _TRANSFER},
        **{f"{STEPS[kind]}_tx": f"{kind}_tx" for kind in TX_KINDS},
        "packet_id": "(way_key || '-' || CAST(sequence AS string))",
        "ack_overdue": "(in_flight AND arrived AND silent AND NOT gap)",
    }
    listed = ",\n  ".join(
        f"CAST({expressions[name]} AS {DIALECT.type(kind)}) AS {name}" for name, kind in COLUMNS
    )
    return (
        f"WITH told AS (\n{_told()}\n), grouped AS (\n{_grouped()}\n), packets AS (\n"
        "SELECT *, timeouts.* FROM grouped\n), followed AS (\n"
        f"{followed()}\n)\nSELECT {listed},\n  way_key AS route, path_id FROM followed"
    )


def _told() -> str:
    acks = " ".join(f"WHEN '{state}' THEN {number}" for number, state in enumerate(ACK_STATES, 1))
    return (
        f"SELECT route_ends.way, route_ends.height_base, events.*, CASE ack {acks} END AS ack_state\n"
        "FROM wanted_events AS events JOIN route_ends ON events.end_id = route_ends.end_id"
    )


def _grouped() -> str:
    transfer, timeouts = ", ".join(_TRANSFER), ", ".join(_TIMEOUT)
    columns = [
        f"min_by(struct({timeouts}), CASE WHEN {HAS_TIMEOUT} THEN {EVENT_ORDER} END) AS timeouts",
        *(column for kind in KINDS for column in first_seen(kind)),
        _earliest("relayer", [RECV], "relayer_recv"),
        _earliest("relayer", [ACK, TIMEOUT], "relayer_back"),
        f"min_by(struct({transfer}), CASE WHEN denom IS NOT NULL THEN {EVENT_ORDER} END) AS transfer",
        *(_earliest("tx_hash", [kind], f"{kind}_tx") for kind in TX_KINDS),
        f"min_by(payloads, CASE WHEN payloads IS NOT NULL THEN {EVENT_ORDER} END) AS payloads",
        "max(CASE WHEN receiving THEN ack_state END) AS ack_written",
        "max(CASE WHEN NOT receiving THEN ack_state END) AS ack_returned",
        f"min_by(detail, CASE WHEN ack = 'error' AND detail IS NOT NULL THEN {EVENT_ORDER} END) AS detail",
    ]
    listed = ",\n  ".join(columns)
    return f"SELECT way, path_id, sequence,\n  {listed}\nFROM told GROUP BY way, path_id, sequence"


def _earliest(column: str, kinds: list[str], name: str) -> str:
    listed = ", ".join(map(sql_text, kinds))
    return (
        f"min_by({column}, CASE WHEN type IN ({listed}) AND {column} IS NOT NULL THEN {TURN} END) AS {name}"
    )


def register_routes(lake: Lake, routes: Routes) -> None:
    """Register the routes as the view `ways`, and the ends with their routes as `route_ends`."""
    numbers = {row[0]: number for number, row in enumerate(routes.rows)}
    ways = [
        (number, *row[1:-1], *routes.moving[key], key)  # the row ends with its ends
        for (key, number), row in zip(numbers.items(), routes.rows, strict=True)
    ]
    lake.table_of(ddl_of(WAYS), ways).createOrReplaceTempView("ways")
    ends = [(end, numbers[key], routes.bases[end]) for end, key in routes.of_end.items()]
    lake.table_of(ddl_of(ENDS), ends).createOrReplaceTempView("route_ends")
