"""Comparison of the roots of a chain's stores, and of the app hash over them, with the recorded ones."""

from collections.abc import Collection, Iterator, Mapping

from conformance.transcripts.document import Commit
from conformance.transcripts.stores import Stores
from iavl.commit_info import simple_root

_NOTHING = Commit(None, None)


class Roots:
    """Hashes that one chain commits to: roots of the replayed stores, and recorded roots of the others.

    Hashes are upper-case hexadecimal.
    """

    def __init__(self, stores: Stores, replayed: frozenset[str]) -> None:
        """Create it; `replayed` are the stores with recorded entries. Of others, only roots are recorded."""
        self._stores = stores
        self._replayed = sorted(replayed)
        self._ours: dict[str, str] = {}
        self._recorded: dict[str, str] = {}  # latest root of each store
        self._is_complete = False  # True once the root of every store is known

    def start(self, commit: Commit | None, roots: Mapping[str, str]) -> list[str]:
        """Return differences in the initial state.

        Args:
            commit: The recorded commit, with the roots of all stores.
            roots: Roots recorded separately, by store.
        """
        self._is_complete = commit is not None and commit.roots is not None
        return self._compare(commit or _NOTHING, roots, {})

    def step(self, commit: Commit | None, roots: Mapping[str, str]) -> list[str]:
        """Return differences after a block.

        Its commit has only the changed roots; the others must be unchanged.
        """
        before = self._ours
        self._is_complete = self._is_complete and commit is not None and commit.roots is not None
        return self._compare(commit or _NOTHING, roots, before)

    def _compare(self, commit: Commit, roots: Mapping[str, str], before: Mapping[str, str]) -> list[str]:
        self._ours = {name: self._stores.root(name) for name in self._replayed}
        self._recorded |= commit.roots or {}
        found = [
            *self._differences(roots, self._stores.names()),
            *self._differences(commit.roots or {}, self._replayed),
        ]
        if commit.roots is not None:
            found += self._kept(commit.roots.keys() | roots.keys(), before)
        if not found and self._is_complete and commit.app_hash is not None:
            found += self._over_all(commit.app_hash)
        return list(dict.fromkeys(found))

    def _differences(self, recorded: Mapping[str, str], held: Collection[str]) -> Iterator[str]:
        for name in sorted(recorded.keys() & set(held)):
            ours = self._stores.root(name)
            if ours != recorded[name]:
                yield f"root of store {name}: {ours}, recorded {recorded[name]}"

    def _kept(self, changed: Collection[str], before: Mapping[str, str]) -> Iterator[str]:
        for name, old in before.items():
            if name not in changed and self._ours[name] != old:
                yield f"root of store {name}: {self._ours[name]}, recorded as unchanged: {old}"

    def _over_all(self, recorded: str) -> Iterator[str]:
        roots = {name: self._ours.get(name, root) for name, root in self._recorded.items()}
        app_hash = simple_root({name: bytes.fromhex(root) for name, root in roots.items()}).hex().upper()
        if app_hash != recorded:
            yield f"app hash: {app_hash}, recorded {recorded}"
