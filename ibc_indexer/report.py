"""The report: one HTML page that stands alone, with pictures and tables a person would look at."""

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from ibc_indexer import plots
from ibc_indexer.answers import Answers, Row
from ibc_indexer.coverage import lacks
from ibc_indexer.packet_facts import QUEUE
from ibc_indexer.page import STYLE
from ibc_indexer.scan import Skipped
from ibc_indexer.words import NONE, amount, clipped, count, duration, moment, share, short

_BARS = 12  # bars in a picture; the table below has more
_GAPS = 20  # ranges of heights in a row; summary.json has all


def write_report(summary: dict[str, Any], answers: Answers, notes: list[Skipped]) -> str:
    """The page as text. The same packets give the same page."""
    parts = [
        _head(summary, answers),
        _figures(answers),
        _section("chains", "Chains", _chains(summary["chains"])),
        _section("timeline", "Packets over time", _timeline(answers)),
        _section("latency", "Latency", _latency(answers)),
        _section("channels", "Channels", _channels(answers)),
        _section("denoms", "Denoms", _denoms(answers)),
        _section("relayers", "Relayers", _relayers(answers)),
        _section("stuck", "Stuck packets", _stuck(answers)),
        _section("inputs", "Inputs", _inputs(summary["skipped"], notes)),
    ]
    body = "\n".join(parts)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>IBC packets</title>\n<style>{STYLE}</style>\n</head>\n"
        f"<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )


def _head(summary: dict[str, Any], answers: Answers) -> str:
    chains = len(summary["chains"])
    what = f"{count(answers.totals.packets)} packets on {count(chains)} chain{'s' if chains != 1 else ''}"
    span = (
        f", first seen from {moment(answers.totals.first_seen)} to {moment(answers.totals.last_seen)} UTC"
        if answers.totals.first_seen is not None
        else ""
    )
    return f"<header><h1>IBC packets</h1><p>{what}{span}.</p></header>"


def _figures(answers: Answers) -> str:
    t = answers.totals
    median = duration(t.ack_quantiles[0] if t.ack_quantiles else None)
    cards = [
        ("packets", "packets", count(t.packets), ""),
        (
            "acknowledged",
            "acknowledged",
            count(t.acknowledged),
            f"{share(t.acknowledged, t.sent)} of those sent" if t.sent else "",
        ),
        ("received", "received", count(t.received), "seen by the receiver"),
        ("timed-out", "timed out", count(t.timed_out), ""),
        ("in-flight", "in flight", count(t.in_flight), "sent, not finished"),
        ("unknown", "unknown", count(t.unknown), "blocks lack behind the send"),
        ("stuck", "stuck", count(t.stuck), "overdue or silent"),
        ("error-acks", "error acks", count(t.error_acks), "refused by the receiver"),
        ("median", "median latency", median, "sent to acknowledged"),
    ]
    return (
        '<section class="cards" aria-label="Key figures">'
        + "".join(
            f'<div class="card{" bad" if name == "stuck" and t.stuck else ""}" id="card-{name}">'
            f"<b>{value}</b><span>{label}</span><small>{hint}</small></div>"
            for name, label, value, hint in cards
        )
        + "</section>"
    )


def _chains(chains: dict[str, dict[str, Any]]) -> str:
    if not chains:
        return _nothing("No block was read.")
    fields = ("blocks", "sent", "received", "acknowledged", "timed_out", "in_flight", "unknown", "error_acks")
    heads = ["chain", *(field.replace("_", " ") for field in fields)]
    rows = [
        [clipped(chain), *(count(numbers[field]) for field in fields)] for chain, numbers in chains.items()
    ]
    note = (
        "What each chain said: as sender (sent, acknowledged, timed out, in flight), as receiver (received)."
    )
    counted = f"<p>{note} “Blocks” are the heights of which anything is known.</p>"
    return counted + _table(heads, rows, "chains-table") + _gaps(chains)


