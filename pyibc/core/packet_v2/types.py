"""Packets and acknowledgements of IBC v2 (ICS-4 v2), sent from client to client, and their encodings.

A packet has payloads, each for one application. Its acknowledgement has one entry per payload, or only the
sentinel if any payload failed. Timeouts are in Unix seconds (nanoseconds in IBC v1).
"""

from hashlib import sha256
from typing import Annotated, Final

from pyibc.codec.encoding import encode
from pyibc.core.client_v2 import ClientCounterparty
from pyibc.core.errors import InvalidAcknowledgementV2, InvalidPacketV2, InvalidPayload
from pyibc.core.identifiers import is_blank, validate_channel_id, validate_port_id
from pyibc.core.memo import memoize
from pyibc.core.numbers import MAX_U64
from pyibc.core.value import value
from pyibc.core.wire.columns import Wire
from pyibc.core.wire.states import read
from pyibc.core.wire.table import on_wire, pack, unpack
from pyibc.proto.ibc.core.channel.v2 import packet_pb2
from pyibc.proto.ibc.core.client.v2 import config_pb2, counterparty_pb2

SENTINEL: Final = sha256(b"UNIVERSAL_ERROR_ACKNOWLEDGEMENT").digest()
"""Acknowledgement of a packet that an application refused."""

MAX_PAYLOADS_SIZE = 262_144
"""Maximum total size of the payloads' values, in bytes."""

MAX_TIMEOUT_NS = 24 * 3600 * 10**9
"""Maximum time from the block time to a timeout, in nanoseconds."""

NS_PER_S = 10**9

AcknowledgementV2 = tuple[bytes, ...]
"""One application acknowledgement per payload, or `(SENTINEL,)`."""


def seconds_of(time_ns: int) -> int:
    """Return the Unix seconds of a timestamp in nanoseconds, as Go computes them.

    From 2^63 nanoseconds on, Go reads the timestamp as a time before 1970, whose seconds as an unsigned
    64-bit integer are very high.
    """
    signed = time_ns - (1 << 64) if time_ns >> 63 else time_ns
    return signed // NS_PER_S & MAX_U64


