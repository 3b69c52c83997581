"""Problems found by `verify_store`, and its report."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from iavl import engine
from iavl.disk.blocks import BlockReader, version_key
from iavl.disk.checkpoint import Timeline
from iavl.disk.database import data_file
from iavl.disk.database.environment import Environment, LockFile
from iavl.disk.database.settings import DiskOptions, as_storage_errors, check_settings
from iavl.disk.recovery import read_last, read_point
from iavl.disk.writer import checkpoint_of, decode_list
from iavl.errors import CorruptDatabase, RecordMissing
from iavl.nodes.node import Node
from iavl.tree import Tree


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem: `record` is its place ("node 17", "block 5"), `detail` describes it."""

    record: str
    detail: str

    def __str__(self) -> str:
        return f"{type(self).__name__}: {self.record}: {self.detail}"


class BadFile(Problem):
    """The file is not LMDB's, is truncated, or its pages are inconsistent; no record is read then."""

    __slots__ = ()


class BadRecord(Problem):
    """A record is damaged, or in the wrong place."""

    __slots__ = ()


class MissingRecord(Problem):
    """A record that another record refers to is missing."""

    __slots__ = ()


class WrongTree(Problem):
    """A node is inconsistent with its children, or a block's writes give another root hash than it states."""

    __slots__ = ()


class LeakedNode(Problem):
    """A node is not needed by any version, and on no orphan list."""

    __slots__ = ()


class WrongOrphan(Problem):
    """An orphan list contains a node that is needed, or one that does not exist."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Verified:
    """Result of verifying a store."""

    versions: range
    """Versions in the log."""
    app_hash: bytes
    """App hash of the last version; empty if it cannot be read."""
    checkpoints: int
    nodes: int
    """Nodes reachable from checkpoints, each counted once."""
    bytes: int
    """Bytes of the records read, without LMDB's page overhead."""
    problems: int
    """Number of problems reported."""

    @property
    def is_sound(self) -> bool:
        """True if there were no problems."""
        return not self.problems


class Report:
    """Passes problems to a callback and counts them."""

    def __init__(self, on_problem: Callable[[Problem], None]) -> None:
        self._on_problem = on_problem
        self.problems = self.bytes = self.nodes = self.checkpoints = 0
        self.versions = range(0)
        self.app_hash = b""

    def report(self, problem: Problem) -> None:
        """Report a problem."""
        self.problems += 1
        self._on_problem(problem)

    def report_error(self, record: str, error: CorruptDatabase) -> None:
        """Report an error raised while `record` was read."""
        kind = MissingRecord if isinstance(error, RecordMissing) else BadRecord
        self.report(kind(record, error.reason))

    def verified(self) -> Verified:
        """Return the result."""
        return Verified(self.versions, self.app_hash, self.checkpoints, self.nodes, self.bytes, self.problems)


# -- walk over the trees of all checkpoints, node by node


class _Step(NamedTuple):
    """A node to read, and the range of its keys: first key inclusive, end exclusive."""

    node: Node
    first: bytes | None
    end: bytes | None


class NodeWalk:
    """Reads every node once; walk the last checkpoint first."""

    def __init__(self, env: Environment, report: Report) -> None:
        self.seen: dict[int, int] = {}
        """Last checkpoint that reaches each node, by serial."""
        self.loader = engine.active.loader(env.path, self)
        self._env = env
        self._report = report

    def get(self, key: bytes, /) -> bytes | None:
        """Return a node's record (`iavl.disk.nodes.Source`)."""
        record = self._env.current_nodes.get(key)
        self._report.bytes += len(record or b"")
        return record

    def walk(self, checkpoint: int, roots: Mapping[str, Node | None]) -> None:
        """Read the nodes below the roots that were not read yet."""
        stack = [_Step(root, None, None) for root in roots.values() if root is not None]
        while stack:
            step = stack.pop()
            if step.node.serial not in self.seen:
                self.seen[step.node.serial] = checkpoint
                stack += self._look(step)

    def _look(self, step: _Step) -> list[_Step]:
        node, serial = step.node, step.node.serial
        try:
            key = node.key
        except CorruptDatabase as error:
            self._report.report_error(f"node {serial}", error)
            return []
        self._report.nodes += 1
        if fault := _fault_of_leaf(step) if not node.height else _fault_of_inner(node):
            self._report.report(WrongTree(f"node {serial}", fault))
        below = [_Step(node.right, key, step.end), _Step(node.left, step.first, key)] if node.height else []
        self.loader.empty(node)  # otherwise the root would retain all nodes read
        return below


def _fault_of_leaf(step: _Step) -> str:
    """Return a leaf's inconsistency with inner nodes; each leaf except the first starts a right subtree."""
    if step.first is not None and step.node.key != step.first:
        return "its key differs from that of the inner node above"
    if step.end is not None and step.node.key >= step.end:
        return "its key belongs further to the right"
    return ""


def _fault_of_inner(node: Node) -> str:
    """Return an inner node's inconsistency with its children."""
    left, right = node.left, node.right
    if node.height != max(left.height, right.height) + 1 or abs(left.height - right.height) > 1:
        return "its height does not match its children's"
    if node.size != left.size + right.size:
        return "its size is not the sum of its children's"
    if node.version < max(left.version, right.version):
        return "it is older than its children"
    return ""


# -- verification of all records of a closed store

_WHOLE_FILE = DiskOptions().map_size


