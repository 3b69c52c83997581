"""Report sections about chains, light clients, channels, transfers and relaying costs."""

from collections.abc import Mapping
from html import escape
from typing import Any

from pyibc.indexer.answers import WAITING, Answers, Row
from pyibc.indexer.coverage import lacks
from pyibc.indexer.packet_table import Tip
from pyibc.indexer.report.markup import TOP, more, nothing, table
from pyibc.indexer.report.view import View
from pyibc.indexer.table_answers import TableAnswers
from pyibc.indexer.words import NONE, amount, clipped, count, duration, moment

_GAPS = 20  # ranges of heights shown per chain; summary.json has all


def chains(found: Mapping[str, dict[str, Any]], tips: Mapping[str, Tip], answers: Answers, view: View) -> str:
    """Render the section on chains: known heights and packet counts."""
    if not found:
        return nothing("No block was read.")
    senders = {row.chain: row for row in answers.senders}
    fields = ("blocks", "sent", "received", "acknowledged", "timed_out")
    heads = ["chain", "known through", "block time", *(field.replace("_", " ") for field in fields)]
    heads += [*(state.replace("_", " ") for state in WAITING), "error acks"]
    rows = [
        [
            clipped(chain),
            count(tips[chain].height) if chain in tips else NONE,
            _time(tips[chain].time_ns if chain in tips else None),
            *(count(numbers[field]) for field in fields),
            *(
                view.link(getattr(senders.get(chain), state, 0), src_chain=chain, state=state)
                for state in WAITING
            ),
            count(numbers["error_acks"]),
        ]
        for chain, numbers in found.items()
    ]
    note = "Packets by chain: as sender (sent, acknowledged, timed out, in flight), as receiver (received)."
    counted = f"<p>{note} “Blocks” counts the heights with any indexed data.</p>"
    return counted + table(heads, rows, "chains-table") + _gaps(found)


def _gaps(found: Mapping[str, dict[str, Any]]) -> str:
    rows = [
        [clipped(chain), escape(lacks(numbers["gaps"], _GAPS))]
        for chain, numbers in found.items()
        if numbers["gaps"]
    ]
    if not rows:
        return '<p class="good">No heights are missing between the first and the last known one.</p>'
    note = (
        "<p>A packet whose receipt, acknowledgement or timeout may be at a missing height is unknown, "
        "not stuck.</p>"
    )
    return note + table(["chain", "missing heights"], rows, "gaps-table", words=(0, 1))


def clients(found: TableAnswers, tips: Mapping[str, Tip]) -> str:
    """Render the section on light clients; time is left as of the last block of the client's host chain."""
    if not found.clients:
        return nothing("No light client was seen.")
    rows = [
        [
            f"{clipped(row.chain)} <small>{clipped(row.client)}</small>",
            clipped(row.claimed_chain),
            count(row.channels),
            count(row.updates),
            _micros(row.last_update),
            _micros(row.expires),
            _left(row, tips.get(row.chain)),
        ]
        for row in found.clients[:TOP]
    ]
    note = (
        "<p>The tracked chain is a claim of the client's creator. "
        "The time left is counted from the last known block of the client's host chain.</p>"
    )
    heads = ["client", "claims to track", "channels", "updates", "last update", "expires", "time left"]
    return note + table(heads, rows, "clients-table", words=(0, 1)) + more(found.client_count)


def _left(row: Row, tip: Tip | None) -> str:
    if row.misbehaved:
        return '<span class="worse">misbehaved</span>'
    if row.expires is None or tip is None or tip.time_ns is None:
        return NONE
    left = row.expires / 1e6 - tip.time_ns / 1e9
    return duration(left) if left > 0 else '<span class="worse">expired</span>'


