"""What one packet event says: of IBC v1 (channels) and of IBC v2 (clients, packet in protobuf).

The types of both are named alike; v2's have an attribute `packet_source_client`.
"""

from typing import NamedTuple

from ibc_core.numbers import MAX_I64
from ibc_indexer import protobuf
from ibc_indexer.acks import AckResult, classify, classify_v2
from ibc_indexer.attributes import digest_of, name_in, number_in, octets_in
from ibc_indexer.errors import MalformedPacketEvent, MalformedProtobuf
from ibc_indexer.ics20 import Transfer, transfer_of, transfer_of_payload

SEND, RECV, WRITE_ACK = "send_packet", "recv_packet", "write_acknowledgement"
ACK, TIMEOUT = "acknowledge_packet", "timeout_packet"
"""The steps of a packet's life, by the names of IBC v1's events."""

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
    transfer: Transfer | None = None
    ack: AckResult | None = None


def facts_of(kind: str, found: dict[str, str]) -> PacketFacts:
    """The packet of an event of type `kind` with the attributes `found`.

    Raises:
        MalformedPacketEvent: it does not say which packet, or says it in an odd way.
    """
    return _v2(kind, found) if "packet_source_client" in found else _v1(kind, found)


def _v1(kind: str, found: dict[str, str]) -> PacketFacts:
    revision, _, height = found.get("packet_timeout_height", "0-0").partition("-")
    data = octets_in(kind, found, "packet_data_hex", "packet_data")
    ack = octets_in(kind, found, "packet_ack_hex", "packet_ack")
    return PacketFacts(
        V1,
        name_in(kind, found, "packet_src_port"),
        name_in(kind, found, "packet_src_channel"),
        name_in(kind, found, "packet_dst_port"),
        name_in(kind, found, "packet_dst_channel"),
        _sequence(kind, found),
        min(number_in(kind, "packet_timeout_height", revision), MAX_I64),
        min(number_in(kind, "packet_timeout_height", height), MAX_I64),
        min(number_in(kind, "packet_timeout_timestamp", found.get("packet_timeout_timestamp", "0")), MAX_I64),
        None if data is None else digest_of(data),
        found.get("packet_channel_ordering", ""),
        found.get("connection_id") or found.get("packet_connection", ""),
        None if data is None else transfer_of(data),
        None if ack is None else classify(ack),
    )


def _v2(kind: str, found: dict[str, str]) -> PacketFacts:
    encoded = octets_in(kind, found, "encoded_packet_hex", "")
    if encoded is None:
        raise MalformedPacketEvent(f"{kind} without encoded_packet_hex")
    ack = octets_in(kind, found, "encoded_acknowledgement_hex", "")
    try:
        payloads = [v for n, v in protobuf.fields(encoded) if n == 5 and isinstance(v, bytes)]
        first = protobuf.message(payloads[0]) if payloads else {}
        return PacketFacts(
            V2,
            protobuf.text(first, 1),
            name_in(kind, found, "packet_source_client"),
            protobuf.text(first, 2),
            name_in(kind, found, "packet_dest_client"),
            _sequence(kind, found),
            timeout_ns=min(protobuf.number_of(protobuf.message(encoded), 4) * SECOND, MAX_I64),
            data_digest=digest_of(encoded),
            transfer=transfer_of_payload(protobuf.text(first, 4), protobuf.octets(first, 5)),
            ack=None if ack is None else classify_v2(ack),
        )
    except MalformedProtobuf as error:
        raise MalformedPacketEvent(f"{kind} with a packet that is {error}") from None


def _sequence(kind: str, found: dict[str, str]) -> int:
    sequence = number_in(kind, "packet_sequence", found.get("packet_sequence", ""))
    if not 0 < sequence <= MAX_I64:
        raise MalformedPacketEvent(f"{kind} with packet_sequence {sequence}, outside 1..2^63-1")
    return sequence
