"""Protobuf encoding of hashed and signed data, identical to gogoproto's."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from hashlib import sha256

from pyibc.codec.gotime import NANOSECONDS
from pyibc.core.errors import InvalidRequest
from pyibc.proto.varint import encode_varint

_MASK64 = 2**64 - 1


def _in_64_bits(value: int) -> int:
    """Return the 64 bits of an int64 or uint64; any other number would collide with one (H31).

    Raises:
        InvalidRequest: the number does not fit.
    """
    if not -(2**63) <= value <= _MASK64:
        raise InvalidRequest(f"{value} does not fit 64 bits")
    return value & _MASK64


def varint_field(number: int, value: int) -> bytes:
    """Return an integer field, empty if it is 0; negative numbers have ten bytes, as of int32 and int64.

    Raises:
        InvalidRequest: `value` does not fit 64 bits.
    """
    return encode_varint(number << 3) + encode_varint(_in_64_bits(value)) if value else b""


def bytes_field(number: int, data: bytes) -> bytes:
    """Return a bytes or string field; empty if `data` is empty."""
    return message_field(number, data) if data else b""


def message_field(number: int, data: bytes) -> bytes:
    """Return an embedded message, written even if it is empty (gogoproto's nullable=false)."""
    return encode_varint(number << 3 | 2) + encode_varint(len(data)) + data


def sfixed64_field(number: int, value: int) -> bytes:
    """Return an sfixed64 field; empty if it is 0.

    Raises:
        InvalidRequest: `value` does not fit 64 bits.
    """
    return encode_varint(number << 3 | 1) + _in_64_bits(value).to_bytes(8, "little") if value else b""


def timestamp(time_ns: int) -> bytes:
    """Return the encoded `google.protobuf.Timestamp` of Unix nanoseconds."""
    seconds, nanos = divmod(time_ns, NANOSECONDS)
    return _seconds(seconds) + varint_field(2, nanos)


@lru_cache(64)
def _seconds(seconds: int) -> bytes:
    """Return the first field of a timestamp, cached because votes for a block have only few values."""
    return varint_field(1, seconds)


def duration(length_ns: int) -> bytes:
    """Return the encoded `google.protobuf.Duration` of nanoseconds; both fields have its sign."""
    seconds, nanos = divmod(abs(length_ns), NANOSECONDS)
    sign = -1 if length_ns < 0 else 1
    return varint_field(1, sign * seconds) + varint_field(2, sign * nanos)


def length_prefixed(data: bytes) -> bytes:
    """Return `data` prefixed with its length as a varint, the form that CometBFT signs."""
    return encode_varint(len(data)) + data


# -- CometBFT's simple Merkle tree (`crypto/merkle`, RFC 6962)

EMPTY_HASH = sha256(b"").digest()
"""Root of an empty tree, as in the data, evidence and commit hashes of an empty block."""


def merkle_root(leaves: Iterable[bytes]) -> bytes:
    """Return the root of the RFC 6962 tree over `leaves`."""
    return root_of([leaf_hash(leaf) for leaf in leaves])


def root_of(leaf_hashes: Sequence[bytes]) -> bytes:
    """Return the root of the tree over leaves given by their hashes.

    Pairs are joined level by level and an odd node moves up, which gives the same tree as splitting at the
    largest power of two.
    """
    level = list(leaf_hashes)
    if not level:
        return EMPTY_HASH
    while len(level) > 1:
        paired = [  # inner_hash, inlined: validator sets have hundreds of nodes
            sha256(b"\x01" + left + right).digest()
            for left, right in zip(level[::2], level[1::2], strict=False)
        ]
        if len(level) % 2:
            paired.append(level[-1])
        level = paired
    return level[0]


def leaf_hash(leaf: bytes) -> bytes:
    """Return the hash of a leaf; the prefix 00 distinguishes it from an inner node."""
    return sha256(b"\x00" + leaf).digest()


def inner_hash(left: bytes, right: bytes) -> bytes:
    """Return the hash of an inner node with two children."""
    return sha256(b"\x01" + left + right).digest()
