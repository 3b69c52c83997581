"""Parts of the report that tell of chains, their clients and what flows between them."""

from collections.abc import Mapping
from html import escape
from typing import Any

from ibc_indexer.answers import Answers, Row
from ibc_indexer.coverage import lacks
from ibc_indexer.markup import TOP, more, nothing, table
from ibc_indexer.packet_table import Tip
from ibc_indexer.table_answers import TableAnswers
from ibc_indexer.view import View
from ibc_indexer.words import NONE, amount, clipped, count, duration, moment

_GAPS = 20  # ranges of heights in a row; summary.json has all


def chains(found: Mapping[str, dict[str, Any]], tips: Mapping[str, Tip], answers: Answers, view: View) -> str:
    """How far each chain is known, and what it said."""
    if not found:
        return nothing("No block was read.")
    stuck = {row.chain: row.stuck for row in answers.senders}
    fields = ("blocks", "sent", "received", "acknowledged", "timed_out")
    heads = ["chain", "known through", "block time", *(field.replace("_", " ") for field in fields)]
    heads += ["in flight", "unknown", "stuck", "error acks"]
    rows = [
        [
            clipped(chain),
            count(tips[chain].height) if chain in tips else NONE,
            _time(tips[chain].time_ns if chain in tips else None),
            *(count(numbers[field]) for field in fields),
            view.link(numbers["in_flight"], src_chain=chain, state="in_flight"),
            view.link(numbers["unknown"], src_chain=chain, state="unknown"),
            view.link(stuck.get(chain, 0), src_chain=chain, state="stuck"),
            count(numbers["error_acks"]),
        ]
        for chain, numbers in found.items()
    ]
    note = (
        "What each chain said: as sender (sent, acknowledged, timed out, in flight), as receiver (received)."
    )
    counted = f"<p>{note} “Blocks” are the heights of which anything is known.</p>"
    return counted + table(heads, rows, "chains-table") + _gaps(found)


def _gaps(found: Mapping[str, dict[str, Any]]) -> str:
    rows = [
        [clipped(chain), escape(lacks(numbers["gaps"], _GAPS))]
        for chain, numbers in found.items()
        if numbers["gaps"]
    ]
    if not rows:
        return '<p class="good">Of no chain a height lacks between the first and the last one known.</p>'
    note = "<p>A packet whose answer may stand in a height that lacks is unknown, not stuck.</p>"
    return note + table(["chain", "lacks"], rows, "gaps-table", words=(0, 1))


def clients(found: TableAnswers, tips: Mapping[str, Tip]) -> str:
    """Light clients, and when they expire by the clock of their chain's last block."""
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
        "<p>What a client claims to be of is said by who created it. "
        "Time is left at the last block of its chain.</p>"
    )
    heads = ["client", "claims to be of", "channels", "updates", "last update", "expires", "left"]
    return note + table(heads, rows, "clients-table", words=(0, 1)) + more(found.client_count)


def _left(row: Row, tip: Tip | None) -> str:
    if row.misbehaved:
        return '<span class="worse">misbehaved</span>'
    if row.expires is None or tip is None or tip.time_ns is None:
        return NONE
    left = row.expires / 1e6 - tip.time_ns / 1e9
    return duration(left) if left > 0 else '<span class="worse">expired</span>'


def ends(found: TableAnswers) -> str:
    """Ends of channels, with what is below them."""
    if not found.ends:
        return nothing("No channel's end was seen.")
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
    heads = ["end", "state", "order", "client", "leads to", "last used at"]
    return table(heads, rows, "ends-table", words=(0, 1, 2, 3, 4)) + more(found.end_count)


def flows(found: TableAnswers) -> str:
    """Transfers from chain to chain, and the coins."""
    if not found.flows:
        return nothing("No transfer was seen.")
    columns = ("transfers", "delivered", "refunded", "refused", "received", "pending", "forwarded")
    pairs = [[_pair(row), *(count(getattr(row, name)) for name in columns)] for row in found.flows[:TOP]]
    coins = [
        [_pair(row), clipped(row.base_denom, 30), count(row.transfers), amount(row.amount)]
        for row in found.coins[:TOP]
    ]
    note = "<h3>Coins</h3><p>What was delivered, in the coin's smallest unit.</p>"
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
    """How long each hop of transfers took."""
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
    heads = ["", "transfers", "received 50%", "95%", "answered 50%", "95%"]
    note = "<p>From a hop's send; hop 1 is where a transfer began, later ones were forwarded.</p>"
    return note + table(heads, rows, "hops-table")


def _quantiles(found: list[float] | None) -> list[str]:
    return [duration(found[0]), duration(found[2])] if found else [NONE, NONE]


def costs(found: TableAnswers) -> str:
    """What relaying cost whom."""
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
    what = "Redundant: another relayer was first. A fee is paid whether or not a transaction fails."
    note = f"<h3>Cost</h3><p>{what}</p>"
    heads = ["signer", "on", "transactions", "failed", "of these redundant", "messages", "redundant", "fees"]
    return note + table(heads, rows, "costs-table", words=(0, 1)) + more(found.cost_count)


def transactions(found: TableAnswers) -> str:
    """Transactions by chain."""
    if not found.transactions:
        return nothing("No transaction was seen.")
    columns = ("transactions", "failed", "relaying", "relaying_failed", "steps")
    rows = [
        [clipped(row.chain), *(count(getattr(row, name)) for name in columns)] for row in found.transactions
    ]
    note = "<p>“Relaying” ones carry packets' next steps: receives, acknowledgements, timeouts.</p>"
    heads = ["chain", "transactions", "failed", "relaying", "of these failed", "packets' steps"]
    return note + table(heads, rows, "transactions-table")


def _time(nanoseconds: int | None) -> str:
    return _micros(nanoseconds // 1000 if nanoseconds is not None else None)


def _micros(micros: int | None) -> str:
    return NONE if micros is None else moment(micros, seconds=True)
