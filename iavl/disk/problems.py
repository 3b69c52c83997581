"""What a walk over a store finds."""

from collections.abc import Callable
from dataclasses import dataclass

from iavl.errors import CorruptDatabase, RecordMissing


@dataclass(frozen=True, slots=True)
class Problem:
    """A fault: `record` tells where it is ("node 17", "block 5"), `detail` what it is."""

    record: str
    detail: str

    def __str__(self) -> str:
        return f"{type(self).__name__}: {self.record}: {self.detail}"


class BadFile(Problem):
    """The file is not LMDB's, is cut short, or its pages contradict each other; no record is read then."""

    __slots__ = ()


class BadRecord(Problem):
    """A record is not what was written in its place."""

    __slots__ = ()


class MissingRecord(Problem):
    """A record that another one names is not there."""

    __slots__ = ()


class WrongTree(Problem):
    """A node contradicts its children, or writes lead to another root than their block says."""

    __slots__ = ()


class LeakedNode(Problem):
    """A node that no version needs, and no list will delete."""

    __slots__ = ()


class WrongOrphan(Problem):
    """A list would delete a node that is needed, or one that is not there."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Verified:
    """What a walk saw."""

    versions: range
    """The versions in the log."""
    app_hash: bytes
    """Of the last version; empty if there is none that can be read."""
    checkpoints: int
    nodes: int
    """Nodes that checkpoints reach, each once."""
    bytes: int
    """Bytes of the records read, without LMDB's pages around them."""
    problems: int
    """How many problems were told."""

    @property
    def is_sound(self) -> bool:
        """Whether nothing was wrong."""
        return not self.problems


class Report:
    """Passes problems on, and counts."""

    def __init__(self, on_problem: Callable[[Problem], None]) -> None:
        self._on_problem = on_problem
        self.problems = self.bytes = self.nodes = self.checkpoints = 0
        self.versions = range(0)
        self.app_hash = b""

    def tell(self, problem: Problem) -> None:
        """Passes a problem on."""
        self.problems += 1
        self._on_problem(problem)

    def tell_error(self, record: str, error: CorruptDatabase) -> None:
        """Passes on what was found wrong when `record` was read."""
        kind = MissingRecord if isinstance(error, RecordMissing) else BadRecord
        self.tell(kind(record, error.reason))

    def verified(self) -> Verified:
        """The counts."""
        return Verified(self.versions, self.app_hash, self.checkpoints, self.nodes, self.bytes, self.problems)
