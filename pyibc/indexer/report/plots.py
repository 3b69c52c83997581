"""Plots of the report, as SVG without scripts, fonts and external files."""

from base64 import b64encode
from collections.abc import Callable, Container, Mapping
from datetime import UTC, datetime
from functools import wraps
from io import BytesIO
from math import log10
from threading import Lock
from typing import Any, ParamSpec

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.dates import AutoDateLocator, ConciseDateFormatter, date2num
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from pyibc.indexer.events.packet_facts import QUEUE
from pyibc.indexer.report.words import duration, label, moment, plain, short
from pyibc.indexer.results.answers import BINS_A_DECADE, SLOTS, STATES, Row

COLOURS = {
    "succeeded": "#2f8f83",
    "failed": "#7a4a32",
    "acknowledged": "#8fc3bb",
    "timed_out": "#d99a2b",
    "received": "#4a7fb5",
    "sent": "#a9b6c3",
    "unknown": "#8a7fb0",
    "stuck": "#c8434f",
}
_INK, _GRID = "#33414e", "#e3e8ed"
_STYLE: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "pyibc",  # reproducible output
    "font.family": "sans-serif",
    "font.size": 10,
    "text.parse_math": False,
    "text.color": _INK,
    "axes.edgecolor": _GRID,
    "axes.labelcolor": _INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "xtick.color": _INK,
    "ytick.color": _INK,
    "legend.frameon": False,
}
_UNITS = ((86400.0, "d"), (3600.0, "h"), (60.0, "min"), (1.0, "s"), (1e-3, "ms"))
_STEPS = {
    "d": (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000),
    "h": (1, 2, 6, 12),
    "min": (1, 2, 5, 10, 30),
    "s": (1, 2, 5, 10, 30),
    "ms": (1, 2, 5, 10, 20, 50, 100, 200, 500),
}
_TICKS = {seconds * step: f"{step} {unit}" for seconds, unit in _UNITS for step in _STEPS[unit]}
_MOST_TICKS = 9
_LEGEND_COLUMNS = 6
_WIDTH = 9.0  # inches
_DARK = (
    "<style>@media (prefers-color-scheme: dark){text{fill:#d3dce4!important}"
    f"[style*='{_GRID}']{{stroke:#33414e!important}}[style*='stroke: {_INK}']{{stroke:#d3dce4!important}}"
    "[style*='#ffffff']{stroke:#18212a!important}}</style>"
)
_KEPT = 2  # cached plots per function: the live page shows the same ones until the results change
_drawing = Lock()  # matplotlib is not thread-safe
P = ParamSpec("P")


def _drawn(draw: Callable[P, Figure]) -> Callable[P, str]:
    """Decorate a function that draws a figure: return it as a data URL, cached by arguments."""
    pictures = dict[str, str]()

    @wraps(draw)
    def drawn(*args: P.args, **kwargs: P.kwargs) -> str:
        key = repr((args, kwargs))
        with _drawing:
            if key not in pictures:
                if len(pictures) == _KEPT:
                    del pictures[next(iter(pictures))]
                with mpl.rc_context(_STYLE):
                    pictures[key] = _svg(draw(*args, **kwargs))
            return pictures[key]

    return drawn


@_drawn
def timeline_plot(rows: list[Row]) -> Figure:
    """Plot packets over time, stacked by state, one panel per chain, all with the same slots."""
    chains = list(dict.fromkeys(row.chain for row in rows))
    figure = Figure(figsize=(_WIDTH, 0.7 + 1.55 * len(chains)), layout="constrained")
    panels = figure.subplots(len(chains), 1, squeeze=False, sharex=True)[:, 0]
    for axes, chain in zip(panels, chains, strict=True):
        _timeline(axes, chain, [row for row in rows if row.chain == chain])
    width = rows[0].width
    ends = (rows[0].start + slots * width for slots in (0, SLOTS))
    # The ticks do not tell the first day, and the offset of Matplotlib is the last one.
    panels[-1].set_xlabel(" to ".join(moment(end * 10**6, seconds=width < 60) for end in ends) + " UTC")
    _legend(figure, _colours({row.state for row in rows}))
    return figure


