"""The order of the events of a packet, which decides if they contradict each other.

A sequence that is in several events with different content has one row all the same. Its content comes from
the first event: sends before receives, written acknowledgements, acknowledgements and timeouts, and events of
one type by revision of the chain, height, transaction and event. The order is computed in SQL and has no ties
in blocks of ordinary size (`TURN`), so all engines choose the same event.
"""

from pyibc.core.numbers import MAX_I64

POSITION = f"(least(height, {MAX_I64} - height_base) + height_base)"
"""SQL expression: height of an event if the heights of its chain had never restarted.

`height_base` is what the heights of its revision are raised by (`lineage.lineages`).
"""
_HEIGHT_BITS, _TX_BITS, _EVENT_BITS = 33, 14, 13  # together with three bits of the kind: a positive bigint
_REST_BITS = _HEIGHT_BITS + _TX_BITS + _EVENT_BITS

TURN = (
    f"(least({POSITION}, {(1 << _HEIGHT_BITS) - 1}) * {1 << (_TX_BITS + _EVENT_BITS)}"
    f" + least(coalesce(CAST(tx_index AS bigint), -1) + 1, {(1 << _TX_BITS) - 1}) * {1 << _EVENT_BITS}"
    f" + least(coalesce(CAST(event_index AS bigint), 0), {(1 << _EVENT_BITS) - 1}))"
)
"""SQL expression: sort key of an event by `POSITION`, transaction and event.

Heights from 2^33, transactions from 2^14 in a block and events from 2^13 in a transaction are clamped.
"""
EVENT_ORDER = f"(CAST(kind AS bigint) * {1 << _REST_BITS} + {TURN})"
"""SQL expression: sort key of an event by its kind, then `TURN`."""

HAS_TIMEOUT = "(timeout_height > 0 OR timeout_revision > 0 OR timeout_ns > 0)"
"""SQL condition: the event has a timeout; some chains omit it in some events."""


def first(column: str, condition: str, key: str = EVENT_ORDER) -> str:
    """Aggregate to the value of `column`, null included, in the first event that fulfils `condition`.

    The value is null if there is none. -1 stands for null, which engines skip in different ways; it is no
    timeout and no part of an amount, and a name has that number only by a collision of hashes.
    """
    return f"nullif(min_by(coalesce({column}, -1), CASE WHEN {condition} THEN {key} END), -1)"
