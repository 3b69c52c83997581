"""What one packet event says: of IBC v1 (channels) and of IBC v2 (clients, packet in protobuf).

The types of both are named alike; v2's have an attribute `packet_source_client`.
"""

from hashlib import sha256
from typing import NamedTuple

from ibc_module.core.numbers import MAX_I64, parse_u64
from ibc_module.indexer import protobuf
from ibc_module.indexer.acks import AckResult, classify, classify_v2
from ibc_module.indexer.errors import MalformedPacketEvent, MalformedProtobuf
from ibc_module.indexer.ics20 import Transfer, transfer_of, transfer_of_payload

V1, V2 = 1, 2
SECOND = 10**9


class PacketFacts(NamedTuple):
    """A packet as an event names it. IBC v2: the channels are client ids, the ports the first payload's."""

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
    data = _bytes(kind, found, "packet_data_hex", "packet_data")
    ack = _bytes(kind, found, "packet_ack_hex", "packet_ack")
    return PacketFacts(
        V1,
        _name(kind, found, "packet_src_port"),
        _name(kind, found, "packet_src_channel"),
        _name(kind, found, "packet_dst_port"),
        _name(kind, found, "packet_dst_channel"),
        _sequence(kind, found),
        min(_number(kind, "packet_timeout_height", revision), MAX_I64),
        min(_number(kind, "packet_timeout_height", height), MAX_I64),
        min(_number(kind, "packet_timeout_timestamp", found.get("packet_timeout_timestamp", "0")), MAX_I64),
        None if data is None else _digest(data),
        found.get("packet_channel_ordering", ""),
        found.get("connection_id") or found.get("packet_connection", ""),
        None if data is None else transfer_of(data),
        None if ack is None else classify(ack),
    )


def _v2(kind: str, found: dict[str, str]) -> PacketFacts:
    encoded = _bytes(kind, found, "encoded_packet_hex", "")
    if encoded is None:
        raise MalformedPacketEvent(f"{kind} without encoded_packet_hex")
    ack = _bytes(kind, found, "encoded_acknowledgement_hex", "")
    try:
        payloads = [v for n, v in protobuf.fields(encoded) if n == 5 and isinstance(v, bytes)]
        first = protobuf.message(payloads[0]) if payloads else {}
        return PacketFacts(
            V2,
            protobuf.text(first, 1),
            _name(kind, found, "packet_source_client"),
            protobuf.text(first, 2),
            _name(kind, found, "packet_dest_client"),
            _sequence(kind, found),
            timeout_ns=min(protobuf.number_of(protobuf.message(encoded), 4) * SECOND, MAX_I64),
            data_digest=_digest(encoded),
            transfer=transfer_of_payload(protobuf.text(first, 4), protobuf.octets(first, 5)),
            ack=None if ack is None else classify_v2(ack),
        )
    except MalformedProtobuf as error:
        raise MalformedPacketEvent(f"{kind} with a packet that is {error}") from None


def _name(kind: str, found: dict[str, str], field: str) -> str:
    name = found.get(field, "")
    if not name:
        raise MalformedPacketEvent(f"{kind} without {field}")
    return name


def _sequence(kind: str, found: dict[str, str]) -> int:
    sequence = _number(kind, "packet_sequence", found.get("packet_sequence", ""))
    if not 0 < sequence <= MAX_I64:
        raise MalformedPacketEvent(f"{kind} with packet_sequence {sequence}, outside 1..2^63-1")
    return sequence


def _number(kind: str, field: str, spelled: str) -> int:
    number = parse_u64(spelled)
    if number is None:
        raise MalformedPacketEvent(f"{kind} with {field} {spelled[:32]!r}, which is no number")
    return number


def _bytes(kind: str, found: dict[str, str], in_hex: str, plain: str) -> bytes | None:
    if in_hex in found:
        try:
            return bytes.fromhex(found[in_hex])
        except ValueError:
            raise MalformedPacketEvent(f"{kind} with {in_hex} that is no hex") from None
    return found[plain].encode("utf-8", "surrogatepass") if plain in found else None


def _digest(data: bytes) -> int:
    return int.from_bytes(sha256(data).digest()[:8], "big", signed=True)
