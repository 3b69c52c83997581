"""Reference verification of one ICS-23 proof of one tree (ics23/go `proof.go`)."""

from collections.abc import Sequence

from pyibc.core.errors import InvalidProof
from pyibc.core.proofs.decode import int32
from pyibc.core.proofs.spec import (
    DEFAULT_MAX_DEPTH,
    IAVL_SPEC,
    SHA256,
    TENDERMINT_SPEC,
    ExistenceProof,
    InnerOp,
    InnerSpec,
    LeafOp,
    NonExistenceProof,
    ProofSpec,
    apply_inner,
    apply_leaf,
    hash_or_pass,
    resembles,
)
from pyibc.proto.varint import MalformedVarint, read_varint

# -- checks of operations against a proof specification (ics23/go `CheckAgainstSpec`)

_MAX_I64 = 2**63 - 1


def check_existence(proof: ExistenceProof, spec: ProofSpec) -> LeafOp:
    """Check every operation of `proof`, and return its leaf operation.

    Raises:
        InvalidProof: an operation is missing or malformed, or there are too few or too many.
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
    """Check a leaf operation.

    Raises:
        InvalidProof: the operation does not have the specified form.
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
    """Check an inner operation, `layer` levels above the leaf.

    Raises:
        InvalidProof: the operation does not have the specified form.
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
        # Otherwise an inner node could pass for a leaf. With an empty leaf prefix, no inner node is valid.
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
        raise InvalidProof("specified prefix lengths allow another child in the prefix")
    if len(inner.suffix or b"") % shape.child_size:
        raise InvalidProof("inner suffix is not a whole number of children")


def _check_iavl_leaf(prefix: bytes) -> None:
    height, size, rest = _iavl_header(prefix, 0)
    # guard: h18-bytes-behind-a-leafs-version test_h18_iavl_leaf_prefixes_that_do_not_pass
    if rest:
        raise InvalidProof(f"{rest} bytes after the version of an IAVL leaf")
    # guard: h18-a-leaf-of-any-height-and-size test_h18_iavl_leaf_prefixes_that_do_not_pass
    if (height, size) != (0, 1):
        raise InvalidProof(f"IAVL leaf of height {height} and size {size}, expected 0 and 1")


def _check_iavl_inner(inner: InnerOp, layer: int) -> None:
    _, _, rest = _iavl_header(inner.prefix, layer)
    # A left child: one length byte follows. A right child: length, sibling's hash, length.
    # guard: h18-any-bytes-behind-an-inner-version test_h18_iavl_inner_operations_that_do_not_pass
    if rest not in (1, 34):
        raise InvalidProof(f"{rest} bytes after the version of an IAVL node, expected 1 or 34")
    if inner.hash != SHA256:
        raise InvalidProof(f"IAVL hash operation {inner.hash}, expected SHA-256")


def _iavl_header(prefix: bytes, layer: int) -> tuple[int, int, int]:
    """Return height and size at the start of an IAVL prefix, and the number of bytes after the version."""
    height, at = _signed(prefix, 0, "height")
    # guard: h18-a-node-below-its-layer test_h18_iavl_inner_operations_that_do_not_pass
    if height < layer:
        raise InvalidProof(f"IAVL height {height} is below layer {layer}")
    size, at = _signed(prefix, at, "size")
    _, at = _signed(prefix, at, "version")
    return height, size, len(prefix) - at


def _signed(prefix: bytes, at: int, field: str) -> tuple[int, int]:
    """Return a non-negative varint and its end, as Go's `binary.ReadVarint`: zigzag, at most ten bytes."""
    try:
        number, at = read_varint(prefix, at, len(prefix))
    except MalformedVarint:
        raise InvalidProof(f"IAVL {field} is truncated, or overflows 64 bits") from None
    if number > 2 * _MAX_I64 + 1 or number & 1:
        raise InvalidProof(f"IAVL {field} is out of range")
    return number >> 1, at


def _check_tendermint_inner(inner: InnerOp) -> None:
    if inner.prefix[:1] != b"\x01":
        raise InvalidProof("inner prefix of a simple Merkle tree must begin with 01")
    if inner.suffix is not None and inner.prefix != b"\x01":
        raise InvalidProof("inner prefix of a simple Merkle tree's left child must be 01")


# -- checks that two paths are neighbours in a tree, or that one is at its edge (ics23/go `proof.go`)

