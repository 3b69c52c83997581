"""What somebody should look at: stuck packets, clients that expire soon."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from ibc_indexer.job import Outcome
from ibc_indexer.packet_table import Tip
from ibc_indexer.table_answers import Row

STUCK, EXPIRING = "stuck", "expiring"
KINDS = (STUCK, EXPIRING)
EXPIRES_WITHIN_S = 24 * 3600.0


class Concern(NamedTuple):
    """A packet or a client in a state that asks for a person."""

    kind: str  # of `KINDS`
    key: str  # of the packet, or of the client, and its state: it is told once
    fields: dict[str, Any]  # for JSON: texts, numbers, nulls; moments in unix seconds


def concerns(outcome: Outcome, within_s: float = EXPIRES_WITHIN_S) -> list[Concern]:
    """All of them: of stuck packets the oldest ten thousand, of clients those that are in use.

    A client expires by the clock of its own chain's last block: an old recording is no alarm. One that is in
    use has a channel that is not closed over it, or is named by packets of IBC v2.
    """
    answers = outcome.answers
    packets = [_packet(row) for row in answers.stuck]
    clients = [_client(row, outcome.tips, within_s) for row in answers.tables.clients]
    return packets + [each for each in clients if each is not None]


def _packet(row: Row) -> Concern:
    names = ("packet_id", "src_chain", "dst_chain", "src_port", "src_channel", "dst_port", "dst_channel")
    more = ("sequence", "send_height", "received", "expires_height", "denom", "amount")
    fields = {name: getattr(row, name) for name in (*names, *more)}
    moments = {name: _seconds(getattr(row, name)) for name in ("send_time", "expires_time")}
    return Concern(STUCK, f"{STUCK} {row.packet_id}", fields | moments)


def _client(row: Row, tips: Mapping[str, Tip], within_s: float) -> Concern | None:
    tip = tips.get(row.chain)
    if tip is None or tip.time_ns is None or row.expires is None or not row.channels + row.packets:
        return None
    left = row.expires / 1e6 - tip.time_ns / 1e9
    if left > within_s:
        return None
    state = "expiring" if left > 0 else "expired"
    fields = {name: getattr(row, name) for name in ("chain", "client", "claimed_chain", "channels")}
    told = {"state": state, "expires_time": _seconds(row.expires), "left_s": left}
    return Concern(EXPIRING, f"{state} {row.chain} {row.client}", fields | told)


def _seconds(micros: int | None) -> float | None:
    return None if micros is None else micros / 1e6
