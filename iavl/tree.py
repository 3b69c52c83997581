"""A versioned tree in memory. Versions share common nodes."""

from collections.abc import Iterable, Iterator

from iavl import engine
from iavl.errors import EmptyKey, HalfWritten, NotBytes, VersionMissing
from iavl.nodes.node import Node
from iavl.nodes.write import Change, Entry
from iavl.sha import EMPTY_HASH


def check_key(store: str, key: object) -> None:
    """Check the type of a key, and that it is not empty.

    Raises:
        NotBytes, EmptyKey: the key is not bytes, or empty.
    """
    if type(key) is not bytes:
        raise NotBytes(store, type(key).__name__)
    if not key:
        raise EmptyKey(store)


def check_write(store: str, key: object, value: object) -> None:
    """Check key and value of a write. An empty value is allowed, as in cosmos/iavl.

    Raises:
        NotBytes, EmptyKey: key or value is not bytes, or the key is empty.
    """
    check_key(store, key)
    if type(value) is not bytes:
        raise NotBytes(store, type(value).__name__)


class _Reads:
    """Reads of the entries below a root."""

    __slots__ = ()
    root: Node | None

    def get(self, key: bytes) -> bytes | None:
        """Return the value at `key`, or None."""
        return engine.active.find(self.root, key)

    def has(self, key: bytes) -> bool:
        """Return whether `key` has a value."""
        return engine.active.find(self.root, key) is not None

    def iterate(
        self, start: bytes = b"", end: bytes | None = None, *, descending: bool = False
    ) -> Iterator[Entry]:
        """Iterate over entries with `start <= key < end`, ascending or descending. Do not write meanwhile."""
        return (engine.active.descend if descending else engine.active.ascend)(self.root, start, end)


class Snapshot(_Reads):
    """One committed version, immutable."""

    __slots__ = ("root", "version")

    def __init__(self, root: Node | None, version: int) -> None:
        self.root = root
        self.version = version

    @property
    def hash(self) -> bytes:
        """Root hash, 32 bytes; SHA-256 of the empty string for an empty tree."""
        return EMPTY_HASH if self.root is None else self.root.hash

    @property
    def size(self) -> int:
        """Number of keys."""
        return 0 if self.root is None else self.root.size

    def prove(self, key: bytes) -> tuple[bytes | None, bytes]:
        """Return the value at `key` (None: absent) and its ICS-23 CommitmentProof in protobuf.

        Raises:
            UnprovableAbsence: the tree is empty.
        """
        return engine.active.prove(self.root, key)


class Tree(_Reads):
    """A mutable working version over committed versions.

    Equal to cosmos/iavl v1 in shape, hashes and proofs. `orphans` lists the committed nodes that the working
    version has replaced, for the storage. Not thread-safe.
    """

    __slots__ = (
        "_initial_version",
        "_is_half_written",
        "committed",
        "name",
        "orphans",
        "root",
        "version",
        "versions",
    )

    def __init__(self, *, initial_version: int = 1, name: str = "") -> None:
        self.name = name
        self.version = 0
        """Last committed version, 0 before the first."""
        self.root: Node | None = None
        self.orphans: list[Node] = []
        self.versions: dict[int, Node | None] = {}
        """Roots of the retained versions, oldest first."""
        self.committed: Node | None = None
        """Root of the last committed version."""
        self._initial_version = initial_version
        self._is_half_written = False

    @property
    def next_version(self) -> int:
        """Version of the next commit."""
        return self.version + 1 if self.version else self._initial_version

    @property
    def committed_hash(self) -> bytes:
        """Root hash of the last committed version; SHA-256 of the empty string for an empty tree."""
        return EMPTY_HASH if self.committed is None else self.committed.hash

    def set(self, key: bytes, value: bytes) -> None:
        """Write `value` at `key`; writing the same value again also creates a new leaf.

        Raises:
            NotBytes, EmptyKey: key or value is not bytes, or the key is empty.
        """
        check_write(self.name, key, value)
        try:
            self.root = engine.active.set_key(self.root, key, value, self.orphans)
        except BaseException:
            self._is_half_written = True
            raise

    def remove(self, key: bytes) -> bool:
        """Remove `key` and return whether it existed; if not, nothing changes.

        Raises:
            NotBytes, EmptyKey: the key is not bytes, or empty.
        """
        check_key(self.name, key)
        try:
            self.root, removed = engine.active.remove_key(self.root, key, self.orphans)
        except BaseException:
            self._is_half_written = True
            raise
        return removed

    def apply(self, changes: Iterable[Change]) -> None:
        """Apply writes whose keys and values are valid, in the order given; the value None removes a key."""
        try:
            self.root = engine.active.apply_changes(self.root, changes, self.orphans)
        # guard: h222-only-exceptions-are-noticed {BaseException => Exception}
        #   test_h222_what_a_fallen_write_left_is_never_committed
        #   test_h222_a_multistore_commits_none_of_a_block_in_which_one_store_fell
        except BaseException:
            self._is_half_written = True
            raise

    def working_hash(self) -> bytes:
        """Return the root hash that a commit would give now.

        Raises:
            HalfWritten: a write failed, and was not rolled back.
        """
        # guard: h222-a-half-written-tree-is-hashed test_h222_what_a_fallen_write_left_is_never_committed
        #   test_h222_a_multistore_commits_none_of_a_block_in_which_one_store_fell
        if self._is_half_written:
            raise HalfWritten(self.name)
        engine.active.hash_dirty(self.root, self.next_version)
        return EMPTY_HASH if self.root is None else self.root.hash

    def commit(self) -> tuple[int, bytes]:
        """Make the working version the next committed one; return its number and root hash.

        Raises:
            HalfWritten: a write failed, and was not rolled back.
        """
        root_hash = self.working_hash()
        self.version = self.next_version
        self.versions[self.version] = self.committed = self.root
        self.orphans = []
        return self.version, root_hash

    def rollback(self) -> None:
        """Drop the writes since the last commit."""
        self.root = self.committed
        self.orphans = []
        self._is_half_written = False

    def at(self, version: int) -> Snapshot:
        """Return a committed version.

        Raises:
            VersionMissing: it was never committed, or was deleted.
        """
        if version not in self.versions:
            raise self._missing(version)
        return Snapshot(self.versions[version], version)

    def load_version(self, version: int) -> None:
        """Return to `version`: later versions and uncommitted writes are dropped.

        Raises:
            VersionMissing: the version is not retained; nothing changes.
        """
        if version not in self.versions:
            raise self._missing(version)
        for later in [each for each in self.versions if each > version]:
            del self.versions[later]
        self.adopt(self.versions[version], version)

    def adopt(self, root: Node | None, version: int) -> None:
        """Continue from a hashed tree, committed as `version`."""
        self.version = version
        self.versions[version] = self.committed = self.root = root
        self.orphans = []
        self._is_half_written = False

    def delete_versions_to(self, version: int) -> None:
        """Delete `version` and all versions before it.

        Raises:
            VersionMissing: `version` is the last one or a later one, which cannot be deleted.
        """
        if version >= self.version:
            raise self._missing(version)
        for old in [each for each in self.versions if each <= version]:
            del self.versions[old]

    def _missing(self, version: int) -> VersionMissing:
        return VersionMissing(version, min(self.versions, default=0), self.version if self.versions else -1)
