"""Query for the table of ICS-20 transfers, with the first packet of forwarded transfers."""

from collections.abc import Iterator

from pyibc.indexer.engines import Columns, Dialect
from pyibc.indexer.lifecycle import of_ends
from pyibc.indexer.packet_table import ENDS

DOUBLINGS = 4
"""Iterations to link hops, which find up to 2^4 hops; longer or circular transfers are not linked."""

COLUMNS: Columns = (
    ("transfer_id", "string"),
    ("hop", "int"),
    ("packet_id", "string"),
    ("payload", "int"),
    *ENDS,
    ("sequence", "bigint"),
    ("state", "string"),
    ("outcome", "string"),
    ("send_time", "timestamp"),
    ("recv_time", "timestamp"),
    ("end_time", "timestamp"),
    ("sender", "string"),
    ("receiver", "string"),
    ("amount", "string"),
    ("amount_decimal", "decimal(38,0)"),
    ("denom", "string"),
    ("base_denom", "string"),
    ("trace", "string"),
    ("src_coin", "string"),
    ("dst_coin", "string"),
    ("memo", "string"),
)
"""Columns of the table `transfers`, in order."""

_FIRST = """
SELECT child.way, f.sequence, min(cause.way) AS cause_way, min(f.cause_sequence) AS cause_sequence,
  min(f.step) AS step
FROM sealed_forwards AS f
JOIN ends AS child ON f.end_id = child.end_id
JOIN ends AS cause ON f.cause_end_id = cause.end_id
GROUP BY child.way, f.sequence
HAVING min(cause.way) = max(cause.way) AND min(f.cause_sequence) = max(f.cause_sequence)
  AND min(f.step) = max(f.step)
"""
_DOUBLED = """
SELECT one.way, one.sequence, coalesce(next.cause_way, one.cause_way) AS cause_way,
  coalesce(next.cause_sequence, one.cause_sequence) AS cause_sequence,
  one.step + coalesce(next.step, CAST(0 AS bigint)) AS step
FROM forwards_{before} AS one
LEFT JOIN forwards_{before} AS next
  ON one.cause_way = next.way AND one.cause_sequence = next.sequence
"""
_ORIGINS = """
SELECT way.way_key, found.sequence, cause.way_key AS cause_way_key, found.cause_sequence, found.step
FROM forwards_{last} AS found
JOIN ways AS way ON found.way = way.way
JOIN ways AS cause ON found.cause_way = cause.way
LEFT JOIN forwards_0 AS more ON found.cause_way = more.way AND found.cause_sequence = more.sequence
WHERE more.way IS NULL
"""


def origin_steps() -> Iterator[tuple[str, str]]:
    """Yield the queries for `origins`, which read `sealed_forwards`, `ends`, `ways` and those before.

    Each comes with the name of the table for its result.
    """
    yield "forwards_0", _FIRST
    for number in range(DOUBLINGS):
        yield f"forwards_{number + 1}", _DOUBLED.format(before=number)
    yield "origins", _ORIGINS.format(last=DOUBLINGS)


def transfers_query(dialect: Dialect) -> str:
    """Build the query for one row per transfer.

    It reads `sealed_transfers`, `ends`, `ways`, `origins` and `made_packets`. The event of the sending chain
    takes precedence over that of the receiving chain.
    """
    shown = {name: f"packet.{name}" for name, _ in COLUMNS} | {
        "transfer_id": f"({_origin()} || CASE WHEN told.payload > 0 THEN {_suffix()} ELSE '' END)",
        "hop": "1 + coalesce(origins.step, CAST(0 AS bigint))",
        "outcome": _outcome(),
        "end_time": "coalesce(packet.ack_time, packet.timeout_time)",
        "amount_decimal": "TRY_CAST(told.amount AS DECIMAL(38,0))",
    }
    own = ("payload", "src_port", "dst_port", "sender", "receiver", "amount", "denom")
    shown |= {name: f"told.{name}" for name in (*own, *_COINS, "memo")}
    listed = ",\n  ".join(f"CAST({shown[name]} AS {dialect.type(kind)}) AS {name}" for name, kind in COLUMNS)
    told = _first_told(of_ends("sealed_transfers"))
    return (
        f"WITH told AS (\n{told}\n)\nSELECT\n  {listed}\nFROM told\n"
        "JOIN ways ON told.way = ways.way\n"
        "JOIN made_packets AS packet ON packet.packet_id = "
        "(ways.way_key || '-' || CAST(told.sequence AS string))\n"
        "LEFT JOIN origins ON ways.way_key = origins.way_key AND told.sequence = origins.sequence"
    )


_COINS = ("base_denom", "trace", "src_coin", "dst_coin")
_EVENT = ("kind", "height_base", "place", "event_index")
_TEXTS = ("denom", "amount", "sender", "receiver", "memo")


def _first_told(rows: str) -> str:
    """Select one row per payload: from the first event, with a fixed order among rows of one event."""
    order = ", ".join(f"{name} NULLS LAST" for name in (*_EVENT, *_TEXTS))
    number = f"row_number() OVER (PARTITION BY way, sequence, payload ORDER BY {order}) AS number"
    return (
        f"SELECT * FROM (SELECT every.*, {number}\nFROM (\n{rows}\n) AS every) AS numbered WHERE number = 1"
    )


def _origin() -> str:
    first = "(origins.cause_way_key || '-' || CAST(origins.cause_sequence AS string))"
    return f"coalesce({first}, packet.packet_id)"


def _suffix() -> str:
    return "('#' || CAST(told.payload AS string))"


def _outcome() -> str:
    return (
        "CASE WHEN packet.timed_out OR packet.error_returned THEN 'refunded'"
        " WHEN packet.ack = 'error' THEN 'refused'"
        " WHEN packet.acknowledged OR packet.ack = 'success' THEN 'delivered'"
        " WHEN packet.received THEN 'received' ELSE 'pending' END"
    )
