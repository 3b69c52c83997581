"""Queries for the tables of calls and of their messages."""

from pyibc.indexer.calls.carried import INTERCHAIN_ACCOUNTS
from pyibc.indexer.engines import Columns, Dialect
from pyibc.indexer.lifecycle import of_ends
from pyibc.indexer.packet_facts import V2
from pyibc.indexer.packet_table import ENDS

COLUMNS: Columns = (
    ("packet_id", "string"),
    ("payload", "int"),
    ("application", "string"),
    *ENDS,
    ("sequence", "bigint"),
    ("state", "string"),
    ("outcome", "string"),
    ("error", "string"),
    ("send_time", "timestamp"),
    ("recv_time", "timestamp"),
    ("end_time", "timestamp"),
    ("owner", "string"),
    ("account", "string"),
    ("receiver", "string"),
    ("salt", "string"),
    ("encoding", "string"),
    ("messages", "int"),
    ("data_size", "int"),
    ("data", "string"),
    ("memo", "string"),
)
"""Columns of the table `calls`, in order."""

MESSAGE_COLUMNS: Columns = (
    ("packet_id", "string"),
    ("payload", "int"),
    ("message_index", "int"),
    ("application", "string"),
    ("src_chain", "string"),
    ("dst_chain", "string"),
    ("outcome", "string"),
    ("type_url", "string"),
    ("signer", "string"),
    ("client", "string"),
    ("connection", "string"),
    ("port", "string"),
    ("channel", "string"),
)
"""Columns of the table `call_messages`, in order."""

_OWN = (
    "payload",
    "src_port",
    "dst_port",
    "application",
    "owner",
    "receiver",
    "salt",
    "encoding",
    "messages",
    "data_size",
    "data",
    "memo",
)
_MESSAGE = ("message_index", "type_url", "signer", "client", "connection", "port", "channel")
_KEY = ("way", "sequence", "payload")
_EVENT = ("kind", "height_base", "place", "event_index")


def calls_query(dialect: Dialect) -> str:
    """Build the query for one row per call.

    It reads `sealed_calls`, `ends`, `ways` and `made_packets`. The event of the sending chain takes
    precedence over that of the receiving chain.
    """
    shown = {name: f"packet.{name}" for name, _ in COLUMNS} | {
        "outcome": _outcome(),
        "error": "packet.ack_error",
        "end_time": "coalesce(packet.ack_time, packet.timeout_time)",
        "account": "CASE WHEN told.application = "
        f"'{INTERCHAIN_ACCOUNTS}' THEN ways.account ELSE told.account END",
    }
    shown |= {name: f"told.{name}" for name in _OWN}
    told = _first_told(of_ends("sealed_calls"))
    return f"WITH told AS (\n{told}\n)\n{_joined(dialect, COLUMNS, shown, 'told')}"


def call_messages_query(dialect: Dialect) -> str:
    """Build the query for one row per message of a call.

    Only messages from the same event as the row in `calls` are used. The query reads `sealed_call_messages`
    and the inputs of `calls_query`.
    """
    shown = {name: f"packet.{name}" for name, _ in MESSAGE_COLUMNS} | {"outcome": _outcome()}
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
    parts = f"told AS (\n{_first_told(of_ends('sealed_calls'))}\n), listed AS (\n{listed}\n)"
    return f"WITH {parts}\n{_joined(dialect, MESSAGE_COLUMNS, shown, 'listed')}"


def _joined(dialect: Dialect, columns: Columns, shown: dict[str, str], rows: str) -> str:
    listed = ",\n  ".join(f"CAST({shown[name]} AS {dialect.type(kind)}) AS {name}" for name, kind in columns)
    return (
        f"SELECT {listed}\nFROM {rows}\nJOIN ways ON {rows}.way = ways.way\n"
        "JOIN made_packets AS packet ON packet.packet_id = "
        f"(ways.way_key || '-' || CAST({rows}.sequence AS string))"
    )


def _first_told(rows: str) -> str:
    """Select one row per payload: from the first event, with a fixed order among rows of one event."""
    order = ", ".join(f"{name} NULLS LAST" for name in (*_EVENT, "data", "memo"))
    number = f"row_number() OVER (PARTITION BY {', '.join(_KEY)} ORDER BY {order}) AS number"
    return (
        f"SELECT * FROM (SELECT every.*, {number}\nFROM (\n{rows}\n) AS every) AS numbered WHERE number = 1"
    )


def _outcome() -> str:
    """Build the expression for the outcome; an opaque acknowledgement of IBC v2 counts as success."""
    done = f"packet.ack = 'success' OR (packet.protocol = {V2} AND packet.ack = 'opaque')"
    return (
        "CASE WHEN packet.timed_out THEN 'timed_out' WHEN packet.ack = 'error' THEN 'failed'"
        f" WHEN {done} THEN 'executed' WHEN packet.acknowledged OR packet.ack IS NOT NULL THEN 'answered'"
        " WHEN packet.received THEN 'received' ELSE 'pending' END"
    )
