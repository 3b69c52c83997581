"""The tables of the results: columns, keys, and what stands for their definitions."""

from typing import NamedTuple

from ibc_indexer import packet_table
from ibc_indexer.engines import Columns, Dialect
from ibc_indexer.packet_table import packet_table_query
from ibc_indexer.segments.manifest import VERSION
from ibc_indexer.segments.numbers import number_of
from ibc_indexer.tables import SEALED, SMALL
from ibc_indexer.transfers import table as transfers

PACKETS, TRANSFERS = "packets", "transfers"
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
    **{
        table.name: Contract(table.columns, _KEYS[table.name])
        for table in (make(_NEUTRAL) for make in (*SEALED, *SMALL))
    },
}
"""Every table, by its folder."""


def definitions() -> str:
    """Sixteen hex digits that stand for what the tables are: others make all of them anew."""
    queries = [make(_NEUTRAL).query(_NEUTRAL) for make in (*SEALED, *SMALL)]
    queries += [packet_table_query(_NEUTRAL), transfers.transfers_query(_NEUTRAL)]
    return f"{number_of(str(VERSION), *queries) & (1 << 64) - 1:016x}"
