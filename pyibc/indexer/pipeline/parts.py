"""Numbers of the transactions of blocks that are known in part: their places among those that are known.

Each of these transactions has a record of its own (`bronze.parts`), so it gets its number when the tables are
read. Numbers grow as others become known, which leaves their order as it is.
"""

from collections.abc import Iterable

from pyibc.indexer.bronze.records import CONTENTS
from pyibc.indexer.chain_rows import HANDSHAKES
from pyibc.indexer.pipeline.lake import Lake
from pyibc.indexer.pipeline.tables import BLOCKS, PACKET_EVENTS

_FACTS = 1 << 8  # numbers of facts that a transaction has in `place`
_CHANGES = {
    "tx_index": "item.tx_index + tx_number",
    "place": "item.place + tx_number",
}
_OF_FACTS = f"item.place + least(tx_number, {HANDSHAKES // _FACTS - 1}) * {_FACTS}"
_NUMBERS = """
SELECT chain, incarnation, height, tx,
  CAST(
    row_number() OVER (PARTITION BY chain, incarnation, height ORDER BY tx_number, tx) - 1 AS int
  ) AS number
FROM {blocks} WHERE partial AND tx <> ''
"""
_NUMBERED = """
SELECT {columns} FROM {rows} WHERE tx = ''
UNION ALL SELECT {changed}
FROM (SELECT * FROM {rows} WHERE tx <> '') AS single LEFT JOIN part_numbers AS placed
  ON single.tx = placed.tx AND single.height = placed.height AND single.chain = placed.chain
    AND single.incarnation IS NOT DISTINCT FROM placed.incarnation
"""


def number_parts(lake: Lake) -> None:
    """Register the views `numbered_blocks` and `numbered_events`, if blocks are known in part."""
    lake.view("part_numbers", _NUMBERS.format(blocks=lake.at(BLOCKS)))
    for view, table, column in (
        ("numbered_blocks", BLOCKS, "tx_number"),
        ("numbered_events", PACKET_EVENTS, "tx_index"),
    ):
        changed = (
            f"coalesce(placed.number, single.{name}) AS {name}" if name == column else f"single.{name}"
            for name in table.names
        )
        columns = ", ".join(table.names)
        lake.view(view, _NUMBERED.format(columns=columns, changed=", ".join(changed), rows=lake.at(table)))


def items_of(lake: Lake, blocks: str, name: str, columns: Iterable[str]) -> str:
    """Build the query for the items in an array of blocks, one of `CONTENTS`, with other columns before."""
    changes = _CHANGES | ({"place": _OF_FACTS} if name == "facts" else {})
    fields = (f"{changes.get(field, f'item.{field}')} AS {field}" for field in CONTENTS[name].names)
    return f"SELECT {', '.join([*columns, *fields])} FROM {lake.dialect.each(blocks, name, 'item')}"
