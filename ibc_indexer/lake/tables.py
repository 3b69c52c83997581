"""The tables of the results: columns, keys, and what stands for their definitions."""

from typing import NamedTuple

from ibc_indexer import packet_table
from ibc_indexer.calls import table as calls
from ibc_indexer.calls.rows import CALL_MESSAGES, CALLS
from ibc_indexer.engines import Columns, Dialect
from ibc_indexer.packet_table import packet_table_query
from ibc_indexer.segments.manifest import VERSION
from ibc_indexer.segments.numbers import number_of
from ibc_indexer.tables import SEALED, SMALL
from ibc_indexer.transfers import table as transfers
from ibc_indexer.transfers.rows import TRANSFERS

PACKETS = "packets"
_NEUTRAL = Dialect("timestamp", "time({})", "micros({})", "percentiles({}, {})", "total({})")


class Contract(NamedTuple):
    """What a table is for those who read it."""

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
}
CONTRACTS = {
    PACKETS: Contract(packet_table.COLUMNS, ("packet_id",)),
    TRANSFERS: Contract(transfers.COLUMNS, ("packet_id", "payload")),
    CALLS: Contract(calls.COLUMNS, ("packet_id", "payload")),
    CALL_MESSAGES: Contract(calls.MESSAGE_COLUMNS, ("packet_id", "payload", "message_index")),
    **{
        table.name: Contract(table.columns, _KEYS[table.name])
        for table in (make(_NEUTRAL) for make in (*SEALED, *SMALL))
    },
}
"""Every table, by its folder."""

BESIDE_PACKETS = {
    TRANSFERS: (transfers.transfers_query, (TRANSFERS,)),
    CALLS: (calls.calls_query, (CALLS,)),
    CALL_MESSAGES: (calls.call_messages_query, (CALLS, CALL_MESSAGES)),
}
"""Tables of what packets carry, which are made with them: each one's query, and the roles that it reads."""


def definitions() -> str:
    """Sixteen hex digits that stand for what the tables are: others make all of them anew."""
    queries = [make(_NEUTRAL).query(_NEUTRAL) for make in (*SEALED, *SMALL)]
    queries += [packet_table_query(_NEUTRAL), *(query(_NEUTRAL) for query, _ in BESIDE_PACKETS.values())]
    return f"{number_of(str(VERSION), *queries) & (1 << 64) - 1:016x}"
