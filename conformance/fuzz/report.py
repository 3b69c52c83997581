"""Result table of a run, and the faults in it."""

from collections.abc import Iterator, Sequence

from conformance.fuzz.measure import Row

MAX_SLOPE = 1.1
MAX_UNSIGNED_MS = 100.0
"""Limit for input before any signature is verified, milliseconds per megabyte."""
MAX_REPORTED = 20.0
"""Limit of reported bytes (events, data, log) per byte of a large input."""
MOST_EXPENSIVE = 40
"""Rows of the second table, the most expensive cases."""


def table(rows: Sequence[Row]) -> Iterator[str]:
    """Return the rows by slope, then the most expensive ones by cost."""
    yield from _lines("by slope", sorted(rows, key=lambda row: -row.slope))
    loudest = max(rows, key=lambda row: row.reported_per_byte, default=None)
    if loudest is not None:
        yield f"{loudest.reported_per_byte:.1f} bytes reported per byte: {loudest.name}"
    yield from _lines("by price", sorted(rows, key=lambda row: -row.ms_per_mb)[:MOST_EXPENSIVE])


def _lines(title: str, rows: Sequence[Row]) -> Iterator[str]:
    yield f"{title}\n{'slope':>6} {'ms/MB':>8} {'unsigned':>8} {'bytes':>9}  case: verdict"
    for row in rows:
        price = f"{row.slope:6.2f} {row.ms_per_mb:8.0f} {row.unsigned_ms_per_mb:8.0f} {row.last.size:9d}"
        counted = "" if row.counted is None else f" (counted: {row.counted:.2f})"
        yield f"{price}  {row.name}: {row.last.verdict}{counted}"


def faults(row: Row) -> Iterator[str]:
    """Return the faults of a case as text."""
    bugs = sorted({run.verdict for run in row.runs if run.verdict.startswith("bug")})
    yield from bugs
    if row.last.verdict == "endless":
        yield f"endless at {row.last.size} bytes"
    if row.slope > MAX_SLOPE:
        counted = "" if row.counted is None else f", its work counted {row.counted:.2f}"
        yield f"grows with exponent {row.slope:.2f} of its size{counted}"
    if row.reported_per_byte > MAX_REPORTED:
        yield f"{row.reported_per_byte:.0f} bytes reported per byte"
    if row.unsigned_ms_per_mb > MAX_UNSIGNED_MS and row.last.unsigned_s > 0.001:
        yield f"{row.unsigned_ms_per_mb:.0f} ms per megabyte before signature verification"
