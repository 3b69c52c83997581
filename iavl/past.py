"""One version of a store while it is read."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from types import TracebackType

from iavl.errors import RecordMissing, VersionPruned
from iavl.node import Node

Lock = AbstractContextManager[object]


class Past:
    """A version's root. Each `with` block is one step of a read: it holds the lock that its nodes need.

    Args:
        root: The version's root.
        version: Its number.
        lock: What the nodes below are loaded under.
        relax: Unloads nodes if many were loaded; called within a step.
        kept: Which versions are kept now.

    Raises, when a step ends:
        VersionPruned: what it needs was deleted meanwhile with the version.
    """

    __slots__ = ("_kept", "_lock", "relax", "root", "version")

    def __init__(
        self,
        root: Node | None,
        version: int,
        lock: Lock,
        relax: Callable[[], None],
        kept: Callable[[], range],
    ) -> None:
        self.root = root
        self.version = version
        self.relax = relax
        self._lock = lock
        self._kept = kept

    def __enter__(self) -> None:
        self._lock.__enter__()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lock.__exit__(kind, error, trace)
        if isinstance(error, RecordMissing):
            check_kept(error, self.version, self._kept())


def check_kept(error: RecordMissing, version: int, kept: range) -> None:
    """Tells a version that was pruned from a database that lacks a record.

    Raises:
        VersionPruned: the version is not kept any more.
    """
    if version not in kept:
        raise VersionPruned(version, kept.start, kept.stop - 1) from error
