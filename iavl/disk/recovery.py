"""Recovery on opening: deletes nodes of an unfinished checkpoint and replays the log after the last."""

from collections.abc import Callable, Mapping

from iavl.commit_info import NOTHING, CommitInfo
from iavl.disk.blocks import HEAD, BlockReader, check_head, version_key
from iavl.disk.checkpoint import decode_point
from iavl.disk.database.environment import Environment
from iavl.disk.nodes import serial_key
from iavl.errors import CorruptDatabase, StoreMismatch
from iavl.gc_pause import GcPaused
from iavl.nodes.node import Loader, Node
from iavl.nodes.write import Change
from iavl.sha import EMPTY_HASH
from iavl.tree import Tree

BlockChanges = dict[str, list[Change]]
Read = Callable[[object, bytes], bytes | None]
"""Function that reads a record of a database."""


def read_last(env: Environment, version: int) -> CommitInfo:
    """Return the commit info of the last version in the log; 0 means that there is none.

    Raises:
        CorruptDatabase: its block is missing or damaged, or is not the last one written.
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
    """Read the first unused serial and hollow roots of a checkpoint; for 0, those of an empty tree.

    The roots are checked against the block of that version, which is read unless it is `known`.

    Raises:
        CorruptDatabase: the record is missing or damaged, or its roots differ from the block's.
    """
    if not version:
        return 1, {}
    read = read or env.read
    record = read(env.points, version_key(version))
    next_serial, roots = decode_point(env.path, version, record, loader)
    committed = (known if known.version == version else block_reader(env, version, read).info()).roots
    hashes = {name: EMPTY_HASH if root is None else root.hash for name, root in roots.items()}
    if hashes != committed:
        raise CorruptDatabase(env.path, f"checkpoint {version} and block {version} have different roots")
    return next_serial, roots


def block_reader(env: Environment, version: int, read: Read | None = None) -> BlockReader:
    """Return a reader of a version's log record; both raise CorruptDatabase.

    Raises:
        RecordMissing: the record does not exist.
    """
    return BlockReader(env.path, version, (read or env.read)(env.log, version_key(version)))


def delete_unfinished(env: Environment, next_serial: int) -> None:
    """Delete the nodes of a checkpoint that has no point: their serials will be reused."""
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
    """Check that no store of the last version is missing.

    Raises:
        StoreMismatch: `trees` lacks a store.
    """
    for name in info.roots:
        if name not in trees:
            raise StoreMismatch(env.path, f"version {info.version} has store {name!r}; open with it")


def replay(env: Environment, trees: Mapping[str, Tree], version: int) -> BlockChanges:
    """Apply a logged block to the trees and check its root hashes; the trees are left uncommitted.

    Raises:
        CorruptDatabase: the record is missing or damaged, or its root hash differs from the tree's.
    """
    info, changes = block_reader(env, version).read()
    with GcPaused():
        for name, batch in changes.items():
            trees[name].apply(batch)
            if trees[name].working_hash() != info.roots[name]:
                raise CorruptDatabase(env.path, f"the root of store {name!r} differs at version {version}")
    return changes
