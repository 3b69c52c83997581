"""Opening: deletes the remains of an unfinished checkpoint and replays the log after the last one."""

import struct
from collections.abc import Mapping

from iavl.collector import CollectorPaused
from iavl.commit_info import CommitInfo
from iavl.disk.blocks import BlockReader, version_key
from iavl.disk.checkpoint import decode_point
from iavl.disk.environment import Environment
from iavl.disk.nodes import NodeLoader, serial_key
from iavl.errors import CorruptDatabase, StoreMismatch
from iavl.node import Node
from iavl.tree import Tree
from iavl.write import Change

BlockChanges = dict[str, list[Change]]

_FORMAT = b"format"
_FORMAT_NAME = b"iavl tree 1"
_INITIAL = b"initial version"


def check_format(env: Environment, initial_version: int) -> None:
    """Marks a new database as ours, or checks that it is.

    Raises:
        CorruptDatabase: it holds something else.
        StoreMismatch: it was made with another first version.
    """
    found = env.read(env.meta, _FORMAT)
    if found is None and not env.keys(env.log):
        with env.writing() as txn:
            txn.put(_FORMAT, _FORMAT_NAME, db=env.meta)
            txn.put(_INITIAL, version_key(initial_version), db=env.meta)
        return
    if found != _FORMAT_NAME:
        raise CorruptDatabase(env.path, f"format {found!r}")
    if env.read(env.meta, _INITIAL) != version_key(initial_version):
        raise StoreMismatch(env.path, f"made with another initial version than {initial_version}")


def read_point(env: Environment, version: int, loader: NodeLoader) -> tuple[int, dict[str, Node | None]]:
    """First unused serial and hollow roots of a finished checkpoint; of none (0), of an empty tree.

    Raises:
        CorruptDatabase: the record is missing or damaged.
    """
    if not version:
        return 1, {}
    record = env.read(env.points, version_key(version))
    try:
        return decode_point(record or b"", loader)
    except (struct.error, UnicodeDecodeError) as error:
        raise CorruptDatabase(env.path, f"checkpoint {version}: {error}") from error


def block_reader(env: Environment, version: int) -> BlockReader:
    """A reader of what was logged for a version; it raises CorruptDatabase, as does this.

    Raises:
        CorruptDatabase: the record is missing.
    """
    record = env.read(env.log, version_key(version))
    if record is None:
        raise CorruptDatabase(env.path, f"block {version} is missing")
    return BlockReader(env.path, version, record)


def delete_unfinished(env: Environment, next_serial: int) -> None:
    """Deletes the nodes of a checkpoint that has no point: their serials will be given again."""
    last = env.last_key(env.nodes)
    if last is None or last < serial_key(next_serial):
        return
    with env.writing() as txn, txn.cursor(db=env.nodes) as cursor:
        cursor.set_range(serial_key(next_serial))
        while cursor.key():  # empty behind the last
            cursor.delete()
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
