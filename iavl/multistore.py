"""Several named trees under one app hash, committed together: the storage of a chain."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from threading import RLock

from iavl import engine
from iavl.commit_info import CommitInfo, simple_root
from iavl.disk.database.settings import DiskOptions
from iavl.disk.storage import DiskStorage
from iavl.errors import NotEmpty, UnknownStore
from iavl.export import chunks, head
from iavl.gc_pause import BlockPriority, GcPaused
from iavl.nodes.write import Change, Entry
from iavl.restore import Importer
from iavl.sha import EMPTY_HASH
from iavl.storage import MemoryStorage, Storage
from iavl.tree import Tree, check_key, check_write
from iavl.view import Charge, StoreView, VersionRead, VersionView, free

_DEFAULT = DiskOptions()


class MultiStore:
    """Named IAVL trees, their versions and proofs; the app hash is the Cosmos SDK's (CommitInfo.Hash).

    For each block, call `apply` (ABCI FinalizeBlock: computes the app hash, stores nothing) and `commit`
    (ABCI Commit: stores the block in one transaction). All stores have the multistore's version.

    Thread safety: any thread may read, query and prove; a lock makes them wait while a block is applied or
    committed. Versions that have to be rebuilt from disk are rebuilt and read without that lock, so that
    blocks never wait for them. Only one thread may apply, commit and roll back.

    Args:
        path: Folder of the database, created if absent; None keeps everything in memory.
        names: The stores. An existing database must be given all of its stores; new ones start empty.
        keep_versions: Number of versions that can be read and proved, including the last one; None: all since
            the first commit.
        cache_nodes: Number of nodes that may stay in memory between blocks (some 330 bytes each with 32-byte
            keys and values); on disk only.
        initial_version: Number of the first version.
        remember: Number of keys per store up to which a store that began empty is held in memory as a
            dictionary; for other stores, the number of recently read or written values that are cached, at
            most twice as many.
        disk: Options of the database.

    Raises:
        StorageBusy, CorruptDatabase, UnsupportedFormat, StoreMismatch, StorageFailed: the database cannot be
            opened (errors.py).
    """

    def __init__(
        self,
        path: str | Path | None,
        names: Iterable[str],
        *,
        keep_versions: int | None = 100,
        cache_nodes: int = 500_000,
        initial_version: int = 1,
        remember: int = 65_536,
        disk: DiskOptions = _DEFAULT,
    ) -> None:
        if keep_versions is not None and keep_versions < 1:
            raise ValueError("keep_versions must be at least 1")
        if initial_version < 1:
            raise ValueError("initial_version must be at least 1")
        self._lock = RLock()
        self._trees = {name: Tree(initial_version=initial_version, name=name) for name in sorted(names)}
        self._priority = BlockPriority()
        self._views = {
            name: StoreView(tree, self._lock, self._trim, self._kept, remember)
            for name, tree in self._trees.items()
        }
        self._pending: dict[str, list[Change]] = {name: [] for name in self._trees}
        self._initial_version = initial_version
        self._storage: Storage = (
            MemoryStorage(keep_versions)
            if path is None
            else DiskStorage(
                Path(path),
                disk,
                keep_versions=keep_versions,
                cache_nodes=cache_nodes,
                initial_version=initial_version,
                priority=self._priority,
            )
        )
        self._info = self._storage.load(self._trees)
        for view in self._views.values():
            view.replaced()

    @property
    def version(self) -> int:
        """Last committed version, 0 before the first."""
        return self._info.version

    @property
    def app_hash(self) -> bytes:
        """App hash of the last committed version, 32 bytes; SHA-256 of the empty string before the first."""
        return self._info.app_hash

    @property
    def metadata(self) -> bytes:
        """Metadata that the host passed with the last commit."""
        return self._info.metadata

    @property
    def next_version(self) -> int:
        """Version of the next commit."""
        return self.version + 1 if self.version else self._initial_version

    def names(self) -> list[str]:
        """Return the names of the stores, in byte order."""
        return list(self._trees)

    def versions(self) -> range:
        """Return the committed versions that can be read and proved."""
        with self._lock:
            return self._storage.versions()

    def store(self, name: str) -> StoreView:
        """Return the committed view of one store: always the same object, updated by each commit.

        Raises:
            UnknownStore: there is no store of this name.
        """
        if name not in self._views:
            raise UnknownStore(name)
        return self._views[name]

    def root(self, name: str) -> bytes:
        """Return the root hash of a store's last committed version.

        Raises:
            UnknownStore: there is no store of this name.
        """
        return self._tree(name).committed_hash

    def apply(self, writes: Mapping[str, Iterable[Change]]) -> bytes:
        """Apply writes to the working version, in the order given, and return its app hash; stores nothing.

        Further calls before a commit add to the working version. The value None removes a key; removing an
        absent key does nothing. For root hashes equal to ibc-go's, pass one write per key, in key order.

        Raises:
            UnknownStore, NotBytes, EmptyKey: a write is invalid; nothing is written.
        """
        batches = {name: list(changes) for name, changes in writes.items()}
        for name, changes in batches.items():
            self._check(name, changes)
        with self._priority, self._lock, GcPaused():
            self._storage.check_open()
            for name, changes in batches.items():
                self._trees[name].apply(changes)
                self._pending[name] += changes
            return simple_root(self._working_roots())

    def _check(self, name: str, changes: list[Change]) -> None:
        self._tree(name)
        for key, value in changes:
            if type(key) is not bytes or not key or (value is not None and type(value) is not bytes):
                check_write(name, key, b"" if value is None else value)

    def _working_roots(self) -> dict[str, bytes]:
        return {name: tree.working_hash() for name, tree in self._trees.items()}

    def commit(self, metadata: bytes = b"") -> tuple[int, bytes]:
        """Store the applied writes as the next version; return its number and app hash.

        One atomic transaction stores the writes, `metadata`, the root hashes and the version: after a crash
        at any point the store is at the last version whose commit returned, or the one after it.

        Raises:
            StorageFailed: the disk failed; nothing was stored and the store must be opened again.
            StoreClosed: the store is closed.
        """
        with self._priority, self._lock, GcPaused():
            self._storage.check_open()
            info = CommitInfo.of(self.next_version, self._working_roots(), metadata)
            self._storage.write(info, self._pending, self._trees)
            for name, tree in self._trees.items():
                tree.commit()
                self._views[name].committed(self._pending[name])
            self._pending = {name: [] for name in self._trees}
            self._info = info
            self._storage.prune(self._trees)
            return info.version, info.app_hash

    def rollback(self) -> None:
        """Drop the writes applied since the last commit."""
        with self._lock:
            for tree in self._trees.values():
                tree.rollback()
            self._pending = {name: [] for name in self._trees}

    def info(self, version: int | None = None) -> CommitInfo:
        """Return roots, app hash and metadata of a version (None: the last committed).

        Raises:
            VersionMissing: the version is not retained.
        """
        with self._lock:
            return self._info if version is None else self._storage.info(version)

    def at(self, name: str, version: int, charge: Charge = free) -> VersionView:
        """Return a store at a version, for several reads; empty before the store was added.

        Args:
            name: Name of the store.
            version: A retained version.
            charge: Called before each step of rebuilding the version from disk.

        Raises:
            UnknownStore, VersionMissing, VersionPruned, HistoryBusy: the version cannot be read.
            Exception: `charge` refused the work.
        """
        return VersionView(self._past(name, version, charge))

    def get_at(self, name: str, key: bytes, version: int, charge: Charge = free) -> bytes | None:
        """Return the value at `key` in a version. Raises as `at` does."""
        return self.at(name, version, charge).get(key)

    def iterate_at(self, name: str, start: bytes, end: bytes | None, version: int) -> Iterator[Entry]:
        """Iterate over entries of a version with `start <= key < end`, in key order. Raises as `at` does."""
        return self.at(name, version).iterate(start, end)

    def prove(
        self, name: str, key: bytes, version: int | None = None, charge: Charge = free
    ) -> tuple[bytes | None, list[bytes]]:
        """Return the value at `key` (None: absent) in a version (None: the last), and its two-step proof.

        The proof consists of two CommitmentProof messages, as in the SDK's proof operators `ics23:iavl` (key
        under the store's root, IavlSpec) and `ics23:simple` (root under the app hash, TendermintSpec). It
        verifies against the version's app hash, which is in the next block header.

        In a version before the store was added every key is absent, and the proof has one step: the app hash
        covers no store of this name.

        Raises:
            UnknownStore, VersionMissing, VersionPruned, HistoryBusy: the version cannot be read.
            NotBytes, EmptyKey: the key is invalid.
            UnprovableAbsence: the store is empty at this version.
            Exception: `charge` refused to rebuild the version; see `at`.
        """
        check_key(name, key)
        tree = self._tree(name)
        with self._lock:
            info = self._info if version is None else self._storage.info(version)
            # guard: h271-a-store-is-proved-before-it-was-added drop
            #   test_h271_a_store_that_was_added_is_empty_at_earlier_heights
            if name not in info.roots:
                return None, [info.prove_no_store(name)]
            second = info.prove(name)
            past = self._recent(tree, info.version)
        past = past or self._storage.past(name, info.version, charge)
        with past:
            value, first = engine.active.prove(past.root, key)
            past.trim()
        return value, [first, second]

    def export(self, version: int, chunk_bytes: int) -> Iterator[bytes]:
        """Export a version in chunks of `chunk_bytes`, from which `restore` makes another store.

        Consume it before the version is pruned; other threads may use the store meanwhile, and blocks go
        first.

        Raises:
            VersionMissing: the version is not retained; VersionPruned if it is pruned while the chunks are
                read.
            HistoryBusy: other rebuilds took too long.
        """
        with self._lock:
            names = list(self.info(version).roots)
            recent = [self._recent(self._trees[name], version) for name in names]
        pasts = [past for past in recent if past is not None]
        if len(pasts) < len(names):
            pasts = [self._storage.past(name, version, free) for name in names]
        lock, trim = (pasts[0], pasts[0].trim) if pasts else (self._lock, self._trim)
        roots = {name: past.root for name, past in zip(names, pasts, strict=True)}
        telling = engine.active.export(head(roots), [root for root in roots.values() if root is not None])
        return chunks(telling, chunk_bytes, lock, trim, self._priority.yield_to_block)

    def importer(self, version: int, app_hash: bytes, instead_of: int = 0) -> Importer:
        """Return an importer for an exported version of a store with the same names, for `restore`.

        Imported nodes are written at once but take effect only with `restore`. Another importer, or a commit,
        aborts this one.

        Args:
            version: Number of the version.
            app_hash: Trusted app hash of the version.
            instead_of: The only version in the store, which remains until then; 0: the store is empty.

        Raises:
            NotEmpty: the store has other versions.
            StorageFailed: the disk failed.
        """
        with self._lock:
            self._check_alone(instead_of)
            return Importer(self.names(), version, app_hash, self._storage.sink(), self._lock)

    def restore(self, importer: Importer, instead_of: int = 0) -> None:
        """Make an imported version the only version, without metadata, which no hash covers.

        Args:
            importer: Importer that received all chunks; not usable afterwards.
            instead_of: The only version in the store, deleted in the same transaction; 0: the store is empty.

        Raises:
            BadExport: chunks are missing; nothing has changed.
            NotEmpty: the store has other versions.
            StorageFailed: the disk failed; nothing was stored and the store must be opened again.
        """
        with self._lock, GcPaused():
            self._check_alone(instead_of)
            trees, version = importer.finish(), importer.version
            roots = {name: EMPTY_HASH if root is None else root.hash for name, root in trees.items()}
            info = CommitInfo.of(version, roots, b"")
            self._storage.restore(info, trees)
            for name, tree in self._trees.items():
                tree.versions.clear()
                tree.adopt(trees[name], version)
                self._views[name].replaced()
            self._pending = {name: [] for name in self._trees}
            self._info = info

    def _check_alone(self, version: int) -> None:
        self._storage.check_open()
        if self.version != version or len(self.versions()) > 1:
            raise NotEmpty(self.version)

    def close(self) -> None:
        """Close the database; further calls have no effect. Uncommitted writes are lost.

        On disk a checkpoint is written first (DiskOptions.checkpoint_on_close), so that opening replays
        nothing.

        Raises:
            StorageFailed: the checkpoint could not be written; the store is closed, and its last version is
                safe.
        """
        with self._lock:
            self._storage.close(self._trees)

    def executing(self) -> AbstractContextManager[None]:
        """Return a context manager for the execution of a block, from its first read to its commit.

        Rebuilds of old versions wait meanwhile, as they do within `apply` and `commit`.
        """
        return self._priority

    def _recent(self, tree: Tree, version: int) -> VersionRead | None:
        """Return a version that is in memory; the caller holds the lock."""
        if version not in tree.versions:
            return None
        return VersionRead(tree.versions[version], version, self._lock, self._trim, self._kept)

    def _past(self, name: str, version: int, charge: Charge = free) -> VersionRead:
        tree = self._tree(name)
        with self._lock:
            self._storage.check_kept(version)
            recent = self._recent(tree, version)
        return recent or self._storage.past(name, version, charge)

    def _kept(self) -> range:
        return self._storage.versions()

    def _trim(self) -> None:
        self._storage.trim(self._trees)

    def _tree(self, name: str) -> Tree:
        tree = self._trees.get(name)
        if tree is None:
            raise UnknownStore(name)
        return tree
