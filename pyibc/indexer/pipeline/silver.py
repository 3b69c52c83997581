"""Silver tables: the blocks of a batch are appended once, with what is in them.

A block that several files contain is kept once. Which record of it is kept does not depend on the order in
which files arrive: a complete one before those of single transactions, then the one with the lower rank
(`bronze.records.rank_of`). If a record arrives that ranks before the one in the tables, the rows of the
latter are replaced, and a complete block replaces all transactions that were known of it. A complete one that
has other results or another time than the one that is kept is a problem, as one of them is wrong. Steps of
packets in packet tables are kept once, beside blocks.

The number of a transaction of a block that is known in part is its place among those that are known. Each of
these transactions has a record of its own, so it gets its number when the tables are read. Numbers grow as
others become known, which leaves their order as it is.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any, NamedTuple

from pyibc.indexer.blocks.block import ChainKey
from pyibc.indexer.blocks.coverage import NONE, Heights
from pyibc.indexer.bronze.ranges import UNFINISHED
from pyibc.indexer.bronze.records import CONTENTS, TABLE_STEP
from pyibc.indexer.bronze.rows import HANDSHAKES
from pyibc.indexer.chains.routes import OWN_END
from pyibc.indexer.events.packet_facts import V1
from pyibc.indexer.pipeline.lake import Batch, Lake
from pyibc.indexer.pipeline.tables import (
    BLOCKS,
    FACT,
    PACKET_EVENTS,
    PROBLEMS,
    REPLACED,
    BlockRange,
    Observation,
    PathEnd,
)

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

_KEY = "chain, incarnation, height"
_HEADS = "chain, incarnation, height, time_ns"
_READ = "digest IS NOT NULL"  # of lines that can be read
_OVERVIEW = """
SELECT chain, incarnation, partial, min(height) AS first, max(height) AS last,
  min(time_ns) AS first_ns, max(time_ns) AS last_ns, count_if(time_ns < before_ns) AS backwards,
  count(*) AS records, sum(events) AS events, sum(problems) AS problems
FROM (
  SELECT *, height - dense_rank() OVER near AS island, lag(time_ns) OVER near AS before_ns
  FROM (SELECT *, time_ns IS NULL AS is_untimed FROM ({heads}) AS heads) AS told
  WINDOW near AS (PARTITION BY chain, incarnation, partial, is_untimed ORDER BY height)
) AS numbered GROUP BY chain, incarnation, partial, is_untimed, island
"""
_EVENTS = """
SELECT chain, incarnation, height, time_ns, tx, event.*, '{batch}' AS batch
FROM {rows}
"""
_SAME_BLOCK = (
    "old.chain = new.chain AND (old.incarnation IS NOT DISTINCT FROM new.incarnation)"
    " AND old.height = new.height AND (old.tx = new.tx"
    f" OR (new.is_whole AND coalesce(old.tx, '') NOT LIKE '{TABLE_STEP}%'))"
)

_HEAD = "chain, incarnation, height, tx, partial, rank, digest, tx_number"
_KNOWN = f"""
SELECT {_HEAD}, FALSE AS is_new, file, byte_offset
FROM {{blocks}} AS old
WHERE batch <> '{{batch}}' AND chain IN (SELECT DISTINCT chain FROM batch_heads)
  AND height BETWEEN {{first}} AND {{last}}
"""
_RESULTS, _TIME = "substr({name}, 1, 16)", "nullif(substr({name}, 17), '0000000000000000')"  # of a digest
_RANKED = f"""
SELECT *, place > 1 OR (partial AND has_whole) AS is_lost,
  is_whole AND ({_RESULTS.format(name="digest")} <> {_RESULTS.format(name="kept")}
    OR coalesce({_TIME.format(name="digest")} <> {_TIME.format(name="kept")}, FALSE)) AS differs