@_drawn
def latency_plot(bins: list[tuple[str, int, int]], marks: dict[str, float]) -> Figure:
    """Plot the histogram of packet latencies on a logarithmic axis; `bins` are kind, bin and number."""
    colours = {"recv": COLOURS["received"], "ack": COLOURS["succeeded"], "timeout": COLOURS["timed_out"]}
    names = {"recv": "sent to received", "ack": "sent to acknowledged", "timeout": "sent to timed out"}
    figure = Figure(figsize=(_WIDTH, 3.2), layout="constrained")
    axes = figure.subplots()
    for kind, colour in colours.items():
        counts = {place: number for one, place, number in bins if one == kind}
        if counts:
            span = range(min(counts), max(counts) + 2)
            heights = [counts.get(number, 0) for number in span[:-1]]
            edges = [number / BINS_A_DECADE for number in span]
            axes.stairs(heights, edges, fill=True, alpha=0.55, color=colour, label=names[kind])
    for (name, seconds), (side, points) in zip(marks.items(), (("right", -3), ("left", 3)), strict=False):
        axes.axvline(log10(seconds), color=_INK, linewidth=1, linestyle=":")
        at = (log10(seconds), 1)
        above: Any = {
            "xycoords": ("data", "axes fraction"),
            "xytext": (points, 2),
            "textcoords": "offset points",
        }
        axes.annotate(name, at, **above, fontsize=9, ha=side, va="bottom")
    axes.set_ylabel("packets")
    _seconds_axis(axes)
    _tidy(axes)
    figure.legend(loc="outside upper left", ncols=len(colours))
    return figure


def _seconds_axis(axes: Axes) -> None:
    """Label a logarithmic axis of seconds: at least a decade, and at most `_MOST_TICKS` ticks."""
    low, high = axes.get_xlim()
    missing = max(0.0, 1 - (high - low)) / 2
    low, high = low - missing, high + missing
    axes.set_xlim(low, high)
    inside = {
        log10(seconds): name for seconds, name in sorted(_TICKS.items()) if low <= log10(seconds) <= high
    }
    step, apart, last = (high - low) / _MOST_TICKS, dict[float, str](), low - 1
    for place, name in inside.items():
        if place - last >= step:
            apart[place], last = name, place
    axes.set_xticks(list(apart), list(apart.values()))


@_drawn
def state_bars(rows: list[Row], prefix: str) -> Figure:
    """Plot one horizontal bar per channel, stacked by state; the columns are the states after `prefix`."""
    series = {state: [getattr(row, prefix + state) for row in rows] for state in STATES}
    stacks = [(values, COLOURS[state]) for state, values in series.items()]
    figure = _stacked([_channel_name(row) for row in rows], stacks, 0.8)
    _legend(figure, _colours([state for state, values in series.items() if any(values)]))
    return figure


@_drawn
def denom_bars(rows: list[Row], column: str) -> Figure:
    """Plot one horizontal bar per denom and chain: packets in `column`."""
    names = [f"{short(row.denom, 26)} ({short(row.chain, 16)})" for row in rows]
    return _stacked(names, [([getattr(row, column) for row in rows], "#6b7fa8")], 0.6)


@_drawn
def relayer_bars(rows: list[Row], prefix: str) -> Figure:
    """Plot one horizontal bar per relayer, stacked by what it relayed."""
    received, back = ([getattr(row, prefix + name) for row in rows] for name in ("recv", "back"))
    series = [(received, COLOURS["received"]), (back, COLOURS["succeeded"])]
    figure = _stacked([row.relayer for row in rows], series, 0.8)
    _legend(figure, {"received": series[0][1], "acknowledged or timed out": series[1][1]})
    return figure


