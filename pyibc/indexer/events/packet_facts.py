"""Decoder of packet events of IBC v1 (channels) and IBC v2 (clients, packet in protobuf).

Event types have the same names in both; events of v2 have an attribute `packet_source_client`. Path ends have
ids of 64 bits, and event types have numbers.
"""

from collections.abc import Iterator
from functools import lru_cache
from hashlib import blake2b, sha256
from typing import NamedTuple

from pyibc.codec.comet_json import read_hex
from pyibc.core.channel.types import ORDER_TEXT, Order
from pyibc.core.errors import InvalidPacket, InvalidPacketV2
from pyibc.core.numbers import MAX_I64, parse_u64
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
from pyibc.indexer.errors import MalformedPacketEvent
from pyibc.indexer.events.acks import AckResult, classify, classify_v2
from pyibc.indexer.events.calls import PayloadCall, account_call, gmp_call
from pyibc.indexer.events.ics20 import (
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

_DEFAULTS = {"packet_timeout_height": "0-0", "packet_timeout_timestamp": "0", "packet_ack": ""}
"""Attributes that some chains omit; a hexadecimal acknowledgement takes precedence over `packet_ack`."""

KINDS = (SEND, RECV, WRITE_ACK, ACK, TIMEOUT)  # the number of a kind is its index
RECEIVING = (RECV, WRITE_ACK)
ACK_STATES = ("opaque", "success", "error")
"""States of acknowledgements. The number of a state is its index plus one; the maximum is used."""

Path = tuple[int, str | None, str | None, str | None, str | None]  # protocol, ports and channels
PATH = ("protocol", "src_port", "src_channel", "dst_port", "dst_channel")
"""Columns of a path."""


def name_in(kind: str, found: dict[str, str], field: str) -> str:
    """Return a required attribute of an event of type `kind`.

    Raises:
        MalformedPacketEvent: the attribute is missing or empty.
    """
    name = found.get(field, "")
    if not name:
        raise MalformedPacketEvent(f"{kind} has no attribute {field}")
    return name


def number_in(kind: str, field: str, spelled: str) -> int:
    """Parse an attribute as an unsigned 64-bit decimal number.

    Raises:
        MalformedPacketEvent: the value is not such a number.
    """
    number = parse_u64(spelled)
    if number is None:
        raise MalformedPacketEvent(f"{field} of {kind} is not a number: {spelled[:32]!r}")
    return number


def octets_in(kind: str, found: dict[str, str], field: str) -> bytes | None:
    """Decode a hexadecimal attribute; None if the event does not have it.

    Raises:
        MalformedPacketEvent: the value is not hexadecimal.
    """
    try:
        return read_hex(found[field]) if field in found else None
    except ValueError:
        raise MalformedPacketEvent(f"{field} of {kind} is not hexadecimal") from None


def digest_of(data: bytes) -> int:
    """Return the first 64 bits of the SHA-256 of `data` as a signed big-endian number."""
    return int.from_bytes(sha256(data).digest()[:8], "big", signed=True)


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


class End(NamedTuple):
    """Path end: one chain's side of a path, sending or receiving."""

    chain: str
    receiving: bool
    protocol: int
    src_port: str | None
    src_channel: str | None
    dst_port: str | None
    dst_channel: str | None

    @property
    def number(self) -> int:
        """Hash of the end, 64 bits."""
        return number_of(*self)


@lru_cache(maxsize=100_000)  # ends are far fewer, and strangers can make them
def ids_of(chain: str, receiving: bool, path: Path) -> tuple[int, int]:
    """Return the hash of a path (`PATH`), and that of one of its ends."""
    return number_of(*path), End(chain, receiving, *path).number


def number_of(*parts: object) -> int:
    """Return a 64-bit hash of texts; each text is prefixed by its length, so that lists are unambiguous.

    Other parts are hashed as their texts, and None as no text.
    """
    digest = blake2b(digest_size=8)
    for part in parts:
        data = b"" if part is None else f"\1{part}".encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(4, "big") + data)
    return int.from_bytes(digest.digest(), "big", signed=True)
