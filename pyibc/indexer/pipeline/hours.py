"""Gold table `hours`: aggregates by hour, of which a batch computes those hours anew that it touches.

Packets in flight are not in it: their state depends on the last blocks of their chains, so all of them may
change with every batch. They are in a partition of `packets` of their own, from which readers add them.

A batch touches the hours of its blocks, of the records that it replaces, and of all events of its packets
and of paths whose routes have changed. This does not depend on the gold tables, so a batch that is repeated
touches the same hours. If the table lacks some of an earlier batch, as after an upgrade, all are computed.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack

from pyibc.core.numbers import MAX_I64
from pyibc.indexer.bronze.contents import FORWARDS, TRANSFERS
from pyibc.indexer.bronze.rows import FACTS, TRANSACTIONS
from pyibc.indexer.events.packet_facts import PATH
from pyibc.indexer.pipeline.lake import MOST_SPANS, Batch, Lake, exists
from pyibc.indexer.pipeline.silver import items_of
from pyibc.indexer.pipeline.tables import BLOCKS, CHAIN_KEY, HOURS, PACKET_EVENTS, PACKETS, REPLACED
from pyibc.indexer.results.hours import (
    AGGREGATES,
    HOUR_NS,
    UNKNOWN_HOUR,
    Aggregate,
    each_transfer,
    hour_of,
    packet_hour,
)
from pyibc.indexer.sql import Dialect

Keep = Callable[[str, str], None]
_NOT_COUNTED = {
    "ack_error",
    "expires_height",
    "expires_time",
    "sender",
    "receiver",
    "memo",
    "payloads",
}
_OF_PARTS = """
SELECT old.time_ns FROM {blocks} AS old
SEMI JOIN (SELECT DISTINCT chain, incarnation, height FROM batch_blocks) AS new
  ON old.chain = new.chain AND old.height = new.height
    AND old.incarnation IS NOT DISTINCT FROM new.incarnation
WHERE old.partial"""
_WEEK_NS = 7 * 24 * HOUR_NS
_BLOCK_COLUMNS = ", ".join(
    ("chain", "incarnation", "height", "time_ns", "tx_number", TRANSACTIONS, FACTS, TRANSFERS, FORWARDS)
)
_PACKET_COLUMNS = ", ".join(
    name for name in PACKETS.names if not name.endswith(("_tx", "_known_by")) and name not in _NOT_COUNTED
)
_OF_EVENTS = (
    "time_ns",
    "height",
    "tx_index",
    "type",
    "protocol",
    "connection",
    "ordering",
    "receiving",
    *PATH[1:],
)


def write_hours(
    lake: Lake, batch: Batch, *, is_current: bool, shared: bool, moved: bool, parts: bool
) -> None:
    """Compute the hours anew that a batch has touched, after its packets were written.

    Args:
        lake: the tables, with the views of the batch.
        batch: the batch.
        is_current: whether the table has all batches before; if not, all hours are computed.
        shared: whether the batch may have replaced records.
        moved: whether there is a view `moved_paths`, of paths whose routes have changed.
        parts: whether blocks may be known in part.
    """
    hours = _touched(lake, batch, shared=shared, moved=moved, parts=parts) if is_current else None
    if hours is not None and not hours:
        return
    where, query = None, rows_query(lake.dialect, batch.name)
    # A row of nothing says that the table has the batch, whose blocks may all be empty.
    last = UNKNOWN_HOUR if hours is None else max(hours)
    query += f"\nUNION ALL SELECT {last // _WEEK_NS}, {last}, 0, {'NULL, ' * len(AGGREGATES)}'{batch.name}'"
    if hours is not None:
        # Whole weeks are written, so that each is one file: a file for each hour would be slow to read.
        weeks = _listed(sorted({hour // _WEEK_NS for hour in hours}))
        where = f"week IN ({weeks})"
        others = f"{where} AND hour_ns NOT IN ({_listed(hours)})"
        query += f"\nUNION ALL SELECT {', '.join(HOURS.names)} FROM {lake.at(HOURS)} WHERE {others}"
    with ExitStack() as kept:

        def keep(name: str, rows: str) -> None:
            kept.enter_context(lake.kept(name, rows))

        register_sources(lake, hours, parts=parts, keep=None if hours is None else keep)
        lake.view("counted_packets", "SELECT * FROM hour_packets WHERE NOT in_flight")
        keep("each_transfer", each_transfer(lake.dialect))
        lake.overwrite(HOURS, query, where)


def is_empty(lake: Lake) -> bool:
    """Return whether no hour is in the table, or the table does not exist."""
    return not exists(lake, HOURS) or not lake.rows(f"SELECT hour_ns FROM {lake.at(HOURS)} LIMIT 1")


def are_current(lake: Lake, writer: str) -> bool:
    """Return whether the table has the last batch of a stream that stored blocks.

    It has not if it or the stream is new, if an older release has added a batch, or if a batch was killed.
    """
    of_writer = f"left(batch, length(batch) - {len(Batch('', 0).name)}) = {lake.text(writer)}"
    last = f"SELECT max(batch) AS batch FROM {{}} WHERE {of_writer}"
    kept, stored = (lake.rows(last.format(lake.at(table)))[0].batch for table in (HOURS, BLOCKS))
    return stored is not None and bool(kept == stored)


def _touched(lake: Lake, batch: Batch, *, shared: bool, moved: bool, parts: bool) -> list[int]:
    times = ["SELECT time_ns FROM batch_blocks", "SELECT time_ns FROM touched_events"]
    if shared:
        times.append(f"SELECT time_ns FROM {lake.at(REPLACED)} WHERE batch = '{batch.name}'")
    if parts:  # the numbers of other transactions of these blocks may have changed
        times.append(_OF_PARTS.format(blocks=lake.at(BLOCKS)))
    if moved:
        paths = "SELECT path_id FROM moved_paths"
        times.append(f"SELECT time_ns FROM {lake.at(PACKET_EVENTS)} WHERE path_id IN ({paths})")
    found = lake.rows(
        f"SELECT DISTINCT {hour_of('time_ns')} AS hour_ns FROM ({' UNION ALL '.join(times)}) AS told"
    )
    return sorted(row.hour_ns for row in found)


def _listed(numbers: Iterable[int]) -> str:
    return ", ".join(map(str, numbers)) or "NULL"


def _spans(hours: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Yield the first and last moments of adjacent hours, in unix nanoseconds."""
    first = last = -1
    for hour in sorted(hours):
        if hour < 0:
            continue
        if first < 0 or hour != last + 1:
            if first >= 0:
                yield first, last
            first = hour
        last = min(hour + HOUR_NS - 1, MAX_I64)  # the last hour of a bigint is not a whole one
    if first >= 0:
        yield first, last


