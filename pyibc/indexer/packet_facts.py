"""Decoder of packet events of IBC v1 (channels) and IBC v2 (clients, packet in protobuf).

Event types have the same names in both; events of v2 have an attribute `packet_source_client`.
"""

from collections.abc import Iterator
from typing import NamedTuple

from pyibc.core.channel.types import ORDER_TEXT, Order
from pyibc.core.errors import InvalidPacket, InvalidPacketV2
from pyibc.core.numbers import MAX_I64
from pyibc.core.packet.events import (
    ACKNOWLEDGE_PACKET,
    RECV_PACKET,
    SEND_PACKET,
    TIMEOUT_PACKET,
    WRITE_ACKNOWLEDGEMENT,
    PacketEvent,
    carries,
    packet_event_of,
)
from pyibc.core.packet.types import Packet
from pyibc.core.packet_v2.events import PacketEventV2, packet_event_v2_of
from pyibc.core.packet_v2.types import PacketV2, Payload
from pyibc.indexer.acks import AckResult, classify, classify_v2
from pyibc.indexer.attributes import digest_of
from pyibc.indexer.calls.carried import PayloadCall, account_call, gmp_call
from pyibc.indexer.errors import MalformedPacketEvent
from pyibc.indexer.ics20 import (
    ICS20,
    MAX_PAYLOADS,
    PayloadTransfer,
    Transfer,
    transfer_of,
    transfer_of_payload,
)

SEND, RECV, WRITE_ACK = SEND_PACKET, RECV_PACKET, WRITE_ACKNOWLEDGEMENT
ACK, TIMEOUT = ACKNOWLEDGE_PACKET, TIMEOUT_PACKET
"""Steps of a packet, by the names of the IBC v1 events."""

TIMEOUT_NAMES = (TIMEOUT, "timeout_on_close", "timeout_on_close_packet")  # differs by version

QUEUE, V1, V2 = 0, 1, 2
"""Protocols of packets."""
SECOND = 10**9


class PacketFacts(NamedTuple):
    """Packet in an event.

    IBC v2: the channels are client ids, the ports those of the first payload. Queues: the channels are the
    end identifiers, the ports the packet type, sequences begin at 0, and timeouts are the last valid height
    and time.
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
    data_digest: int | None = None  # 64 bits of the SHA-256 of the data; None if the event has no data
    ordering: str = ""
    connection: str = ""
    transfer: Transfer | None = None  # of the first payload
    ack: AckResult | None = None
    payloads: int = 1
    others: tuple[PayloadTransfer, ...] = ()  # transfers of the other payloads
    calls: tuple[PayloadCall, ...] = ()  # interchain-accounts and GMP calls in the payloads

    @property
    def transfers(self) -> tuple[PayloadTransfer, ...]:
        """Transfers of all payloads."""
        first = self.transfer
        return (*((PayloadTransfer(0, self.src_port, self.dst_port, first),) if first else ()), *self.others)


_DEFAULTS = {"packet_timeout_height": "0-0", "packet_timeout_timestamp": "0", "packet_ack": ""}
"""Attributes that some chains omit; a hexadecimal acknowledgement takes precedence over `packet_ack`."""


def facts_of(kind: str, found: dict[str, str]) -> PacketFacts:
    """Decode the packet of an event of type `kind` with the attributes `found`.

    Raises:
        MalformedPacketEvent: attributes that identify the packet are missing or malformed.
    """
    step = TIMEOUT if kind in TIMEOUT_NAMES else kind
    try:
        if "packet_source_client" in found:
            return _v2(kind, found, packet_event_v2_of(step, found))
        return _v1(kind, found, packet_event_of(step, {**_DEFAULTS, **found}))
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
    """Decode the transfer in an ICS-20 payload; other payloads are ignored, even if they look like one."""
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
        raise MalformedPacketEvent(f"packet_sequence of {kind} is outside 1..2^63-1: {sequence}")
    return sequence