def verify_store(
    path: str | Path, *, on_problem: Callable[[Problem], None], map_size: int = _WHOLE_FILE
) -> Verified:
    """Verify every record of a closed store against all others, read-only.

    The pages of the file are checked first, without LMDB: inconsistent pages could kill the process, so
    records are read only if the pages are sound. Then come the trees of all checkpoints, the orphan lists,
    and the log, whose writes are replayed. It takes about ten microseconds per node, plus the time to execute
    the logged blocks' writes.

    Args:
        path: Folder of the store.
        on_problem: Called with each problem, in the order found.
        map_size: Upper bound of the file's size, in bytes.

    Raises:
        StorageBusy: the store is open.
        UnsupportedFormat: another release wrote it.
        StorageFailed: an error of the disk or the system prevents reading.
    """
    folder, report = Path(path), Report(on_problem)
    try:
        if _is_sound(folder, map_size, report):
            env = Environment(folder, DiskOptions(map_size=map_size), {})
            try:
                _walk(env, report)
            finally:
                env.close()
    except CorruptDatabase as error:
        report.report(BadFile(data_file.NAME, error.reason))
    return report.verified()


def _is_sound(folder: Path, map_size: int, report: Report) -> bool:
    """Check the file's pages; return whether LMDB can open it safely."""
    if not data_file.exists(folder):
        raise CorruptDatabase(str(folder), f"{data_file.NAME} is missing")
    with as_storage_errors(str(folder)):
        lock = LockFile(folder)
        try:
            data_file.check(folder, map_size)
            faults = data_file.structure_faults(folder)
        finally:
            lock.release()
    for fault in faults:
        report.report(BadFile(data_file.NAME, fault))
    return not faults


def _walk(env: Environment, report: Report) -> None:
    check_settings(env.path, lambda key: env.read(env.meta, key))
    timeline = Timeline(env, None)
    try:
        read_last(env, timeline.last_block)
    except CorruptDatabase as error:
        report.report_error(f"block {timeline.last_block}", error)
    report.versions = timeline.kept()
    report.checkpoints = len(timeline.points)
    nodes, next_serial = NodeWalk(env, report), 1
    for point in reversed(timeline.points):
        try:
            first_unused, roots = read_point(env, point, nodes.loader)
        except CorruptDatabase as error:
            report.report_error(f"checkpoint {point}", error)
            continue
        next_serial = max(next_serial, first_unused)
        nodes.walk(point, roots)
    _check_orphans(env, report, nodes.seen, timeline.points[-1:], next_serial)
    _replay(env, report, timeline)


def _check_orphans(
    env: Environment, report: Report, seen: dict[int, int], last: list[int], next_serial: int
) -> None:
    """Check that each node is in the last checkpoint, or listed with the first checkpoint that lacks it.

    Nodes from `next_serial` on belong to an unfinished checkpoint: opening deletes them.
    """
    listed = _listed(env, report)
    stored = list(map(int.from_bytes, env.keys(env.nodes)))
    present = set(stored)
    for serial in stored:
        if serial < next_serial and serial not in listed and [seen.get(serial)] != last:
            report.report(LeakedNode(f"node {serial}", "not in the last checkpoint, and on no orphan list"))
    for serial, checkpoint in listed.items():
        if seen.get(serial, 0) >= checkpoint:
            report.report(
                WrongOrphan(f"node {serial}", f"listed with checkpoint {checkpoint}, which needs it")
            )
        if serial not in present:
            report.report(WrongOrphan(f"node {serial}", f"listed with checkpoint {checkpoint}, but missing"))


def _listed(env: Environment, report: Report) -> dict[int, int]:
    """Return the listed serials, each with its checkpoint."""
    listed: dict[int, int] = {}
    for key in env.keys(env.orphans):
        record = env.read(env.orphans, key) or b""
        report.bytes += len(record)
        try:
            checkpoint, serials = checkpoint_of(env.path, key), decode_list(env.path, key, record)
        except CorruptDatabase as error:
            report.report_error("orphan list", error)
            continue
        for serial in map(int.from_bytes, serials):
            if serial in listed:
                report.report(WrongOrphan(f"node {serial}", "listed twice"))
            listed[serial] = checkpoint
    return listed


def _replay(env: Environment, report: Report, timeline: Timeline) -> None:
    """Replay the log from each checkpoint to the next; after a problem, from the next checkpoint."""
    is_from_start = not timeline.points or timeline.first_block < timeline.points[0]
    trees: dict[str, Tree] | None = {} if is_from_start else None
    for version in timeline.kept():
        record = env.read(env.log, version_key(version))
        report.bytes += len(record or b"")
        try:
            info, changes = BlockReader(env.path, version, record).read()
            report.app_hash = info.app_hash if version == timeline.last_block else b""
            if trees is not None:
                for name, batch in changes.items():
                    tree = trees.setdefault(name, Tree(initial_version=version, name=name))
                    tree.apply(batch)
                    if tree.commit()[1] != info.roots[name]:
                        report.report(WrongTree(f"block {version}", f"another root of {name!r}"))
            if version in timeline.points:
                trees = _trees_at(env, version)
        except CorruptDatabase as error:
            report.report_error(f"block {version}", error)
            trees = None


def _trees_at(env: Environment, point: int) -> dict[str, Tree]:
    """Return the trees of a checkpoint, whose nodes are loaded on access."""
    trees = {}
    for name, root in read_point(env, point, engine.active.loader(env.path, env.current_nodes))[1].items():
        trees[name] = Tree(name=name)
        trees[name].adopt(root, point)
    return trees
