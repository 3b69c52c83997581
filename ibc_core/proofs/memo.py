"""A bounded cache across proofs: results of pure functions, keyed by their complete input.

Why not simply "hashes known to lie under this root": a proof with garbage above a known hash would then
pass on a node that knows the hash and fail on one that does not. An entry therefore holds the exact bytes
of everything above it, and a hit needs them equal (docs/adr/0007-proof-memo.md).
"""

from typing import NamedTuple

DEFAULT_LIMIT = 20_000
"""Entries of the newer half; about 0.9 kB each in a tree of a million keys."""


class Tail(NamedTuple):
    """The rest of a path that led from a node to the root of its tree."""

    steps: bytes  # every remaining inner operation, as it stood on the wire
    bound: int  # most steps that may lie below the node: IAVL heights and the depth limit
    root: bytes  # of the IAVL tree


class Memo:
    """Tails by node hash, and the last proof of each store root. Forgets in two halves, oldest first."""

    __slots__ = ("_limit", "_old", "_old_tops", "_tops", "_young")

    def __init__(self, limit: int = DEFAULT_LIMIT) -> None:
        self._limit = limit
        self._young: dict[bytes, Tail] = {}
        self._old: dict[bytes, Tail] = {}
        self._tops: dict[bytes, tuple[bytes, bytes, bytes]] = {}
        self._old_tops: dict[bytes, tuple[bytes, bytes, bytes]] = {}

    def __len__(self) -> int:
        return len(self._young) + len(self._old) + len(self._tops) + len(self._old_tops)

    def tail(self, node: bytes) -> Tail | None:
        """The known rest of the path above `node`."""
        return self._young.get(node) or self._old.get(node)

    def remember(self, node: bytes, tail: Tail) -> None:
        """Adds a path that a whole proof has just been accepted by."""
        if len(self._young) >= self._limit:
            self._old, self._young = self._young, {}
        self._young[node] = tail

    def knows_top(self, subroot: bytes, root: bytes, store: bytes, proof: bytes) -> bool:
        """Whether `proof` is known to show `subroot` under the name `store` in the state of `root`."""
        return (self._tops.get(subroot) or self._old_tops.get(subroot)) == (root, store, proof)

    def remember_top(self, subroot: bytes, root: bytes, store: bytes, proof: bytes) -> None:
        """Adds a store root's proof that has just been accepted."""
        if len(self._tops) >= self._limit // 16 + 1:
            self._old_tops, self._tops = self._tops, {}
        self._tops[subroot] = (root, store, proof)