def _of_hours(hours: Sequence[int] | None) -> str:
    """Return the condition that the time of a block is in one of some hours, by which files are left out."""
    if hours is None:
        return "TRUE"
    spans = list(_spans(hours))
    if len(spans) > MOST_SPANS:
        return f"{hour_of('time_ns')} IN ({_listed(hours)})"
    conditions = [f"(time_ns BETWEEN {first} AND {last})" for first, last in spans]
    if UNKNOWN_HOUR in hours:
        conditions.append("time_ns IS NULL OR time_ns < 0")
    return " OR ".join(conditions) or "FALSE"


def _of_packets(hours: Sequence[int] | None, dialect: Dialect) -> str:
    """Return the condition that a packet is of one of some hours, by which files are left out."""
    if not hours:
        return "TRUE" if hours is None else "FALSE"
    condition = f"{packet_hour(dialect)} IN ({_listed(hours)})"
    spans = list(_spans(hours))
    if UNKNOWN_HOUR in hours or len(spans) > MOST_SPANS:
        return condition
    sent = (
        f"(send_time BETWEEN {dialect.time(str(first))} AND {dialect.time(str(last))})"
        for first, last in spans
    )
    return f"{condition} AND (send_time IS NULL OR {' OR '.join(sent)})"


def _hours_of_events(lake: Lake, hours: Sequence[int] | None) -> list[int] | None:
    """Return the hours of all events of the packets in the view `hour_packets`; None: all.

    A step may have several events, of which any may be the one with the transfer.
    """
    if not hours:
        return None if hours is None else []
    [near] = lake.rows(
        "SELECT min(sequence) AS first, max(sequence) AS last, count(*) AS packets FROM hour_packets"
    )
    lake.expect(near.packets * len(AGGREGATES))  # hours may have many times the rows of the batch
    if near.first is None:
        return []
    found = lake.rows(
        f"SELECT DISTINCT {hour_of('time_ns')} AS hour_ns FROM {lake.at(PACKET_EVENTS)} AS events\n"
        "SEMI JOIN hour_packets AS packets\n"
        "  ON events.path_id = packets.path_id AND events.sequence = packets.sequence\n"
        f"WHERE events.sequence BETWEEN {near.first} AND {near.last}"
    )
    return sorted(row.hour_ns for row in found)


