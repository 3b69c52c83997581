"""The report: one self-contained HTML page. The same answers give the same page."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import lru_cache
from operator import attrgetter
from typing import Any, NamedTuple

from markupsafe import Markup

from ibc_module import __version__
from pyibc.indexer.blocks.coverage import longest
from pyibc.indexer.chains.progress import Tip
from pyibc.indexer.errors import Skipped
from pyibc.indexer.report.options import DEFAULT_OPTIONS, ReportOptions
from pyibc.indexer.report.view import View
from pyibc.indexer.report.words import (
    DEFINITIONS,
    NONE,
    QUERIES,
    count,
    duration,
    label,
    render,
    share,
)
from pyibc.indexer.results.answers import CHANNEL, Answers, Row

_SHOWN = 3  # denoms of a channel

TOP = 50  # rows of a table
_BARS = 12  # bars in a plot; the table below has more rows
FILE = View()  # without filters

_CONSTANTS: dict[str, Any] = {
    "top": TOP,
    "none_": NONE,
    "queries": QUERIES,
    "definitions": DEFINITIONS,
    "label": label,
    "version": __version__,
    "longest": longest,
}

_PICTURES = ("timeline", "latency", "channels", "denoms", "relayers")


class Coin(NamedTuple):
    """Amount of a denom."""

    denom: str
    amount: Decimal | None  # None: more than 38 digits


class Group(NamedTuple):
    """Packets of a channel that wait."""

    row: Row  # the channel
    number: int
    since: int | None  # of the oldest, in unix microseconds
    value: list[Coin]
    more: int  # denoms that are not in `value`
    relayer: str  # who relayed last on the channel; "": not known
    relayed: int | None  # when, in unix microseconds; None: never


def waiting_groups(answers: Answers, flag: str) -> list[Group]:
    """Group the packets with `flag`, `stuck` or `ack_overdue`, by channel: the largest groups first."""
    value = dict[tuple[object, ...], list[Coin]]()
    for row in answers.waiting_value:
        if getattr(row, flag):
            value.setdefault(_channel(row), []).append(Coin(row.denom, getattr(row, f"{flag}_amount")))
    rows = [row for row in answers.waiting if getattr(row, flag)]
    rows.sort(key=lambda row: (-getattr(row, flag), *((end is not None, end) for end in _channel(row))))
    return [_group(row, flag, value.get(_channel(row), [])) for row in rows]


def _group(row: Row, flag: str, value: list[Coin]) -> Group:
    moment, _, relayer = (row.last_relayed or "").partition(" ")
    return Group(
        row,
        getattr(row, flag),
        getattr(row, f"{flag}_since"),
        value[:_SHOWN],
        max(0, len(value) - _SHOWN),
        relayer,
        int(moment) if moment else None,
    )


_channel = attrgetter(*CHANNEL)


def write_report(
    summary: dict[str, Any],
    answers: Answers,
    notes: list[Skipped],
    tips: Mapping[str, Tip],
    view: View = FILE,
    *,
    options: ReportOptions = DEFAULT_OPTIONS,
) -> str:
    """Render the report as HTML; the output is deterministic."""
    shown, window = view.of(answers), Window(answers.since is not None)
    chains = view.chains(summary["chains"])
    return render(
        "page.html.jinja",
        summary=summary,
        answers=shown,
        tables=shown.tables,
        totals=answers.totals,
        notes=notes,
        tips=tips,
        view=view,
        assets=options.assets,
        since=options.since,
        span=options.since.text if window.is_part else "all data",
        chains=chains,
        gaps={chain: found["gaps"] for chain, found in chains.items() if found["gaps"]["heights"]},
        senders={row.chain: row for row in answers.senders},
        stuck=waiting_groups(shown, "stuck"),
        ack_overdue=waiting_groups(shown, "ack_overdue"),
        cards=_cards(answers, window),
        pictures=_pictures(answers, window) if view.whole else dict.fromkeys(_PICTURES, ""),
        data_end=answers.end,
        style=Markup(style()),  # noqa: S704 - our own
        of_channel=lambda row, state: window.both(row, state, view.packets_of(row, state)),
        time_left=lambda row: _time_left(row, tips.get(row.chain)),
        **_rows(shown, window),
        **window.context(answers.totals),
        **_CONSTANTS,
    )


@lru_cache(1)
def style() -> str:
    """Return the style sheet of the page."""
    return render("style.css")


def waiting_page(refresh_s: int) -> str:
    """Render the page that is served before the first run ends."""
    return render("wait.html.jinja", style=Markup(style()), refresh_s=refresh_s)  # noqa: S704 - our own


class Window(NamedTuple):
    """Choice between the numbers of the time window and those of everything."""

    is_part: bool  # False: everything

    def name(self, name: str) -> str:
        """Return the column of the window for a column of everything."""
        return f"recent_{name}" if self.is_part else name

    def of(self, row: Row, name: str) -> Any:
        """Return a row's number in the window, for a column of everything."""
        return getattr(row, self.name(name))

    def both(self, row: Row, name: str, everything: str | None = None) -> str:
        """Render the number of the window, and behind a slash that of everything."""
        everything = count(getattr(row, name)) if everything is None else everything
        if not self.is_part:
            return everything
        return Markup("{} <small>/ {}</small>").format(count(self.of(row, name)), everything)

    def latencies(self, row: Row) -> list[float | None]:
        """Return the percentiles 50, 95 and 99 of seconds to the acknowledgement, else to the receive."""
        found = self.of(row, "ack_quantiles") or self.of(row, "recv_quantiles")
        return [found[0], found[2], found[3]] if found else [None, None, None]

    def rate(self, row: Row) -> str:
        """Render the share of successes among the packets with a known result."""
        succeeded, *others = (self.of(row, name) for name in ("succeeded", "failed", "timed_out"))
        return share(succeeded, succeeded + sum(others))

    def receive_only(self, row: Row) -> int:
        """Return the number of packets whose receive is known, and nothing on the sending chain."""
        others = ("succeeded", "failed", "acknowledged", "timed_out", "in_flight")
        return int(self.of(row, "packets") - sum(self.of(row, name) for name in others))

    def quantiles(self, totals: Row) -> list[tuple[str, Sequence[float]]]:
        """Return the percentiles of seconds by step, of the steps that occur."""
        kinds = (("received", "recv"), ("acknowledged", "ack"), ("timed out", "timeout"))
        found = ((name, self.of(totals, f"{kind}_quantiles")) for name, kind in kinds)
        return [(name, quantiles) for name, quantiles in found if quantiles]

    def context(self, totals: Row) -> dict[str, Any]:
        """Return the names of templates that depend on the window."""
        return {
            "window": self.is_part,
            "quantiles": self.quantiles(totals),
            "both": self.both,
            "chosen": self.name,
            "latencies": self.latencies,
            "rate": self.rate,
            "receive_only": self.receive_only,
            "has_receive_only": lambda rows: any(map(self.receive_only, rows)),
        }


