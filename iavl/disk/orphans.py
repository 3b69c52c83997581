"""Orphans: nodes of checkpoints that later versions replaced.

Orphans are listed with the first checkpoint that no longer has them, in the transaction that writes its point
(if it were earlier, a crash would leave a list of nodes that are still live). They are deleted once every
retained version is at or after that checkpoint: with each block some chunks, each together with its nodes.
"""

import struct
from collections.abc import Iterable

from iavl.disk.database.environment import Environment, Transaction
from iavl.disk.database.seal import sealed, unsealed
from iavl.disk.nodes import serial_key
from iavl.errors import CorruptDatabase, RecordMissing

DATABASE = "orphan list"
"""Name of `orphans` in the seals of its records."""
_CHUNK = 1_000
_KEY = struct.Struct(">QI")
_SERIAL_SIZE = 8


def list_orphans(env: Environment, txn: Transaction, checkpoint: int, serials: Iterable[int]) -> None:
    """Write the orphan list of a checkpoint, in chunks."""
    ordered = sorted(serials)
    for number, start in enumerate(range(0, len(ordered), _CHUNK)):
        chunk = b"".join(map(serial_key, ordered[start : start + _CHUNK]))
        key = _KEY.pack(checkpoint, number)
        txn.put(key, sealed(DATABASE, key, chunk), db=env.orphans)
    env.probe("orphans")


def checkpoint_of(path: str, key: bytes) -> int:
    """Return the checkpoint of an orphan list.

    Raises:
        CorruptDatabase: the key is malformed.
    """
    if len(key) != _KEY.size:
        raise CorruptDatabase(path, f"malformed key {key!r} of an orphan list")
    checkpoint: int = _KEY.unpack(key)[0]
    return checkpoint


def decode_list(path: str, key: bytes, record: bytes) -> list[bytes]:
    """Return the keys of the nodes in an orphan list.

    Raises:
        CorruptDatabase: the record is damaged.
    """
    chunk = unsealed(path, DATABASE, key, record)
    return [chunk[at : at + _SERIAL_SIZE] for at in range(0, len(chunk), _SERIAL_SIZE)]


def delete_orphans(env: Environment, txn: Transaction, base: int, budget: int) -> None:
    """Delete about `budget` nodes listed with checkpoints up to `base`, in whole chunks.

    Raises:
        CorruptDatabase: a list is damaged.
        RecordMissing: a listed node does not exist.
    """
    with txn.cursor(db=env.orphans) as cursor:
        while budget > 0 and cursor.first():
            key, chunk = cursor.item()
            if checkpoint_of(env.path, key) > base:
                return
            serials = decode_list(env.path, key, chunk)
            for serial in serials:
                if not txn.delete(serial, db=env.nodes):
                    number = int.from_bytes(serial)
                    raise RecordMissing(env.path, f"orphaned node {number} is missing")
            budget -= len(serials)
            txn.delete(key, db=env.orphans)
            env.probe("deleted")