def register_sources(
    lake: Lake, hours: Sequence[int] | None, *, parts: bool, keep: Keep | None = None
) -> None:
    """Register views for the aggregates of some hours: all but `counted_packets` and `each_transfer`.

    Args:
        lake: the tables, with the views of routes, and of numbered blocks if there are parts.
        hours: the hours; None: all.
        parts: whether blocks may be known in part.
        keep: registers a view whose rows are computed once; None: rows are read each time.
    """
    keep = keep or lake.view
    blocks, events = lake.at(BLOCKS), lake.at(PACKET_EVENTS)
    if parts:
        blocks, events = "numbered_blocks", "numbered_events"
    lake.view("ends", "SELECT * FROM route_ends")
    of_packets = _of_packets(hours, lake.dialect)
    keep("hour_packets", f"SELECT {_PACKET_COLUMNS} FROM {lake.at(PACKETS)} WHERE {of_packets}")
    of_events = _hours_of_events(lake, hours)
    near = None if of_events is None else sorted({*of_events, *(hours or ())})
    keep("near_blocks", f"SELECT {_BLOCK_COLUMNS} FROM {blocks} WHERE {_of_hours(near)}")
    places = {
        "hour": (_of_hours(hours), (TRANSACTIONS, FACTS, FORWARDS)),
        "packet": (_of_hours(of_events), (TRANSFERS, FORWARDS)),
    }
    for place, (condition, contents) in places.items():
        lake.view(f"{place}_blocks", f"SELECT * FROM near_blocks WHERE {condition}")
        for name in contents:
            own = [f"{CHAIN_KEY} AS chain", "height"] if name in {TRANSACTIONS, FACTS} else []
            lake.view(f"{place}_{name}", items_of(lake, f"{place}_blocks", name, [*own, "time_ns"]))
    columns = ", ".join((f"{CHAIN_KEY} AS chain", *_OF_EVENTS))
    lake.view("hour_events", f"SELECT {columns} FROM {events} WHERE {_of_hours(hours)}")


def rows_query(dialect: Dialect, batch: str) -> str:
    """Build the query for the rows of the table, which a batch computes."""
    week = f"CAST(floor(hour_ns / {float(_WEEK_NS)!r}) AS int) AS week"  # of -1: -1
    queries = []
    for one in AGGREGATES:
        struct = dialect.struct({name: name for name, _ in one.columns})
        columns = ", ".join(f"{struct if other is one else 'NULL'} AS {other.name}" for other in AGGREGATES)
        counted = f"(\n{one.query(dialect)}\n) AS {one.name}_counted"
        queries.append(f"SELECT {week}, hour_ns, n, {columns}, '{batch}' AS batch FROM {counted}")
    return "\nUNION ALL ".join(queries)


def register_hours(lake: Lake, *, parts: bool, since: int | None = None) -> None:
    """Register a view for each aggregate: `packets_by_hour` and so on.

    Beside the columns of the aggregate they have the hour, also as `hour_ns`, the number `n`, and `recent`:
    whether the packets are since a moment, in unix microseconds. Packets in flight, and those of the hour
    with that moment, are counted now, and so is everything if the table has no hours.

    Args:
        lake: the tables, with the views of routes, and of numbered blocks if there are parts.
        parts: whether blocks may be known in part.
        since: the moment; None: before everything.
    """
    if is_empty(lake):
        register_sources(lake, None, parts=parts)
        lake.view("counted_packets", "SELECT * FROM hour_packets")
        lake.view("each_transfer", each_transfer(lake.dialect))
        for one in AGGREGATES:
            _register(lake, one, one.query(lake.dialect, since))
        return
    split = None
    if since is not None:
        begin = min(since * 1000, MAX_I64)
        split = begin - begin % HOUR_NS if begin >= 0 else UNKNOWN_HOUR
    register_sources(lake, [] if split is None else [split], parts=parts)
    in_flight = f"SELECT {_PACKET_COLUMNS} FROM {lake.at(PACKETS)} WHERE in_flight"
    lake.view("counted_packets", f"{in_flight} UNION ALL SELECT * FROM hour_packets WHERE NOT in_flight")
    lake.keep("each_transfer", each_transfer(lake.dialect))
    for one in AGGREGATES:
        stored = _stored(lake, one, split)
        if one.of_packets:
            lake.keep(f"{one.name}_now", one.query(lake.dialect, since))  # several queries read it
            stored += f"\nUNION ALL SELECT * FROM {one.name}_now"
        _register(lake, one, stored)


def _register(lake: Lake, one: Aggregate, rows: str) -> None:
    hour = f"CASE WHEN hour_ns >= 0 THEN {lake.dialect.time('hour_ns')} END AS hour"
    lake.view(f"{one.name}_by_hour", f"SELECT {hour}, * FROM (\n{rows}\n) AS {one.name}_rows")


def _stored(lake: Lake, one: Aggregate, split: int | None) -> str:
    """Build the query for what batches have stored of an aggregate, without the hour that is counted now."""
    recent, condition = "TRUE", f"{one.name} IS NOT NULL"
    if split is not None:
        recent = f"hour_ns > {split}"
        condition += f" AND hour_ns <> {split}" if one.of_packets else ""
    return f"SELECT hour_ns, {recent} AS recent, n, {one.name}.* FROM {lake.at(HOURS)} WHERE {condition}"
