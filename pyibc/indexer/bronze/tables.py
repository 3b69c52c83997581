"""Reader of the packet table of yanagihalab: sends and acknowledgements of three chains.

A row is a `send_packet` and, if `ack_height` is set, its `acknowledge_packet`. It contains the sending chain,
channel and sequence, but no ports and no counterparty, so its packets are separate from those of recordings
of the same chain. Several tools write such tables, with different types of columns.
"""

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyarrow import ArrowException

from pyibc.core.numbers import MAX_I64
from pyibc.indexer.bronze.ranges import Bounds, FileRange, Record
from pyibc.indexer.errors import UnreadableInput
from pyibc.indexer.events.packet_facts import ACK, SEND
from pyibc.indexer.files import SourceFile, open_url

TEXT, NUMBER, TIME = pa.string(), pa.int64(), pa.timestamp("us")
"""Types to which columns are cast."""

_DIGITS = r"^\s*\+?([0-9]{1,19})(?:\.0*)?\s*$"
_ABSENT = r"^\s*(?i:|nan|nat|none|null|<na>)\s*$"
"""Texts that tools write for missing values."""
_MOMENT = (
    r"^\s*(?P<day>\d{4}-\d{2}-\d{2})[T ](?P<clock>\d{2}:\d{2}:\d{2})(?:\.(?P<fraction>\d{1,9}))?"
    r" ?(?:Z|UTC|(?P<sign>[+-])(?P<hours>\d{2})(?::?(?P<minutes>\d{2}))?)?\s*$"
)
_FORM = "%Y-%m-%dT%H:%M:%S"

MAGIC = b"PAR1"
COLUMNS = {
    "chain_id": TEXT,
    "channel_id": TEXT,
    "sequence": NUMBER,
    "send_height": NUMBER,
    "send_time": TIME,
    "ack_height": NUMBER,
    "ack_time": TIME,
}
OPTIONAL = ("send_time", "ack_height", "ack_time")
"""Columns in which values may lack."""
STEPS = ((SEND, "send"), (ACK, "ack"))
"""Types of the events of a row, and the beginning of their columns' names."""
_BATCH_ROWS = 1 << 16


class Step(NamedTuple):
    """Step of a packet in a table."""

    type: str  # of the packet event
    chain: str
    height: int
    time_ns: int | None
    channel: str  # of the sending chain
    sequence: int


def cast(column: pa.ChunkedArray, name: str, kind: pa.DataType) -> pa.ChunkedArray:
    """Cast a column to one of the types above; numbers and times that are malformed or too large become null.

    Numbers are positive, and times after 1970.

    Raises:
        UnreadableInput: the column has a type without such a meaning.
        ArrowException: Arrow cannot convert the column.
    """
    found = column.type
    if pa.types.is_dictionary(found):
        column, found = column.cast(found.value_type), found.value_type
    if pa.types.is_null(found):
        return column.cast(kind)
    is_text = pa.types.is_string(found) or pa.types.is_large_string(found)
    if kind is TEXT and is_text:
        return column.cast(kind)
    if kind is NUMBER and is_text:
        matching = pc.if_else(pc.match_substring_regex(column, _DIGITS), column, None)
        digits = pc.replace_substring_regex(matching, _DIGITS, r"\1")
        return _positive(_integers(digits.cast(pa.uint64())))
    if kind is NUMBER and pa.types.is_integer(found):
        return _positive(_integers(column))
    if kind is NUMBER and pa.types.is_decimal(found):  # of unsigned integers in Spark
        return _positive(_decimals(column.cast(pa.decimal256(76, found.scale))))
    if kind is NUMBER and pa.types.is_floating(found):  # of integers with nulls in pandas
        whole = pc.and_(pc.equal(column, pc.floor(column)), pc.less(pc.abs(column), 2.0**53))
        return _positive(pc.if_else(whole, column, None).cast(kind))
    if kind is TIME and pa.types.is_timestamp(found):
        return _sane(column.cast(pa.timestamp("us", found.tz), safe=False).cast(kind))
    if kind is TIME and is_text:
        return _sane(_moments(column.cast(TEXT)))
    raise UnreadableInput(f"has a column {name} of type {found}")


