"""Decoder of one event of the queue protocol, emitted by `pyibc/queues/packet.py`.

End identifiers take the place of channels, the packet type that of ports. An end identifier begins with the
chain id (`alpha-1`, `alpha-1/connection-0/channel-0`), so the chains of a packet are always known.
"""

from google.protobuf.message import DecodeError

from pyibc.core.numbers import MAX_I64
from pyibc.indexer.errors import MalformedPacketEvent
from pyibc.indexer.events.acks import ERROR, SUCCESS, AckResult
from pyibc.indexer.events.ics20 import Transfer, checked
from pyibc.indexer.events.packet_facts import (
    ACK,
    QUEUE,
    RECV,
    SEND,
    TIMEOUT,
    WRITE_ACK,
    PacketFacts,
    digest_of,
    name_in,
    number_in,
    octets_in,
)
from pyibc.proto.pyibc.queue_coins.v1 import coins_pb2
from pyibc.queues.errors import PacketExpired

COINS = "coins"
"""Packet type of coin transfers."""

QUEUE_SEND, QUEUE_RECEIVE = "queue_send", "queue_receive"
QUEUE_HANDLE_RECEIPT, QUEUE_TIMEOUT = "queue_handle_receipt", "queue_timeout"
QUEUE_TYPES = frozenset({QUEUE_SEND, QUEUE_RECEIVE, QUEUE_HANDLE_RECEIPT, QUEUE_TIMEOUT})
"""Types of packet events; `queue_register` and `queue_advance` do not concern a single packet."""

TOO_LATE = (PacketExpired.codespace, PacketExpired.code)
"""Codespace and code of the `TimeoutError` of [ICS5-2019] in a receipt."""


def transfer_of_coins(data: bytes) -> Transfer | None:
    """Decode the transfer in packet data; None if the data is not one.

    The denom is formatted as in ICS-20: the ends over which the coin was received, last one first, then the
    base denomination; "" without a base denomination.
    """
    try:
        transfer = coins_pb2.Transfer.FromString(data)
    except DecodeError:
        return None
    denom = transfer.denom
    path = "/".join([*denom.hops, denom.base]) if denom.base else ""
    return checked(path, transfer.amount, transfer.sender, transfer.receiver)


def steps_of(kind: str, found: dict[str, str]) -> list[tuple[str, PacketFacts]]:
    """Return the packet steps that an event of type `kind` stands for, each with the packet.

    A receipt with TimeoutError is not a delivery: it is ignored on the receiving chain, and a timeout on the
    sending chain.

    Raises:
        MalformedPacketEvent: attributes that identify the packet are missing or malformed.
    """
    facts = _facts(kind, found)
    if kind == QUEUE_SEND:
        return [(SEND, facts)]
    if kind == QUEUE_TIMEOUT:
        return [(TIMEOUT, facts)]
    codespace, code = found.get("codespace", ""), number_in(kind, "code", found.get("code", ""))
    answered = facts._replace(ack=AckResult(ERROR, f"{codespace}/{code}") if code else AckResult(SUCCESS))
    is_late = (codespace, code) == TOO_LATE
    if kind == QUEUE_RECEIVE:
        return [] if is_late else [(RECV, facts), (WRITE_ACK, answered)]
    return [(TIMEOUT, facts)] if is_late else [(ACK, answered)]


def _facts(kind: str, found: dict[str, str]) -> PacketFacts:
    revision, _, height = found.get("max_height", "").partition("-")
    data = octets_in(kind, found, "data_hex")
    packet_type = found.get("type", "")  # empty: malformed packet, answered by an error receipt
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
        raise MalformedPacketEvent(f"sequence of {kind} is outside 0..2^63-1: {sequence}")
    return sequence
