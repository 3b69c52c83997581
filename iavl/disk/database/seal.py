"""Checksums of records that no hash of the tree covers: each record ends with a digest, its seal.

    seal = SHA-256(name || 00 || key || body)      32 bytes, after the body

The digest includes the names of database and key, so that a record in the wrong place is refused like a
damaged one. Seals detect hardware faults, not tampering: anyone who can write the file can compute seals.
"""

from iavl.errors import CorruptDatabase, RecordMissing
from iavl.sha import sha256

SIZE = 32


def sealed(name: str, key: bytes, body: bytes) -> bytes:
    """Append the seal of `body` at `key` in the database `name`."""
    return body + sha256(b"".join((name.encode(), b"\0", key, body))).digest()


def unsealed(path: str, name: str, key: bytes, record: bytes | None) -> bytes:
    """Verify a record's seal and return its body.

    Raises:
        RecordMissing: the record does not exist.
        CorruptDatabase: the record is damaged, or in the wrong place.
    """
    if record is None:
        raise RecordMissing(path, f"{name} {format_key(key)} is missing")
    body = record[:-SIZE]
    if len(record) < SIZE or record[-SIZE:] != sha256(b"".join((name.encode(), b"\0", key, body))).digest():
        raise CorruptDatabase(path, f"{name} {format_key(key)} is damaged")
    return body


def format_key(key: bytes) -> str:
    """Format a key for error messages: numbers, or text."""
    if len(key) in {8, 12}:
        number = str(int.from_bytes(key[:8]))
        return number if len(key) == 8 else f"{number}.{int.from_bytes(key[8:])}"
    return key.decode(errors="replace")
