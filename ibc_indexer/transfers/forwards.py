"""Packets that were sent on in the transaction that received them, and refused ones that were sent again.

A packet-forward middleware reads `{"forward": {"receiver", "port", "channel", ...}}` in the memo of what it
receives and sends the same coins on. The two packets are tied only if the transaction itself proves it: the
send follows the receive in the same message, over the port and channel and to the receiver that the memo
names, of the same coin and the same amount. What a middleware keeps as its fee, or sends later, is not tied.
A packet that timed out and whose coins are sent again in the same message is a retry of it.
"""

from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from ibc_indexer.ics20 import Transfer
from ibc_indexer.packet_facts import RECV, SEND, TIMEOUT, V1, PacketFacts
from ibc_indexer.packets import PacketEvent
from ibc_indexer.transfers.denoms import Route, path_at_receiver

MAX_FORWARD_MEMO = 1 << 18
"""Characters of a memo that is parsed: as many as a packet has. A user may write 32 KiB, a middleware more."""


class Forward(NamedTuple):
    """A packet that was sent because of another."""

    sent: PacketEvent
    cause: PacketEvent  # received before it, or timed out
    retry: bool  # sent again; else sent on


class _Order(msgspec.Struct):
    """What a memo asks for."""

    receiver: str
    channel: str
    port: str = "transfer"


class _Memo(msgspec.Struct):
    forward: _Order


_memo = msgspec.json.Decoder(_Memo).decode


def forwards_of(events: Iterable[PacketEvent]) -> list[Forward]:
    """The forwarded packets among the events of one block, in order."""
    found = list[Forward]()
    last: dict[tuple[int, str], PacketEvent] = {}  # transaction and message -> what came last
    for event in events:
        message = (event.tx_index, event.message)
        cause = last.pop(message, None)  # each packet causes one
        if event.type in {RECV, TIMEOUT}:
            last[message] = event
        elif event.type != SEND:
            if cause is not None:  # an acknowledgement of it, before or after
                last[message] = cause
        elif cause is not None and event.tx_index >= 0 and _causes(cause, event):
            found.append(Forward(event, cause, cause.type == TIMEOUT))
    return found


def _causes(cause: PacketEvent, event: PacketEvent) -> bool:
    one, other = cause.facts, event.facts
    if one.transfer is None or other.transfer is None or one.protocol != V1 or other.protocol != V1:
        return False
    if one.transfer.amount != other.transfer.amount:
        return False
    if cause.type == TIMEOUT:
        return _resent(one, one.transfer, other, other.transfer)
    return _sent_on(one, one.transfer, other, other.transfer)


def _sent_on(one: PacketFacts, had: Transfer, other: PacketFacts, has: Transfer) -> bool:
    order = _order(had.memo)
    if order is None or (order.port, order.channel) != (other.src_port, other.src_channel):
        return False
    route = Route(one.src_port, one.src_channel, one.dst_port, one.dst_channel)
    return order.receiver == has.receiver and path_at_receiver(had.denom, route) == has.denom


def _resent(one: PacketFacts, had: Transfer, other: PacketFacts, has: Transfer) -> bool:
    """Timed out, and sent again over the same channel: the same coins to the same receiver.

    A timeout's own events need not tell the receiver.
    """
    return one[1:5] == other[1:5] and had.denom == has.denom and had.receiver in {"", has.receiver}


def _order(memo: str) -> _Order | None:
    if ("forward" not in memo and "\\u" not in memo) or len(memo) > MAX_FORWARD_MEMO:
        return None
    try:
        return _memo(memo).forward
    except (msgspec.DecodeError, RecursionError):
        return None