def _gaps(chains: dict[str, dict[str, Any]]) -> str:
    rows = [
        [clipped(chain), count(last), escape(lacks(numbers["gaps"], _GAPS))]
        for chain, numbers in chains.items()
        if numbers["gaps"]
        for last in [max(last for _, last in [*numbers["ranges"], *numbers["gaps"]])]
    ]
    if not rows:
        return '<p class="good">Of no chain a height lacks between the first and the last one known.</p>'
    note = "<p>A packet whose answer may stand in a height that lacks is unknown, not stuck.</p>"
    return note + _table(["chain", "known through", "lacks"], rows, "gaps-table", words=(0, 2))


def _timeline(answers: Answers) -> str:
    if not answers.timeline:
        return _nothing("No packet has a time.")
    alt = "Bar charts of packets over time, one a chain, stacked by state"
    return "<p>When packets were first seen, by what became of them; the busiest chains.</p>" + _image(
        plots.timeline_plot(answers.timeline), alt
    )


def _latency(answers: Answers) -> str:
    if not answers.latencies:
        return _nothing("No packet was seen from its start to an end, so there are no latencies.")
    t = answers.totals
    kinds = (
        ("received", t.recv_quantiles),
        ("acknowledged", t.ack_quantiles),
        ("timed out", t.timeout_quantiles),
    )
    rows = [[f"sent to {name}", *(duration(q) for q in found)] for name, found in kinds if found]
    main = t.ack_quantiles or t.recv_quantiles or t.timeout_quantiles
    marks = {name: q for name, q in zip(("half", "95%"), (main[0], main[2]), strict=True) if q > 0}
    picture = _image(
        plots.latency_plot(answers.latencies, marks), "Histogram of packet latencies, logarithmic"
    )
    return picture + _table(["", "50%", "90%", "95%", "99%"], rows, "latency-table")


def _channels(answers: Answers) -> str:
    if not answers.channels:
        return _nothing("No channel was seen.")
    rows = [
        [
            _route(row),
            count(row.packets),
            *(count(getattr(row, state)) for state in ("acknowledged", "timed_out", "stuck")),
            *(duration(q) for q in _three(row.ack_quantiles or row.recv_quantiles)),
        ]
        for row in answers.channels
    ]
    shown = answers.channels[:_BARS]
    names = [_channel_name(row) for row in shown]
    picture = _image(plots.state_bars(names, shown), "Bar chart of packets by channel, stacked by state")
    heads = ["channel", "packets", "acknowledged", "timed out", "stuck", "50%", "95%", "99%"]
    return picture + _table(heads, rows, "channels-table") + _more(len(rows), answers.channel_count)


def _channel_name(row: Row) -> str:
    if row.protocol == QUEUE:  # the ends name their chains
        return f"{short(row.src_channel, 26)} > {short(row.dst_channel, 26)}"
    sender = f"{short(row.src_chain or '?', 18)} {row.src_channel}"
    return f"{sender} > {short(row.dst_chain, 18)}" if row.dst_chain else sender


def _denoms(answers: Answers) -> str:
    if not answers.denoms:
        return _nothing("No packet that moves coins was seen.")
    rows = [
        [
            clipped(row.denom, 40),
            clipped(row.chain),
            count(row.packets),
            amount(row.delivered),
            amount(row.attempted),
        ]
        for row in answers.denoms
    ]
    shown = answers.denoms[:_BARS]
    names = [f"{short(row.denom, 26)} ({short(row.chain, 16)})" for row in shown]
    picture = _image(
        plots.bars(names, {"packets": [row.packets for row in shown]}, ["#6b7fa8"]),
        "Bar chart of packets by denom",
    )
    note = (
        "<p>Amounts in the denom's smallest unit. Delivered: received or acknowledged, and not refused.</p>"
    )
    heads = ["denom", "sent from", "packets", "delivered", "attempted"]
    return (
        note
        + picture
        + _table(heads, rows, "denoms-table", words=(0, 1))
        + _more(len(rows), answers.denom_count)
    )


