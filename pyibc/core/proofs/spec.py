"""Types of ICS-23, and the hashes of leaves and inner nodes (ics23/go `ops.go`).

Field names and numbers are those of `cosmos/ics23/v1/proofs.proto`.
"""

import hashlib
from collections.abc import Callable
from typing import NamedTuple

from pyibc.core.crypto.hashes import ripemd160, sha512_256
from pyibc.core.errors import InvalidProof
from pyibc.proto.varint import encode_varint

# HashOp
NO_HASH, SHA256, SHA512, KECCAK256, RIPEMD160, BITCOIN, SHA512_256, BLAKE2B_512, BLAKE2S_256, BLAKE3 = range(
    10
)
# LengthOp
(
    NO_PREFIX,
    VAR_PROTO,
    VAR_RLP,
    FIXED32_BIG,
    FIXED32_LITTLE,
    FIXED64_BIG,
    FIXED64_LITTLE,
    REQUIRE_32_BYTES,
    REQUIRE_64_BYTES,
) = range(9)

DEFAULT_MAX_DEPTH = 128
"""Maximum number of inner operations if the specification sets none."""


class LeafOp(NamedTuple):
    """Operation that hashes a key and a value to a leaf."""

    hash: int = NO_HASH
    prehash_key: int = NO_HASH
    prehash_value: int = NO_HASH
    length: int = NO_PREFIX
    prefix: bytes = b""


class InnerOp(NamedTuple):
    """Operation that hashes a child to its parent: `hash(prefix + child + suffix)`."""

    hash: int = NO_HASH
    prefix: bytes = b""
    suffix: bytes | None = None  # None: absent on the wire, which ics23/go distinguishes from empty


class ExistenceProof(NamedTuple):
    """Proof that a tree has `value` at `key`; the path goes from the leaf to the root."""

    key: bytes = b""
    value: bytes = b""
    leaf: LeafOp | None = None
    path: tuple[InnerOp, ...] = ()


class NonExistenceProof(NamedTuple):
    """Proof that a tree has nothing at `key`, by its neighbours; at an edge there is only one."""

    key: bytes = b""
    left: ExistenceProof | None = None
    right: ExistenceProof | None = None


CommitmentProof = ExistenceProof | NonExistenceProof | None
"""A proof; None stands for a batch proof or no proof, which ics23 calls unrecognized."""


class InnerSpec(NamedTuple):
    """The shape of a tree's inner nodes."""

    child_order: tuple[int, ...] = ()
    child_size: int = 0
    min_prefix_length: int = 0
    max_prefix_length: int = 0
    empty_child: bytes = b""
    hash: int = NO_HASH


class ProofSpec(NamedTuple):
    """Specification of the proofs that a client accepts for one kind of tree."""

    leaf_spec: LeafOp | None = None
    inner_spec: InnerSpec | None = None
    max_depth: int = 0
    min_depth: int = 0
    prehash_key_before_comparison: bool = False


_LEAF = LeafOp(hash=SHA256, prehash_value=SHA256, length=VAR_PROTO, prefix=b"\x00")

IAVL_SPEC = ProofSpec(_LEAF, InnerSpec((0, 1), 33, 4, 12, hash=SHA256))
"""Specification of cosmos/iavl trees."""

TENDERMINT_SPEC = ProofSpec(_LEAF, InnerSpec((0, 1), 32, 1, 1, hash=SHA256))
"""Specification of CometBFT's simple Merkle trees, as of the multistore below the app hash."""

SMT_SPEC = ProofSpec(
    LeafOp(SHA256, SHA256, SHA256, NO_PREFIX, b"\x00"),
    InnerSpec((0, 1), 32, 1, 1, bytes(32), SHA256),
    max_depth=256,
    prehash_key_before_comparison=True,
)
"""Specification of celestiaorg/smt sparse Merkle trees."""

SDK_SPECS = (IAVL_SPEC, TENDERMINT_SPEC)
"""Specifications of a Cosmos SDK chain, from leaf to root: an IAVL store, and the multistore."""


def resembles(spec: ProofSpec, known: ProofSpec) -> bool:
    """Return whether two specifications are equal by ics23's `SpecEquals`, which ignores prefixes."""
    return _leaf_kind(spec.leaf_spec) == _leaf_kind(known.leaf_spec) and _inner_kind(
        spec.inner_spec
    ) == _inner_kind(known.inner_spec)


def _leaf_kind(leaf: LeafOp | None) -> tuple[int, ...] | None:
    return None if leaf is None else leaf[:4]


def _inner_kind(inner: InnerSpec | None) -> tuple[int, ...] | None:
    if inner is None:
        return None
    sizes = (inner.min_prefix_length, inner.max_prefix_length, inner.child_size)
    return (inner.hash, *sizes, len(inner.child_order))


_HASHES: dict[int, Callable[[bytes], bytes]] = {
    SHA256: lambda data: hashlib.sha256(data).digest(),
    SHA512: lambda data: hashlib.sha512(data).digest(),
    RIPEMD160: ripemd160,
    BITCOIN: lambda data: ripemd160(hashlib.sha256(data).digest()),
    SHA512_256: sha512_256,
    BLAKE2B_512: lambda data: hashlib.blake2b(data).digest(),
    BLAKE2S_256: lambda data: hashlib.blake2s(data).digest(),
}
_LENGTHS: dict[int, Callable[[int], bytes]] = {
    NO_PREFIX: lambda _: b"",
    VAR_PROTO: encode_varint,
    FIXED32_BIG: lambda size: size.to_bytes(4, "big"),
    FIXED32_LITTLE: lambda size: size.to_bytes(4, "little"),
    FIXED64_BIG: lambda size: size.to_bytes(8, "big"),
    FIXED64_LITTLE: lambda size: size.to_bytes(8, "little"),
}
_REQUIRED = {REQUIRE_32_BYTES: 32, REQUIRE_64_BYTES: 64}


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
    return data if operation == NO_HASH else hash_bytes(operation, data)


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
