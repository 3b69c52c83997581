"""Detection of packets that were forwarded by the transaction that received them, and of retries.

Packet-forward middleware reads `{"forward": {"receiver", "port", "channel", ...}}` in a packet's memo and
forwards the coins. Two packets are linked only if the transaction proves it: the send follows the receive
in the same message, with the port, channel and receiver of the memo, the same coin and the same amount.
Packets with an amount reduced by a fee, or sent later, are not linked. If a packet times out and its coins
are sent again in the same message, the new packet is a retry.
"""

from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from pyibc.apps.packet_forward.packet_data import read_hops
from pyibc.core.errors import ForwardKeyNotFound, InvalidForwardMetadata
from pyibc.indexer.ics20 import Transfer
from pyibc.indexer.packet_facts import RECV, SEND, TIMEOUT, V1, PacketFacts
from pyibc.indexer.packets import PacketEvent
from pyibc.indexer.transfers.denoms import Route, path_at_receiver

MAX_FORWARD_MEMO = 1 << 18
"""Maximum characters of a memo that is parsed, as in a packet. Users may write 32 KiB, middleware more."""


class Forward(NamedTuple):
    """Forwarded or retried packet with its cause."""

    sent: PacketEvent
    cause: PacketEvent  # preceding receive or timeout
    retry: bool  # retried after a timeout, otherwise forwarded


class _Order(msgspec.Struct):
    """Forward instruction in a memo."""

    receiver: str
    channel: str
    port: str = "transfer"


class _Memo(msgspec.Struct):
    forward: _Order


_memo = msgspec.json.Decoder(_Memo).decode


def forwards_of(events: Iterable[PacketEvent]) -> list[Forward]:
    """Find the forwarded and retried packets in the events of one block, in order."""
    found = list[Forward]()
    last: dict[tuple[int, str], PacketEvent] = {}  # transaction and message -> last receive or timeout
    for event in events:
        message = (event.tx_index, event.message)
        cause = last.pop(message, None)  # each packet causes at most one
        if event.type in {RECV, TIMEOUT}:
            last[message] = event
        elif event.type != SEND:
            if cause is not None:  # its acknowledgement, which may precede the send
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
    """Return whether a timed out packet was sent again: same channel, coin and receiver.

    Timeout events may lack the receiver.
    """
    return one[1:5] == other[1:5] and had.denom == has.denom and had.receiver in {"", has.receiver}


def _order(memo: str) -> _Order | None:
    if ("forward" not in memo and "\\u" not in memo) or len(memo) > MAX_FORWARD_MEMO:
        return None
    try:
        return _memo(memo).forward
    except (msgspec.DecodeError, RecursionError):
        return _order_by_module(memo)


def _order_by_module(memo: str) -> _Order | None:
    """Decode a forward instruction that only Go's JSON reads, for example next to a lone surrogate."""
    try:
        hops = read_hops(memo)
    except (ForwardKeyNotFound, InvalidForwardMetadata):
        return None
    return _Order(hops[0].receiver, hops[0].channel_id, hops[0].port_id) if hops else None
