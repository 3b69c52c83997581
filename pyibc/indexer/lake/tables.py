"""Result tables: columns, keys, and a hash of their definitions."""

from typing import NamedTuple

from pyibc.indexer import packet_table
from pyibc.indexer.calls import table as calls
from pyibc.indexer.calls.rows import CALL_MESSAGES, CALLS
from pyibc.indexer.engines import Columns, Dialect
from pyibc.indexer.lineage.table import chains_table
from pyibc.indexer.packet_table import packet_table_query
from pyibc.indexer.segments.manifest import VERSION
from pyibc.indexer.segments.numbers import number_of
from pyibc.indexer.tables import SEALED, SMALL
from pyibc.indexer.transfers import table as transfers
from pyibc.indexer.transfers.rows import TRANSFERS

PACKETS = "packets"
_NEUTRAL = Dialect(
    *("timestamp", "time({})", "micros({})", "percentiles({}, {})", "total({})"),
    *("each({rows}, {array}, {name})", "struct({})", "{name}: {value}"),
)


class Contract(NamedTuple):
    """Columns and primary key of a table."""

    columns: Columns
    key: tuple[str, ...]


_PLACE = ("chain", "height", "tx_index")
_KEYS = {
    "blocks": ("chain", "height"),
    "events": (*_PLACE, "event_index"),
    "transactions": _PLACE,
    "messages": (*_PLACE, "message_index"),
    "clients": ("chain", "client"),
    "channels": ("chain", "port", "channel"),
    "chains": ("chain",),
}
CONTRACTS = {
    PACKETS: Contract(packet_table.COLUMNS, ("packet_id",)),
    TRANSFERS: Contract(transfers.COLUMNS, ("packet_id", "payload")),
    CALLS: Contract(calls.COLUMNS, ("packet_id", "payload")),
    CALL_MESSAGES: Contract(calls.MESSAGE_COLUMNS, ("packet_id", "payload", "message_index")),
    **{
        table.name: Contract(table.columns, _KEYS[table.name])
        for table in (make(_NEUTRAL) for make in (*SEALED, *SMALL, chains_table))
    },
}
"""All tables by the name of their folder."""

BESIDE_PACKETS = {
    TRANSFERS: (transfers.transfers_query, (TRANSFERS,)),
    CALLS: (calls.calls_query, (CALLS,)),
    CALL_MESSAGES: (calls.call_messages_query, (CALLS, CALL_MESSAGES)),
}
"""Tables of packet contents, written with the packets: query, and roles of the segment files it reads."""


def definitions() -> str:
    """Return a hash of the table definitions, 16 hex digits; if it changes, all tables are rebuilt."""
    queries = [make(_NEUTRAL).query(_NEUTRAL) for make in (*SEALED, *SMALL, chains_table)]
    queries += [packet_table_query(_NEUTRAL), *(query(_NEUTRAL) for query, _ in BESIDE_PACKETS.values())]
    return f"{number_of(str(VERSION), *queries) & (1 << 64) - 1:016x}"
