"""Index of the checkpoints and blocks on disk, and the window of retained versions."""

from bisect import bisect_right

from iavl.disk.blocks import version_key, version_of
from iavl.disk.checkpoint import DATABASE as POINTS
from iavl.disk.database.environment import Environment, Transaction
from iavl.disk.database.seal import unsealed
from iavl.errors import CorruptDatabase


class Timeline:
    """Finished checkpoints and logged blocks, oldest first, and the window of retained versions.

    A version is rebuilt from the last checkpoint at or before it and the blocks after that checkpoint. So the
    oldest retained version's checkpoint, the base, must stay with the blocks after it. Before the first
    checkpoint the base is the empty tree, and all blocks stay.

    Raises, when created:
        CorruptDatabase: a checkpoint is damaged, or the log lacks blocks.
    """

    def __init__(self, env: Environment, keep_versions: int | None) -> None:
        self._env = env
        self._keep = keep_versions
        self.points = [self._version(key) for key in env.keys(env.points)]
        self.first_block, self.last_block = self._logged()
        """Oldest and last block in the log, 0 if there is none."""
        for version in self.points:
            unsealed(env.path, POINTS, version_key(version), env.read(env.points, version_key(version)))
        if self.points and not self.first_block <= self.points[0] <= self.points[-1] <= self.last_block:
            raise CorruptDatabase(env.path, "checkpoints and blocks have different versions")

    def _logged(self) -> tuple[int, int]:
        env = self._env
        ends = env.ends(env.log)
        first, last = (0, 0) if ends is None else (self._version(ends[0]), self._version(ends[1]))
        if ends is not None and ends[2] != last - first + 1:
            raise CorruptDatabase(env.path, f"the log has {ends[2]} blocks from {first} to {last}")
        return first, last

    def _version(self, key: bytes) -> int:
        if len(key) != len(version_key(0)):
            raise CorruptDatabase(self._env.path, f"malformed version key {key!r}")
        return version_of(key)

    def point_before(self, version: int) -> int:
        """Return the last checkpoint at or before `version`, 0 if there is none."""
        index = bisect_right(self.points, version)
        return self.points[index - 1] if index else 0

    def kept(self) -> range:
        """Return the versions that can be loaded."""
        first = self.first_block
        if self._keep is not None:
            first = max(first, self.last_block - self._keep + 1)
        return range(max(first, 1), self.last_block + 1)

    def logged(self, version: int) -> None:
        """Record that a block was written."""
        self.first_block = self.first_block or version
        self.last_block = version

    def clear(self, txn: Transaction) -> None:
        """Delete all blocks, checkpoints and orphan lists; nodes remain."""
        env = self._env
        for database in (env.log, env.points, env.orphans):
            txn.drop(database, delete=False)
        self.points, self.first_block, self.last_block = [], 0, 0
        env.probe("cleared")

    def base(self) -> int:
        """Return the checkpoint that the oldest retained version needs, 0 for the empty tree."""
        return self.point_before(self.kept().start)

    def delete_old(self, txn: Transaction, base: int) -> None:
        """Delete the blocks and checkpoints before the base."""
        for version in range(self.first_block, base):
            txn.delete(version_key(version), db=self._env.log)
        for point in self.points[: bisect_right(self.points, base - 1)]:
            txn.delete(version_key(point), db=self._env.points)
        self.first_block = max(self.first_block, base)
        self.points = [point for point in self.points if point >= base]
        self._env.probe("pruned")