@on_wire(packet_pb2.Payload)
@value
class Payload:
    """The part of a packet for one application."""

    port_id_on_a: Annotated[str, Wire("source_port")]
    port_id_on_b: Annotated[str, Wire("destination_port")]
    version: str
    encoding: str  # a media type
    value: bytes

    def validate_basic(self) -> None:
        """Run the stateless checks.

        Raises:
            InvalidIdentifier: a port identifier is malformed.
            InvalidPayload: version or encoding is blank, or the value is empty.
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
    """A packet. The path of its commitment binds client A and the sequence."""

    sequence: int
    client_id_on_a: Annotated[str, Wire("source_client")]  # A's client of B
    client_id_on_b: Annotated[str, Wire("destination_client")]  # B's client of A
    timeout_s_on_b: Annotated[int, Wire("timeout_timestamp")]  # unix seconds
    payloads: tuple[Payload, ...]

    def validate_basic(self, *, several: bool) -> None:
        """Run the stateless checks; `several` allows more than one payload.

        Raises:
            InvalidPayload: there are no or too many payloads, one is malformed, or they are too large.
            InvalidIdentifier: a client or port identifier is malformed.
            InvalidPacketV2: the sequence or the timeout is 0.
        """
        check_payloads(self.payloads, several=several)
        size = sum([len(payload.value) for payload in self.payloads])
        if size > MAX_PAYLOADS_SIZE:
            raise InvalidPayload(f"{size} bytes exceed {MAX_PAYLOADS_SIZE}")
        validate_channel_id(
            self.client_id_on_a
        )  # ibc-go checks client ids as channel ids here: 8 to 64 characters
        validate_channel_id(self.client_id_on_b)
        if self.sequence == 0:
            raise InvalidPacketV2("sequence 0")
        if self.timeout_s_on_b == 0:
            raise InvalidPacketV2("no timeout")


def check_payloads(payloads: tuple[Payload, ...], *, several: bool) -> None:
    """Check the number and the form of payloads.

    Raises:
        InvalidPayload: there are no or too many payloads, or one is malformed.
        InvalidIdentifier: a port identifier is malformed.
    """
    if not payloads or (len(payloads) > 1 and not several):
        raise InvalidPayload(f"{len(payloads)} payloads, {'1 or more' if several else '1'} expected")
    for payload in payloads:
        payload.validate_basic()


def check_acknowledgement(acknowledgement: AcknowledgementV2, *, several: bool) -> None:
    """Check the form of an acknowledgement; `several` allows more than one entry.

    Raises:
        InvalidAcknowledgementV2: there are no or too many entries, one is empty, or the sentinel is not
            alone.
    """
    count = len(acknowledgement)
    if not count or (count > 1 and not several):
        raise InvalidAcknowledgementV2(f"{count} entries, {'1 or more' if several else '1'} expected")
    if not all(acknowledgement):
        raise InvalidAcknowledgementV2("an empty entry")
    if count > 1 and SENTINEL in acknowledgement:
        raise InvalidAcknowledgementV2("the error acknowledgement must stand alone")


def check_answers(packet: PacketV2, acknowledgement: AcknowledgementV2) -> None:
    """Check that there is one entry per payload, or only the sentinel.

    Raises:
        InvalidAcknowledgementV2: the number of entries is wrong.
    """
    if acknowledgement[0] != SENTINEL and len(acknowledgement) != len(packet.payloads):
        raise InvalidAcknowledgementV2(f"{len(acknowledgement)} entries for {len(packet.payloads)} payloads")


RECEIPT = b"\x02"
"""Receipt stored for a received packet."""

_VERSION = b"\x02"


def packet_commitment(packet: PacketV2) -> bytes:
    """Return sha256(0x02 | sha256(client on B) | sha256(BE8 timeout) | sha256(hashes of the payloads))."""
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
    """Return sha256(0x02 | hashes of the entries)."""
    return _hash(_VERSION + b"".join([_hash(each) for each in acknowledgement]))


def _hash(raw: bytes) -> bytes:
    return sha256(raw).digest()


# -- payload encodings of ibc-go's applications

JSON = "application/json"
PROTOBUF = "application/x-protobuf"
ABI = "application/x-solidity-abi"


def encode_counterparty(counterparty: ClientCounterparty) -> bytes:
    """Return the encoding of a counterparty, an `ibc.core.client.v2.CounterpartyInfo`."""
    return encode(pack(counterparty))


@memoize(1024)
def decode_counterparty(raw: bytes) -> ClientCounterparty:
    """Return the client counterparty in a stored `CounterpartyInfo`.

    Raises:
        CorruptState: the bytes are malformed.
    """
    return unpack(ClientCounterparty, read(counterparty_pb2.CounterpartyInfo, raw))


def encode_config(allowed_relayers: tuple[str, ...]) -> bytes:
    """Return the encoding of a client's configuration, an `ibc.core.client.v2.Config`."""
    return encode(config_pb2.Config(allowed_relayers=allowed_relayers))


@memoize(1024)
def decode_config(raw: bytes) -> tuple[str, ...]:
    """Return the allowed relayers in a stored `Config`.

    Raises:
        CorruptState: the bytes are malformed.
    """
    return tuple(read(config_pb2.Config, raw).allowed_relayers)


def encode_packet(packet: PacketV2) -> bytes:
    """Return the encoding of a packet, an `ibc.core.channel.v2.Packet`."""
    return encode(pack(packet))


def decode_packet(raw: bytes) -> PacketV2:
    """Return the packet in a stored `Packet`.

    Raises:
        CorruptState: the bytes are malformed.
    """
    return unpack(PacketV2, read(packet_pb2.Packet, raw))


def encode_acknowledgement(acknowledgement: AcknowledgementV2) -> bytes:
    """Return the encoding of an acknowledgement, an `ibc.core.channel.v2.Acknowledgement`."""
    return encode(packet_pb2.Acknowledgement(app_acknowledgements=acknowledgement))


def decode_acknowledgement(raw: bytes) -> AcknowledgementV2:
    """Return the acknowledgement in an `ibc.core.channel.v2.Acknowledgement`.

    Raises:
        CorruptState: the bytes are malformed.
    """
    return tuple(read(packet_pb2.Acknowledgement, raw).app_acknowledgements)
