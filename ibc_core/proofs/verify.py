"""Verifies one ICS-23 proof against one tree (ics23/go `proof.go`): the reference for the fast path."""

from ibc_core.errors import InvalidProof
from ibc_core.proofs.checks import check_existence
from ibc_core.proofs.neighbours import Shape, check_leftmost, check_neighbours, check_rightmost
from ibc_core.proofs.ops import apply_inner, apply_leaf, hash_or_pass
from ibc_core.proofs.spec import ExistenceProof, NonExistenceProof, ProofSpec


def existence_root(proof: ExistenceProof, spec: ProofSpec, key: bytes, value: bytes) -> bytes:
    """The root of the tree in which `proof` shows `value` at `key`.

    Raises:
        InvalidProof: the proof is malformed or for another key or value.
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
    """The root of the tree in which `proof` shows nothing at `key`.

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
    """The root a proof leads to, without any check of its form but the size of nodes by `spec`.

    Raises:
        InvalidProof: it leads nowhere.
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
