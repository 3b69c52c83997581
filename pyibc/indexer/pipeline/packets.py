"""Gold table `packets`: one row per packet, computed from all its events, and merged by its key."""

from pyibc.indexer.chains.routes import ENDS, TX_KINDS, first_seen
from pyibc.indexer.events.packet_facts import ACK, ACK_STATES, KINDS, RECV, TIMEOUT
from pyibc.indexer.pipeline.lake import Batch, Lake, spans_of
from pyibc.indexer.pipeline.routes import Routes
from pyibc.indexer.pipeline.tables import PACKET_EVENTS, PACKETS, REPLACED
from pyibc.indexer.results.packets import COLUMNS, STEPS, WAYS, followed, latencies, moments, states
from pyibc.indexer.sql import EVENT_ORDER, HAS_TIMEOUT, TURN, Dialect

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


def affected(lake: Lake, routes: Routes) -> str:
    """Build the query for the packets whose rows may change, as `path_id` and `sequence`.

    They are those in the view `touched`, which have new events, those of paths whose routes have changed,
    and those in flight whose state may have changed because their chains went on.
    """
    queries = ["SELECT path_id, sequence FROM touched"]
    if routes.moved_paths:
        paths = [(path,) for path in sorted(routes.moved_paths)]
        lake.table("moved_paths", (("path_id", "bigint"),), paths)
        queries.append(_OF_MOVED_PATHS.format(events=lake.at(PACKET_EVENTS)))
    if routes.moved:
        lake.table("moved_routes", (("route", "string"),), [(route,) for route in routes.moved])
        queries.append(_OPEN.format(packets=lake.at(PACKETS)))
    return f"SELECT DISTINCT path_id, sequence FROM ({' UNION ALL '.join(queries)}) AS found"


def merge_packets(lake: Lake, routes: Routes, *, may_vanish: bool) -> None:
    """Compute the rows of the packets in the view `wanted` and merge them into the table.

    All their events are in the view `wanted_events`.

    Args:
        lake: the tables.
        routes: routes of all ends.
        may_vanish: whether rows of these packets may exist under other keys: of routes that changed, or of
            packets whose only event was replaced.
    """
    register_routes(lake, routes)
    with lake.kept("made_packets", packets_query(lake.dialect)):
        within = spans_of(lake, "made_packets", "route", "old")
        lake.merge(PACKETS, "SELECT * FROM made_packets", within=within)
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
    return (
        f"SELECT route_ends.way, route_ends.height_base, events.*, CASE ack {acks} END AS ack_state\n"
        "FROM wanted_events AS events JOIN route_ends ON events.end_id = route_ends.end_id"
    )


def _grouped(dialect: Dialect) -> str:
    transfer, timeouts = (dialect.struct({name: name for name in names}) for names in (_TRANSFER, _TIMEOUT))
    columns = [
        f"min_by({timeouts}, CASE WHEN {HAS_TIMEOUT} THEN {EVENT_ORDER} END) AS timeouts",
        *(column for kind in KINDS for column in first_seen(kind)),
        _earliest("relayer", [RECV], "relayer_recv"),
        _earliest("relayer", [ACK, TIMEOUT], "relayer_back"),
        f"min_by({transfer}, CASE WHEN denom IS NOT NULL THEN {EVENT_ORDER} END) AS transfer",
        *(_earliest("tx_hash", [kind], f"{kind}_tx") for kind in TX_KINDS),
        f"min_by(payloads, CASE WHEN payloads IS NOT NULL THEN {EVENT_ORDER} END) AS payloads",
        "max(CASE WHEN receiving THEN ack_state END) AS ack_written",
        "max(CASE WHEN NOT receiving THEN ack_state END) AS ack_returned",
        f"min_by(detail, CASE WHEN ack = 'error' AND detail IS NOT NULL THEN {EVENT_ORDER} END) AS detail",
    ]
    listed = ",\n  ".join(columns)
    return f"SELECT way, path_id, sequence,\n  {listed}\nFROM told GROUP BY way, path_id, sequence"


def _earliest(column: str, kinds: list[str], name: str) -> str:
    listed = ", ".join(f"'{kind}'" for kind in kinds)
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
    lake.table("ways", WAYS, ways)
    ends = [(end, numbers[key], routes.bases[end]) for end, key in routes.of_end.items()]
    lake.table("route_ends", ENDS, ends)
