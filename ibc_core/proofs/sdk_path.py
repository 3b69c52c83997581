"""Paths of SDK chains read straight from canonical bytes: an IAVL tree below a simple Merkle tree.

Every function returns None or False for bytes that it does not know; the caller then asks the reference.
Bytes that end within a step raise IndexError, which the caller treats alike.
"""

import re
from hashlib import sha256
from typing import NamedTuple

from ibc_core.proofs.memo import Memo, Tail
from ibc_core.proofs.spec import DEFAULT_MAX_DEPTH
from ibc_proto.varint import encode_varint

_EVEN = b"[%b]" % re.escape(bytes(range(0, 0x80, 2)))
_VARINT = b"(?:%b|[%b][\x80-\xff]*[\x00-\x7f])" % (_EVEN, bytes(range(0x80, 0x100, 2)))
# Height, size, version: zigzag varints, none negative (even first byte).
_node_header = re.compile(_EVEN + _VARINT + _VARINT, re.DOTALL).fullmatch
_leaf_header = re.compile(b"\x00\x02" + _VARINT, re.DOTALL).fullmatch

_LEAF_OP = bytes.fromhex("0801180120012a")  # SHA-256, value prehashed, lengths as varints, then the prefix
_INNER_OP = bytes.fromhex("080112")  # SHA-256, then the prefix
_SIMPLE_LEAF = b"\x1a\x09" + _LEAF_OP + b"\x01\x00"
_SIMPLE_LEFT = bytes.fromhex("222708011201011a20")  # a left child's step: prefix 01, a suffix of 32 bytes
_SIMPLE_RIGHT = bytes.fromhex("22250801122101")  # a right child's step: a prefix of 33 bytes, the first 01
_LONGEST_HEADER = 12


class Goal(NamedTuple):
    """What a path must lead to."""

    root: bytes  # of the consensus state
    store: bytes  # name of the store
    top: bytes  # bytes of the multistore's proof


def frame(proof: bytes, at: int, tag: int = 0x0A) -> tuple[int, int]:
    """Start and end of the field `tag` at `at`; (-1, -1) if it is not there."""
    if at < 0 or proof[at] != tag:
        return -1, -1
    size = proof[at + 1]
    at += 2
    if size >= 0x80:
        high = proof[at]
        at += 1
        if high >= 0x80:
            return -1, -1
        size += (high << 7) - 0x80
    return at, at + size


def leaf(proof: bytes, at: int, key: bytes, value: bytes) -> tuple[int, bytes] | None:
    """The position after the leaf operation whose length is at `at`, and the leaf's hash."""
    size, prefix_size, start = proof[at], proof[at + 8], at + 9
    if proof[at + 1 : at + 8] != _LEAF_OP or size != prefix_size + 8 or prefix_size > _LONGEST_HEADER:
        return None
    stop = start + prefix_size
    if _leaf_header(proof, start, stop) is None:
        return None
    data = b"%b%b%b\x20%b" % (proof[start:stop], encode_varint(len(key)), key, sha256(value).digest())
    return stop, sha256(data).digest()


def step(proof: bytes, at: int, node: bytes) -> tuple[int, bytes, bool] | None:
    """The position after one IAVL step, the parent's hash, and whether `node` is its left child."""
    size, prefix_size, start = proof[at + 1], proof[at + 5], at + 6
    stop = start + prefix_size
    if proof[at] != 0x22 or proof[at + 2 : at + 5] != _INNER_OP:
        return None
    is_left = size == prefix_size + 39
    if is_left:  # header, 1 byte; then a suffix of 33
        header, suffix = stop - 1, proof[stop + 2 : stop + 35]
        known = proof[stop : stop + 2] == b"\x1a\x21"
    else:  # header, 1 byte, the sibling, 1 byte; no suffix
        header, suffix = stop - 34, b""
        known = size == prefix_size + 4
    if not known or header - start >= _LONGEST_HEADER or not proof[start]:
        return None
    if _node_header(proof, start, header) is None:
        return None
    return at + 2 + size, sha256(proof[start:stop] + node + suffix).digest(), is_left


def height_at(proof: bytes, at: int) -> int:
    """The height in the header of the step at `at`, which `step` has taken."""
    return proof[at + 6] >> 1


def climb(proof: bytes, at: int, end: int, node: bytes, layer: int, goal: Goal, memo: Memo) -> bool:
    """Whether the steps in `at..end` lead from `node`, `layer` steps above its leaf, to the goal.

    Follows them until a known tail or the tree's root, then the multistore's; remembers what was new.
    """
    fresh: list[tuple[bytes, int]] = []
    tail = None
    while at < end:
        tail = memo.tail(node)
        if tail is not None and tail.steps == proof[at:end]:
            break
        tail = None
        taken = step(proof, at, node)
        if taken is None or height_at(proof, at) <= layer + len(fresh):
            return False
        fresh.append((node, at))
        at, node, _ = taken
    subroot, bound = (node, DEFAULT_MAX_DEPTH) if tail is None else (tail.root, tail.bound)
    if (tail is None and at != end) or layer + len(fresh) > bound:
        return False
    if not _shows_store(subroot, goal, memo):
        return False
    for child, start in reversed(fresh):
        bound = min(height_at(proof, start), bound) - 1
        memo.remember(child, Tail(proof[start:end], bound, subroot))
    return True


def _shows_store(subroot: bytes, goal: Goal, memo: Memo) -> bool:
    """Whether the multistore's proof shows `subroot` under the goal's store name."""
    root, store, proof = goal
    if memo.knows_top(subroot, root, store, proof):
        return True
    at, end = frame(proof, 0)
    at, inner_end = frame(proof, at)
    name = encode_varint(len(store)) + store
    head = b"\x0a%b\x12\x20%b%b" % (name, subroot, _SIMPLE_LEAF)
    if at < 0 or not end == inner_end == len(proof) or not proof.startswith(head, at):
        return False
    data = b"\x00%b\x20%b" % (name, sha256(subroot).digest())
    if _climb_simple(proof, at + len(head), sha256(data).digest()) != root:
        return False
    memo.remember_top(subroot, root, store, proof)
    return True


def _climb_simple(proof: bytes, at: int, node: bytes) -> bytes | None:
    """The root that the simple Merkle tree's steps from `at` lead to."""
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
