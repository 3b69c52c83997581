"""Fast verification of canonical proofs of an IAVL store in a multistore, with a memo of shared paths.

The fast path only accepts. Any proof that it does not recognise is left to the reference (`chain.py`), which
alone rejects: the verdict and the error do not depend on the memo. Parsers return None or False for unknown
bytes, and raise IndexError if the bytes end within a step.
"""

import re
from collections.abc import Sequence
from hashlib import sha256
from typing import NamedTuple

from pyibc.core import native
from pyibc.core.memo import MEGABYTE, ByteBoundedCache
from pyibc.core.proofs import chain
from pyibc.core.proofs.spec import DEFAULT_MAX_DEPTH, SDK_SPECS, ProofSpec
from pyibc.proto.varint import encode_varint

_EVEN = b"[%b]" % re.escape(bytes(range(0, 0x80, 2)))
_VARINT = b"(?:%b|[%b][\x80-\xff]*[\x00-\x7f])" % (_EVEN, bytes(range(0x80, 0x100, 2)))
# Height, size and version as non-negative zigzag varints (first byte even); inner nodes' height is not 0.
_NODE_HEADER = b"[%b]" % re.escape(bytes(range(2, 0x80, 2))) + _VARINT + _VARINT
# A step: two lengths, then prefix and suffix of a left child, or the prefix of a right child in two parts.
_step = re.compile(
    b"\x22(.)\x08\x01\x12(.)(" + _NODE_HEADER + b"\x20)(?:\x1a\x21(\x20.{32})|(.{32}\x20))", re.DOTALL
).match
_leaf_header = re.compile(b"\x00\x02" + _VARINT, re.DOTALL).fullmatch

_LEAF_OP = bytes.fromhex("0801180120012a")  # SHA-256, value prehashed, lengths as varints, then the prefix
_SIMPLE_LEAF = b"\x1a\x09" + _LEAF_OP + b"\x01\x00"
_SIMPLE_LEFT = bytes.fromhex("222708011201011a20")  # a left child's step: prefix 01, a suffix of 32 bytes
_SIMPLE_RIGHT = bytes.fromhex("22250801122101")  # a right child's step: a prefix of 33 bytes, the first 01
# guard: h63-the-fast-path-takes-versions-of-ten-bytes {11 => 12}
#   test_h63_a_version_of_ten_bytes_is_judged_by_the_reference
#   test_h63_a_leafs_version_is_read_alike_on_both_roads
_LONGEST_LEAF = 11  # with a version of nine bytes; the reference checks ten, which may exceed 64 bits
_HEIGHT = 6  # offset of a step's header, whose first byte is twice the height
_LONGEST_HEADER = 12  # the byte before the child's hash included


class Tail(NamedTuple):
    """Verified path from a node to the root of its IAVL tree."""

    steps: bytes  # the remaining inner operations, encoded
    bound: int  # maximum number of steps below the node, by IAVL heights and the depth limit
    root: bytes  # of the IAVL tree


class Memo:
    """Memo of accepted proofs: results of pure functions by their complete input.

    Hashes known to be below a root would not suffice: a proof with garbage above a known hash would pass only
    on nodes that know it. An entry has the exact bytes of all steps above it (docs/adr/0007-proof-memo.md).
    """

    __slots__ = ("tails", "tops")

    def __init__(self, limit: int = 32 * MEGABYTE) -> None:
        """Create a memo of at most `limit` bytes; the default holds about 30,000 paths of a million keys."""
        self.tails: ByteBoundedCache[bytes, Tail] = ByteBoundedCache(limit - (limit >> 3))
        """Verified paths by node hash."""
        self.tops: ByteBoundedCache[tuple[bytes, bytes], tuple[bytes, bytes]] = ByteBoundedCache(limit >> 3)
        """Verified multistore proofs: (store root, consensus root) -> (store name, encoded proof)."""

    def __len__(self) -> int:
        return len(self.tails) + len(self.tops)

    def remember(self, nodes: list[tuple[bytes, Tail]]) -> None:
        """Add the nodes of an accepted proof."""
        self.tails.add_all([(node, tail, 200 + len(tail.steps)) for node, tail in nodes])


_SHARED = Memo()


def verify_membership(
    specs: Sequence[ProofSpec],
    root: bytes,
    path: Sequence[bytes],
    value: bytes,
    proof: bytes,
    memo: Memo = _SHARED,
) -> None:
    """Verify that the state with the root hash `root` has `value` at `path` (ICS-23, chained proofs).

    Proofs by SDK_SPECS take the fast path. `memo` caches accepted proofs; with the process-wide memo,
    native code is tried first. Args and Raises: as `chain.verify_membership`.
    """
    if specs == SDK_SPECS and len(path) == 2:
        if native.active and memo is _SHARED and native.verify_presence(root, path[0], path[1], value, proof):
            return
        try:
            if _shows(root, path[0], path[1], value, proof, memo):
                return
        except IndexError:  # the bytes end within a step: the reference raises the error
            pass
    chain.verify_membership(specs, root, path, value, proof)


