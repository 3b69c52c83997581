"""IAVL-shaped trees and multistores with their ICS-23 proofs, generated for tests and benchmarks."""

import hashlib
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pyibc.proto.varint import encode_varint

_LEAF_OP = bytes.fromhex("0801180120012a")
_SIMPLE_LEAF = b"\x00"


def join_proofs(*commitment_proofs: bytes) -> bytes:
    """Return a `MerkleProof` of encoded `CommitmentProof`s, leaf to root."""
    return b"".join(b"\x0a" + encode_varint(len(proof)) + proof for proof in commitment_proofs)


def _sha256(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def _field(number: int, data: bytes) -> bytes:
    return encode_varint(number << 3 | 2) + encode_varint(len(data)) + data


def _inner(prefix: bytes, suffix: bytes = b"") -> bytes:
    return _field(4, b"\x08\x01" + _field(2, prefix) + (_field(3, suffix) if suffix else b""))


class _Step(NamedTuple):
    prefix: bytes
    suffix: bytes


def existence(key: bytes, value: bytes, leaf_prefix: bytes, path: Sequence[tuple[bytes, bytes]]) -> bytes:
    """Return an `ExistenceProof`; `path` has (prefix, suffix) from the leaf up."""
    steps = b"".join(_inner(prefix, suffix) for prefix, suffix in path)
    return _field(1, key) + _field(2, value) + _field(3, _LEAF_OP + _bytes(leaf_prefix)) + steps


def _bytes(data: bytes) -> bytes:
    return encode_varint(len(data)) + data


class StoreTree:
    """A balanced IAVL-shaped tree over `items`, with `above` further levels of generated siblings on top."""

    def __init__(self, items: Mapping[bytes, bytes], version: int = 1, above: int = 0) -> None:
        self.items = dict(sorted(items.items()))
        self.keys = list(self.items)
        self._version = version
        self._leaf_prefix = b"\x00\x02" + encode_varint(2 * version)
        leaves = [
            _sha256(self._leaf_prefix + _bytes(key) + b"\x20" + _sha256(value))
            for key, value in self.items.items()
        ]
        self._paths: list[list[_Step]] = [[] for _ in leaves]
        self.root, height = self._build(leaves, 0, len(leaves))
        for level in range(height + 1, height + above + 1):
            self._raise(level)

    def _header(self, height: int, size: int) -> bytes:
        return encode_varint(2 * height) + encode_varint(2 * size) + encode_varint(2 * self._version)

    def _build(self, leaves: list[bytes], start: int, end: int) -> tuple[bytes, int]:
        if end - start == 1:
            return leaves[start], 0
        middle = (start + end + 1) // 2
        left, left_height = self._build(leaves, start, middle)
        right, right_height = self._build(leaves, middle, end)
        height = max(left_height, right_height) + 1
        header = self._header(height, end - start)
        for index in range(start, middle):
            self._paths[index].append(_Step(header + b"\x20", b"\x20" + right))
        for index in range(middle, end):
            self._paths[index].append(_Step(header + b"\x20" + left + b"\x20", b""))
        return _sha256(header + b"\x20" + left + b"\x20" + right), height

    def _raise(self, level: int) -> None:
        sibling = _sha256(b"sibling %d" % level)
        header = self._header(level, 2**level)
        for path in self._paths:
            path.append(_Step(header + b"\x20", b"\x20" + sibling))
        self.root = _sha256(header + b"\x20" + self.root + b"\x20" + sibling)

    def _existence(self, index: int) -> bytes:
        key = self.keys[index]
        return existence(key, self.items[key], self._leaf_prefix, self._paths[index])

    def prove(self, key: bytes) -> bytes:
        """Return a `CommitmentProof` that `key` has its value, or that it is absent."""
        at = bisect_left(self.keys, key)
        if at < len(self.keys) and self.keys[at] == key:
            return _field(1, self._existence(at))
        left = _field(2, self._existence(at - 1)) if at else b""
        right = _field(3, self._existence(at)) if at < len(self.keys) else b""
        return _field(2, _field(1, key) + left + right)


class MultiStore:
    """A simple Merkle tree over store roots, as under an app hash."""

    def __init__(self, roots: Mapping[bytes, bytes]) -> None:
        self._roots = dict(sorted(roots.items()))
        leaves = [_sha256(_SIMPLE_LEAF + _bytes(k) + b"\x20" + _sha256(v)) for k, v in self._roots.items()]
        self._paths: list[list[_Step]] = [[] for _ in leaves]
        self.root = self._build(leaves, 0, len(leaves))

    def _build(self, leaves: list[bytes], start: int, end: int) -> bytes:
        size = end - start
        if size == 1:
            return leaves[start]
        middle = start + (1 << (size - 1).bit_length() - 1)
        left, right = self._build(leaves, start, middle), self._build(leaves, middle, end)
        for index in range(start, middle):
            self._paths[index].append(_Step(b"\x01", right))
        for index in range(middle, end):
            self._paths[index].append(_Step(b"\x01" + left, b""))
        return _sha256(b"\x01" + left + right)

    def prove(self, store: bytes) -> bytes:
        """Return a `CommitmentProof` of a store's root."""
        path = self._paths[list(self._roots).index(store)]
        return _field(1, existence(store, self._roots[store], _SIMPLE_LEAF, path))


def chain_of(items: Mapping[bytes, bytes], above: int = 0, stores: int = 24) -> "ProvableChain":
    """Return a chain whose store `ibc` contains `items`, among `stores` stores."""
    tree = StoreTree(items, above=above)
    others = {b"store%02d" % n: _sha256(b"root %d" % n) for n in range(stores - 1)}
    return ProvableChain(tree, MultiStore(others | {b"ibc": tree.root}))


class ProvableChain(NamedTuple):
    """The state of a chain at one height."""

    tree: StoreTree
    stores: MultiStore

    @property
    def root(self) -> bytes:
        """The app hash."""
        return self.stores.root

    def prove(self, key: bytes) -> bytes:
        """Return the `MerkleProof` of `key` in the store `ibc`."""
        return join_proofs(self.tree.prove(key), self.stores.prove(b"ibc"))
