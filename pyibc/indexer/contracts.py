"""Result tables: columns and keys."""

from typing import NamedTuple

from pyibc.indexer import packet_table
from pyibc.indexer.calls import table as calls
from pyibc.indexer.calls.rows import CALL_MESSAGES, CALLS
from pyibc.indexer.engines import Columns, Dialect
from pyibc.indexer.lineage.table import chains_table
from pyibc.indexer.tables import SEALED, SMALL
from pyibc.indexer.transfers import table as transfers
from pyibc.indexer.transfers.rows import TRANSFERS

PACKETS = "packets"
_ANY = Dialect(  # columns do not depend on it
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
        for table in (make(_ANY) for make in (*SEALED, *SMALL, chains_table))
    },
}
"""All tables by name."""
