"""The fast path: an IAVL store below a multistore, canonical bytes, one pass, shared paths remembered.

It only ever accepts. Whatever it does not recognise, and every refusal, is the reference's (`chain.py`),
so that a node that remembers much and one that has just started give the same verdict and the same error.
"""

import re
from collections.abc import Sequence
from hashlib import sha256

from ibc_module.proofs import chain
from ibc_module.proofs.memo import Memo, Tail
from ibc_module.proofs.spec import DEFAULT_MAX_DEPTH, SDK_SPECS, ProofSpec
from ibc_module.proofs.wire import encode_varint

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
        value: what must lie there.
        proof: bytes of a `MerkleProof`.
        memo: what earlier proofs showed; by default one for the whole process.

    Raises:
        InvalidProof: the bytes are no proof of it.
        InvalidMerkleProof: there are not as many proofs as trees, or the root is empty.
    """
    if specs == SDK_SPECS and len(path) == 2 and _accepts(root, path[0], path[1], value, proof, memo):
        return
    chain.verify_membership(specs, root, path, value, proof)


def verify_non_membership(
    specs: Sequence[ProofSpec], root: bytes, path: Sequence[bytes], proof: bytes
) -> None:
    """Checks that the state of `root` holds nothing at `path`.

    Args and Raises: as `verify_membership`. Absence is proven once a timeout: it has no fast path.
    """
    chain.verify_non_membership(specs, root, path, proof)


def _accepts(root: bytes, store: bytes, key: bytes, value: bytes, proof: bytes, memo: Memo) -> bool:
    if not (root and store and key and value):
        return False
    try:
        found = _open_lower(proof, key, value)
        return found is not None and _climb(root, store, proof, *found, memo)
    except IndexError:  # the bytes ended within a step: the reference names the place
        return False


def _open_lower(proof: bytes, key: bytes, value: bytes) -> tuple[int, int, bytes] | None:
    """Where the IAVL steps begin and end, and the leaf's hash."""
    at, end = _frame(proof, 0)
    at, inner_end = _frame(proof, at)
    head = b"\x0a%b%b\x12%b%b\x1a" % (encode_varint(len(key)), key, encode_varint(len(value)), value)
    if at < 0 or end != inner_end or not proof.startswith(head, at):
        return None
    at += len(head)
    size, prefix_size, start = proof[at], proof[at + 8], at + 9
    if proof[at + 1 : at + 8] != _LEAF_OP or size != prefix_size + 8 or prefix_size > _LONGEST_HEADER:
        return None
    stop = start + prefix_size
    if _leaf_header(proof, start, stop) is None:
        return None
    leaf = b"%b%b%b\x20%b" % (proof[start:stop], encode_varint(len(key)), key, sha256(value).digest())
    return stop, end, sha256(leaf).digest()


def _frame(proof: bytes, at: int) -> tuple[int, int]:
    """Start and end of the message in field 1 at `at`; (-1, -1) where something else stands there."""
    if at < 0 or proof[at] != 0x0A:
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


def _climb(root: bytes, store: bytes, proof: bytes, at: int, end: int, node: bytes, memo: Memo) -> bool:
    """Follows the IAVL steps until a known tail or the tree's root, then the multistore's."""
    fresh: list[tuple[bytes, int, int]] = []
    tail = None
    while at < end:
        tail = memo.tail(node)
        if tail is not None and tail.steps == proof[at:end]:
            break
        tail = None
        step = _step(proof, at, node)
        if step is None:
            return False
        fresh.append((node, at, proof[at + 6] >> 1))
        at, node = step
    subroot, bound = (node, DEFAULT_MAX_DEPTH + 1) if tail is None else (tail.root, tail.bound)
    if (tail is None and at != end) or len(fresh) + 1 > bound:
        return False
    if any(height < layer for layer, (_, _, height) in enumerate(fresh, 1)):
        return False
    if not _shows_store(root, store, subroot, proof[end:], memo):
        return False
    for child, start, height in reversed(fresh):
        bound = min(height, bound - 1)
        memo.remember(child, Tail(proof[start:end], bound, subroot))
    return True


def _step(proof: bytes, at: int, node: bytes) -> tuple[int, bytes] | None:
    """The position behind one IAVL step and the parent's hash."""
    size, prefix_size, start = proof[at + 1], proof[at + 5], at + 6
    stop = start + prefix_size
    if proof[at] != 0x22 or proof[at + 2 : at + 5] != _INNER_OP:
        return None
    if size == prefix_size + 39:  # a left child: header, 1 byte; then a suffix of 33
        header, suffix = stop - 1, proof[stop + 2 : stop + 35]
        known = proof[stop : stop + 2] == b"\x1a\x21"
    else:  # a right child: header, 1 byte, the sibling, 1 byte; no suffix
        header, suffix = stop - 34, b""
        known = size == prefix_size + 4
    if not known or header - start >= _LONGEST_HEADER or not proof[start]:
        return None
    if _node_header(proof, start, header) is None:
        return None
    return at + 2 + size, sha256(proof[start:stop] + node + suffix).digest()


def _shows_store(root: bytes, store: bytes, subroot: bytes, proof: bytes, memo: Memo) -> bool:
    """Whether the multistore step shows `subroot` under `store` in the state of `root`."""
    if memo.knows_top(subroot, root, store, proof):
        return True
    at, end = _frame(proof, 0)
    at, inner_end = _frame(proof, at)
    name = encode_varint(len(store)) + store
    head = b"\x0a%b\x12\x20%b%b" % (name, subroot, _SIMPLE_LEAF)
    if at < 0 or not end == inner_end == len(proof) or not proof.startswith(head, at):
        return False
    leaf = b"\x00%b\x20%b" % (name, sha256(subroot).digest())
    if _climb_simple(proof, at + len(head), sha256(leaf).digest()) != root:
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
