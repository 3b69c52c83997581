"""Detection of packets that were forwarded by the transaction that received them, and of retries.

Packet-forward middleware reads `{"forward": {"receiver", "port", "channel", ...}}` in a packet's memo and
forwards the coins. Two packets are linked only if the transaction proves it: the send follows the receive
in the same message, with the port, channel and receiver of the memo, the same coin and the same amount.
Packets with an amount reduced by a fee, or sent later, are not linked. If a packet times out and its coins
are sent again in the same message, the new packet is a retry.

Coins have different names on both chains of a packet (ICS-20), which follow from the trace of the
denomination.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

import msgspec

from pyibc.apps.packet_forward.packet_data import read_hops
from pyibc.apps.transfer.packet_data import parse_denom
from pyibc.core.errors import ForwardKeyNotFound, InvalidForwardMetadata
from pyibc.indexer.events.ics20 import Transfer
from pyibc.indexer.events.packet_facts import RECV, SEND, TIMEOUT, V1, PacketFacts
from pyibc.indexer.events.packets import PacketEvent

MAX_CACHED = 512
"""Maximum characters of a denomination whose coins are cached."""

MAX_FORWARD_MEMO = 1 << 18
"""Maximum characters of a memo that is parsed, as in a packet. Users may write 32 KiB, middleware more."""


class Route(NamedTuple):
    """Channel ends of a packet."""

    src_port: str
    src_channel: str
    dst_port: str
    dst_channel: str


class Coins(NamedTuple):
    """Parsed denomination of a packet."""

    base: str  # base denomination
    trace: str | None  # hops, last one first: `transfer/channel-1/transfer/channel-0`
    src: str  # coin on the sending chain: `ibc/HASH`, or the base denomination
    dst: str  # coin on the receiving chain


def path_at_receiver(denom: str, route: Route) -> str:
    """Return the path of `denom` on the receiving chain: one hop less if it returns, otherwise one more."""
    home = f"{route.src_port}/{route.src_channel}/"
    if denom.startswith(home):
        return denom.removeprefix(home)
    return f"{route.dst_port}/{route.dst_channel}/{denom}"


def coins_of(denom: str, route: Route) -> Coins:
    """Parse the denomination of a packet, with a cache."""
    return _cached(denom, route) if len(denom) <= MAX_CACHED else _coins(denom, route)


def _coins(denom: str, route: Route) -> Coins:
    sent, received = parse_denom(denom), parse_denom(path_at_receiver(denom, route))
    trace = denom.removesuffix(sent.base).rstrip("/") if sent.trace else None
    return Coins(sent.base, trace, sent.coin_denom, received.coin_denom)


_cached = lru_cache(4096)(_coins)


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
    had, has = one.transfer, other.transfer
    if had is None or has is None or one.protocol != V1 or other.protocol != V1 or had.amount != has.amount:
        return False
    if cause.type == TIMEOUT:  # sent again: the same channel, coin and receiver, which timeouts may lack
        return one[1:5] == other[1:5] and had.denom == has.denom and had.receiver in {"", has.receiver}
    return _sent_on(one, had, other, has)


def _sent_on(one: PacketFacts, had: Transfer, other: PacketFacts, has: Transfer) -> bool:
    order = _order(had.memo)
    if order is None or (order.port, order.channel) != (other.src_port, other.src_channel):
        return False
    route = Route(one.src_port, one.src_channel, one.dst_port, one.dst_channel)
    return order.receiver == has.receiver and path_at_receiver(had.denom, route) == has.denom


def _order(memo: str) -> _Order | None:
    if ("forward" not in memo and "\\u" not in memo) or len(memo) > MAX_FORWARD_MEMO:
        return None
    try:
        return _memo(memo).forward
    except (msgspec.DecodeError, RecursionError):
        pass  # perhaps only Go's JSON reads it, for example next to a lone surrogate
    try:
        hops = read_hops(memo)
    except (ForwardKeyNotFound, InvalidForwardMetadata):
        return None
    return _Order(hops[0].receiver, hops[0].channel_id, hops[0].port_id) if hops else None
