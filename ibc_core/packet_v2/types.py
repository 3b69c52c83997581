"""Packets and acknowledgements of IBC v2, which go from client to client (ICS-4 v2).

A packet has payloads, each for one application; its acknowledgement has one entry for each payload, or
only the sentinel if any of them failed. Timeouts are unix seconds (v1 counts nanoseconds).
"""

from hashlib import sha256
from typing import Annotated, Final

from ibc_core.errors import InvalidAcknowledgementV2, InvalidPacketV2, InvalidPayload
from ibc_core.identifiers import is_blank, validate_channel_id, validate_port_id
from ibc_core.numbers import MAX_U64
from ibc_core.value import value
from ibc_core.wire.columns import Wire
from ibc_core.wire.table import on_wire
from ibc_proto.ibc.core.channel.v2 import packet_pb2

SENTINEL: Final = sha256(b"UNIVERSAL_ERROR_ACKNOWLEDGEMENT").digest()
"""The acknowledgement of a packet that an application refused."""

MAX_PAYLOADS_SIZE = 262_144
"""Largest sum of the payloads' values, in bytes."""

MAX_TIMEOUT_NS = 24 * 3600 * 10**9
"""How far after the block time a timeout may lie."""

NS_PER_S = 10**9

AcknowledgementV2 = tuple[bytes, ...]
"""One application acknowledgement a payload, or `(SENTINEL,)`."""


def seconds_of(time_ns: int) -> int:
    """Unix seconds of the other chain's clock at `time_ns`, as Go counts them.

    From 2^63 nanoseconds on a time is one before 1970, whose seconds are among the highest of 64 bits.
    """
    signed = time_ns - (1 << 64) if time_ns >> 63 else time_ns
    return signed // NS_PER_S & MAX_U64


@on_wire(packet_pb2.Payload)
@value
class Payload:
    """One application's part of a packet."""

    port_id_on_a: Annotated[str, Wire("source_port")]
    port_id_on_b: Annotated[str, Wire("destination_port")]
    version: str
    encoding: str  # a media type
    value: bytes

    def validate_basic(self) -> None:
        """Checks that need no state.

        Raises:
            InvalidIdentifier: a port is malformed.
            InvalidPayload: version, encoding or value is blank.
        """
        validate_port_id(self.port_id_on_a)
        validate_port_id(self.port_id_on_b)
        if is_blank(self.version):
            raise InvalidPayload("blank version")
        if is_blank(self.encoding):
            raise InvalidPayload("blank encoding")
        if not self.value:
            raise InvalidPayload("no value")


@on_wire(packet_pb2.Packet)
@value
class PacketV2:
    """One packet; client A and sequence are bound by the path of its commitment."""

    sequence: int
    client_id_on_a: Annotated[str, Wire("source_client")]  # A's client of B
    client_id_on_b: Annotated[str, Wire("destination_client")]  # B's client of A
    timeout_s_on_b: Annotated[int, Wire("timeout_timestamp")]  # unix seconds
    payloads: tuple[Payload, ...]

    def validate_basic(self, *, several: bool) -> None:
        """Checks that need no state; `several`: more than one payload is allowed.

        Raises:
            InvalidPayload: none, too many, a malformed one, or too many bytes.
            InvalidIdentifier: a client's or a port's identifier is malformed.
            InvalidPacketV2: sequence or timeout is 0.
        """
        check_payloads(self.payloads, several=several)
        size = sum([len(payload.value) for payload in self.payloads])
        if size > MAX_PAYLOADS_SIZE:
            raise InvalidPayload(f"{size} bytes exceed {MAX_PAYLOADS_SIZE}")
        validate_channel_id(
            self.client_id_on_a
        )  # ibc-go holds clients to the length of channels here: 8 to 64
        validate_channel_id(self.client_id_on_b)
        if self.sequence == 0:
            raise InvalidPacketV2("sequence 0")
        if self.timeout_s_on_b == 0:
            raise InvalidPacketV2("no timeout")


def check_payloads(payloads: tuple[Payload, ...], *, several: bool) -> None:
    """Checks number and form of payloads.

    Raises:
        InvalidPayload: none, too many, or a malformed one.
        InvalidIdentifier: a port is malformed.
    """
    if not payloads or (len(payloads) > 1 and not several):
        raise InvalidPayload(f"{len(payloads)} payloads, {'1 or more' if several else '1'} expected")
    for payload in payloads:
        payload.validate_basic()


def check_acknowledgement(acknowledgement: AcknowledgementV2, *, several: bool) -> None:
    """Checks the form of an acknowledgement; `several`: packets may have more than one payload.

    Raises:
        InvalidAcknowledgementV2: no entry, too many, an empty one, or the sentinel among others.
    """
    count = len(acknowledgement)
    if not count or (count > 1 and not several):
        raise InvalidAcknowledgementV2(f"{count} entries, {'1 or more' if several else '1'} expected")
    if not all(acknowledgement):
        raise InvalidAcknowledgementV2("an empty entry")
    if count > 1 and SENTINEL in acknowledgement:
        raise InvalidAcknowledgementV2("the error acknowledgement must stand alone")


def check_answers(packet: PacketV2, acknowledgement: AcknowledgementV2) -> None:
    """Checks that there is one entry a payload, or the sentinel alone.

    Raises:
        InvalidAcknowledgementV2: another number of entries.
    """
    if acknowledgement[0] != SENTINEL and len(acknowledgement) != len(packet.payloads):
        raise InvalidAcknowledgementV2(f"{len(acknowledgement)} entries for {len(packet.payloads)} payloads")


RECEIPT = b"\x02"
"""Stored for a packet received."""

_VERSION = b"\x02"


def packet_commitment(packet: PacketV2) -> bytes:
    """sha256(0x02 | sha256(client on B) | sha256(BE8 timeout) | sha256(hashes of the payloads))."""
    payloads = b"".join([_payload_hash(payload) for payload in packet.payloads])
    return sha256(
        _VERSION
        + _hash(packet.client_id_on_b.encode())
        + _hash(packet.timeout_s_on_b.to_bytes(8, "big"))
        + _hash(payloads)
    ).digest()


def _payload_hash(payload: Payload) -> bytes:
    return _hash(
        _hash(payload.port_id_on_a.encode())
        + _hash(payload.port_id_on_b.encode())
        + _hash(payload.version.encode())
        + _hash(payload.encoding.encode())
        + _hash(payload.value)
    )


def acknowledgement_commitment(acknowledgement: AcknowledgementV2) -> bytes:
    """sha256(0x02 | the hash of each entry)."""
    return _hash(_VERSION + b"".join([_hash(each) for each in acknowledgement]))


def _hash(raw: bytes) -> bytes:
    return sha256(raw).digest()
