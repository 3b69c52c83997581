"""Parts of the report that the packet table fills: pictures and tables."""

from html import escape

from ibc_indexer import plots
from ibc_indexer.answers import Answers, Row
from ibc_indexer.markup import TOP, image, more, nothing, table
from ibc_indexer.packet_facts import QUEUE
from ibc_indexer.view import View
from ibc_indexer.words import NONE, amount, clipped, count, duration, moment, short

_BARS = 12  # bars in a picture; the table below has more


def timeline(answers: Answers) -> str:
    """When packets were first seen."""
    if not answers.timeline:
        return nothing("No packet has a time.")
    alt = "Bar charts of packets over time, one a chain, stacked by state"
    return "<p>When packets were first seen, by what became of them; the busiest chains.</p>" + image(
        plots.timeline_plot(answers.timeline), alt
    )


def latency(answers: Answers) -> str:
    """How long packets took."""
    if not answers.latencies:
        return nothing("No packet was seen from its start to an end, so there are no latencies.")
    t = answers.totals
    kinds = (
        ("received", t.recv_quantiles),
        ("acknowledged", t.ack_quantiles),
        ("timed out", t.timeout_quantiles),
    )
    rows = [[f"sent to {name}", *(duration(q) for q in found)] for name, found in kinds if found]
    main = t.ack_quantiles or t.recv_quantiles or t.timeout_quantiles
    marks = {name: q for name, q in zip(("half", "95%"), (main[0], main[2]), strict=True) if q > 0}
    picture = image(
        plots.latency_plot(answers.latencies, marks), "Histogram of packet latencies, logarithmic"
    )
    return picture + table(["", "50%", "90%", "95%", "99%"], rows, "latency-table")


def channels(answers: Answers, view: View) -> str:
    """Channels and directions by packets, with latencies."""
    if not answers.channels:
        return nothing("No channel was seen.")
    rows = [
        [
            route(row),
            count(row.packets),
            *(_behind(view, row, state) for state in ("acknowledged", "timed_out", "in_flight", "stuck")),
            *(duration(q) for q in _three(row.ack_quantiles or row.recv_quantiles)),
        ]
        for row in answers.channels[:TOP]
    ]
    shown = answers.channels[:_BARS]
    names = [_channel_name(row) for row in shown]
    alt = "Bar chart of packets by channel, stacked by state"
    picture = image(plots.state_bars(names, shown), alt) if view.whole else ""
    heads = ["channel", "packets", "acknowledged", "timed out", "in flight", "stuck", "50%", "95%", "99%"]
    return picture + table(heads, rows, "channels-table") + more(answers.channel_count)


def _behind(view: View, row: Row, state: str) -> str:
    """A count of a channel's packets, with the way to them."""
    ends = {name: getattr(row, name) for name in ("src_chain", "src_channel", "dst_channel")}
    return view.link(getattr(row, state), **ends, state=state)


def _channel_name(row: Row) -> str:
    if row.protocol == QUEUE:  # the ends name their chains
        return f"{short(row.src_channel, 26)} > {short(row.dst_channel, 26)}"
    sender = f"{short(row.src_chain or '?', 18)} {row.src_channel}"
    return f"{sender} > {short(row.dst_chain, 18)}" if row.dst_chain else sender


def denoms(answers: Answers, view: View) -> str:
    """What was moved, by denom."""
    if not answers.denoms:
        return nothing("No packet that moves coins was seen.")
    rows = [
        [
            clipped(row.denom, 40),
            clipped(row.chain),
            count(row.packets),
            amount(row.delivered),
            amount(row.attempted),
        ]
        for row in answers.denoms[:TOP]
    ]
    shown = answers.denoms[:_BARS]
    names = [f"{short(row.denom, 26)} ({short(row.chain, 16)})" for row in shown]
    packets = {"packets": [row.packets for row in shown]}
    alt = "Bar chart of packets by denom"
    picture = image(plots.bars(names, packets, ["#6b7fa8"]), alt) if view.whole else ""
    note = (
        "<p>Amounts in the denom's smallest unit. Delivered: received or acknowledged, and not refused.</p>"
    )
    heads = ["denom", "sent from", "packets", "delivered", "attempted"]
    return note + picture + table(heads, rows, "denoms-table", words=(0, 1)) + more(answers.denom_count)


def relayers(answers: Answers) -> str:
    """Who brought packets and their answers."""
    if not answers.relayers:
        return nothing("No relayer was seen.")
    rows = [
        [clipped(r.relayer, 48), count(r.recv), count(r.back), f"{100 * r.share:.1f}%"]
        for r in answers.relayers[:TOP]
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
        image(picture, "Bar chart of packets by relayer")
        + table(heads, rows, "relayers-table")
        + more(answers.relayer_count)
    )


def stuck(answers: Answers) -> str:
    """Packets that wait for somebody."""
    if not answers.stuck:
        return '<p class="good">No packet is stuck.</p>'
    rows = [
        [
            route(r),
            str(r.sequence),
            f"height {r.send_height}" if r.send_time is None else moment(r.send_time, seconds=True),
            "yes" if r.received else "no",
            escape(r.expires_height or NONE)
            if r.expires_time is None
            else moment(r.expires_time, seconds=True),
            f"{amount(r.amount)} {clipped(r.denom, 24)}" if r.denom else NONE,
        ]
        for r in answers.stuck[:TOP]
    ]
    note = "<p>Sent, neither acknowledged nor timed out, and overdue or silent for an hour. Oldest first.</p>"
    heads = ["channel", "sequence", "sent", "received", "expires", "transfer"]
    return note + table(heads, rows, "stuck-table", words=(0, 2, 3, 4, 5)) + more(answers.stuck_count)


def route(row: Row) -> str:
    """A channel with its chains, in HTML."""
    ends = []
    for side in ("src", "dst"):
        port = getattr(row, f"{side}_port")
        place = getattr(row, f"{side}_channel") or ""
        name = place if port in {None, "", "transfer"} else f"{short(port, 22)}/{place}"
        ends.append(f"{clipped(getattr(row, f'{side}_chain') or '?', 26)} <small>{clipped(name, 64)}</small>")
    return " → ".join(ends)


def _three(found: list[float] | None) -> list[float | None]:
    return [found[0], found[2], found[3]] if found else [None, None, None]