def _stacked(names: list[str], series: list[tuple[list[int], str]], above: float) -> Figure:
    """Plot one stacked horizontal bar per name; `above` is the height around the bars, in inches."""
    figure = Figure(figsize=(_WIDTH, above + 0.34 * len(names)), layout="constrained")
    axes = figure.subplots()
    left = [0] * len(names)
    for values, colour in series:
        axes.barh(range(len(names)), values, left=left, color=colour, height=0.72)
        left = [a + b for a, b in zip(left, values, strict=True)]
    axes.set_yticks(range(len(names)), [plain(name, 44) for name in names])
    axes.invert_yaxis()
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x", color=_GRID)
    axes.xaxis.set_major_locator(MaxNLocator(nbins=6, integer=True))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda number, _: f"{number:,.0f}"))
    return figure


def _channel_name(row: Row) -> str:
    if row.protocol == QUEUE:  # end identifiers contain the chains
        return f"{short(row.src_channel, 26)} > {short(row.dst_channel, 26)}"
    sender = f"{short(row.src_chain or '?', 18)} {row.src_channel}"
    return f"{sender} > {short(row.dst_chain, 18)}" if row.dst_chain else sender


def _timeline(axes: Axes, chain: str, rows: list[Row]) -> None:
    width = rows[0].width
    slots = sorted({row.slot for row in rows})
    bottom = dict.fromkeys(slots, 0)
    for state in STATES:
        here = {row.slot: row.n for row in rows if row.state == state}
        if here:
            starts = [_day(rows[0].start + slot * width) for slot in here]
            axes.bar(
                starts,
                list(here.values()),
                width / 86400,
                bottom=[bottom[slot] for slot in here],
                align="edge",
                color=COLOURS[state],
                linewidth=0.4,
                edgecolor="white",
            )
        for slot, number in here.items():
            bottom[slot] += number
    axes.set_xlim(_day(rows[0].start), _day(rows[0].start + SLOTS * width))
    locator = AutoDateLocator(minticks=3, maxticks=8)  # type: ignore[no-untyped-call]
    axes.xaxis.set_major_locator(locator)
    formatter = ConciseDateFormatter(locator, tz=UTC, show_offset=False)  # type: ignore[no-untyped-call]
    formatter.formats[-1] = formatter.zero_formats[-1] = "%H:%M:%S"  # by default seconds alone
    axes.xaxis.set_major_formatter(formatter)
    axes.set_title(f"{plain(chain)}  (one bar: {duration(width)})", loc="left", fontsize=10)
    _tidy(axes)


def _day(seconds: int) -> float:
    """Convert unix seconds to the unit of date axes."""
    return float(date2num(datetime.fromtimestamp(seconds, UTC)))  # type: ignore[no-untyped-call]


def _tidy(axes: Axes) -> None:
    axes.grid(axis="y", color=_GRID)
    axes.yaxis.set_major_locator(MaxNLocator(nbins=4, integer=True))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda number, _: f"{number:,.0f}"))
    axes.tick_params(length=0)
    axes.tick_params(axis="x", pad=12)  # below the label of 0


def _legend(figure: Figure, colours: Mapping[str, str]) -> None:
    patches = [mpl.patches.Patch(color=colour, label=name) for name, colour in colours.items()]
    figure.legend(handles=patches, loc="outside upper left", ncols=min(len(patches), _LEGEND_COLUMNS) or 1)


def _colours(states: Container[str]) -> dict[str, str]:
    return {label(state): COLOURS[state] for state in STATES if state in states}


def _svg(figure: Figure) -> str:
    """Encode the figure as an SVG data URL that follows the color scheme of the page."""
    buffer = BytesIO()
    figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None}, transparent=True)
    drawn = buffer.getvalue().replace(b"</defs>", b"</defs>" + _DARK.encode(), 1)
    return "data:image/svg+xml;base64," + b64encode(drawn).decode()