_Path = Sequence[InnerOp]


class Shape:
    """The inner nodes of a specification, with an index of their child order.

    A branch is a number in `child_order`, and its place the first index of the branch there. ics23/go
    searches the order for each branch of each step; the index makes the cost independent of the order's
    length.
    """

    __slots__ = ("_order", "_places", "_readable", "count", "spec")

    def __init__(self, spec: InnerSpec) -> None:
        self.spec = spec
        self._order = spec.child_order
        self.count = len(self._order)
        self._places: dict[int, int] = {}
        for place, branch in enumerate(self._order):
            self._places.setdefault(branch, place)
        self._readable = next((at for at in range(self.count) if at not in self._places), self.count)
        """The first branch that is missing in the order, at which ics23/go stops."""

    def place_of(self, branch: int) -> int:
        """Return the place of a branch among the children.

        Raises:
            InvalidProof: the branch is not in the child order.
        """
        if not 0 <= branch < self.count or branch not in self._places:
            raise InvalidProof(f"branch {branch} is not in the child order")
        return self._places[branch]

    def has_padding(self, step: InnerOp, branch: int) -> bool:
        """Return whether prefix and suffix of `step` fit a child at the place of `branch`."""
        return self._fits(step, self.place_of(branch))

    def branch_of(self, step: InnerOp) -> int:
        """Return the branch of the child at the place that prefix and suffix of `step` fit.

        Raises:
            InvalidProof: they fit no place.
        """
        # The suffix has the children to the right; `_fits` checks its exact length.
        place = self.count - 1 - len(step.suffix or b"") // max(self.spec.child_size, 1)
        if place >= 0 and self._fits(step, place):
            branch = self._order[place]
            if 0 <= branch < self._readable and self._places[branch] == place:
                return branch
        raise InvalidProof("no place among the children fits this inner operation")

    def _fits(self, step: InnerOp, place: int) -> bool:
        spec = self.spec
        left = place * spec.child_size
        right = (self.count - 1 - place) * spec.child_size
        fits = left + spec.min_prefix_length <= len(step.prefix) <= left + spec.max_prefix_length
        return fits and len(step.suffix or b"") == right

    def left_is_empty(self, step: InnerOp) -> bool:
        """Return whether there are children left of the path at `step`, all of them placeholders.

        Raises:
            InvalidProof: prefix and suffix of `step` fit no place.
        """
        count = self.branch_of(step)
        start = len(step.prefix) - count * self.spec.child_size
        return count > 0 and start >= 0 and self._all_empty(step.prefix, start, count)

    def right_is_empty(self, step: InnerOp) -> bool:
        """Return whether there are children right of the path at `step`, all of them placeholders.

        Raises:
            InvalidProof: prefix and suffix of `step` fit no place.
        """
        count = self.count - 1 - self.branch_of(step)
        suffix = step.suffix or b""
        return count > 0 and len(suffix) == count * self.spec.child_size and self._all_empty(suffix, 0, count)

    def _all_empty(self, padding: bytes, start: int, count: int) -> bool:
        size = self.spec.child_size
        for branch in range(count):
            at = start + self.place_of(branch) * size
            child = padding[at : at + size]
            if len(child) != size:
                raise InvalidProof("child order points outside the padding")  # ics23/go panics here
            if child != self.spec.empty_child:
                return False
        return True


def check_leftmost(shape: Shape, path: _Path) -> None:
    """Check that `path` is the left-most of its tree, ignoring placeholders.

    Raises:
        InvalidProof: there may be a key left of it.
    """
    shape.place_of(0)
    if not all(shape.has_padding(step, 0) or shape.left_is_empty(step) for step in path):
        raise InvalidProof("right neighbour is not the left-most path")


def check_rightmost(shape: Shape, path: _Path) -> None:
    """Check that `path` is the right-most of its tree, ignoring placeholders.

    Raises:
        InvalidProof: there may be a key right of it.
    """
    last = shape.count - 1
    shape.place_of(last)
    if not all(shape.has_padding(step, last) or shape.right_is_empty(step) for step in path):
        raise InvalidProof("left neighbour is not the right-most path")


