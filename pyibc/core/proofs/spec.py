"""Types of ICS-23: operations, proofs and proof specifications.

Field names and numbers are those of `cosmos/ics23/v1/proofs.proto`.
"""

from typing import NamedTuple

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
