"""The table of a run, and what is wrong in it."""

from collections.abc import Iterator, Sequence

from conformance.fuzz.measure import Row

MAX_SLOPE = 1.1
MAX_DOOR_MS = 100.0
"""A megabyte, for what nobody has signed."""
DEAR = 40
"""Rows of the second table."""


def table(rows: Sequence[Row]) -> Iterator[str]:
    """The rows by slope, then the dearest by price."""
    yield from _lines("by slope", sorted(rows, key=lambda row: -row.slope))
    yield from _lines("by price", sorted(rows, key=lambda row: -row.ms_per_mb)[:DEAR])


def _lines(title: str, rows: Sequence[Row]) -> Iterator[str]:
    yield f"{title}\n{'slope':>6} {'ms/MB':>8} {'unsigned':>8} {'bytes':>9}  case: verdict"
    for row in rows:
        price = f"{row.slope:6.2f} {row.ms_per_mb:8.0f} {row.door_ms_per_mb:8.0f} {row.last.size:9d}"
        counted = "" if row.counted is None else f" (counted: {row.counted:.2f})"
        yield f"{price}  {row.name}: {row.last.verdict}{counted}"


def faults(row: Row) -> Iterator[str]:
    """What is wrong with a case, in words."""
    bugs = sorted({run.verdict for run in row.runs if run.verdict.startswith("bug")})
    yield from bugs
    if row.last.verdict == "endless":
        yield f"endless at {row.last.size} bytes"
    if row.slope > MAX_SLOPE:
        counted = "" if row.counted is None else f", its work counted {row.counted:.2f}"
        yield f"grows with the power {row.slope:.2f} of its size{counted}"
    if row.door_ms_per_mb > MAX_DOOR_MS and row.last.door_s > 0.001:
        yield f"{row.door_ms_per_mb:.0f} ms a megabyte without a signature"