def check_neighbours(shape: Shape, left: _Path, right: _Path) -> None:
    """Check that no key is between two paths of one tree.

    Raises:
        InvalidProof: there may be a key between them, or they are the same path.
    """
    shared = 0
    while shared < min(len(left), len(right)) and _same(left[-1 - shared], right[-1 - shared]):
        shared += 1
    if shared >= min(len(left), len(right)):
        raise InvalidProof("left and right paths do not diverge")  # ics23/go panics here
    split = -1 - shared
    if shape.branch_of(right[split]) != shape.branch_of(left[split]) + 1:
        raise InvalidProof("left and right paths diverge to children that are not neighbours")
    check_rightmost(shape, left[:split])
    check_leftmost(shape, right[:split])


def _same(left: InnerOp, right: InnerOp) -> bool:
    return left.prefix == right.prefix and (left.suffix or b"") == (right.suffix or b"")


# -- proofs of existence and of absence


def existence_root(proof: ExistenceProof, spec: ProofSpec, key: bytes, value: bytes) -> bytes:
    """Return the root of the tree in which `proof` proves `value` at `key`.

    Raises:
        InvalidProof: the proof is malformed, or for another key or value.
    """
    check_existence(proof, spec)
    # guard: h22-the-right-proof-under-another-key test_h22_the_answer_to_another_packet_is_no_answer
    #   test_h22_a_proof_is_of_one_store
    if key != proof.key:
        raise InvalidProof(f"proof is for key {proof.key[:64]!a}, not {key[:64]!a}")
    # guard: h22-another-value test_h22_a_right_proof_of_another_value_is_refused
    if value != proof.value:
        raise InvalidProof("proof is for another value")
    return climb(proof, spec)


def absence_root(proof: NonExistenceProof, spec: ProofSpec, key: bytes) -> bytes:
    """Return the root of the tree in which `proof` proves the absence of `key`.

    Raises:
        InvalidProof: the proof is malformed, or its neighbours do not enclose `key`.
    """
    left, right = proof.left, proof.right
    roots = {existence_root(side, spec, side.key, side.value) for side in (left, right) if side is not None}
    if not roots:
        raise InvalidProof("non-existence proof has neither neighbour")
    if len(roots) > 1:
        raise InvalidProof("left and right neighbours lie in different trees")
    # guard: h22-neighbours-enclose-any-key test_h22_the_neighbours_of_one_key_do_not_enclose_another
    #   test_h22_absence_of_another_key_is_not_proven
    _check_order(proof, spec, key)
    if spec.inner_spec is None:
        raise InvalidProof("specification has no inner part")
    shape = Shape(spec.inner_spec)
    if left is not None and right is not None:
        # guard: h22-neighbours-need-not-be-neighbours test_h22_neighbours_with_a_key_between_them_are_refused
        check_neighbours(shape, left.path, right.path)
    elif right is not None:
        # guard: h22-an-edge-is-anywhere test_h22_edge_proof_of_a_key_that_is_not_at_the_edge_is_refused
        check_leftmost(shape, right.path)
    elif left is not None:
        # guard: h22-an-edge-is-anywhere drop
        check_rightmost(shape, left.path)
    return roots.pop()


def climb(proof: ExistenceProof, spec: ProofSpec | None) -> bytes:
    """Return the root computed from a proof, checking only the size of nodes by `spec`.

    Raises:
        InvalidProof: there is no leaf operation, or an operation cannot be applied.
    """
    if proof.leaf is None:
        raise InvalidProof("existence proof has no leaf operation")
    node = apply_leaf(proof.leaf, proof.key, proof.value)
    limit = spec.inner_spec.child_size if spec is not None and spec.inner_spec is not None else 0
    for step in proof.path:
        node = apply_inner(step, node)
        if limit >= 32 and len(node) > limit:
            raise InvalidProof(f"inner hash of {len(node)} bytes exceeds the child size {limit}")
    return node


def _check_order(proof: NonExistenceProof, spec: ProofSpec, key: bytes) -> None:
    if proof.right is not None and _comparable(spec, key) >= _comparable(spec, proof.right.key):
        raise InvalidProof("key is not left of the right neighbour")
    if proof.left is not None and _comparable(spec, key) <= _comparable(spec, proof.left.key):
        raise InvalidProof("key is not right of the left neighbour")


def _comparable(spec: ProofSpec, key: bytes) -> bytes:
    if not spec.prehash_key_before_comparison or spec.leaf_spec is None:
        return key
    return hash_or_pass(spec.leaf_spec.prehash_key, key)
