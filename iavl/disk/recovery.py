"""Opening: deletes the remains of an unfinished checkpoint and replays the log after the last one."""

from collections.abc import Callable, Mapping

from iavl.collector import CollectorPaused
from iavl.commit_info import NOTHING, CommitInfo
from iavl.disk.blocks import HEAD, BlockReader, check_head, version_key
from iavl.disk.checkpoint import decode_point
from iavl.disk.environment import Environment
from iavl.disk.nodes import serial_key
from iavl.errors import CorruptDatabase, StoreMismatch
from iavl.node import Loader, Node
from iavl.sha import EMPTY_HASH
from iavl.tree import Tree
from iavl.write import Change

BlockChanges = dict[str, list[Change]]
Read = Callable[[object, bytes], bytes | None]
"""Reads a record of a database."""


def read_last(env: Environment, version: int) -> CommitInfo:
    """What was committed as the last version, which the log ends with; 0: nothing was.

    Raises:
        CorruptDatabase: its block is missing or damaged, or was not written last.
    """
    if not version:
        check_head(env.path, 0, b"", env.read(env.meta, HEAD))
        return NOTHING
    reader = block_reader(env, version)
    check_head(env.path, version, reader.seal, env.read(env.meta, HEAD))
    return reader.info()


def read_point(
    env: Environment, version: int, loader: Loader, read: Read | None = None, known: CommitInfo = NOTHING
) -> tuple[int, dict[str, Node | None]]:
    """First unused serial and hollow roots of a finished checkpoint; of none (0), of an empty tree.

    The roots are what the block of that version committed to, read here if it is not the `known` one.

    Raises:
        CorruptDatabase: the record is missing or damaged, or has other roots.
    """
    if not version:
        return 1, {}
    read = read or env.read
    record = read(env.points, version_key(version))
    next_serial, roots = decode_point(env.path, version, record, loader)
    committed = (known if known.version == version else block_reader(env, version, read).info()).roots
    hashes = {name: EMPTY_HASH if root is None else root.hash for name, root in roots.items()}
    if hashes != committed:
        raise CorruptDatabase(env.path, f"checkpoint {version} has other roots than block {version}")
    return next_serial, roots


def block_reader(env: Environment, version: int, read: Read | None = None) -> BlockReader:
    """A reader of what was logged for a version; it raises CorruptDatabase, as does this.

    Raises:
        RecordMissing: there is no such record.
    """
    return BlockReader(env.path, version, (read or env.read)(env.log, version_key(version)))


def delete_unfinished(env: Environment, next_serial: int) -> None:
    """Deletes the nodes of a checkpoint that has no point: their serials will be given again."""
    ends = env.ends(env.nodes)
    if ends is None or ends[1] < serial_key(next_serial):
        return
    with env.writing() as txn:
        with txn.cursor(db=env.nodes) as cursor:
            cursor.set_range(serial_key(next_serial))
            remains = list(cursor.iternext(keys=True, values=False))
        for key in remains:
            txn.delete(key, db=env.nodes)
        env.probe("cleaned")


def check_stores(env: Environment, info: CommitInfo, trees: Mapping[str, Tree]) -> None:
    """Refuses to open with a store missing.

    Raises:
        StoreMismatch: `trees` lacks one.
    """
    for name in info.roots:
        if name not in trees:
            raise StoreMismatch(env.path, f"version {info.version} has a store {name!r}")


def replay(env: Environment, trees: Mapping[str, Tree], version: int) -> BlockChanges:
    """Writes a logged block to the trees, checked against its root hashes; they are left uncommitted.

    Raises:
        CorruptDatabase: the record is missing or damaged, or gives another root hash than it says.
    """
    info, changes = block_reader(env, version).read()
    with CollectorPaused():
        for name, batch in changes.items():
            trees[name].apply(batch)
            if trees[name].working_hash() != info.roots[name]:
                raise CorruptDatabase(env.path, f"store {name!r} differs at version {version}")
    return changes
