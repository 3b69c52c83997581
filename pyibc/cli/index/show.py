"""`pyibc index --show`: results as text tables, or as JSON."""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple

from pyibc.indexer.report.words import moment, short

if TYPE_CHECKING:
    from pyibc.indexer.pipeline.report import Outcome

TOP = 50  # rows of a text table
_CHANNEL = ("src_chain", "src_port", "src_channel", "dst_chain", "dst_port", "dst_channel")
_PAIR = ("src_chain", "dst_chain")
_OUTCOMES = ("transfers", "delivered", "answered", "refunded", "refused", "received", "pending")
_STATES = (
    "packets",
    "succeeded",
    "failed",
    "acknowledged",
    "timed_out",
    "received",
    "sent",
    "in_flight",
    "unknown",
    "stuck",
    "ack_overdue",
)


class Shown(NamedTuple):
    """A result as columns and rows."""

    columns: Sequence[str]
    rows: list[list[Any]]

    def dicts(self) -> list[dict[str, Any]]:
        """Return the rows for JSON, with amounts as strings of digits."""
        return [
            {
                name: str(value) if isinstance(value, Decimal) else value
                for name, value in zip(self.columns, row, strict=True)
            }
            for row in self.rows
        ]

    def lines(self) -> Iterator[str]:
        """Iterate over the first rows as aligned text, with times in UTC.

        Control characters in names become question marks.
        """
        names = [column.removesuffix("_s") if column in _SECONDS else column for column in self.columns]
        cells = [names, *([*map(_text, row, self.columns)] for row in self.rows[:TOP])]
        widths = [max(len(row[place]) for row in cells) for place in range(len(self.columns))]
        for row in cells:
            yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        if len(self.rows) > TOP:
            yield f"... and {len(self.rows) - TOP} more"


def _text(value: Any, column: str) -> str:
    if column in _SECONDS and value is not None:
        return moment(round(value * 1e6), seconds=True)
    if isinstance(value, float):
        return f"{value:g}"
    text = "-" if value is None else short(str(value), 64)
    return "".join(c if c.isprintable() else "?" for c in text)


def shown(outcome: "Outcome", name: str) -> Shown:
    """Return the result `name`, one of `ANSWERS`. Times are unix seconds, latencies seconds."""
    source, columns = ANSWERS[name]
    if source == "latency":
        return _latency(outcome)
    holder = outcome.answers if hasattr(outcome.answers, source) else outcome.answers.tables
    rows = [[_value(row, column) for column in columns] for row in getattr(holder, source)]
    return Shown([_MOMENTS.get(column, column) for column in columns], rows)


ANSWERS: dict[str, tuple[str, tuple[str, ...]]] = {
    "channels": ("channels", (*_CHANNEL, *_STATES)),
    "clients": (
        "clients",
        ("chain", "client", "claimed_chain", "channels", "updates", "last_update", "expires", "misbehaved"),
    ),
    "flows": ("flows", (*_PAIR, *_OUTCOMES, "forwarded")),
    "latency": ("latency", ()),
    "relayers": (
        "costs",
        (
            "relayer",
            "chain",
            "transactions",
            "failed",
            "failed_redundant",
            "messages",
            "redundant",
            "fee_denom",
            "fees",
        ),
    ),
    "stuck": (
        "stuck",
        ("packet_id", *_CHANNEL, "sequence", "send_time", "expires_time", "received", "amount", "denom"),
    ),
    "ack_overdue": (
        "ack_overdue",
        ("packet_id", *_CHANNEL, "sequence", "send_time", "recv_time", "amount", "denom"),
    ),
    "transfers": ("coins", (*_PAIR, "src_coin", "base_denom", *_OUTCOMES, "amount")),
}
"""Results that can be shown: their attribute in the outcome, and their columns."""
_MOMENTS = {
    "last_update": "last_update_s",
    "expires": "expires_s",
    "send_time": "send_s",
    "recv_time": "recv_s",
    "expires_time": "expires_s",
}
_SECONDS = frozenset(_MOMENTS.values())


def _value(row: Any, column: str) -> Any:
    value = getattr(row, column)
    return value / 1e6 if column in _MOMENTS and value is not None else value


def _latency(outcome: "Outcome") -> Shown:
    """Return percentiles by step and by hop, in seconds."""
    totals = outcome.answers.totals
    found = [
        (None, "received", totals.recv_quantiles),
        (None, "acknowledged", totals.ack_quantiles),
        (None, "timed_out", totals.timeout_quantiles),
    ]
    for row in outcome.answers.tables.hops:
        found += [(row.hop, "received", row.recv_quantiles), (row.hop, "ended", row.end_quantiles)]
    rows = [[hop, step, *quantiles] for hop, step, quantiles in found if quantiles]
    return Shown(["hop", "step", "p50", "p90", "p95", "p99"], rows)