def _is_told(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return which values are neither null nor a word for a missing value."""
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_floating(column.type):
        return pc.fill_null(pc.invert(pc.is_nan(column)), False)
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        return pc.fill_null(pc.invert(pc.match_substring_regex(column, _ABSENT)), False)
    return pc.is_valid(column)


def _positive(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return pc.if_else(pc.greater(column, 0), column, None)


def _sane(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return the times that are unix nanoseconds of a bigint."""
    micros = column.cast(pa.int64())
    fits = pc.and_(pc.greater_equal(micros, 0), pc.less_equal(micros, MAX_I64 // 1000))
    return pc.if_else(fits, column, None)


def _integers(column: pa.ChunkedArray) -> pa.ChunkedArray:
    if column.type == pa.uint64():
        column = pc.if_else(pc.less_equal(column, pa.scalar(MAX_I64, pa.uint64())), column, None)
    return column.cast(NUMBER)


def _decimals(column: pa.ChunkedArray) -> pa.ChunkedArray:
    whole = pc.equal(column, pc.floor(column))
    fits = pc.less_equal(pc.abs(column), pa.scalar(MAX_I64).cast(column.type))
    return pc.if_else(pc.and_(whole, fits), column, None).cast(NUMBER)


def _moments(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Parse times of ISO 8601, in UTC unless they have an offset."""
    parts = pc.extract_regex(column, _MOMENT)
    part = {name: pc.struct_field(parts, name) for name in ("day", "clock", "fraction", "sign")}
    written = pc.binary_join_element_wise(part["day"], part["clock"], "T")
    seconds = pc.strptime(written, format=_FORM, unit="s", error_is_null=True)
    seconds = pc.if_else(pc.equal(pc.strftime(seconds, format=_FORM), written), seconds, None)  # a real date
    fraction = pc.utf8_slice_codeunits(pc.utf8_rpad(part["fraction"], 6, "0"), 0, 6)
    hours, minutes = (_number(pc.struct_field(parts, name)) for name in ("hours", "minutes"))
    offset = pc.add(pc.multiply(hours, 3600), pc.multiply(minutes, 60))
    offset = pc.if_else(pc.equal(part["sign"], "-"), pc.negate(offset), offset)
    micros = pc.multiply(pc.subtract(seconds.cast(NUMBER), offset), 1_000_000)
    return pc.add(micros, _number(fraction)).cast(TIME)


def _number(digits: pa.ChunkedArray) -> pa.ChunkedArray:
    return pc.if_else(pc.equal(digits, ""), "0", digits).cast(NUMBER)


def is_table(url: str) -> bool:
    """Return whether a file is Parquet, by its first bytes; false if it cannot be read."""
    if SourceFile(url, 0, 0).first_height is not None:
        return False
    try:
        with open_url(url) as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False


def rows_in(part: FileRange, bounds: Bounds) -> Iterator[tuple[Step, int] | Record]:
    """Yield the steps in a packet table, and the number of the table's row, from 0; at the end a problem.

    The table is read as a whole with the first range of its file. It is read twice, so that a damaged one
    yields no events. A problem is within no bounds.
    """
    if not part.is_first:
        return
    problem, is_file = "", False
    try:
        problem = _problem(part.url)
        for step, place in _rows(part.url):
            if bounds.admits(step.chain, step.height):
                yield step, place
    except UnreadableInput as error:
        problem, is_file = error.reason, True
    if problem and not bounds.omits_problems:
        yield Record(None, 0, problem, is_file=is_file)


def _problem(url: str) -> str:
    """Return which rows and values of a table cannot be used; "" if all can.

    Raises:
        UnreadableInput: the file is damaged, or is another table.
    """
    broken, lost = 0, Counter[str]()
    for rows, unread in _batches(url):
        usable = is_whole(rows)
        broken += len(rows) - (pc.sum(usable).as_py() or 0)
        for name in OPTIONAL:
            lost[name] += pc.sum(pc.and_(usable, unread[name])).as_py() or 0
    told = [f"{broken} rows without chain, channel, sequence or send_height"] if broken else []
    if values := [f"{number} of {name}" for name, number in lost.items() if number]:
        told.append(f"values that cannot be read: {', '.join(values)}")
    return ", and ".join(told)


def is_whole(rows: pa.Table) -> pa.ChunkedArray:
    """Return which rows have a chain, channel, sequence and height of the send."""
    # Chain ids contain no space; a space separates chain id and incarnation.
    chain = pc.invert(pc.match_substring(rows["chain_id"], " "))
    named = pc.and_(chain, pc.is_valid(rows["channel_id"]))
    placed = pc.and_(pc.is_valid(rows["sequence"]), pc.is_valid(rows["send_height"]))
    return pc.fill_null(pc.and_(named, placed), False)


def _rows(url: str) -> Iterator[tuple[Step, int]]:
    begin = 0
    for rows, _ in _batches(url):
        usable = is_whole(rows)
        places = pc.add(pc.indices_nonzero(usable), begin)
        found = rows.filter(usable)
        for kind, step in STEPS:
            has_step = pc.is_valid(found[f"{step}_height"])
            told = found.filter(has_step)
            times = pc.multiply(told[f"{step}_time"].cast(pa.int64()), 1000)
            columns = (told["chain_id"], told[f"{step}_height"], times, told["channel_id"], told["sequence"])
            values = zip(*(column.to_pylist() for column in columns), strict=True)
            steps = (Step(kind, *each) for each in values)
            yield from zip(steps, places.filter(has_step.combine_chunks()).to_pylist(), strict=True)
        begin += len(rows)


def _batches(url: str) -> Iterator[tuple[pa.Table, dict[str, pa.ChunkedArray]]]:
    """Yield the rows of a file, with the columns `COLUMNS`, and which values of optional ones cannot be read.

    Raises:
        UnreadableInput: the file is damaged, or is another table.
    """
    try:
        data = open_url(url)
    except OSError as error:
        raise UnreadableInput(f"cannot be read: {error.strerror or str(error)[:100]}") from None
    try:
        with data, pq.ParquetFile(data, page_checksum_verification=True) as file:
            missing = [column for column in COLUMNS if column not in file.schema_arrow.names]
            if missing:
                raise UnreadableInput(f"is a Parquet table without {', '.join(missing)}")
            for batch in file.iter_batches(_BATCH_ROWS, columns=list(COLUMNS)):
                found = pa.Table.from_batches([batch])
                rows = pa.table({name: cast(found[name], name, kind) for name, kind in COLUMNS.items()})
                yield (
                    rows,
                    {name: pc.and_(_is_told(found[name]), pc.is_null(rows[name])) for name in OPTIONAL},
                )
    except (ArrowException, OSError) as error:
        raise UnreadableInput(f"is not a readable Parquet file: {str(error)[:100]}") from None