def ends(found: TableAnswers) -> str:
    """Render the section on channel ends, with their clients and counterparties."""
    if not found.ends:
        return nothing("No channel end was seen.")
    rows = [
        [
            f"{clipped(row.chain)} <small>{clipped(row.port)}/{clipped(row.channel)}</small>",
            escape(row.state or NONE),
            escape((row.ordering or NONE).removeprefix("ORDER_").lower()),
            clipped(row.client),
            f"{clipped(row.other_chain)} <small>{clipped(row.other_channel)}</small>",
            count(row.last_height),
        ]
        for row in found.ends[:TOP]
    ]
    heads = ["channel end", "state", "order", "client", "counterparty", "last used at height"]
    return table(heads, rows, "ends-table", words=(0, 1, 2, 3, 4)) + more(found.end_count)


def flows(found: TableAnswers) -> str:
    """Render the section on transfers: outcomes by pair of chains, amounts by coin."""
    if not found.flows:
        return nothing("No transfer was seen.")
    columns = ("transfers", "delivered", "refunded", "refused", "received", "pending", "forwarded")
    pairs = [[_pair(row), *(count(getattr(row, name)) for name in columns)] for row in found.flows[:TOP]]
    coins = [
        [_pair(row), clipped(row.base_denom, 30), count(row.transfers), amount(row.amount)]
        for row in found.coins[:TOP]
    ]
    note = "<h3>Coins</h3><p>Delivered amounts in the coin's smallest unit.</p>"
    return (
        table(["flow", *columns], pairs, "flows-table")
        + more(found.flow_count)
        + note
        + table(["flow", "coin", "transfers", "delivered"], coins, "coins-table", words=(0, 1))
        + more(found.coin_count)
    )


def _pair(row: Row) -> str:
    return f"{clipped(row.src_chain or '?', 24)} → {clipped(row.dst_chain or '?', 24)}"


def hops(found: TableAnswers) -> str:
    """Render the section on latencies by hop of forwarded transfers."""
    if not found.hops:
        return nothing("No transfer was seen.")
    rows = [
        [
            f"hop {row.hop}",
            count(row.transfers),
            *_quantiles(row.recv_quantiles),
            *_quantiles(row.end_quantiles),
        ]
        for row in found.hops[:TOP]
    ]
    heads = ["", "transfers", "received 50%", "95%", "completed 50%", "95%"]
    note = (
        "<p>Time from the send of the hop to its receipt, and to its acknowledgement or timeout. "
        "Hop 1 is the first one; later hops were forwarded.</p>"
    )
    return note + table(heads, rows, "hops-table")


def _quantiles(found: list[float] | None) -> list[str]:
    return [duration(found[0]), duration(found[2])] if found else [NONE, NONE]


def costs(found: TableAnswers) -> str:
    """Render the section on relaying costs by relayer and chain."""
    if not found.costs:
        return nothing("No transaction that relays packets was seen.")
    rows = [
        [
            clipped(row.relayer, 40),
            clipped(row.chain, 24),
            count(row.transactions),
            count(row.failed),
            count(row.failed_redundant),
            count(row.messages),
            count(row.redundant),
            f"{amount(row.fees)} {clipped(row.fee_denom, 20)}" if row.fee_denom else NONE,
        ]
        for row in found.costs[:TOP]
    ]
    text = "Redundant: another relayer was first. Fees are paid for failed transactions too."
    note = f"<h3>Cost</h3><p>{text}</p>"
    heads = ["signer", "chain", "transactions", "failed", "as redundant", "messages", "redundant", "fees"]
    return note + table(heads, rows, "costs-table", words=(0, 1)) + more(found.cost_count)


def transactions(found: TableAnswers) -> str:
    """Render the section on transactions by chain."""
    if not found.transactions:
        return nothing("No transaction was seen.")
    columns = ("transactions", "failed", "relaying", "relaying_failed", "steps")
    rows = [
        [clipped(row.chain), *(count(getattr(row, name)) for name in columns)] for row in found.transactions
    ]
    note = "<p>Relaying transactions contain receive, acknowledgement or timeout messages.</p>"
    heads = ["chain", "transactions", "failed", "relaying", "relaying failed", "relayed packets"]
    return note + table(heads, rows, "transactions-table")


def _time(nanoseconds: int | None) -> str:
    return _micros(nanoseconds // 1000 if nanoseconds is not None else None)


def _micros(micros: int | None) -> str:
    return NONE if micros is None else moment(micros, seconds=True)
