"""Whether an operation has the form its specification asks for (ics23/go `CheckAgainstSpec`)."""

from ibc_core.errors import InvalidProof
from ibc_core.proofs.spec import (
    DEFAULT_MAX_DEPTH,
    IAVL_SPEC,
    SHA256,
    TENDERMINT_SPEC,
    ExistenceProof,
    InnerOp,
    InnerSpec,
    LeafOp,
    ProofSpec,
    resembles,
)
from ibc_core.proofs.wire import int32
from ibc_proto.varint import MalformedVarint, read_varint

_MAX_I64 = 2**63 - 1


def check_existence(proof: ExistenceProof, spec: ProofSpec) -> LeafOp:
    """Checks every operation of `proof`; returns its leaf operation.

    Raises:
        InvalidProof: a step is missing, malformed, or there are too few or too many.
    """
    if proof.leaf is None:
        raise InvalidProof("existence proof has no leaf operation")
    check_leaf(proof.leaf, spec)
    depth = len(proof.path)
    if spec.min_depth > 0 and depth < spec.min_depth:
        raise InvalidProof(f"{depth} inner operations, at least {spec.min_depth} needed")
    limit = spec.max_depth or DEFAULT_MAX_DEPTH
    if depth > limit:
        raise InvalidProof(f"{depth} inner operations, at most {limit} allowed")
    for layer, inner in enumerate(proof.path, 1):
        check_inner(inner, spec, layer)
    return proof.leaf


def check_leaf(leaf: LeafOp, spec: ProofSpec) -> None:
    """Checks a leaf operation.

    Raises:
        InvalidProof: it is not of the specified form.
    """
    expected = spec.leaf_spec
    if expected is None:
        raise InvalidProof("specification has no leaf")
    if resembles(spec, IAVL_SPEC):
        # guard: h18-any-leaf-prefix test_h18_an_inner_node_is_no_leaf
        #   test_h18_iavl_leaf_prefixes_that_do_not_pass
        _check_iavl_leaf(leaf.prefix)
    if leaf[:4] != expected[:4]:
        raise InvalidProof(f"leaf operations {leaf[:4]}, expected {expected[:4]}")
    # guard: h18-any-leaf-prefix drop
    if not leaf.prefix.startswith(expected.prefix):
        raise InvalidProof(f"leaf prefix does not start with {expected.prefix.hex()}")


def check_inner(inner: InnerOp, spec: ProofSpec, layer: int) -> None:
    """Checks an inner operation, `layer` steps above the leaf.

    Raises:
        InvalidProof: it is not of the specified form.
    """
    shape = spec.inner_spec
    if shape is None or spec.leaf_spec is None:
        raise InvalidProof("specification has no inner or no leaf part")
    if inner.hash != shape.hash:
        raise InvalidProof(f"inner hash operation {inner.hash}, expected {shape.hash}")
    if resembles(spec, IAVL_SPEC):
        # guard: h18-any-inner-prefix test_h18_a_leaf_is_no_inner_node
        #   test_h18_iavl_inner_operations_that_do_not_pass
        _check_iavl_inner(inner, layer)
    if resembles(spec, TENDERMINT_SPEC):
        _check_tendermint_inner(inner)
    # guard: h18-any-inner-prefix drop
    if inner.prefix.startswith(spec.leaf_spec.prefix):
        # Would let an inner node be read as a leaf. An empty leaf prefix therefore admits no inner node.
        raise InvalidProof(f"inner prefix starts with the leaf prefix {spec.leaf_spec.prefix.hex()}")
    _check_sizes(inner, shape)


def _check_sizes(inner: InnerOp, shape: InnerSpec) -> None:
    size = len(inner.prefix)
    most = shape.max_prefix_length + (len(shape.child_order) - 1) * shape.child_size
    if not shape.min_prefix_length <= size <= most:
        raise InvalidProof(f"inner prefix of {size} bytes, expected {shape.min_prefix_length} to {most}")
    if shape.child_size <= 0:
        raise InvalidProof("specified child size must be at least 1")
    if shape.max_prefix_length >= int32(shape.min_prefix_length + shape.child_size):
        raise InvalidProof("specified prefix lengths leave room for another child")
    if len(inner.suffix or b"") % shape.child_size:
        raise InvalidProof("inner suffix is not a whole number of children")


def _check_iavl_leaf(prefix: bytes) -> None:
    height, size, rest = _iavl_header(prefix, 0)
    # guard: h18-bytes-behind-a-leafs-version test_h18_iavl_leaf_prefixes_that_do_not_pass
    if rest:
        raise InvalidProof(f"{rest} bytes behind the version of an IAVL leaf")
    # guard: h18-a-leaf-of-any-height-and-size test_h18_iavl_leaf_prefixes_that_do_not_pass
    if (height, size) != (0, 1):
        raise InvalidProof(f"IAVL leaf of height {height} and size {size}, expected 0 and 1")


def _check_iavl_inner(inner: InnerOp, layer: int) -> None:
    _, _, rest = _iavl_header(inner.prefix, layer)
    # A left child: one length byte follows. A right child: length, sibling's hash, length.
    # guard: h18-any-bytes-behind-an-inner-version test_h18_iavl_inner_operations_that_do_not_pass
    if rest not in (1, 34):
        raise InvalidProof(f"{rest} bytes behind the version of an IAVL node, expected 1 or 34")
    if inner.hash != SHA256:
        raise InvalidProof(f"IAVL hash operation {inner.hash}, expected SHA-256")


def _iavl_header(prefix: bytes, layer: int) -> tuple[int, int, int]:
    """Height and size at the start of an IAVL prefix, and how many bytes follow the version."""
    height, at = _signed(prefix, 0, "height")
    # guard: h18-a-node-below-its-layer test_h18_iavl_inner_operations_that_do_not_pass
    if height < layer:
        raise InvalidProof(f"IAVL height {height} is below layer {layer}")
    size, at = _signed(prefix, at, "size")
    _, at = _signed(prefix, at, "version")
    return height, size, len(prefix) - at


def _signed(prefix: bytes, at: int, field: str) -> tuple[int, int]:
    """Go's `binary.ReadVarint`: zigzag, at most ten bytes, the tenth at most 1; never negative here."""
    try:
        number, at = read_varint(prefix, at, len(prefix))
    except MalformedVarint:
        raise InvalidProof(f"IAVL {field} is not complete, or overflows 64 bits") from None
    if number > 2 * _MAX_I64 + 1 or number & 1:
        raise InvalidProof(f"IAVL {field} is out of range")
    return number >> 1, at


def _check_tendermint_inner(inner: InnerOp) -> None:
    if inner.prefix[:1] != b"\x01":
        raise InvalidProof("inner prefix of a simple Merkle tree must begin with 01")
    if inner.suffix is not None and inner.prefix != b"\x01":
        raise InvalidProof("inner prefix of a simple Merkle tree's left child must be 01")