def verify_non_membership(
    specs: Sequence[ProofSpec], root: bytes, path: Sequence[bytes], proof: bytes, memo: Memo = _SHARED
) -> None:
    """Verify that the state with the root hash `root` has nothing at `path`.

    Args and Raises: as `verify_membership`. There is no fast path for a key at an edge of the tree.
    """
    if specs == SDK_SPECS and len(path) == 2:
        if native.active and memo is _SHARED and native.verify_absence(root, path[0], path[1], proof):
            return
        try:
            if _shows_absence(root, path[0], path[1], proof, memo):
                return
        except IndexError:  # as above
            pass
    chain.verify_non_membership(specs, root, path, proof)


def _shows(root: bytes, store: bytes, key: bytes, value: bytes, proof: bytes, memo: Memo) -> bool:
    if not (root and store and key and value):
        return False
    at, end = _frame(proof, 0)
    at, inner_end = _frame(proof, at)
    head = b"\x0a%b%b\x12%b%b\x1a" % (encode_varint(len(key)), key, encode_varint(len(value)), value)
    if at < 0 or end != inner_end or not proof.startswith(head, at):
        return False
    opened = _leaf(proof, at + len(head), key, value)
    if opened is None:
        return False
    at, node = opened
    return _climb(proof, at, end, node, 0, _Goal(root, store, proof[end:]), memo)


class _Side(NamedTuple):
    """A neighbour's path up to and including the step at which both paths meet."""

    key: bytes
    at: int  # position after that step
    node: bytes  # the common ancestor's hash
    layer: int  # height of the common ancestor above the leaf


def _shows_absence(root: bytes, store: bytes, key: bytes, proof: bytes, memo: Memo) -> bool:
    """Verify absence by two neighbours.

    Up to their common ancestor, the left path has only right children, and the right path only left children.
    """
    if not (root and store and key):
        return False
    at, end = _frame(proof, 0)
    at, inner_end = _frame(proof, at, 0x12)
    named_at, named_end = _frame(proof, at)
    if proof[named_at:named_end] != key:  # the reference ignores it
        return False
    left_at, left_end = _frame(proof, named_end, 0x12)
    right_at, right_end = _frame(proof, left_end, 0x1A)
    if right_at < 0 or not end == inner_end == right_end:
        return False
    left = _side(proof, left_at, left_end, meets_as_left=True)
    right = _side(proof, right_at, right_end, meets_as_left=False)
    # guard: h22-fast-path-neighbours-enclose-any-key {not left.key < key < right.key => False}
    #   test_h22_the_neighbours_of_one_key_do_not_enclose_another
    if left is None or right is None or not left.key < key < right.key or left.node != right.node:
        return False
    if proof[left.at : left_end] != proof[right.at : right_end]:
        return False
    layer = max(left.layer, right.layer)
    return _climb(proof, left.at, left_end, left.node, layer, _Goal(root, store, proof[end:]), memo)


def _side(proof: bytes, at: int, end: int, *, meets_as_left: bool) -> _Side | None:
    key_at, key_end = _frame(proof, at)
    value_at, value_end = _frame(proof, key_end, 0x12)
    if value_at < 0 or key_at == key_end or value_at == value_end or proof[value_end] != 0x1A:
        return None
    key = proof[key_at:key_end]
    opened = _leaf(proof, value_end + 1, key, proof[value_at:value_end])
    if opened is None:
        return None
    (at, node), layer = opened, 0
    while at < end:
        taken = _parent(proof, at, node)
        layer += 1
        if taken is None or proof[at + _HEIGHT] >> 1 < layer:
            return None
        at, node, is_left = taken
        if is_left == meets_as_left:
            return _Side(key, at, node, layer)
    return None


class _Goal(NamedTuple):
    """The end of a path to verify."""

    root: bytes  # of the consensus state
    store: bytes  # name of the store
    top: bytes  # encoded proof of the multistore


def _frame(proof: bytes, at: int, tag: int = 0x0A) -> tuple[int, int]:
    """Return start and end of the field `tag` at `at`; (-1, -1) if there is another field."""
    if at < 0 or proof[at] != tag:
        return -1, -1
    size, at = proof[at + 1], at + 2
    if size >= 0x80:
        high, at = proof[at], at + 1
        if high >= 0x80:
            return -1, -1
        size += (high << 7) - 0x80
    return at, at + size


