"""A walk over all that a closed store holds."""

from collections.abc import Callable
from pathlib import Path

from iavl import engine
from iavl.disk import data_file
from iavl.disk.blocks import BlockReader, version_key
from iavl.disk.environment import Environment
from iavl.disk.failures import MACHINE, storage_error
from iavl.disk.lock_file import LockFile
from iavl.disk.options import DiskOptions
from iavl.disk.orphans import checkpoint_of, decode_list
from iavl.disk.points import Timeline
from iavl.disk.problems import BadFile, LeakedNode, Problem, Report, Verified, WrongOrphan, WrongTree
from iavl.disk.recovery import read_last, read_point
from iavl.disk.settings import check_settings
from iavl.disk.walk import NodeWalk
from iavl.errors import CorruptDatabase
from iavl.tree import Tree

_WHOLE_FILE = DiskOptions().map_size


def verify_store(
    path: str | Path, *, on_problem: Callable[[Problem], None], map_size: int = _WHOLE_FILE
) -> Verified:
    """Reads every record of a closed store and checks it against all others; changes nothing.

    The pages of the file come first, read without LMDB: what is wrong there could kill the process, so
    records are walked only if nothing is. Then the trees of all checkpoints, the lists of what is to be
    deleted, and the log, whose writes are made again. It takes some ten microseconds a node, and as long as
    the logged blocks took.

    Args:
        path: The store's folder.
        on_problem: Called with each fault, in the order found.
        map_size: At least the file's size, in bytes.

    Raises:
        StorageBusy: it is open.
        UnsupportedFormat: another release wrote it.
        StorageFailed: it cannot be read for the machine's sake.
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
        report.tell(BadFile(data_file.NAME, error.reason))
    return report.verified()


def _is_sound(folder: Path, map_size: int, report: Report) -> bool:
    """Whether LMDB may be given the file."""
    if not data_file.exists(folder):
        raise CorruptDatabase(str(folder), f"{data_file.NAME} is missing")
    try:
        lock = LockFile(folder)
        try:
            data_file.check(folder, map_size)
            faults = data_file.structure_faults(folder)
        finally:
            lock.release()
    except MACHINE as error:
        raise storage_error(str(folder), error) from error
    for fault in faults:
        report.tell(BadFile(data_file.NAME, fault))
    return not faults


def _walk(env: Environment, report: Report) -> None:
    check_settings(env.path, lambda key: env.read(env.meta, key))
    timeline = Timeline(env, None)
    try:
        read_last(env, timeline.last_block)
    except CorruptDatabase as error:
        report.tell_error(f"block {timeline.last_block}", error)
    report.versions = timeline.kept()
    report.checkpoints = len(timeline.points)
    nodes, next_serial = NodeWalk(env, report), 1
    for point in reversed(timeline.points):
        try:
            first_unused, roots = read_point(env, point, nodes.loader)
        except CorruptDatabase as error:
            report.tell_error(f"checkpoint {point}", error)
            continue
        next_serial = max(next_serial, first_unused)
        nodes.walk(point, roots)
    _check_orphans(env, report, nodes.seen, timeline.points[-1:], next_serial)
    _replay(env, report, timeline)


def _check_orphans(
    env: Environment, report: Report, seen: dict[int, int], last: list[int], next_serial: int
) -> None:
    """Every node is in the last checkpoint, or on the list of the first checkpoint that lacks it.

    Those from `next_serial` on are of an unfinished checkpoint: opening deletes them.
    """
    listed = _listed(env, report)
    stored = list(map(int.from_bytes, env.keys(env.nodes)))
    present = set(stored)
    for serial in stored:
        if serial < next_serial and serial not in listed and [seen.get(serial)] != last:
            report.tell(LeakedNode(f"node {serial}", "it is not in the last checkpoint, and on no list"))
    for serial, checkpoint in listed.items():
        if seen.get(serial, 0) >= checkpoint:
            report.tell(WrongOrphan(f"node {serial}", f"it is listed with {checkpoint}, which needs it"))
        if serial not in present:
            report.tell(WrongOrphan(f"node {serial}", f"it is listed with {checkpoint}, and not there"))


def _listed(env: Environment, report: Report) -> dict[int, int]:
    """The serials on the lists, each with its checkpoint."""
    listed: dict[int, int] = {}
    for key in env.keys(env.orphans):
        record = env.read(env.orphans, key) or b""
        report.bytes += len(record)
        try:
            checkpoint, serials = checkpoint_of(env.path, key), decode_list(env.path, key, record)
        except CorruptDatabase as error:
            report.tell_error("orphan list", error)
            continue
        for serial in map(int.from_bytes, serials):
            if serial in listed:
                report.tell(WrongOrphan(f"node {serial}", "it is listed twice"))
            listed[serial] = checkpoint
    return listed


def _replay(env: Environment, report: Report, timeline: Timeline) -> None:
    """Makes the logged writes again, from each checkpoint to the next; behind a fault, from the next one."""
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
                        report.tell(WrongTree(f"block {version}", f"its writes give {name!r} another root"))
            if version in timeline.points:
                trees = _trees_at(env, version)
        except CorruptDatabase as error:
            report.tell_error(f"block {version}", error)
            trees = None


def _trees_at(env: Environment, point: int) -> dict[str, Tree]:
    """The trees of a checkpoint, whose nodes are loaded as they are needed."""
    trees = {}
    for name, root in read_point(env, point, engine.now.loader(env.path, env.nodes_now))[1].items():
        trees[name] = Tree(name=name)
        trees[name].adopt(root, point)
    return trees
