"""Protobuf written by hand, as gogoproto writes it: what is hashed and signed must be these bytes exactly."""

from functools import lru_cache

from ibc_core.errors import InvalidRequest
from ibc_core.wire.gotime import NANOSECONDS
from ibc_proto.varint import encode_varint

_MASK64 = 2**64 - 1


def _in_64_bits(value: int) -> int:
    """The bits of an int64 or uint64: another number of the same bits would have the same hash (H31).

    Raises:
        InvalidRequest: it is neither.
    """
    if not -(2**63) <= value <= _MASK64:
        raise InvalidRequest(f"{value} does not fit 64 bits")
    return value & _MASK64


def varint_field(number: int, value: int) -> bytes:
    """An integer field; nothing where it is 0. Negative ones take ten bytes, as int32 and int64 do.

    Raises:
        InvalidRequest: `value` does not fit 64 bits.
    """
    return encode_varint(number << 3) + encode_varint(_in_64_bits(value)) if value else b""


def bytes_field(number: int, data: bytes) -> bytes:
    """A bytes or string field; nothing where it is empty."""
    return message_field(number, data) if data else b""


def message_field(number: int, data: bytes) -> bytes:
    """An embedded message, written even where it is empty (gogoproto's nullable=false)."""
    return encode_varint(number << 3 | 2) + encode_varint(len(data)) + data


def sfixed64_field(number: int, value: int) -> bytes:
    """A fixed eight-byte integer; nothing where it is 0.

    Raises:
        InvalidRequest: `value` does not fit 64 bits.
    """
    return encode_varint(number << 3 | 1) + _in_64_bits(value).to_bytes(8, "little") if value else b""


def timestamp(time_ns: int) -> bytes:
    """`google.protobuf.Timestamp` of unix nanoseconds."""
    seconds, nanos = divmod(time_ns, NANOSECONDS)
    return _seconds(seconds) + varint_field(2, nanos)


@lru_cache(64)
def _seconds(seconds: int) -> bytes:
    """The first field of a timestamp: the votes for a block share very few of them."""
    return varint_field(1, seconds)


def duration(length_ns: int) -> bytes:
    """`google.protobuf.Duration` of nanoseconds; both parts have the sign of the whole."""
    seconds, nanos = divmod(abs(length_ns), NANOSECONDS)
    sign = -1 if length_ns < 0 else 1
    return varint_field(1, sign * seconds) + varint_field(2, sign * nanos)


def length_prefixed(data: bytes) -> bytes:
    """`data` behind its length as a varint: the form CometBFT signs."""
    return encode_varint(len(data)) + data