def _leaf(proof: bytes, at: int, key: bytes, value: bytes) -> tuple[int, bytes] | None:
    """Return the end of the leaf operation whose length is at `at`, and the leaf's hash."""
    size, prefix_size, start = proof[at], proof[at + 8], at + 9
    # guard: h18-fast-path-takes-any-leaf-operation drop:proof test_h18_no_byte_of_a_proof_can_change
    if proof[at + 1 : at + 8] != _LEAF_OP or size != prefix_size + 8 or prefix_size > _LONGEST_LEAF:
        return None
    stop = start + prefix_size
    # guard: h18-fast-path-takes-any-header-for-a-leafs test_h18_an_inner_node_is_no_leaf
    if _leaf_header(proof, start, stop) is None:
        return None
    data = b"%b%b%b\x20%b" % (proof[start:stop], encode_varint(len(key)), key, sha256(value).digest())
    return stop, sha256(data).digest()


def _parent(proof: bytes, at: int, node: bytes) -> tuple[int, bytes, bool] | None:
    """Return the end of one IAVL step, the parent's hash, and whether `node` is its left child."""
    step = _step(proof, at)
    if step is None:
        return None
    size, prefix_size, header, behind, sibling = step.groups()
    is_left = behind is not None
    before = len(header) if is_left else len(header) + 33
    known = prefix_size[0] == before and size[0] == before + (39 if is_left else 4)
    if not known or len(header) > _LONGEST_HEADER:
        return None
    data = header + node + behind if is_left else header + sibling + node
    return step.end(), sha256(data).digest(), is_left


def _climb(proof: bytes, at: int, end: int, node: bytes, layer: int, goal: _Goal, memo: Memo) -> bool:
    """Return whether the steps in `at..end` lead from `node`, `layer` levels above its leaf, to the goal.

    The steps are followed to a known tail or to the tree's root, then the multistore's proof. New nodes are
    added to the memo.
    """
    fresh: list[tuple[bytes, int, int]] = []
    tail = None
    known = memo.tails.get
    while at < end:
        tail = known(node)
        # guard: h22-any-steps-above-a-known-node drop:steps
        #   test_h22_garbage_above_a_known_node_is_refused_on_a_warm_node
        if tail is not None and tail.steps == proof[at:end]:
            break
        tail = None
        taken = _parent(proof, at, node)
        if taken is None:
            return False
        height = proof[at + _HEIGHT] >> 1
        if height <= layer + len(fresh):
            return False
        fresh.append((node, at, height))
        at, node, _ = taken
    subroot, bound = (node, DEFAULT_MAX_DEPTH) if tail is None else (tail.root, tail.bound)
    # guard: h22-any-steps-above-a-known-node {tail is None and at != end => False}
    if (tail is None and at != end) or layer + len(fresh) > bound:
        return False
    if not _shows_store(subroot, goal, memo):
        return False
    nodes = []
    for child, start, height in reversed(fresh):
        bound = (height if height < bound else bound) - 1  # noqa: FURB136 - a call costs more
        nodes.append((child, Tail(proof[start:end], bound, subroot)))
    memo.remember(nodes)
    return True


def _shows_store(subroot: bytes, goal: _Goal, memo: Memo) -> bool:
    """Return whether the multistore's proof proves `subroot` under the goal's store name."""
    root, store, proof = goal
    if memo.tops.get((subroot, root)) == (store, proof):
        return True
    at, end = _frame(proof, 0)
    at, inner_end = _frame(proof, at)
    # guard: h22-fast-path-does-not-look-at-the-store {encode_varint(len(store)) + store => b'\x03ibc'}
    #   test_h22_a_proof_is_of_one_store
    name = encode_varint(len(store)) + store
    head = b"\x0a%b\x12\x20%b%b" % (name, subroot, _SIMPLE_LEAF)
    if at < 0 or not end == inner_end == len(proof) or not proof.startswith(head, at):
        return False
    data = b"\x00%b\x20%b" % (name, sha256(subroot).digest())
    # guard: h22-fast-path-any-root test_h22_a_proof_to_another_root_is_refused
    if _climb_simple(proof, at + len(head), sha256(data).digest()) != root:
        return False
    memo.tops.add((subroot, root), (store, proof), 400 + len(store) + len(proof))
    return True


def _climb_simple(proof: bytes, at: int, node: bytes) -> bytes | None:
    """Return the root computed by the simple Merkle tree's steps from `at`; None if they are malformed."""
    end, steps = len(proof), 0
    while at < end:
        steps += 1
        if proof.startswith(_SIMPLE_RIGHT, at):
            node = sha256(proof[at + 6 : at + 39] + node).digest()
            at += 39
        elif proof.startswith(_SIMPLE_LEFT, at):
            node = sha256(b"\x01" + node + proof[at + 9 : at + 41]).digest()
            at += 41
        else:
            return None
    return node if at == end and steps <= DEFAULT_MAX_DEPTH else None
