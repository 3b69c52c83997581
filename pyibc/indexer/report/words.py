"""Formatting of numbers, times and names for display, and rendering of templates with Jinja.

The states of a packet have the same words in the tables, the report, the summary and docs/indexer.md. For the
rows that a table leaves out, the page has queries in the SQL of Spark and DuckDB.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup

from pyibc.indexer.results.answers import APPLICATION, CHANNEL, CHANNEL_ORDER, WAITING_ORDER
from pyibc.indexer.results.hours import CHAIN

LONGEST = 512  # maximum characters of a name in a tooltip or link; users choose the length of names
NONE = "\u2013"  # dash for a missing value
_STEPS = ((86400, "d"), (3600, "h"), (60, "min"))


def count(number: int) -> str:
    """Format a number, as in 1,234,567."""
    return f"{number:,}"


def share(part: int, whole: int) -> str:
    """Format a share in percent with one decimal; a dash if `whole` is 0."""
    return f"{100 * part / whole:.1f}%" if whole else NONE


def duration(seconds: float | None) -> str:
    """Format seconds in a suitable unit; a dash for None."""
    if seconds is None:
        return NONE
    for size, unit in _STEPS:
        if seconds >= 2 * size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.1f} s" if seconds >= 10 else f"{seconds:.2f} s"


def moment(micros: int, *, seconds: bool = False) -> str:
    """Format unix microseconds as date and time in UTC, with or without seconds."""
    time = datetime(1970, 1, 1) + timedelta(microseconds=micros)  # noqa: DTZ001 - UTC throughout
    return f"{time:%Y-%m-%d %H:%M:%S}" if seconds else f"{time:%Y-%m-%d %H:%M}"


def amount(digits: object) -> str:
    """Format a sum in the denom's smallest unit; None stands for a sum of more than 38 digits."""
    return f"{int(str(digits)):,}" if digits is not None else "over 10^38"


def short(name: str | None, width: int = 34) -> str:
    """Shorten a name to at most `width` characters by omitting its middle."""
    if name is None:
        return NONE
    if len(name) <= width:
        return name
    tail = (width - 1) // 2
    return f"{name[: width - 1 - tail]}…{name[-tail:]}"


def plain(name: str | None, width: int = 34) -> str:
    """Shorten a name for plots and replace characters other than printable ASCII by question marks."""
    return "".join(c if " " <= c <= "~" or c == "…" else "?" for c in short(name, width))


DEFINITIONS = {
    "succeeded": "Acknowledged with a success.",
    "failed": "Acknowledged with an error acknowledgement: the receiving application refused it.",
    "acknowledged": (
        "Acknowledged, and the result is not known: the acknowledgement is not in the inputs, or is in a form"
        " of the application's own."
    ),
    "timed_out": "Not received before its timeout, which was reported to the sending chain.",
    "received": "Received, and not yet acknowledged on the sending chain.",
    "sent": "Sent; not yet received, as far as is known.",
    "unknown": (
        "In flight as far as known, but blocks of the sending chain are missing in which it may have ended."
    ),
    "stuck": (
        "In flight, not received as far as is known, and either expired or without an event while both chains"
        " made blocks for an hour."
    ),
}
"""Definition of each state; a packet is in one."""
LABELS = {"acknowledged": "result not known"}


def label(state: str) -> str:
    """Return the heading of a state."""
    return LABELS.get(state, state.replace("_", " "))


_REST = "OFFSET 50"


def _ordered(*keys: str) -> str:
    return ", ".join(f"{key} NULLS FIRST" for key in keys)


def _packets(flag: str) -> str:
    return f"SELECT * FROM packets WHERE {flag} ORDER BY {WAITING_ORDER} {_REST}"


def _channels(flag: str, since: str) -> str:
    named = ", ".join(CHANNEL)
    counted = f"SELECT {named}, count(*) AS packets, min({since}) AS since FROM packets WHERE {flag}"
    return f"{counted} GROUP BY {named} ORDER BY packets DESC, {_ordered(*CHANNEL)} {_REST}"


def _counted(
    columns: Sequence[str], table: str, *, number: str = "packets", count: str = "count(*)", where: str = ""
) -> str:
    """Build a query for the rows of a table that are counted by columns, which may have names (`AS`)."""
    parts = [column.rpartition(" AS ") for column in columns]
    named, groups = ([part[place] or part[2] for part in parts] for place in (2, 0))
    condition = f" WHERE {where}" if where else ""
    return (
        f"SELECT {', '.join(columns)}, {count} AS {number} FROM {table}{condition}"
        f" GROUP BY {', '.join(groups)} ORDER BY {number} DESC, {_ordered(*named)} {_REST}"
    )


QUERIES = {
    "stuck": _packets("stuck"),
    "ack_overdue": _packets("ack_overdue"),
    "stuck_channels": _channels("stuck", "send_time"),
    "ack_overdue_channels": _channels("ack_overdue", "recv_time"),
    "applications": _counted([f"{APPLICATION} AS application"], "packets"),
    "channels": _counted(CHANNEL_ORDER, "packets"),
    "denoms": _counted([f"{CHAIN} AS chain", "denom"], "packets", where="denom IS NOT NULL"),
    "relayers": _counted(["relayer"], "relayed_by_hour", count="sum(n)", where="relayer IS NOT NULL"),
    "flows": _counted(["src_chain", "dst_chain"], "transfers", number="transfers"),
    "coins": _counted(["src_chain", "dst_chain", "src_coin", "base_denom"], "transfers", number="transfers"),
    "clients": f"SELECT * FROM clients ORDER BY {_ordered('chain', 'client')}",
    "ends": (
        "SELECT * FROM channels ORDER BY coalesce(last_height, 0) DESC,"
        f" {_ordered('chain', 'port', 'channel')} {_REST}"
    ),
    "costs": _counted(
        ["signer AS relayer", "chain", "fee_denom"],
        "transactions",
        number="transactions",
        where="relays > 0 AND signer IS NOT NULL",
    ),
}
"""Queries for the rows behind the first 50 of a table of the page, in its order; `clients` finds all."""


def render(name: str, **context: Any) -> str:
    """Render the template `name` of this package."""
    return environment().get_template(name).render(context)


@lru_cache(1)
def environment() -> Environment:
    """Return the environment of the report's templates."""
    # guard: h118-names-of-chains-are-html {select_autoescape(default=True) => False}
    #   test_h118_hostile_names_are_text
    made = Environment(
        loader=PackageLoader("pyibc.indexer.report"),
        autoescape=select_autoescape(default=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "amount": amount,
        "clipped": clipped,
        "count": count,
        "duration": duration,
        "label": label,
        "moment": moment,
        "second": lambda micros: moment(micros, seconds=True),
    }
    return made


def clipped(name: str | None, width: int = 34) -> Markup:
    """Render a shortened name, with up to `LONGEST` characters in its tooltip."""
    shown = short(name, width)
    if name is None or len(name) <= width:
        return Markup.escape(shown)
    return Markup('<span title="{}">{}</span>').format(short(name, LONGEST), shown)
