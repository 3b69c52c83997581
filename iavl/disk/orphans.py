"""Nodes that checkpoints hold and later versions replaced.

They are listed with the first checkpoint that no longer has them, in the transaction that writes its point
(earlier, a kill would leave a list of nodes that still live). They are deleted once every kept version is
at or after that checkpoint, some with each block, each chunk of the list together with its nodes.
"""

import struct
from collections.abc import Iterable

from iavl.disk.environment import Environment, Transaction
from iavl.disk.nodes import serial_key

_CHUNK = 1_000
_KEY = struct.Struct(">QI")
_SERIAL_SIZE = 8


def list_orphans(env: Environment, txn: Transaction, checkpoint: int, serials: Iterable[int]) -> None:
    """Writes the list of a checkpoint, in chunks."""
    ordered = sorted(serials)
    for number, start in enumerate(range(0, len(ordered), _CHUNK)):
        chunk = b"".join(map(serial_key, ordered[start : start + _CHUNK]))
        txn.put(_KEY.pack(checkpoint, number), chunk, db=env.orphans)
    env.probe("orphans")


def delete_orphans(env: Environment, txn: Transaction, base: int, budget: int) -> None:
    """Deletes nodes listed with checkpoints up to `base`: some `budget` of them, whole chunks."""
    with txn.cursor(db=env.orphans) as cursor:
        while budget > 0 and cursor.first() and _KEY.unpack(cursor.key())[0] <= base:
            chunk = cursor.value()
            for at in range(0, len(chunk), _SERIAL_SIZE):
                txn.delete(chunk[at : at + _SERIAL_SIZE], db=env.nodes)
            budget -= len(chunk) // _SERIAL_SIZE
            cursor.delete()
            env.probe("deleted")
