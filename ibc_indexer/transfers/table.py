"""One row a transfer of ICS-20, as a query; forwarded ones with the transfer that they are a part of."""

from pathlib import Path

from ibc_indexer.engines import Columns, Dialect, Engine, columns_of
from ibc_indexer.packet_table import ENDS
from ibc_indexer.transfers.rows import FORWARDS, SCHEMAS

DOUBLINGS = 4
"""Hops of a transfer are found up to 2^4; what is longer, or goes in a circle, is not tied."""

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
"""Columns of the table, in order."""

_LEVEL: Columns = tuple(
    (name, "bigint") for name in ("way", "sequence", "cause_way", "cause_sequence", "step")
)

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
SELECT found.way, found.sequence, found.cause_way, found.cause_sequence, found.step
FROM forwards_{last} AS found
LEFT JOIN forwards_0 AS more ON found.cause_way = more.way AND found.cause_sequence = more.sequence
WHERE more.way IS NULL
"""


def find_origins(engine: Engine, files: list[Path], folder: Path) -> None:
    """Tells `engine` of every forwarded packet the first one, as `origins`, and by how many hops it is later.

    `engine` knows `ends`; `files` are those of the role `forwards`; `folder` takes steps between.
    """
    if not files:
        engine.table("origins", _LEVEL, ())
        return
    engine.files("sealed_forwards", columns_of(SCHEMAS[FORWARDS]), files)
    steps = [_FIRST, *(_DOUBLED.format(before=number) for number in range(DOUBLINGS))]
    for number, query in enumerate(steps):
        engine.write(query, folder / f"forwards-{number}")
        engine.files(f"forwards_{number}", _LEVEL, [folder / f"forwards-{number}"])
    engine.write(_ORIGINS.format(last=DOUBLINGS), folder / "origins")
    engine.files("origins", _LEVEL, [folder / "origins"])


def transfers_query(dialect: Dialect) -> str:
    """One row a transfer; out of `sealed_transfers`, `ends`, `ways`, `origins` and `packets`.

    What the sending chain says of a transfer goes before what the receiving one does.
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
    return (
        f"WITH told AS (\n{_TOLD}\n)\nSELECT {listed}\nFROM told\n"
        "JOIN ways ON told.way = ways.way\n"
        "JOIN packets AS packet ON packet.packet_id = "
        "(ways.way_key || '-' || CAST(told.sequence AS string))\n"
        "LEFT JOIN origins ON told.way = origins.way AND told.sequence = origins.sequence\n"
        "LEFT JOIN ways AS first_way ON origins.cause_way = first_way.way"
    )


_COINS = ("base_denom", "trace", "src_coin", "dst_coin")
_TOLD = """
SELECT * FROM (
  SELECT ends.way, told.*, row_number() OVER (
    PARTITION BY ends.way, told.sequence, told.payload ORDER BY told.kind, told.place
  ) AS number
  FROM sealed_transfers AS told JOIN ends ON told.end_id = ends.end_id
) AS numbered WHERE number = 1
"""


def _origin() -> str:
    return "coalesce(first_way.way_key || '-' || CAST(origins.cause_sequence AS string), packet.packet_id)"


def _suffix() -> str:
    return "('#' || CAST(told.payload AS string))"


def _outcome() -> str:
    return (
        "CASE WHEN packet.timed_out OR packet.error_returned THEN 'refunded'"
        " WHEN packet.ack = 'error' THEN 'refused'"
        " WHEN packet.acknowledged OR packet.ack = 'success' THEN 'delivered'"
        " WHEN packet.received THEN 'received' ELSE 'pending' END"
    )
