"""Queries for the tables of what packets contain: ICS-20 transfers, calls, and messages of calls.

Transfers have the first packet of a forwarded transfer.
"""

from collections.abc import Iterator, Sequence

from pyibc.indexer.bronze.contents import CALL_MESSAGES, CALLS, TRANSFERS
from pyibc.indexer.chains.routes import of_ends
from pyibc.indexer.events.calls import INTERCHAIN_ACCOUNTS
from pyibc.indexer.events.packet_facts import V2
from pyibc.indexer.results.packets import ENDS
from pyibc.indexer.sql import Columns, Dialect, columns_of

DOUBLINGS = 4
"""Iterations to link hops, which find up to 2^4 hops; longer or circular transfers are not linked."""

TRANSFER_COLUMNS: Columns = (
    *columns_of("transfer_id string, hop int, packet_id string, payload int"),
    *ENDS,
    *columns_of(
        "sequence bigint, state string, outcome string, send_time timestamp, recv_time timestamp, "
        "end_time timestamp, sender string, receiver string, amount string, amount_decimal decimal(38,0), "
        "denom string, base_denom string, trace string, src_coin string, dst_coin string, memo string"
    ),
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

_COINS = ("base_denom", "trace", "src_coin", "dst_coin")
_TRANSFER = ("denom", "amount", "sender", "receiver", "memo")

CALL_COLUMNS: Columns = (
    *columns_of("packet_id string, payload int, application string"),
    *ENDS,
    *columns_of(
        "sequence bigint, state string, outcome string, error string, send_time timestamp, "
        "recv_time timestamp, end_time timestamp, owner string, account string, receiver string, "
        "salt string, encoding string, messages int, data_size int, data string, memo string"
    ),
)
"""Columns of the table `calls`, in order."""

CALL_MESSAGE_COLUMNS = columns_of(
    "packet_id string, payload int, message_index int, application string, src_chain string, "
    "dst_chain string, outcome string, type_url string, signer string, client string, connection string, "
    "port string, channel string"
)
"""Columns of the table `call_messages`, in order."""

_OWN = (
    *("payload", "src_port", "dst_port", "application", "owner", "receiver", "salt", "encoding"),
    *("messages", "data_size", "data", "memo"),
)
_MESSAGE = ("message_index", "type_url", "signer", "client", "connection", "port", "channel")
_KEY = ("sequence", "way", "payload")
_EVENT = ("kind", "height_base", "place", "event_index")


def origin_steps() -> Iterator[tuple[str, str]]:
    """Yield the queries for `origins`, which read `sealed_forwards`, `ends`, `ways` and those before.

    Each comes with the name of the table for its result.
    """
    yield "forwards_0", _FIRST
    for number in range(DOUBLINGS):
        yield f"forwards_{number + 1}", _DOUBLED.format(before=number)
    yield "origins", _ORIGINS.format(last=DOUBLINGS)


def content_queries(dialect: Dialect) -> Iterator[tuple[str, str]]:
    """Yield the tables and the query of each."""
    yield TRANSFERS, transfers_query(dialect)
    yield CALLS, calls_query(dialect)
    yield CALL_MESSAGES, call_messages_query(dialect)


def transfers_query(dialect: Dialect) -> str:
    """Build the query for one row per transfer.

    It reads `sealed_transfers`, `ends`, `ways`, `origins` and `made_packets`. The event of the sending chain
    takes precedence over that of the receiving chain.
    """
    shown = {name: f"packet.{name}" for name, _ in TRANSFER_COLUMNS} | {
        "transfer_id": _TRANSFER_ID,
        "hop": "1 + coalesce(origins.step, CAST(0 AS bigint))",
        "outcome": TRANSFER_OUTCOME,
        "end_time": "coalesce(packet.ack_time, packet.timeout_time)",
        "amount_decimal": "TRY_CAST(told.amount AS DECIMAL(38,0))",
    }
    own = ("payload", "src_port", "dst_port", "sender", "receiver", "amount", "denom")
    shown |= {name: f"told.{name}" for name in (*own, *_COINS, "memo")}
    told = _first_told(of_ends("sealed_transfers"), _TRANSFER)
    return (
        f"WITH told AS (\n{told}\n)\n{_joined(dialect, TRANSFER_COLUMNS, shown, 'told')}\n"
        "LEFT JOIN origins ON ways.way_key = origins.way_key AND told.sequence = origins.sequence"
    )


_TRANSFER_ID = (
    "(coalesce((origins.cause_way_key || '-' || CAST(origins.cause_sequence AS string)), packet.packet_id)"
    " || CASE WHEN told.payload > 0 THEN ('#' || CAST(told.payload AS string)) ELSE '' END)"
)
TRANSFER_OUTCOME = (
    "CASE WHEN packet.state IN ('timed_out', 'failed') OR packet.error_returned THEN 'refunded'"
    " WHEN packet.ack = 'error' THEN 'refused'"
    " WHEN packet.state = 'succeeded' OR packet.ack = 'success' THEN 'delivered'"
    " WHEN packet.acknowledged THEN 'answered'"
    " WHEN packet.received THEN 'received' ELSE 'pending' END"
)
"""SQL expression: outcome of a transfer, `answered` if the result of its acknowledgement is not known."""


def calls_query(dialect: Dialect) -> str:
    """Build the query for one row per call.

    It reads `sealed_calls`, `ends`, `ways` and `made_packets`. The event of the sending chain takes
    precedence over that of the receiving chain.
    """
    shown = {name: f"packet.{name}" for name, _ in CALL_COLUMNS} | {
        "outcome": _CALL_OUTCOME,
        "error": "packet.ack_error",
        "end_time": "coalesce(packet.ack_time, packet.timeout_time)",
        "account": "CASE WHEN told.application = "
        f"'{INTERCHAIN_ACCOUNTS}' THEN ways.account ELSE told.account END",
    }
    shown |= {name: f"told.{name}" for name in _OWN}
    return f"WITH told AS (\n{_first_call()}\n)\n{_joined(dialect, CALL_COLUMNS, shown, 'told')}"


def call_messages_query(dialect: Dialect) -> str:
    """Build the query for one row per message of a call.

    Only messages from the same event as the row in `calls` are used. The query reads `sealed_call_messages`
    and the inputs of `calls_query`.
    """
    shown = {name: f"packet.{name}" for name, _ in CALL_MESSAGE_COLUMNS} | {"outcome": _CALL_OUTCOME}
    shown |= {name: f"listed.{name}" for name in ("payload", "application", *_MESSAGE)}
    same = " AND ".join(f"every.{name} = told.{name}" for name in (*_KEY, *_EVENT))
    order = ", ".join(f"every.{name} NULLS LAST" for name in _MESSAGE)
    key = ", ".join(f"every.{name}" for name in (*_KEY, "message_index"))
    listed = (
        f"SELECT * FROM (SELECT every.*, told.application,\n"
        f"  row_number() OVER (PARTITION BY {key} ORDER BY {order}) AS number\n"
        f"FROM (\n{of_ends('sealed_call_messages')}\n) AS every\nJOIN told ON {same}"
        ") AS numbered WHERE number = 1"
    )
    parts = f"told AS (\n{_first_call()}\n), listed AS (\n{listed}\n)"
    return f"WITH {parts}\n{_joined(dialect, CALL_MESSAGE_COLUMNS, shown, 'listed')}"


def _joined(dialect: Dialect, columns: Columns, shown: dict[str, str], rows: str) -> str:
    return (
        f"SELECT {dialect.listed(columns, shown)}\nFROM {rows}\nJOIN ways ON {rows}.way = ways.way\n"
        "JOIN made_packets AS packet ON packet.packet_id = "
        f"(ways.way_key || '-' || CAST({rows}.sequence AS string))"
    )


def first_transfers(view: str, columns: Sequence[str]) -> str:
    """Build the query for `way`, `sequence` and columns of transfers, of the first event of their packet.

    Of several transfers in one event it takes the one that the table `transfers` has, if the columns depend
    on the path, the denomination and the amount alone.
    """
    listed = ", ".join(dict.fromkeys(("sequence", "payload", *_EVENT[2:], "kind", "denom", *columns)))
    # With the hint Spark shuffles these rows once: they are joined with packets by the same columns.
    rows = (
        f"SELECT /*+ REPARTITION(way, sequence) */ ends.way, ends.height_base, {listed}\n"
        f"FROM {view} JOIN ends ON {view}.end_id = ends.end_id"
    )
    first = _first_told(rows, ("denom", "amount"))
    return f"SELECT way, sequence, {', '.join(columns)} FROM (\n{first}\n) AS firsts"


def _first_call() -> str:
    return _first_told(of_ends("sealed_calls"), ("data", "memo"))


def _first_told(rows: str, texts: tuple[str, ...]) -> str:
    """Select one row per payload: from the first event, with a fixed order among rows of one event."""
    order = ", ".join(f"{name} NULLS LAST" for name in (*_EVENT, *texts))
    number = f"row_number() OVER (PARTITION BY {', '.join(_KEY)} ORDER BY {order}) AS number"
    return (
        f"SELECT * FROM (SELECT every.*, {number}\nFROM (\n{rows}\n) AS every) AS numbered WHERE number = 1"
    )


_CALL_OUTCOME = (  # an opaque acknowledgement of IBC v2 counts as success
    "CASE WHEN packet.timed_out THEN 'timed_out' WHEN packet.ack = 'error' THEN 'failed'"
    f" WHEN packet.ack = 'success' OR (packet.protocol = {V2} AND packet.ack = 'opaque') THEN 'executed'"
    " WHEN packet.acknowledged OR packet.ack IS NOT NULL THEN 'answered'"
    " WHEN packet.received THEN 'received' ELSE 'pending' END"
)