def _relayers(answers: Answers) -> str:
    if not answers.relayers:
        return _nothing("No relayer was seen.")
    rows = [
        [clipped(r.relayer, 48), count(r.recv), count(r.back), f"{100 * r.share:.1f}%"]
        for r in answers.relayers
    ]
    shown = answers.relayers[:_BARS]
    series = {
        "packets received": [r.recv for r in shown],
        "acknowledged or timed out": [r.back for r in shown],
    }
    picture = plots.bars(
        [r.relayer for r in shown], series, [plots.COLOURS["received"], plots.COLOURS["acknowledged"]]
    )
    heads = ["signer", "receives", "acknowledgements and timeouts", "share"]
    return (
        _image(picture, "Bar chart of packets by relayer")
        + _table(heads, rows, "relayers-table")
        + _more(len(rows), answers.relayer_count)
    )


def _stuck(answers: Answers) -> str:
    if not answers.stuck:
        return '<p class="good">No packet is stuck.</p>'
    rows = [
        [
            _route(r),
            str(r.sequence),
            f"height {r.send_height}" if r.send_time is None else moment(r.send_time, seconds=True),
            "yes" if r.received else "no",
            escape(r.expires_height or NONE)
            if r.expires_time is None
            else moment(r.expires_time, seconds=True),
            f"{amount(r.amount)} {clipped(r.denom, 24)}" if r.denom else NONE,
        ]
        for r in answers.stuck
    ]
    note = "<p>Sent, neither acknowledged nor timed out, and overdue or silent for an hour. Oldest first.</p>"
    heads = ["channel", "sequence", "sent", "received", "expires", "transfer"]
    return (
        note
        + _table(heads, rows, "stuck-table", words=(0, 2, 3, 4, 5))
        + _more(len(rows), answers.stuck_count)
    )


def _inputs(skipped: Sequence[dict[str, str]], notes: list[Skipped]) -> str:
    parts = []
    if notes:
        parts.append(
            "<h3>Assumed</h3>"
            + _table(
                ["file", "what"],
                [[clipped(n.file, 60), escape(n.reason)] for n in notes],
                "notes-table",
                words=(0, 1),
            )
        )
    if skipped:
        listed = [[clipped(entry["file"], 60), escape(entry["reason"])] for entry in skipped]
        parts.append("<h3>Skipped</h3>" + _table(["file", "reason"], listed, "skipped-table", words=(0, 1)))
    return "".join(parts) or '<p class="good">Every input was read whole.</p>'


def _route(row: Row) -> str:
    ends = []
    for side in ("src", "dst"):
        port = getattr(row, f"{side}_port")
        place = getattr(row, f"{side}_channel") or ""
        name = place if port in {None, "", "transfer"} else f"{short(port, 22)}/{place}"
        ends.append(f"{clipped(getattr(row, f'{side}_chain') or '?', 26)} <small>{escape(name)}</small>")
    return " → ".join(ends)


def _three(found: list[float] | None) -> list[float | None]:
    return [found[0], found[2], found[3]] if found else [None, None, None]


def _table(
    heads: Sequence[str], rows: Iterable[Sequence[str]], name: str, words: Sequence[int] = (0,)
) -> str:
    def cell(tag: str, place: int, content: str) -> str:
        return f"<{tag}{'' if place in words else ' class=n'}>{content}</{tag}>"

    head = "".join(cell("th", place, escape(text)) for place, text in enumerate(heads))
    body = "".join(
        "<tr>" + "".join(cell("td", place, content) for place, content in enumerate(row)) + "</tr>"
        for row in rows
    )
    content = f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody>"
    return f'<div class="wide"><table id="{name}">{content}</table></div>'


def _section(name: str, title: str, content: str) -> str:
    return f'<section id="{name}"><h2>{title}</h2>{content}</section>'


def _image(address: str, alt: str) -> str:
    return f'<div class="wide"><img src="{address}" alt="{escape(alt)}"></div>'


def _nothing(why: str) -> str:
    return f'<p class="none">{why}</p>'


def _more(shown: int, total: int) -> str:
    return f'<p class="none">The first {shown} of {count(total)}.</p>' if total > shown else ""
