"""What one event of the queue protocol says (`ibc_core/queue/events.py` writes them).

The ends stand in the channels' place, the packet's type in the ports'. An end's text begins with its chain's
id (`alpha-1`, `alpha-1/connection-0/channel-0`), so which chains a packet goes between is never a guess.
"""

from typing import NamedTuple

from ibc_core.errors.queue import PacketExpired
from ibc_core.numbers import MAX_I64
from ibc_indexer.acks import ERROR, SUCCESS, AckResult
from ibc_indexer.attributes import digest_of, name_in, number_in, octets_in
from ibc_indexer.errors import MalformedPacketEvent
from ibc_indexer.packet_facts import ACK, QUEUE, RECV, SEND, TIMEOUT, WRITE_ACK, PacketFacts
from ibc_indexer.queue_coins import COINS, transfer_of_coins

QUEUE_SEND, QUEUE_RECEIVE = "queue_send", "queue_receive"
QUEUE_HANDLE_RECEIPT, QUEUE_TIMEOUT = "queue_handle_receipt", "queue_timeout"
QUEUE_TYPES = frozenset({QUEUE_SEND, QUEUE_RECEIVE, QUEUE_HANDLE_RECEIPT, QUEUE_TIMEOUT})
"""`queue_register` and `queue_advance` are about no single packet."""

TOO_LATE = (PacketExpired.codespace, PacketExpired.code)
"""The `TimeoutError` of [ICS5-2019] as a receipt holds it."""


class _Receipt(NamedTuple):
    codespace: str
    code: int

    @property
    def ack(self) -> AckResult:
        return AckResult(ERROR, f"{self.codespace}/{self.code}") if self.code else AckResult(SUCCESS)


def steps_of(kind: str, found: dict[str, str]) -> list[tuple[str, PacketFacts]]:
    """The steps of a packet's life that an event of type `kind` tells, each with the packet.

    A receipt that says TimeoutError is no delivery: the receiver tells nothing by it, and at the sender it is
    a timeout.

    Raises:
        MalformedPacketEvent: it does not say which packet, or says it in an odd way.
    """
    facts = _facts(kind, found)
    if kind == QUEUE_SEND:
        return [(SEND, facts)]
    if kind == QUEUE_TIMEOUT:
        return [(TIMEOUT, facts)]
    receipt = _Receipt(found.get("codespace", ""), number_in(kind, "code", found.get("code", "")))
    answered = facts._replace(ack=receipt.ack)
    if kind == QUEUE_RECEIVE:
        return [] if receipt == TOO_LATE else [(RECV, facts), (WRITE_ACK, answered)]
    return [(TIMEOUT, facts)] if receipt == TOO_LATE else [(ACK, answered)]


def _facts(kind: str, found: dict[str, str]) -> PacketFacts:
    revision, _, height = found.get("max_height", "").partition("-")
    data = octets_in(kind, found, "data_hex")
    packet_type = found.get("type", "")  # empty: what came was no packet, and is answered by an error
    return PacketFacts(
        QUEUE,
        packet_type,
        name_in(kind, found, "source"),
        packet_type,
        name_in(kind, found, "destination"),
        _sequence(kind, found),
        min(number_in(kind, "max_height", revision), MAX_I64),
        min(number_in(kind, "max_height", height), MAX_I64),
        min(number_in(kind, "max_time", found.get("max_time", "")), MAX_I64),
        None if data is None else digest_of(data),
        transfer=transfer_of_coins(data) if data is not None and packet_type == COINS else None,
    )


def _sequence(kind: str, found: dict[str, str]) -> int:
    sequence = number_in(kind, "sequence", found.get("sequence", ""))
    if sequence > MAX_I64:
        raise MalformedPacketEvent(f"{kind} with sequence {sequence}, outside 0..2^63-1")
    return sequence
