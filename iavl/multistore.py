"""Several named trees under one app hash, committed together: a chain's storage."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from threading import RLock

from iavl import engine
from iavl.collector import CollectorPaused
from iavl.commit_info import CommitInfo
from iavl.disk.options import DiskOptions
from iavl.disk.storage import DiskStorage
from iavl.errors import NotEmpty, UnknownStore
from iavl.export import chunks, head
from iavl.past import Past
from iavl.precedence import Precedence
from iavl.read import Entry
from iavl.restore import Importer
from iavl.sha import EMPTY_HASH
from iavl.simple import simple_root
from iavl.storage import MemoryStorage, Storage
from iavl.tree import Tree, check_key, check_write
from iavl.view import PastView, StoreView
from iavl.write import Change

_DEFAULT = DiskOptions()


class MultiStore:
    """Named IAVL trees, their versions and proofs; the app hash is the Cosmos SDK's (CommitInfo.Hash).

    A block is `apply` (ABCI FinalizeBlock: the app hash, nothing stored) and `commit` (ABCI Commit:
    stored in one transaction). All stores have the multistore's version.

    Threads: any may read, query and prove; one lock makes them wait while a block is applied or
    committed. Versions that have to be rebuilt from disk are rebuilt and read beside it, so that a block
    never waits for them. Only one thread may apply, commit and roll back.

    Args:
        path: Folder of the database, made if absent; None keeps everything in memory.
        names: The stores. A database opened again must be given all it has; new ones start empty.
        keep_versions: How many versions can be read and proved, the last one included; None: all
            since the first commit.
        cache_nodes: How many nodes may stay in memory between blocks (some 330 bytes each with 32-byte
            keys and values); on disk only.
        initial_version: The first version's number.
        remember: Keys per store up to which all are held in memory beside the tree, of a store that began
            empty; of any other so many values that were read or written last, twice at most.
        disk: How the database is written.

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
            raise ValueError("keep_versions is at least 1")
        if initial_version < 1:
            raise ValueError("initial_version is at least 1")
        self._lock = RLock()
        self._trees = {name: Tree(initial_version=initial_version, name=name) for name in sorted(names)}
        self._precedence = Precedence()
        self._views = {
            name: StoreView(tree, self._lock, self._relax, self._kept, remember)
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
                precedence=self._precedence,
            )
        )
        self._info = self._storage.load(self._trees)
        for view in self._views.values():
            view.replaced()

    @property
    def version(self) -> int:
        """The last committed version, 0 before the first."""
        return self._info.version

    @property
    def app_hash(self) -> bytes:
        """The app hash of the last committed version, 32 bytes; before the first SHA-256 of nothing."""
        return self._info.app_hash

    @property
    def metadata(self) -> bytes:
        """The metadata that the host gave with the last commit."""
        return self._info.metadata

    @property
    def next_version(self) -> int:
        """The version that the next commit makes."""
        return self.version + 1 if self.version else self._initial_version

    def names(self) -> list[str]:
        """The stores, in byte order."""
        return list(self._trees)

    def versions(self) -> range:
        """The committed versions that can be read and proved."""
        with self._lock:
            return self._storage.versions()

    def store(self, name: str) -> StoreView:
        """One store as last committed; the same object always, it moves on with each commit.

        Raises:
            UnknownStore: there is none of this name.
        """
        if name not in self._views:
            raise UnknownStore(name)
        return self._views[name]

    def root(self, name: str) -> bytes:
        """The root hash of a store as last committed.

        Raises:
            UnknownStore: there is none of this name.
        """
        return self._tree(name).committed_hash

    def apply(self, writes: Mapping[str, Iterable[Change]]) -> bytes:
        """Writes to the working version, in the order given, and returns its app hash; stores nothing.

        Called again before a commit, it adds to what is there. A value None removes; removing what is
        not there does nothing. One write a key, in key order, is what keeps roots equal to ibc-go's.

        Raises:
            UnknownStore, NotBytes, EmptyKey: as their names say; nothing is written then.
        """
        batches = {name: list(changes) for name, changes in writes.items()}
        for name, changes in batches.items():
            self._check(name, changes)
        with self._precedence, self._lock, CollectorPaused():
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
        """Stores what was applied as the next version; returns its number and app hash.

        One atomic transaction holds the writes, `metadata`, the root hashes and the version: a process
        killed at any instruction finds the last version whose commit returned, or the one after it.

        Raises:
            StorageFailed: the disk refused; nothing was stored and the store must be opened again.
            StoreClosed: it was closed.
        """
        with self._precedence, self._lock, CollectorPaused():
            self._storage.check_open()
            info = CommitInfo.of(self.next_version, self._working_roots(), metadata)
            self._storage.write(info, self._pending, self._trees)
            for name, tree in self._trees.items():
                tree.commit()
                self._views[name].committed(self._pending[name])
            self._pending = {name: [] for name in self._trees}
            self._info = info
            self._storage.settle(self._trees)
            return info.version, info.app_hash

    def rollback(self) -> None:
        """Drops what was applied since the last commit."""
        with self._lock:
            for tree in self._trees.values():
                tree.rollback()
            self._pending = {name: [] for name in self._trees}

    def info(self, version: int | None = None) -> CommitInfo:
        """Roots, app hash and metadata of a version (None: the last committed).

        Raises:
            VersionMissing: it is not kept.
        """
        with self._lock:
            return self._info if version is None else self._storage.info(version)

    def at(self, name: str, version: int) -> PastView:
        """A store at a version, for who reads more than one entry.

        Raises:
            UnknownStore, VersionMissing, VersionPruned, HistoryBusy: as their names say.
        """
        return PastView(self._past(name, version))

    def get_at(self, name: str, key: bytes, version: int) -> bytes | None:
        """The value at `key` in a version. Raises as `at`."""
        return self.at(name, version).get(key)

    def iterate_at(self, name: str, start: bytes, end: bytes | None, version: int) -> Iterator[Entry]:
        """Entries of a version with `start <= key < end`, in key order. Raises as `at`."""
        return self.at(name, version).iterate(start, end)

    def prove(self, name: str, key: bytes, version: int | None = None) -> tuple[bytes | None, list[bytes]]:
        """The value at `key` (None: absent) in a version (None: the last), and its two-step proof.

        The proof is what the SDK's proof operators `ics23:iavl` (key under the store's root, IavlSpec)
        and `ics23:simple` (root under the app hash, TendermintSpec) carry: two CommitmentProof messages.
        It verifies against the version's app hash, which is in the block header after it.

        Raises:
            UnknownStore, VersionMissing, VersionPruned, HistoryBusy, NotBytes, EmptyKey: as their names say.
            UnprovableAbsence: the store is empty at this version.
        """
        check_key(name, key)
        tree = self._tree(name)
        with self._lock:
            info = self._info if version is None else self._storage.info(version)
            second = info.prove(name)
            past = self._recent(tree, info.version)
        past = past or self._storage.past(name, info.version)
        with past:
            value, first = engine.now.prove(past.root, key)
            past.relax()
        return value, [first, second]

    def export(self, version: int, chunk_bytes: int) -> Iterator[bytes]:
        """A version as bytes in chunks of `chunk_bytes`, from which `restore` makes another store.

        Use it up before the version leaves the kept window; other threads may go on meanwhile, blocks first.

        Raises:
            VersionMissing: it is not kept; VersionPruned, while the chunks are read: not any more.
            HistoryBusy: others were being rebuilt, for too long.
        """
        with self._lock:
            names = list(self.info(version).roots)
            recent = [self._recent(self._trees[name], version) for name in names]
        pasts = [past for past in recent if past is not None]
        if len(pasts) < len(names):
            pasts = [self._storage.past(name, version) for name in names]
        lock, relax = (pasts[0], pasts[0].relax) if pasts else (self._lock, self._relax)
        roots = {name: past.root for name, past in zip(names, pasts, strict=True)}
        telling = engine.now.export(head(roots), [root for root in roots.values() if root is not None])
        return chunks(telling, chunk_bytes, lock, relax, self._precedence.give_way)

    def importer(self, version: int, app_hash: bytes, instead_of: int = 0) -> Importer:
        """Takes the chunks of an exported version of a store with the same names, for `restore`.

        What it takes goes to the disk at once and is nothing before `restore`. Another importer, and a
        commit, put an end to it.

        Args:
            version: Its number.
            app_hash: What it must hash to, known from elsewhere.
            instead_of: The only version so far, which stays until then; 0: there is none.

        Raises:
            NotEmpty: there is another version than that.
            StorageFailed: the disk refused.
        """
        with self._lock:
            self._check_alone(instead_of)
            return Importer(self.names(), version, app_hash, self._storage.sink(), self._lock)

    def restore(self, importer: Importer, instead_of: int = 0) -> None:
        """Makes an imported version the only one there is; without metadata, which no hash covers.

        Args:
            importer: That has taken all chunks; not used afterwards.
            instead_of: The only version so far, deleted in the same transaction; 0: there is none.

        Raises:
            BadExport: chunks are missing; nothing has changed.
            NotEmpty: there is another version than that.
            StorageFailed: the disk refused; nothing was stored and the store must be opened again.
        """
        with self._lock, CollectorPaused():
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
        """Closes the database; calling it again has no effect. Uncommitted writes are lost.

        On disk it first writes a checkpoint (DiskOptions.checkpoint_on_close): opening then replays nothing.

        Raises:
            StorageFailed: the disk refused the checkpoint; the store is closed, its last version is safe.
        """
        with self._lock:
            self._storage.close(self._trees)

    def executing(self) -> AbstractContextManager[None]:
        """A `with` block in which a block is executed, from its first read to its commit.

        Readers of old versions give way meanwhile, as they do within `apply` and `commit`.
        """
        return self._precedence

    def _recent(self, tree: Tree, version: int) -> Past | None:
        """A version that is in memory; with the lock held."""
        if version not in tree.versions:
            return None
        return Past(tree.versions[version], version, self._lock, self._relax, self._kept)

    def _past(self, name: str, version: int) -> Past:
        tree = self._tree(name)
        with self._lock:
            self._storage.check_kept(version)
            recent = self._recent(tree, version)
        return recent or self._storage.past(name, version)

    def _kept(self) -> range:
        return self._storage.versions()

    def _relax(self) -> None:
        self._storage.relax(self._trees)

    def _tree(self, name: str) -> Tree:
        tree = self._trees.get(name)
        if tree is None:
            raise UnknownStore(name)
        return tree