class Card(NamedTuple):
    """Key figure."""

    name: str
    label: str
    value: str
    hints: Sequence[str]
    bad: bool = False


def _cards(answers: Answers, window: Window) -> list[Card]:
    t = answers.totals

    def of_window(name: str, hint: str = "", text: str = "") -> Card:
        everything = f"{count(getattr(t, name))} in all data" if window.is_part else ""
        hints = [each for each in (hint, everything) if each]
        return Card(name.replace("_", "-"), text or label(name), count(window.of(t, name)), hints)

    def of_all(name: str, hint: str, *, bad: bool = False) -> Card:
        number = getattr(t, name)
        hints = [hint, "in all data"] if window.is_part else [hint]
        return Card(name.replace("_", "-"), name.replace("_", " "), count(number), hints, bad and number > 0)

    median = window.of(t, "ack_quantiles")
    known = "of succeeded, failed and timed out"
    return [
        of_window("packets"),
        of_window("succeeded", f"{window.rate(t)} {known}"),
        of_window("failed", "with an error acknowledgement"),
        of_window("timed_out"),
        of_window("acknowledged", "succeeded, failed, or with a result that is not known", "acknowledged"),
        of_window("received", "on the receiving chain", "received"),
        of_all("in_flight", "sent, not completed"),
        of_all("unknown", "later blocks are missing"),
        of_all("stuck", "not received: expired or silent", bad=True),
        of_all("ack_overdue", "received, not acknowledged", bad=True),
        Card("median", "median latency", duration(median[0] if median else None), ["sent to acknowledged"]),
    ]


def _rows(shown: Answers, window: Window) -> dict[str, list[Row]]:
    """Return the rows of tables with numbers of the window, those with most of them first."""
    of_packets = {name: getattr(shown, name) for name in ("applications", "channels", "denoms", "relayers")}
    of_transfers = {"flows": shown.tables.flows, "coins": shown.tables.coins}
    return {
        name: sorted(rows, key=attrgetter(window.name(counted)), reverse=True)
        for counted, tables in (("packets", of_packets), ("transfers", of_transfers))
        for name, rows in tables.items()
    }


def _pictures(answers: Answers, window: Window) -> dict[str, str]:
    """Draw the pictures, as addresses; "" without data."""
    from pyibc.indexer.report import plots  # Matplotlib takes half a second, and not every page has pictures

    rows = _rows(answers, window)
    bins = [(row.kind, row.bin, row.recent if window.is_part else row.n) for row in answers.latencies]
    bins = [each for each in bins if each[2]]
    channels, denoms, relayers = (rows[name][:_BARS] for name in ("channels", "denoms", "relayers"))
    return {
        "timeline": plots.timeline_plot(answers.timeline) if answers.timeline else "",
        "latency": plots.latency_plot(bins, _marks(answers.totals, window)) if bins else "",
        "channels": plots.state_bars(channels, window.name("")) if channels else "",
        "denoms": plots.denom_bars(denoms, window.name("packets")) if denoms else "",
        "relayers": plots.relayer_bars(relayers, window.name("")) if relayers else "",
    }


def _marks(totals: Row, window: Window) -> dict[str, float]:
    kinds = (window.of(totals, f"{kind}_quantiles") for kind in ("ack", "recv", "timeout"))
    found = next(filter(None, kinds), None)
    return (
        {name: found[place] for name, place in (("50%", 0), ("95%", 2)) if found[place] > 0} if found else {}
    )


def _time_left(row: Row, tip: Tip | None) -> str:
    """Return the time until a client expires, as of the last block of its host chain."""
    if row.misbehaved:
        return "misbehaved"
    if row.expires is None or tip is None or tip.time_ns is None:
        return NONE
    left = row.expires / 1e6 - tip.time_ns / 1e9
    return duration(left) if left > 0 else "expired"
