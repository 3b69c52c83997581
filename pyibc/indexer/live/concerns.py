"""Alert conditions: stuck packets, overdue acknowledgements, and clients that expire soon."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from pyibc.indexer.packet_table import Tip
from pyibc.indexer.pipeline.report import Outcome
from pyibc.indexer.table_answers import Row

STUCK, ACK_OVERDUE, EXPIRING = "stuck", "ack_overdue", "expiring"
KINDS = (STUCK, ACK_OVERDUE, EXPIRING)
EXPIRES_WITHIN_S = 24 * 3600.0


class Concern(NamedTuple):
    """Packet or client in a state that needs an operator's attention."""

    kind: str  # one of `KINDS`
    key: str  # identifies the packet or client and its state, for deduplication
    fields: dict[str, Any]  # JSON values; times in unix seconds


def concerns(outcome: Outcome, within_s: float = EXPIRES_WITHIN_S) -> list[Concern]:
    """Find all alert conditions: stuck packets, overdue acknowledgements, and expiring clients in use.

    Of stuck packets and of overdue acknowledgements, the oldest ten thousand are used.

    The time left of a client is relative to the last block of its host chain, so old recordings raise no
    alert. A client is in use if it has an open channel or IBC v2 packets.
    """
    answers = outcome.answers
    packets = [_packet(STUCK, row) for row in answers.stuck]
    packets += [_packet(ACK_OVERDUE, row) for row in answers.ack_overdue]
    clients = [_client(row, outcome.tips, within_s) for row in answers.tables.clients]
    return packets + [each for each in clients if each is not None]


def _packet(kind: str, row: Row) -> Concern:
    names = ("packet_id", "src_chain", "dst_chain", "src_port", "src_channel", "dst_port", "dst_channel")
    more = ("sequence", "send_height", "received", "expires_height", "denom", "amount")
    fields = {name: getattr(row, name) for name in (*names, *more)}
    moments = {name: _seconds(getattr(row, name)) for name in ("send_time", "recv_time", "expires_time")}
    return Concern(kind, f"{kind} {row.packet_id}", fields | moments)


def _client(row: Row, tips: Mapping[str, Tip], within_s: float) -> Concern | None:
    tip = tips.get(row.chain)
    if tip is None or tip.time_ns is None or row.expires is None or not row.channels + row.packets:
        return None
    left = row.expires / 1e6 - tip.time_ns / 1e9
    if left > within_s:
        return None
    state = "expiring" if left > 0 else "expired"
    fields = {name: getattr(row, name) for name in ("chain", "client", "claimed_chain", "channels")}
    expiry = {"state": state, "expires_time": _seconds(row.expires), "left_s": left}
    return Concern(EXPIRING, f"{state} {row.chain} {row.client}", fields | expiry)


def _seconds(micros: int | None) -> float | None:
    return None if micros is None else micros / 1e6
