"""Casts of the columns of packet tables, which several tools write with different types."""

import pyarrow as pa
import pyarrow.compute as pc

from pyibc.core.numbers import MAX_I64
from pyibc.indexer.errors import UnreadableInput

TEXT, NUMBER, TIME = pa.string(), pa.int64(), pa.timestamp("us")
"""Types to which columns are cast."""

_DIGITS = "^[0-9]{1,19}$"
_MOMENT = (
    r"^(?P<day>\d{4}-\d{2}-\d{2})[T ](?P<clock>\d{2}:\d{2}:\d{2})(?:\.(?P<fraction>\d{1,9}))?"
    r" ?(?:Z|UTC|(?P<sign>[+-])(?P<hours>\d{2}):?(?P<minutes>\d{2}))?$"
)
_FORM = "%Y-%m-%dT%H:%M:%S"


def cast(column: pa.ChunkedArray, name: str, kind: pa.DataType) -> pa.ChunkedArray:
    """Cast a column to one of the types above; numbers and times that are malformed or too large become null.

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
        return _integers(matching.cast(pa.uint64()))
    if kind is NUMBER and pa.types.is_integer(found):
        return _integers(column)
    if kind is NUMBER and pa.types.is_decimal(found):  # of unsigned integers in Spark
        return _decimals(column.cast(pa.decimal256(76, found.scale)))
    if kind is NUMBER and pa.types.is_floating(found):  # of integers with nulls in pandas
        whole = pc.and_(pc.equal(column, pc.floor(column)), pc.less(pc.abs(column), 2.0**53))
        return pc.if_else(whole, column, None).cast(kind)
    if kind is TIME and pa.types.is_timestamp(found):
        return column.cast(pa.timestamp("us", found.tz), safe=False).cast(kind)
    if kind is TIME and is_text:
        return _moments(column.cast(TEXT))
    raise UnreadableInput(f"has a column {name} of type {found}")


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
