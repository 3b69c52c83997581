"""What one packet event says: of IBC v1 (channels) and of IBC v2 (clients, packet in protobuf).

The types of both are named alike; v2's have an attribute `packet_source_client`.
"""

from collections.abc import Iterator
from typing import NamedTuple

from ibc_core.channel.types import ORDER_TEXT, Order
from ibc_core.errors import InvalidPacket, InvalidPacketV2
from ibc_core.numbers import MAX_I64
from ibc_core.packet.event_reader import (
    ACKNOWLEDGE_PACKET,
    RECV_PACKET,
    SEND_PACKET,
    TIMEOUT_PACKET,
    WRITE_ACKNOWLEDGEMENT,
    PacketEvent,
    carries,
    packet_event_of,
)
from ibc_core.packet.types import Packet
from ibc_core.packet_v2.event_reader import PacketEventV2, packet_event_v2_of
from ibc_core.packet_v2.types import PacketV2, Payload
from ibc_indexer.acks import AckResult, classify, classify_v2
from ibc_indexer.attributes import digest_of
from ibc_indexer.calls.carried import PayloadCall, account_call, gmp_call
from ibc_indexer.errors import MalformedPacketEvent
from ibc_indexer.ics20 import ICS20, MAX_PAYLOADS, PayloadTransfer, Transfer, transfer_of, transfer_of_payload

SEND, RECV, WRITE_ACK = SEND_PACKET, RECV_PACKET, WRITE_ACKNOWLEDGEMENT
ACK, TIMEOUT = ACKNOWLEDGE_PACKET, TIMEOUT_PACKET
"""The steps of a packet's life, by the names of IBC v1's events."""

TIMEOUT_NAMES = (TIMEOUT, "timeout_on_close", "timeout_on_close_packet")  # one thing, by version

QUEUE, V1, V2 = 0, 1, 2
"""Which protocol a packet is of."""
SECOND = 10**9


class PacketFacts(NamedTuple):
    """A packet as an event names it.

    IBC v2: the channels are client ids, the ports the first payload's. Queues: the channels are the ends'
    texts, the ports the packet's type, sequences begin at 0, and timeouts are the last moment of validity.
    """

    protocol: int
    src_port: str
    src_channel: str
    dst_port: str
    dst_channel: str
    sequence: int
    timeout_revision: int = 0
    timeout_height: int = 0  # 0: none
    timeout_ns: int = 0  # unix nanoseconds; 0: none; beyond 2^63-1 (the year 2262): 2^63-1
    data_digest: int | None = None  # 64 bits of the data's SHA-256; None where the event has no data
    ordering: str = ""
    connection: str = ""
    transfer: Transfer | None = None  # of the first payload
    ack: AckResult | None = None
    payloads: int = 1
    others: tuple[PayloadTransfer, ...] = ()  # transfers of further payloads
    calls: tuple[PayloadCall, ...] = ()  # what its payloads ask the other chain to execute

    @property
    def transfers(self) -> tuple[PayloadTransfer, ...]:
        """The transfers of all payloads."""
        first = self.transfer
        return (*((PayloadTransfer(0, self.src_port, self.dst_port, first),) if first else ()), *self.others)


_UNTOLD = {"packet_timeout_height": "0-0", "packet_timeout_timestamp": "0", "packet_ack": ""}
"""What some chains leave out of their events; an acknowledgement in hexadecimal goes before this one."""


def facts_of(kind: str, found: dict[str, str]) -> PacketFacts:
    """The packet of an event of type `kind` with the attributes `found`.

    Raises:
        MalformedPacketEvent: it does not say which packet, or says it in an odd way.
    """
    step = TIMEOUT if kind in TIMEOUT_NAMES else kind
    try:
        if "packet_source_client" in found:
            return _v2(kind, found, packet_event_v2_of(step, found))
        return _v1(kind, found, packet_event_of(step, {**_UNTOLD, **found}))
    except (InvalidPacket, InvalidPacketV2) as error:
        raise MalformedPacketEvent(f"{kind}: {error.reason}") from None


def _v1(kind: str, found: dict[str, str], event: PacketEvent) -> PacketFacts:
    packet, has_data = event.packet, carries(found, "packet_data")
    return PacketFacts(
        V1,
        packet.port_id_on_a,
        packet.channel_id_on_a,
        packet.port_id_on_b,
        packet.channel_id_on_b,
        _sequence(kind, packet.sequence),
        min(packet.timeout_height_on_b.revision_number, MAX_I64),
        min(packet.timeout_height_on_b.revision_height, MAX_I64),
        min(packet.timeout_ns_on_b, MAX_I64),
        digest_of(packet.data) if has_data else None,
        "" if event.order is Order.NONE else ORDER_TEXT[event.order],
        event.connection_id,
        transfer_of(packet.data) if has_data else None,
        classify(event.acknowledgement) if carries(found, "packet_ack") else None,
        calls=_account_calls(packet) if has_data else (),
    )


def _account_calls(packet: Packet) -> tuple[PayloadCall, ...]:
    call = account_call(packet)
    return (PayloadCall(0, packet.port_id_on_a, packet.port_id_on_b, call),) if call else ()


def _v2(kind: str, found: dict[str, str], event: PacketEventV2) -> PacketFacts:
    packet = event.packet
    first = packet.payloads[0] if packet.payloads else Payload("", "", "", "", b"")
    return PacketFacts(
        V2,
        first.port_id_on_a,
        packet.client_id_on_a,
        first.port_id_on_b,
        packet.client_id_on_b,
        _sequence(kind, packet.sequence),
        timeout_ns=min(packet.timeout_s_on_b * SECOND, MAX_I64),
        data_digest=digest_of(bytes.fromhex(found["encoded_packet_hex"])),
        transfer=_transfer_in(first),
        ack=classify_v2(event.acknowledgement) if event.acknowledgement else None,
        payloads=len(packet.payloads),
        others=tuple(_further(packet.payloads)),
        calls=tuple(_gmp_calls(packet)),
    )


def _gmp_calls(packet: PacketV2) -> Iterator[PayloadCall]:
    for number, payload in enumerate(packet.payloads[:MAX_PAYLOADS]):
        call = gmp_call(payload, packet.client_id_on_b)
        if call is not None:
            yield PayloadCall(number, payload.port_id_on_a, payload.port_id_on_b, call)


def _transfer_in(payload: Payload) -> Transfer | None:
    """Only ICS-20's payloads are read as such: other applications' data may look like a transfer."""
    # guard: h212-any-payload-is-read-as-a-transfer test_h212_a_call_is_no_transfer
    if not payload.version.startswith(ICS20):
        return None
    return transfer_of_payload(payload.encoding, payload.value)


def _further(payloads: tuple[Payload, ...]) -> Iterator[PayloadTransfer]:
    for number, payload in enumerate(payloads[1:MAX_PAYLOADS], 1):
        transfer = _transfer_in(payload)
        if transfer is not None:
            yield PayloadTransfer(number, payload.port_id_on_a, payload.port_id_on_b, transfer)


def _sequence(kind: str, sequence: int) -> int:
    if not 0 < sequence <= MAX_I64:
        raise MalformedPacketEvent(f"{kind} with packet_sequence {sequence}, outside 1..2^63-1")
    return sequence
