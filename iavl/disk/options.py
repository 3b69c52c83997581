"""Options of the database on disk."""

from collections.abc import Callable
from dataclasses import dataclass


def no_probe(_point: str) -> None:
    """The default probe: does nothing."""


@dataclass(frozen=True, slots=True)
class DiskOptions:
    """How a database is written. The defaults suit a chain; none of them changes a hash."""

    map_size: int = 1 << 38
    """The file's greatest size in bytes. It grows as needed: a large number costs address space only.
    Smaller than the file, it is refused at opening (MapTooSmall); reached, it stops the store (MapFull)."""
    sync: bool = True
    """Whether a commit waits for the disk. If not, a power loss may destroy the file: for tests only."""
    metasync: bool = False
    """Whether it waits for the last page too. If not, a power loss may undo the last commit, no more."""
    writemap: bool = False
    """Write through the memory map: less memory in a store of random keys. The file then shows its full
    map size, as a sparse file."""
    checkpoint_blocks: int = 50
    """A checkpoint starts this many blocks after the last,"""
    checkpoint_writes: int = 10_000
    """or when this many writes have been logged since. Both limit the time it takes to open."""
    slice_nodes: int = 2_000
    """Nodes of a checkpoint that a block writes, and orphans that it deletes, at least."""
    nodes_per_write: int = 10
    """The same, for each write of the block: enough to be done before the next checkpoint is due."""
    checkpoint_on_close: bool = True
    """Whether closing writes a checkpoint, so that opening again has no block to replay."""
    memory_versions: int = 20
    """Versions whose roots stay in memory; older ones are rebuilt from a checkpoint when asked for."""
    rebuild_wait_ms: int = 30_000
    """Milliseconds that a reader waits for its turn to have one rebuilt (HistoryBusy)."""
    probe: Callable[[str], None] = no_probe
    """Called with a name between any two steps on the disk: where tests kill the process."""
