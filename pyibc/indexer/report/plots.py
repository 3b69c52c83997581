"""Plots of the report, as SVG without scripts, fonts and external files."""

from base64 import b64encode
from collections.abc import Callable
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

from pyibc.indexer.answers import BINS_A_DECADE, SLOTS, STATES, Row
from pyibc.indexer.words import duration, plain

COLOURS = {
    "acknowledged": "#2f8f83",
    "timed_out": "#d99a2b",
    "received": "#4a7fb5",
    "sent": "#a9b6c3",
    "unknown": "#8a7fb0",
    "stuck": "#c8434f",
}
_LABELS = {state: state.replace("_", " ") for state in STATES}
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
_TICKS = {  # seconds
    "1 ms": 1e-3,
    "10 ms": 0.01,
    "0.1 s": 0.1,
    "1 s": 1.0,
    "10 s": 10.0,
    "1 min": 60.0,
    "10 min": 600.0,
    "1 h": 3600.0,
    "6 h": 21600.0,
    "1 d": 86400.0,
    "10 d": 864000.0,
    "100 d": 8640000.0,
}
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
    """Plot packets over time, stacked by state, one panel per chain."""
    chains = list(dict.fromkeys(row.chain for row in rows))
    figure = Figure(figsize=(_WIDTH, 0.7 + 1.55 * len(chains)), layout="constrained")
    panels = figure.subplots(len(chains), 1, squeeze=False)[:, 0]
    for axes, chain in zip(panels, chains, strict=True):
        _timeline(axes, chain, [row for row in rows if row.chain == chain])
    _legend(figure, {row.state for row in rows})
    return figure


@_drawn
def latency_plot(rows: list[Row], marks: dict[str, float]) -> Figure:
    """Plot the histogram of packet latencies on a logarithmic axis."""
    colours = {"recv": COLOURS["received"], "ack": COLOURS["acknowledged"], "timeout": COLOURS["timed_out"]}
    names = {"recv": "sent to received", "ack": "sent to acknowledged", "timeout": "sent to timed out"}
    figure = Figure(figsize=(_WIDTH, 3.2), layout="constrained")
    axes = figure.subplots()
    for kind, colour in colours.items():
        bins = {row.bin: row.n for row in rows if row.kind == kind}
        if bins:
            span = range(min(bins), max(bins) + 2)
            heights = [bins.get(number, 0) for number in span[:-1]]
            edges = [number / BINS_A_DECADE for number in span]
            axes.stairs(heights, edges, fill=True, alpha=0.55, color=colour, label=names[kind])
    for (name, seconds), side in zip(marks.items(), ("right", "left"), strict=False):
        axes.axvline(log10(seconds), color=_INK, linewidth=1, linestyle=":")
        at = (log10(seconds), 1)
        above: Any = {"xycoords": ("data", "axes fraction"), "xytext": (0, 2), "textcoords": "offset points"}
        axes.annotate(name, at, **above, fontsize=9, ha=side, va="bottom")
    axes.set_ylabel("packets")
    low, high = axes.get_xlim()
    ticks = {log10(seconds): name for name, seconds in _TICKS.items() if low <= log10(seconds) <= high}
    axes.set_xticks(list(ticks), list(ticks.values()))
    _tidy(axes)
    figure.legend(loc="outside upper left", ncols=len(colours))
    return figure


@_drawn
def state_bars(names: list[str], rows: list[Row]) -> Figure:
    """Plot one horizontal bar per row, stacked by state."""
    figure = Figure(figsize=(_WIDTH, 0.8 + 0.34 * len(rows)), layout="constrained")
    axes = figure.subplots()
    left = [0] * len(rows)
    for state in STATES:
        values = [getattr(row, state) for row in rows]
        axes.barh(range(len(rows)), values, left=left, color=COLOURS[state], height=0.72)
        left = [a + b for a, b in zip(left, values, strict=True)]
    _bars(axes, names)
    _legend(figure, {state for state in STATES if any(getattr(row, state) for row in rows)})
    return figure


@_drawn
def bars(names: list[str], values: dict[str, list[int]], colours: list[str]) -> Figure:
    """Plot one horizontal bar per name, stacked by the series in `values`."""
    figure = Figure(figsize=(_WIDTH, 0.6 + 0.2 * (len(values) > 1) + 0.34 * len(names)), layout="constrained")
    axes = figure.subplots()
    left = [0] * len(names)
    for (label, series), colour in zip(values.items(), colours, strict=True):
        axes.barh(range(len(names)), series, left=left, color=colour, height=0.72, label=label)
        left = [a + b for a, b in zip(left, series, strict=True)]
    _bars(axes, names)
    if len(values) > 1:
        figure.legend(loc="outside upper left", ncols=len(values))
    return figure


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
    axes.xaxis.set_major_formatter(ConciseDateFormatter(locator, tz=UTC))  # type: ignore[no-untyped-call]
    axes.set_title(f"{plain(chain)}  (one bar: {duration(width)})", loc="left", fontsize=10)
    _tidy(axes)


def _day(seconds: int) -> float:
    """Convert unix seconds to the unit of date axes."""
    return float(date2num(datetime.fromtimestamp(seconds, UTC)))  # type: ignore[no-untyped-call]


def _bars(axes: Axes, names: list[str]) -> None:
    axes.set_yticks(range(len(names)), [plain(name, 44) for name in names])
    axes.invert_yaxis()
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x", color=_GRID)
    axes.xaxis.set_major_locator(MaxNLocator(nbins=6, integer=True))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda number, _: f"{number:,.0f}"))


def _tidy(axes: Axes) -> None:
    axes.grid(axis="y", color=_GRID)
    axes.yaxis.set_major_locator(MaxNLocator(nbins=4, integer=True))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda number, _: f"{number:,.0f}"))
    axes.tick_params(length=0)


def _legend(figure: Figure, states: set[str]) -> None:
    shown = [state for state in STATES if state in states]
    patches = [mpl.patches.Patch(color=COLOURS[state], label=_LABELS[state]) for state in shown]
    figure.legend(handles=patches, loc="outside upper left", ncols=len(shown) or 1)


def _svg(figure: Figure) -> str:
    """Encode the figure as an SVG data URL that follows the color scheme of the page."""
    buffer = BytesIO()
    figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None}, transparent=True)
    drawn = buffer.getvalue().replace(b"</defs>", b"</defs>" + _DARK.encode(), 1)
    return "data:image/svg+xml;base64," + b64encode(drawn).decode()
