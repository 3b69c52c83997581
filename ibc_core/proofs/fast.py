"""The fast path: an IAVL store below a multistore, canonical bytes, one pass, shared paths remembered.

It only accepts. Whatever it does not recognise goes to the reference (`chain.py`), which alone refuses, so
that a node with a full cache and one that has just started give the same verdict and the same error.
"""

from collections.abc import Sequence
from typing import NamedTuple

from ibc_core.proofs import chain
from ibc_core.proofs.memo import Memo
from ibc_core.proofs.sdk_path import Goal, climb, frame, height_at, leaf, step
from ibc_core.proofs.spec import SDK_SPECS, ProofSpec
from ibc_proto.varint import encode_varint

_SHARED = Memo()


def verify_membership(
    specs: Sequence[ProofSpec],
    root: bytes,
    path: Sequence[bytes],
    value: bytes,
    proof: bytes,
    memo: Memo = _SHARED,
) -> None:
    """Checks that the state of `root` holds `value` at `path` (ICS-23, ibc-go's chained proofs).

    Args:
        specs: one for each tree, leaf to root; SDK_SPECS takes the fast path.
        root: a consensus state's root.
        path: keys, root to leaf: store name first.
        value: the value to prove.
        proof: bytes of a `MerkleProof`.
        memo: cache of earlier proofs; by default one for the whole process.

    Raises:
        InvalidProof: the bytes do not prove it.
        InvalidMerkleProof: there are not as many proofs as trees, or the root is empty.
    """
    if specs == SDK_SPECS and len(path) == 2:
        try:
            if _shows(root, path[0], path[1], value, proof, memo):
                return
        except IndexError:  # the bytes end within a step: the reference names the place
            pass
    chain.verify_membership(specs, root, path, value, proof)


def verify_non_membership(
    specs: Sequence[ProofSpec], root: bytes, path: Sequence[bytes], proof: bytes, memo: Memo = _SHARED
) -> None:
    """Checks that the state of `root` holds nothing at `path`.

    Args and Raises: as `verify_membership`. Absence at an edge of the tree has no fast path.
    """
    if specs == SDK_SPECS and len(path) == 2:
        try:
            if _shows_absence(root, path[0], path[1], proof, memo):
                return
        except IndexError:  # as above
            pass
    chain.verify_non_membership(specs, root, path, proof)


def _shows(root: bytes, store: bytes, key: bytes, value: bytes, proof: bytes, memo: Memo) -> bool:
    if not (root and store and key and value):
        return False
    at, end = frame(proof, 0)
    at, inner_end = frame(proof, at)
    head = b"\x0a%b%b\x12%b%b\x1a" % (encode_varint(len(key)), key, encode_varint(len(value)), value)
    if at < 0 or end != inner_end or not proof.startswith(head, at):
        return False
    opened = leaf(proof, at + len(head), key, value)
    if opened is None:
        return False
    at, node = opened
    return climb(proof, at, end, node, 0, Goal(root, store, proof[end:]), memo)


class _Side(NamedTuple):
    """A neighbour's path up to and including the step at which the two paths meet."""

    key: bytes
    at: int  # behind that step
    node: bytes  # the common ancestor's hash
    layer: int  # of the common ancestor


def _shows_absence(root: bytes, store: bytes, key: bytes, proof: bytes, memo: Memo) -> bool:
    """Two neighbours: right children only up the left path until they meet, left ones only up the right."""
    if not (root and store and key):
        return False
    at, end = frame(proof, 0)
    at, inner_end = frame(proof, at, 0x12)
    named_at, named_end = frame(proof, at)
    if proof[named_at:named_end] != key:
        return False
    left_at, left_end = frame(proof, named_end, 0x12)
    right_at, right_end = frame(proof, left_end, 0x1A)
    if right_at < 0 or not end == inner_end == right_end:
        return False
    left = _side(proof, left_at, left_end, meets_as_left=True)
    right = _side(proof, right_at, right_end, meets_as_left=False)
    if left is None or right is None or not left.key < key < right.key or left.node != right.node:
        return False
    if proof[left.at : left_end] != proof[right.at : right_end]:
        return False
    layer = max(left.layer, right.layer)
    return climb(proof, left.at, left_end, left.node, layer, Goal(root, store, proof[end:]), memo)


def _side(proof: bytes, at: int, end: int, *, meets_as_left: bool) -> _Side | None:
    key_at, key_end = frame(proof, at)
    value_at, value_end = frame(proof, key_end, 0x12)
    if value_at < 0 or key_at == key_end or value_at == value_end or proof[value_end] != 0x1A:
        return None
    key = proof[key_at:key_end]
    opened = leaf(proof, value_end + 1, key, proof[value_at:value_end])
    if opened is None:
        return None
    (at, node), layer = opened, 0
    while at < end:
        taken = step(proof, at, node)
        layer += 1
        if taken is None or height_at(proof, at) < layer:
            return None
        at, node, is_left = taken
        if is_left == meets_as_left:
            return _Side(key, at, node, layer)
    return None
