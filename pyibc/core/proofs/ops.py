"""ICS-23 operations: hashes of leaves and inner nodes (ics23/go `ops.go`)."""

import hashlib
from collections.abc import Callable

from pyibc.core.crypto.hashes import ripemd160, sha512_256
from pyibc.core.errors import InvalidProof
from pyibc.core.proofs import spec
from pyibc.core.proofs.spec import InnerOp, LeafOp
from pyibc.proto.varint import encode_varint

_HASHES: dict[int, Callable[[bytes], bytes]] = {
    spec.SHA256: lambda data: hashlib.sha256(data).digest(),
    spec.SHA512: lambda data: hashlib.sha512(data).digest(),
    spec.RIPEMD160: ripemd160,
    spec.BITCOIN: lambda data: ripemd160(hashlib.sha256(data).digest()),
    spec.SHA512_256: sha512_256,
    spec.BLAKE2B_512: lambda data: hashlib.blake2b(data).digest(),
    spec.BLAKE2S_256: lambda data: hashlib.blake2s(data).digest(),
}
_LENGTHS: dict[int, Callable[[int], bytes]] = {
    spec.NO_PREFIX: lambda _: b"",
    spec.VAR_PROTO: encode_varint,
    spec.FIXED32_BIG: lambda size: size.to_bytes(4, "big"),
    spec.FIXED32_LITTLE: lambda size: size.to_bytes(4, "little"),
    spec.FIXED64_BIG: lambda size: size.to_bytes(8, "big"),
    spec.FIXED64_LITTLE: lambda size: size.to_bytes(8, "little"),
}
_REQUIRED = {spec.REQUIRE_32_BYTES: 32, spec.REQUIRE_64_BYTES: 64}


def hash_bytes(operation: int, data: bytes) -> bytes:
    """Return the digest of `data`.

    Raises:
        InvalidProof: ics23/go does not support the hash operation.
    """
    try:
        function = _HASHES[operation]
    except KeyError:
        raise InvalidProof(f"unsupported hash operation {operation}") from None
    return function(data)


def hash_or_pass(operation: int, data: bytes) -> bytes:
    """Return the digest of `data`, or `data` itself for NO_HASH.

    Raises:
        InvalidProof: ics23/go does not support the hash operation.
    """
    return data if operation == spec.NO_HASH else hash_bytes(operation, data)


def with_length(operation: int, data: bytes) -> bytes:
    """Return `data` prefixed with its length, as encoded by the length operation.

    Raises:
        InvalidProof: the operation is unsupported, or requires another length of `data`.
    """
    required = _REQUIRED.get(operation)
    if required is not None:
        if len(data) != required:
            raise InvalidProof(f"data was {len(data)} bytes, not {required}")
        return data
    if operation not in _LENGTHS:
        raise InvalidProof(f"unsupported length operation {operation}")
    return _LENGTHS[operation](len(data)) + data


def apply_leaf(leaf: LeafOp, key: bytes, value: bytes) -> bytes:
    """Return the hash of the leaf with `key` and `value`.

    Raises:
        InvalidProof: key or value is empty, or an operation is unsupported.
    """
    if not key:
        raise InvalidProof("leaf operation needs a key")
    if not value:
        raise InvalidProof("leaf operation needs a value")
    key_part = with_length(leaf.length, hash_or_pass(leaf.prehash_key, key))
    value_part = with_length(leaf.length, hash_or_pass(leaf.prehash_value, value))
    return hash_bytes(leaf.hash, leaf.prefix + key_part + value_part)


def apply_inner(inner: InnerOp, child: bytes) -> bytes:
    """Return the hash of the inner node with the child hash `child`.

    Raises:
        InvalidProof: `child` is empty, or the hash operation is unsupported.
    """
    if not child:
        raise InvalidProof("inner operation needs a child")
    return hash_bytes(inner.hash, inner.prefix + child + (inner.suffix or b""))
