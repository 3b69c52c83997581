"""Paged queries of packets, read from the files of the packet table."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import BoundedSemaphore, Timer
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode

import duckdb
from deltalake import DeltaTable
from deltalake.exceptions import DeltaError, TableNotFoundError

from pyibc.indexer.errors import Reasoned
from pyibc.indexer.local.lake import patterns_of
from pyibc.indexer.pipeline.tables import PACKETS
from pyibc.indexer.results.answers import STATES
from pyibc.indexer.results.packets import COLUMNS

MOST, DEFAULT_ROWS = 1000, 100  # maximum and default rows of a page
_TOGETHER = 2  # maximum concurrent queries
_LONGEST_S = 10.0  # timeout of a query
_SETTINGS: dict[str, str | bool | int | float | list[str]] = {"threads": 1, "memory_limit": "512MB"}
_VALUE = 256  # maximum characters of a value
_EITHER = {"chain": ("src_chain", "dst_chain"), "channel": ("src_channel", "dst_channel")}
_FLAGS = ("in_flight", "ack_overdue")  # boolean columns, which overlap with states
_OWN = ("src_chain", "dst_chain", "src_channel", "dst_channel", "packet_id")
_PARTITIONS = "{" + ", ".join(f"'{name}': {dict(COLUMNS)[name]}" for name in PACKETS.partitioned_by) + "}"
"""Types of the columns whose values stand in names of folders, as text."""
_START = datetime(1970, 1, 1, tzinfo=UTC)


class BadQuery(Reasoned, code=23):
    """Malformed query string of a request."""


class Busy(Reasoned, code=37):
    """Temporary failure of a request."""

    text = "try again: {reason}"


class PacketQuery(NamedTuple):
    """Parsed query."""

    equal: dict[str, str]  # value by column, or by a name in `_EITHER`
    state: str = ""
    after: str = ""  # last `packet_id` of the previous page
    limit: int = DEFAULT_ROWS


def read_query(text: str) -> PacketQuery:
    """Parse the query string of a request.

    Raises:
        BadQuery: a parameter is unknown or repeated, or a value is invalid.
    """
    try:
        pairs = parse_qsl(text, keep_blank_values=True, max_num_fields=10)
    except ValueError:
        raise BadQuery("too many parameters") from None
    found = dict(pairs)
    known = {*_EITHER, *_OWN, "state", "after", "limit"}
    # guard: h118-any-field-is-asked-for test_h118_what_cannot_be_asked_is_refused
    if len(found) < len(pairs) or not known.issuperset(found):
        raise BadQuery(f"unknown or repeated parameter; known ones are {', '.join(sorted(known))}")
    if any(len(value) > _VALUE for value in found.values()):
        raise BadQuery(f"a value is longer than {_VALUE} characters")
    state, after = found.pop("state", ""), found.pop("after", "")
    limit = found.pop("limit", str(DEFAULT_ROWS))
    if state not in {"", *_FLAGS, *STATES}:
        raise BadQuery(f"state must be one of {', '.join(dict.fromkeys((*_FLAGS, *STATES)))}")
    if not limit.isascii() or not limit.isdigit() or len(limit) > 4 or not 1 <= int(limit) <= MOST:
        raise BadQuery(f"limit must be 1 to {MOST}")
    return PacketQuery({name: value for name, value in found.items() if value}, state, after, int(limit))


class Packets:
    """Queries over the packets in a result folder."""

    def __init__(self, out: Path) -> None:
        self._out = out
        self._slots = BoundedSemaphore(_TOGETHER)

    def page(self, asked: PacketQuery) -> dict[str, Any]:
        """Return rows in the order of `packet_id`, for JSON; `next` is the path of the next page, or null.

        Raises:
            Busy: there are too many concurrent queries, the query times out, or the table is being replaced.
        """
        # guard: h118-queries-without-end test_h118_queries_at_once_are_bounded
        if not self._slots.acquire(blocking=False):
            raise Busy("too many concurrent queries")
        try:
            rows = self._rows(asked)
        finally:
            self._slots.release()
        shown = rows[: asked.limit]
        following = None
        if len(rows) > asked.limit:
            after = shown[-1]["packet_id"]
            wanted = {**asked.equal, "state": asked.state, "after": after, "limit": asked.limit}
            following = "/packets?" + urlencode({name: value for name, value in wanted.items() if value})
        return {"packets": shown, "next": following}

    def _rows(self, asked: PacketQuery) -> list[dict[str, Any]]:
        try:
            files = patterns_of(DeltaTable((self._out / PACKETS.name).absolute().as_uri()).file_uris())
        except TableNotFoundError:
            return []
        except (DeltaError, OSError) as error:
            raise Busy(str(error).partition("\n")[0]) from error
        if not files:
            return []
        query, values = _query(asked)
        try:
            with duckdb.connect(":memory:", config=_SETTINGS) as base:
                timer = Timer(_LONGEST_S, base.interrupt)
                timer.start()
                try:
                    base.execute("SET TimeZone = 'UTC'")
                    base.execute("SET enable_progress_bar = false")
                    rows = base.execute(query, {"files": files, **values}).fetchall()
                finally:
                    timer.cancel()
        except duckdb.Error as error:
            raise Busy(str(error).partition("\n")[0]) from error
        return [_shown(row) for row in rows]


def _query(asked: PacketQuery) -> tuple[str, dict[str, Any]]:
    """Build the SQL, with every value as a parameter."""
    conditions, values = ["packet_id > $after"], dict[str, Any](after=asked.after, most=asked.limit + 1)
    for name, value in asked.equal.items():
        columns = _EITHER.get(name, (name,))
        conditions.append(f"({' OR '.join(f'{column} = ${name}' for column in columns)})")
        values[name] = value
    if asked.state in _FLAGS:
        conditions.append(asked.state)
    elif asked.state:
        conditions.append("state = $state")
        values["state"] = asked.state
    listed = ", ".join(f"epoch_us({name})" if kind == "timestamp" else name for name, kind in COLUMNS)
    where = " AND ".join(conditions)
    rows = f"read_parquet($files, hive_partitioning = TRUE, hive_types = {_PARTITIONS}, union_by_name = TRUE)"
    return f"SELECT {listed} FROM {rows} WHERE {where} ORDER BY packet_id LIMIT $most", values


def _shown(row: tuple[Any, ...]) -> dict[str, Any]:
    return {
        name: _time(value) if kind == "timestamp" else value
        for (name, kind), value in zip(COLUMNS, row, strict=True)
    }


def _time(micros: int | None) -> str | None:
    try:
        return None if micros is None else (_START + timedelta(microseconds=micros)).isoformat()
    except OverflowError:  # after the year 9999: a timeout may be any number
        return f"{micros} us"
