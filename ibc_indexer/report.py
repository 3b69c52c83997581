"""The report: one HTML page that stands alone, with pictures and tables a person would look at."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from ibc_indexer import chain_sections, packet_sections
from ibc_indexer.answers import Answers
from ibc_indexer.markup import section, table
from ibc_indexer.packet_table import Tip
from ibc_indexer.page import STYLE
from ibc_indexer.scan import Skipped
from ibc_indexer.view import View
from ibc_indexer.words import clipped, count, duration, moment, share

FILE = View()  # all of it


def write_report(
    summary: dict[str, Any],
    answers: Answers,
    notes: list[Skipped],
    tips: Mapping[str, Tip],
    view: View = FILE,
) -> str:
    """The page as text. The same packets give the same page."""
    shown = view.of(answers)
    chains = view.chains(summary["chains"])
    parts = [_head(summary, answers, view)]
    if view.whole:
        parts.append(_figures(answers))
    parts += [section("chains", "Chains", chain_sections.chains(chains, tips, answers, view))]
    parts += [section("stuck", "Stuck packets", packet_sections.stuck(shown))]
    if view.whole:
        parts += [
            section("timeline", "Packets over time", packet_sections.timeline(answers)),
            section("latency", "Latency", packet_sections.latency(answers)),
        ]
    parts += [
        section("channels", "Channels", packet_sections.channels(shown, view)),
        section("clients", "Light clients", chain_sections.clients(shown.tables, tips)),
        section("flows", "Flows between chains", chain_sections.flows(shown.tables)),
        *([section("hops", "Latency by hop", chain_sections.hops(shown.tables))] if view.whole else []),
        section("denoms", "Denoms", packet_sections.denoms(shown, view)),
        section("relayers", "Relayers", _relayers(shown, view)),
        section("ends", "Ends of channels", chain_sections.ends(shown.tables)),
        section("transactions", "Transactions", chain_sections.transactions(shown.tables)),
        section("inputs", "Inputs", _inputs(summary["skipped"], notes)),
    ]
    body = "\n".join(parts)
    again = f'<meta http-equiv="refresh" content="{view.refresh_s}">\n' if view.refresh_s else ""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta name="color-scheme" content="light dark">\n{again}'
        f"<title>IBC packets</title>\n<style>{STYLE}</style>\n</head>\n"
        f"<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )


def _head(summary: dict[str, Any], answers: Answers, view: View) -> str:
    chains = len(summary["chains"])
    what = f"{count(answers.totals.packets)} packets on {count(chains)} chain{'s' if chains != 1 else ''}"
    span = (
        f", first seen from {moment(answers.totals.first_seen)} to {moment(answers.totals.last_seen)} UTC"
        if answers.totals.first_seen is not None
        else ""
    )
    served = _served(summary, view) if view.refresh_s else ""
    return f"<header><h1>IBC packets</h1><p>{what}{span}.</p>{served}</header>"


def _served(summary: dict[str, Any], view: View) -> str:
    """What a served page has beyond the file: how the program is, and what to show."""
    chosen = ["", *summary["chains"]]
    options = "".join(
        f'<option value="{escape(chain)}"{" selected" if chain == view.chain else ""}>'
        f"{escape(chain) or 'all chains'}</option>"
        for chain in chosen
    )
    places = (("/", "all"), ("/metrics", "metrics"), ("/packets", "packets"), ("/health", "health"))
    links = " ".join(f'<a href="{path}">{name}</a>' for path, name in places)
    return (
        f'<p id="status">{escape(view.status)}</p>'
        f'<form method="get" action="/"><label>chain <select name="chain">{options}</select></label> '
        f'<label>channel <input name="channel" value="{escape(view.channel)}" maxlength="64"></label> '
        f"<button>show</button> {links}</form>"
    )


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


def _relayers(answers: Answers, view: View) -> str:
    packets = packet_sections.relayers(answers) if view.whole else ""
    return packets + chain_sections.costs(answers.tables)


def _inputs(skipped: Sequence[dict[str, str]], notes: list[Skipped]) -> str:
    parts = []
    if notes:
        listed = [[clipped(n.file, 60), escape(n.reason)] for n in notes]
        parts.append("<h3>Assumed</h3>" + table(["file", "what"], listed, "notes-table", words=(0, 1)))
    if skipped:
        listed = [[clipped(entry["file"], 60), escape(entry["reason"])] for entry in skipped]
        parts.append("<h3>Skipped</h3>" + table(["file", "reason"], listed, "skipped-table", words=(0, 1)))
    return "".join(parts) or '<p class="good">Every input was read whole.</p>'