FROM (
  SELECT *, NOT partial AND tx = '' AS is_whole, row_number() OVER ranks AS place,
    first_value(digest) OVER ranks AS kept,
    max(NOT partial AND tx = '') OVER (PARTITION BY chain, incarnation, height) AS has_whole,
    max(NOT is_new) OVER (PARTITION BY chain, incarnation, height) AS was_known
  FROM (
    SELECT {_HEAD}, TRUE AS is_new, file, byte_offset FROM batch_heads
    UNION ALL {{known}}
  ) AS every
  WINDOW ranks AS (
    PARTITION BY chain, incarnation, height, tx
    ORDER BY partial, rank, tx_number DESC, is_new, file, byte_offset
  )
) AS placed
"""
_OTHER = " differs from another record of the block"

_TOLD = f"protocol = {V1} AND tx_index IS NOT NULL"  # packets with a fact; those in packet tables have none
_FROM_PACKETS = {"type": "'channel'", "connection": "connection", **OWN_END, "height": "height"}
"""Facts that packets of channels tell about the channel end of their chain."""


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


class Overview(NamedTuple):
    """Ranges of heights in a batch, one row for each range and chain; blocks without times have their own.

    The columns are `chain`, `incarnation`, `partial` (null for lines that cannot be read), `first` and `last`
    height, `first_ns` and `last_ns`, and the numbers of blocks whose time is before that of the block below
    (`backwards`), of `records`, `events` and `problems`.
    """

    rows: list[Any]

    @property
    def weight(self) -> int:
        """Number of blocks and packet events."""
        return sum(row.records + row.events for row in self.rows)

    @property
    def has_problems(self) -> bool:
        """True if something cannot be read."""
        return any(row.problems for row in self.rows)

    def observations(self) -> Iterator[Observation]:
        """Yield the ranges as rows of the table `observations`; also those of lines that cannot be read."""
        for row in self.rows:
            if row.chain is not None:
                whole = None if row.partial is None else not row.partial
                blocks = BlockRange(row.first, row.last, row.first_ns, row.last_ns, whole)
                yield Observation(row.chain, row.incarnation, blocks=blocks)

    def shares_heights(self, known: Mapping[tuple[ChainKey, bool | None], Heights]) -> bool:
        """Return whether the batch has a height several times, or one that is in `known`."""
        return any(
            tells_twice(rows, known.get((key, True), NONE) | known.get((key, False), NONE))
            for key, rows in self.by_chain().items()
        )

    def by_chain(self) -> dict[ChainKey, list[Any]]:
        """Return the ranges of blocks that can be read, by chain."""
        found = defaultdict[ChainKey, list[Any]](list)
        for row in self.rows:
            if row.partial is not None:
                found[ChainKey(row.chain, row.incarnation or "")].append(row)
        return dict(found)


def tells_twice(rows: Sequence[Any], known: Heights) -> bool:
    """Return whether ranges of an overview have a height several times, or one that is known."""
    new = Heights.spanning((row.first, row.last) for row in rows)
    return new.count < sum(row.records for row in rows) or (known | new).count < known.count + new.count


def overview(lake: Lake) -> Overview:
    """Return the ranges of heights in the view `batch_read`."""
    partial = f"CASE WHEN {_READ} THEN partial END AS partial"
    counts = (f"coalesce(array_size({name}), 0) AS {name}" for name in ("events", "problems"))
    return _overview(lake, f"SELECT {_HEADS}, {partial}, {', '.join(counts)} FROM batch_read")


def accepted_overview(lake: Lake, seen: Overview) -> Overview:
    """Return the ranges of heights in the view `batch_blocks`, and of lines in `seen` that cannot be read.

    The former are without numbers of events and problems.
    """
    accepted = _overview(lake, f"SELECT {_HEADS}, partial, 0 AS events, 0 AS problems FROM batch_blocks")
    return Overview([*accepted.rows, *(row for row in seen.rows if row.partial is None)])


def _overview(lake: Lake, heads: str) -> Overview:
    return Overview(lake.rows(_OVERVIEW.format(heads=heads)))


def is_stored(lake: Lake, batch: Batch) -> bool:
    """Return whether an earlier attempt at a batch has stored something of it."""
    tables = (lake.at(table) for table in (PACKET_EVENTS, BLOCKS))
    found = (f"SELECT batch FROM {table} WHERE batch = '{batch.name}'" for table in tables)
    return bool(lake.rows(f"SELECT batch FROM ({' UNION ALL '.join(found)}) AS found LIMIT 1"))


def append_blocks(lake: Lake, batch: Batch, *, shared: bool, problems: bool) -> bool:
    """Append the blocks in the view `batch_read` to the silver tables; return whether there are problems.

    Repeating it changes nothing.

    The view `batch_blocks` has the blocks that are kept, and `batch_events` their packet events.

    Args:
        lake: the tables.
        batch: the batch.
        shared: whether heights of the batch may be in the tables, or several times in the batch.
        problems: whether something in it cannot be read.
    """
    if shared:
        lake.prepare([REPLACED])
    with _ranked(lake, batch) if shared else nullcontext(_Ranks([], False, False)) as ranks:
        lake.view("batch_blocks", _without(lake, ranks.lost))
        events = lake.dialect.each("batch_blocks", "events", "event")
        lake.view("batch_events", _EVENTS.format(batch=batch.name, rows=events))
        if problems or ranks.differ:
            lake.append(PROBLEMS, _problems(lake, batch, ranks), batch.writer, batch.number)
        if ranks.win:
            _replace(lake, batch)
    lake.append(PACKET_EVENTS, "SELECT * FROM batch_events", batch.writer, batch.number)
    # The blocks come last: a block that is in the table is known with all its events.
    blocks = f"SELECT {', '.join(name for name in BLOCKS.names if name != 'batch')}, '{batch.name}' AS batch"
    lake.append(BLOCKS, f"{blocks} FROM batch_blocks", batch.writer, batch.number)
    return problems or ranks.differ


def forget_damage(lake: Lake, files: Iterable[str], batch: Batch) -> None:
    """Delete the problems of files, not of blocks in them, that the batch reads again.

    They are all those of a file that is read from its beginning, and that of the last line of a file that has
    grown, which was not finished.
    """
    lake.table("damaged_files", (("file", "string"),), [(file,) for file in sorted(files)])
    lake.view(
        "read_anew",
        "SELECT blocks.file, min(byte_offset) = 0 AS is_whole FROM batch_read AS blocks"
        " JOIN damaged_files AS damaged ON blocks.file = damaged.file GROUP BY blocks.file",
    )
    of_lines = (
        f"old.file = new.file AND old.tx IS NULL AND old.batch <> '{batch.name}'"
        f" AND (new.is_whole OR old.reason LIKE '%{UNFINISHED}')"
    )
    known = f"{lake.at(PROBLEMS)} AS old JOIN read_anew AS new ON {of_lines}"
    if lake.rows(f"SELECT old.file FROM {known} LIMIT 1"):
        lake.delete(PROBLEMS, "read_anew", of_lines)


def use_stored(lake: Lake, batch: Batch) -> None:
    """Change the views `batch_blocks` and `batch_events` to what the tables have of a batch."""
    for name, table in (("batch_blocks", BLOCKS), ("batch_events", PACKET_EVENTS)):
        lake.view(name, f"SELECT * FROM {lake.at(table)} WHERE batch = '{batch.name}'")


def observed_in(lake: Lake) -> Iterator[Observation]:
    """Yield the ends of paths and the distinct facts in the views `batch_blocks` and `batch_events`.

    Facts have the first height of each.
    """
    end = lake.dialect.struct({name: name for name in PathEnd._fields})
    fact = lake.dialect.struct({name: name for name in FACT})
    told = lake.dialect.struct({name: _FROM_PACKETS.get(name, "NULL") for name in FACT})
    listed = ", ".join(f"fact.{name}" for name in FACT if name != "height")
    items = lake.dialect.each("batch_blocks", "facts", "fact")
    rows = lake.rows(
        f"SELECT chain, incarnation, {end} AS path_end, CASE WHEN is_told THEN {told} END AS fact FROM (\n"
        f"  SELECT chain, incarnation, {', '.join(PathEnd._fields)}, {_TOLD} AS is_told,\n"
        f"    CASE WHEN {_TOLD} THEN connection END AS connection, min(height) AS height\n"
        "  FROM batch_events GROUP BY ALL\n) AS ends\n"
        f"UNION ALL SELECT chain, incarnation, NULL, {fact} FROM (\n"
        f"  SELECT chain, incarnation, {listed}, min(height) AS height FROM {items} GROUP BY ALL\n) AS facts"
    )
    for row in rows:
        if row.path_end is not None:
            yield Observation(row.chain, row.incarnation, path_end=row.path_end)
    told_first = sorted((row for row in rows if row.fact is not None), key=lambda row: int(row.fact.height))
    for row in told_first:
        yield Observation(row.chain, row.incarnation, fact=row.fact)


class _Ranks(NamedTuple):
    """Ranks of the records of a batch that it has several times, or the tables have."""

    lost: list[Any]  # those that are not kept
    win: bool  # whether records replace some in the tables
    differ: bool  # whether complete blocks differ from those that are kept


@contextmanager
def _ranked(lake: Lake, batch: Batch) -> Iterator[_Ranks]:
    """Register the view `batch_ranked`, until the context ends."""
    lake.view("batch_heads", f"SELECT {_HEAD}, file, byte_offset FROM batch_read WHERE {_READ}")
    bounds = lake.rows("SELECT min(height) AS first, max(height) AS last FROM batch_heads")[0]
    if bounds.first is None:
        yield _Ranks([], False, False)
        return
    known = _KNOWN.format(blocks=lake.at(BLOCKS), batch=batch.name, first=bounds.first, last=bounds.last)
    ranked = f"SELECT * FROM ({_RANKED.format(known=known)}) AS ranked"
    with lake.kept("batch_ranked", f"{ranked} WHERE differs OR (is_new AND (is_lost OR was_known))"):
        lost = lake.rows("SELECT file, byte_offset, tx FROM batch_ranked WHERE is_new AND is_lost")
        some = "SELECT 1 AS found FROM batch_ranked WHERE {} LIMIT 1"
        win, differ = (bool(lake.rows(some.format(which))) for which in ("NOT is_lost", "differs"))
        yield _Ranks(lost, win, differ)


def _without(lake: Lake, lost: Sequence[Any]) -> str:
    """Build the query for the blocks of the batch that are kept."""
    if not lost:
        return f"SELECT * FROM batch_read WHERE {_READ}"
    lake.table("batch_lost", (("file", "string"), ("byte_offset", "bigint"), ("tx", "string")), lost)
    return (
        "SELECT blocks.* FROM batch_read AS blocks ANTI JOIN batch_lost AS lost"
        " ON blocks.file = lost.file AND blocks.byte_offset = lost.byte_offset AND blocks.tx = lost.tx"
        f" WHERE {_READ}"
    )


def _replace(lake: Lake, batch: Batch) -> None:
    """Delete the records that the batch replaces, after noting them and the packets with events in them."""
    lake.view("batch_better", f"SELECT {_KEY}, tx, is_whole FROM batch_ranked WHERE NOT is_lost")
    of = f"'{batch.name}' AS batch, old.time_ns"
    replaced = (
        f"SELECT DISTINCT {columns}, {of} FROM {lake.at(table)} AS old JOIN batch_better AS new"
        f" ON {_SAME_BLOCK} WHERE old.batch <> '{batch.name}'"
        for columns, table in (
            ("old.path_id, old.sequence", PACKET_EVENTS),
            ("CAST(NULL AS bigint) AS path_id, CAST(NULL AS bigint) AS sequence", BLOCKS),
        )
    )
    lake.append(REPLACED, " UNION ALL ".join(replaced), batch.writer, batch.number)
    same = f"{_SAME_BLOCK} AND old.batch <> '{batch.name}'"
    lake.delete(PACKET_EVENTS, "batch_better", same)
    lake.delete(PROBLEMS, "batch_better", f"{same} AND old.reason NOT LIKE '%{_OTHER}'")
    lake.delete(BLOCKS, "batch_better", same)


def _problems(lake: Lake, batch: Batch, ranks: _Ranks) -> str:
    """Build the query for the problems of a batch.

    They are in the blocks that are kept, in lines that cannot be read, and blocks that differ from those that
    are kept.
    """
    columns = "chain, incarnation, height, tx, file, problems"
    lake.view(
        "batch_told",
        f"SELECT {columns} FROM batch_blocks UNION ALL SELECT {columns} FROM batch_read WHERE digest IS NULL",
    )
    told = lake.dialect.each("batch_told", "problems", "reason")
    found = f"SELECT chain, incarnation, height, tx, file, reason, '{batch.name}' AS batch FROM {told}"
    if not ranks.differ:
        return found
    reason = f"chain || ' ' || CAST(height AS string) || '{_OTHER}'"
    return (
        f"{found} UNION ALL SELECT DISTINCT chain, incarnation, height, NULL, file, {reason}, '{batch.name}'"
        " FROM batch_ranked WHERE differs"
    )
