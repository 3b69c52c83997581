"""The values of ICS-23: operations, proofs and the specifications that bound them.

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
"""Most inner operations of a proof whose specification sets no depth."""


class LeafOp(NamedTuple):
    """How a key and a value become a leaf's hash."""

    hash: int = NO_HASH
    prehash_key: int = NO_HASH
    prehash_value: int = NO_HASH
    length: int = NO_PREFIX
    prefix: bytes = b""


class InnerOp(NamedTuple):
    """How a child's hash becomes its parent's: `hash(prefix + child + suffix)`."""

    hash: int = NO_HASH
    prefix: bytes = b""
    suffix: bytes | None = None  # None: not on the wire, which ics23/go tells from empty


class ExistenceProof(NamedTuple):
    """Proves that a tree has `value` at `key`; the path runs from the leaf to the root."""

    key: bytes = b""
    value: bytes = b""
    leaf: LeafOp | None = None
    path: tuple[InnerOp, ...] = ()


class NonExistenceProof(NamedTuple):
    """Proves that a tree has nothing at `key` by its neighbours, of which one may be missing at an edge."""

    key: bytes = b""
    left: ExistenceProof | None = None
    right: ExistenceProof | None = None


CommitmentProof = ExistenceProof | NonExistenceProof | None
"""None: a batch, a compressed batch or nothing, which ics23 calls an unrecognized proof."""


class InnerSpec(NamedTuple):
    """The shape of a tree's inner nodes."""

    child_order: tuple[int, ...] = ()
    child_size: int = 0
    min_prefix_length: int = 0
    max_prefix_length: int = 0
    empty_child: bytes = b""
    hash: int = NO_HASH


class ProofSpec(NamedTuple):
    """What a client accepts as a proof of one kind of tree."""

    leaf_spec: LeafOp | None = None
    inner_spec: InnerSpec | None = None
    max_depth: int = 0
    min_depth: int = 0
    prehash_key_before_comparison: bool = False


_LEAF = LeafOp(hash=SHA256, prehash_value=SHA256, length=VAR_PROTO, prefix=b"\x00")

IAVL_SPEC = ProofSpec(_LEAF, InnerSpec((0, 1), 33, 4, 12, hash=SHA256))
"""The trees of cosmos/iavl."""

TENDERMINT_SPEC = ProofSpec(_LEAF, InnerSpec((0, 1), 32, 1, 1, hash=SHA256))
"""The simple Merkle trees of CometBFT: a chain's store roots under its app hash."""

SMT_SPEC = ProofSpec(
    LeafOp(SHA256, SHA256, SHA256, NO_PREFIX, b"\x00"),
    InnerSpec((0, 1), 32, 1, 1, bytes(32), SHA256),
    max_depth=256,
    prehash_key_before_comparison=True,
)
"""Sparse Merkle trees of celestiaorg/smt."""

SDK_SPECS = (IAVL_SPEC, TENDERMINT_SPEC)
"""A Cosmos SDK chain: an IAVL store below the multistore. Leaf to root."""


def resembles(spec: ProofSpec, known: ProofSpec) -> bool:
    """Whether `spec` is `known` as far as ics23 compares (`SpecEquals`): kinds and sizes, no prefixes."""
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
