"""Checks of records that no hash of the tree names: each ends with a digest of itself and of its place.

    seal = SHA-256(name || 00 || key || body)      all 32 bytes behind the body

The name of its database and its key are part of it, so a record that stands in another's place is refused as
one with a changed byte is. This finds what hardware does; who may write the file can write seals as well.
"""

from iavl.errors import CorruptDatabase, RecordMissing
from iavl.sha import sha256

SIZE = 32


def sealed(name: str, key: bytes, body: bytes) -> bytes:
    """The record for `body` at `key` of the database `name`."""
    return body + sha256(b"".join((name.encode(), b"\0", key, body))).digest()


def unsealed(path: str, name: str, key: bytes, record: bytes | None) -> bytes:
    """The body of a record, once it is known to be whole and in its place.

    Raises:
        RecordMissing: there is none.
        CorruptDatabase: it is not what was written there.
    """
    if record is None:
        raise RecordMissing(path, f"{name} {told(key)} is missing")
    body = record[:-SIZE]
    if len(record) < SIZE or record[-SIZE:] != sha256(b"".join((name.encode(), b"\0", key, body))).digest():
        raise CorruptDatabase(path, f"{name} {told(key)} is damaged")
    return body


def told(key: bytes) -> str:
    """A key for people: numbers, or the text that it is."""
    if len(key) in {8, 12}:
        number = str(int.from_bytes(key[:8]))
        return number if len(key) == 8 else f"{number}.{int.from_bytes(key[8:])}"
    return key.decode(errors="replace")
