"""Report sections from the packet table: plots and tables."""

from html import escape

from pyibc.indexer.answers import Answers, Row
from pyibc.indexer.packet_facts import QUEUE
from pyibc.indexer.report import plots
from pyibc.indexer.report.markup import TOP, image, more, nothing, table
from pyibc.indexer.report.view import View
from pyibc.indexer.words import NONE, amount, clipped, count, duration, moment, short

_BARS = 12  # bars in a plot; the table below has more rows
_COUNTED_STATES = ("acknowledged", "timed_out", "in_flight", "stuck", "ack_overdue")


def timeline(answers: Answers) -> str:
    """Render the section on packets over time."""
    if not answers.timeline:
        return nothing("No packet has a time.")
    alt = "Bar charts of packets over time, one per chain, stacked by state"
    return "<p>Packets by the time of their first event and by state, for the busiest chains.</p>" + image(
        plots.timeline_plot(answers.timeline), alt
    )


def latency(answers: Answers) -> str:
    """Render the section on packet latencies."""
    if not answers.latencies:
        return nothing("No packet has both a send and a later step, so there are no latencies.")
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
    """Render the section on channels by direction, with packet counts and latencies."""
    if not answers.channels:
        return nothing("No channel was seen.")
    rows = [
        [
            route(row),
            count(row.packets),
            *(_behind(view, row, state) for state in _COUNTED_STATES),
            *(duration(q) for q in _three(row.ack_quantiles or row.recv_quantiles)),
        ]
        for row in answers.channels[:TOP]
    ]
    shown = answers.channels[:_BARS]
    names = [_channel_name(row) for row in shown]
    alt = "Bar chart of packets by channel, stacked by state"
    picture = image(plots.state_bars(names, shown), alt) if view.whole else ""
    states = (state.replace("_", " ") for state in _COUNTED_STATES)
    heads = ["channel", "packets", *states, "50%", "95%", "99%"]
    return picture + table(heads, rows, "channels-table") + more(answers.channel_count)


def _behind(view: View, row: Row, state: str) -> str:
    """Render a packet count of a channel, with a link to the packets."""
    ends = {name: getattr(row, name) for name in ("src_chain", "src_channel", "dst_channel")}
    return view.link(getattr(row, state), **ends, state=state)


def _channel_name(row: Row) -> str:
    if row.protocol == QUEUE:  # end identifiers contain the chains
        return f"{short(row.src_channel, 26)} > {short(row.dst_channel, 26)}"
    sender = f"{short(row.src_chain or '?', 18)} {row.src_channel}"
    return f"{sender} > {short(row.dst_chain, 18)}" if row.dst_chain else sender


def denoms(answers: Answers, view: View) -> str:
    """Render the section on transferred amounts by denom."""
    if not answers.denoms:
        return nothing("No transfer was seen.")
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
        "<p>Amounts in the denom's smallest unit. "
        "Delivered: received or acknowledged without an error acknowledgement.</p>"
    )
    heads = ["denom", "sent from", "packets", "delivered", "attempted"]
    return note + picture + table(heads, rows, "denoms-table", words=(0, 1)) + more(answers.denom_count)


def relayers(answers: Answers) -> str:
    """Render the section on relayers by relayed packets."""
    if not answers.relayers:
        return nothing("No relayer was seen.")
    rows = [
        [clipped(r.relayer, 48), count(r.recv), count(r.back), f"{100 * r.share:.1f}%"]
        for r in answers.relayers[:TOP]
    ]
    shown = answers.relayers[:_BARS]
    series = {
        "received": [r.recv for r in shown],
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
    """Render the section on stuck packets."""
    if not answers.stuck:
        return '<p class="good">No packet is stuck.</p>'
    rows = [
        [
            *_waiting(r),
            NONE if r.received is None else "no",
            escape(r.expires_height or NONE)
            if r.expires_time is None
            else moment(r.expires_time, seconds=True),
            _transfer(r),
        ]
        for r in answers.stuck[:TOP]
    ]
    note = (
        "<p>Sent, not received, neither acknowledged nor timed out, and either expired or without an event "
        "while both chains made blocks for an hour. Oldest first. "
        f"Received is “{NONE}” if blocks of the receiving chain are missing.</p>"
    )
    heads = ["channel", "sequence", "sent", "received", "expires", "transfer"]
    return note + table(heads, rows, "stuck-table", words=(0, 2, 3, 4, 5)) + more(answers.stuck_count)


def ack_overdue(answers: Answers) -> str:
    """Render the section on received packets whose acknowledgement is overdue."""
    if not answers.ack_overdue:
        return '<p class="good">No acknowledgement is overdue.</p>'
    rows = [
        [
            *_waiting(r),
            NONE if r.recv_time is None else moment(r.recv_time, seconds=True),
            _transfer(r),
        ]
        for r in answers.ack_overdue[:TOP]
    ]
    note = (
        "<p>Received, so they cannot time out, and not acknowledged on the sending chain while both chains "
        "made blocks for an hour. Oldest first.</p>"
    )
    heads = ["channel", "sequence", "sent", "received", "transfer"]
    shown = table(heads, rows, "ack-overdue-table", words=(0, 2, 3, 4))
    return note + shown + more(answers.ack_overdue_count)


def _waiting(row: Row) -> list[str]:
    """Render the channel, sequence and send of a packet."""
    sent = f"height {row.send_height}" if row.send_time is None else moment(row.send_time, seconds=True)
    return [route(row), str(row.sequence), sent]


def _transfer(row: Row) -> str:
    return f"{amount(row.amount)} {clipped(row.denom, 24)}" if row.denom else NONE


def route(row: Row) -> str:
    """Render a channel with its chains."""
    ends = []
    for side in ("src", "dst"):
        port = getattr(row, f"{side}_port")
        place = getattr(row, f"{side}_channel") or ""
        name = place if port in {None, "", "transfer"} else f"{short(port, 22)}/{place}"
        ends.append(f"{clipped(getattr(row, f'{side}_chain') or '?', 26)} <small>{clipped(name, 64)}</small>")
    return " → ".join(ends)


def _three(found: list[float] | None) -> list[float | None]:
    return [found[0], found[2], found[3]] if found else [None, None, None]
