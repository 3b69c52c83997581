"""Report: one self-contained HTML page with plots and tables."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from pyibc.indexer.answers import Answers
from pyibc.indexer.packet_table import Tip
from pyibc.indexer.report import chain_sections, packet_sections
from pyibc.indexer.report.markup import section, table
from pyibc.indexer.report.style import STYLE
from pyibc.indexer.report.view import View
from pyibc.indexer.scan import Skipped
from pyibc.indexer.words import clipped, count, duration, moment, share

FILE = View()  # without filters


def write_report(
    summary: dict[str, Any],
    answers: Answers,
    notes: list[Skipped],
    tips: Mapping[str, Tip],
    view: View = FILE,
) -> str:
    """Render the report as HTML; the output is deterministic."""
    shown = view.of(answers)
    chains = view.chains(summary["chains"])
    parts = [_head(summary, answers, view)]
    if view.whole:
        parts.append(_figures(answers))
    parts += [section("chains", "Chains", chain_sections.chains(chains, tips, answers, view))]
    parts += _waiting(shown)
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
        section("ends", "Channel ends", chain_sections.ends(shown.tables)),
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


def _waiting(answers: Answers) -> list[str]:
    return [
        section("stuck", "Stuck packets", packet_sections.stuck(answers)),
        section("ack-overdue", "Overdue acknowledgements", packet_sections.ack_overdue(answers)),
    ]


def _head(summary: dict[str, Any], answers: Answers, view: View) -> str:
    chains = len(summary["chains"])
    text = f"{count(answers.totals.packets)} packets on {count(chains)} chain{'s' if chains != 1 else ''}"
    span = (
        f", first seen from {moment(answers.totals.first_seen)} to {moment(answers.totals.last_seen)} UTC"
        if answers.totals.first_seen is not None
        else ""
    )
    served = _served(summary, view) if view.refresh_s else ""
    return f"<header><h1>IBC packets</h1><p>{text}{span}.</p>{served}</header>"


def _served(summary: dict[str, Any], view: View) -> str:
    """Render the header of the live page: status, filter form, links."""
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
            f"{share(t.acknowledged, t.sent)} of sent packets" if t.sent else "",
        ),
        ("received", "received", count(t.received), "on the receiving chain"),
        ("timed-out", "timed out", count(t.timed_out), ""),
        ("in-flight", "in flight", count(t.in_flight), "sent, not completed"),
        ("unknown", "unknown", count(t.unknown), "later blocks are missing"),
        ("stuck", "stuck", count(t.stuck), "not received: expired or silent"),
        ("ack-overdue", "ack overdue", count(t.ack_overdue), "received, not acknowledged"),
        ("error-acks", "error acks", count(t.error_acks), "rejected by the receiving chain"),
        ("median", "median latency", median, "sent to acknowledged"),
    ]
    bad = {name for name, number in (("stuck", t.stuck), ("ack-overdue", t.ack_overdue)) if number}
    return (
        '<section class="cards" aria-label="Key figures">'
        + "".join(
            f'<div class="card{" bad" if name in bad else ""}" id="card-{name}">'
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
        parts.append("<h3>Notes</h3>" + table(["file", "note"], listed, "notes-table", words=(0, 1)))
    if skipped:
        listed = [[clipped(entry["file"], 60), escape(entry["reason"])] for entry in skipped]
        parts.append("<h3>Skipped</h3>" + table(["file", "reason"], listed, "skipped-table", words=(0, 1)))
    return "".join(parts) or '<p class="good">All inputs were read completely.</p>'
