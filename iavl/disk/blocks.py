"""The log: one record for each block, with all that a version adds to the one before.

head:     app hash 32 B | length 4 B, metadata | stores 2 B
          each store, in byte order: length 2 B, name | root hash 32 B
changes:  each store again: changes 4 B
          each of its changes, in the order applied:
              key length 4 B | value length 4 B (all ones: removed) | key | value
record:   the head's length 4 B | head | changes | SHA-256 of the changes 32 B |
          seal 32 B (seal.py) of the head and that hash: the head is told without reading the changes

`meta` names the last block by its version and its seal: a log without its end is no log.
"""

import struct
from collections.abc import Mapping

from iavl.commit_info import CommitInfo
from iavl.disk.seal import SIZE, sealed, unsealed
from iavl.errors import CorruptDatabase, RecordMissing
from iavl.sha import sha256
from iavl.simple import simple_root
from iavl.write import Change

_REMOVED = 0xFFFFFFFF
_LENGTHS = struct.Struct(">II")
_LENGTH = struct.Struct(">I")
_SHORT = struct.Struct(">H")
_VERSION = struct.Struct(">Q")

Changes = Mapping[str, list[Change]]

DATABASE = "block"
"""The name of the log in the seals of its records."""
HEAD = b"last block"
"""The key in `meta`."""
HEAD_DATABASE = "setting"

version_key = _VERSION.pack


def version_of(key: bytes) -> int:
    """The version of a log or checkpoint key."""
    version: int = _VERSION.unpack(key)[0]
    return version


def encode_block(info: CommitInfo, changes: Changes) -> bytes:
    """A record of what was committed."""
    head = _encode_info(info)
    changed = _encode_changes(info, changes)
    told = _LENGTH.pack(len(head)) + head
    digest = sha256(changed).digest()
    seal = sealed(DATABASE, version_key(info.version), told + digest)[-SIZE:]
    return b"".join((told, changed, digest, seal))


def _encode_info(info: CommitInfo) -> bytes:
    parts = [info.app_hash, _LENGTH.pack(len(info.metadata)), info.metadata, _SHORT.pack(len(info.roots))]
    for name, root in info.roots.items():
        raw = name.encode()
        parts += _SHORT.pack(len(raw)), raw, root
    return b"".join(parts)


def _encode_changes(info: CommitInfo, changes: Changes) -> bytes:
    parts: list[bytes] = []
    pack = _LENGTHS.pack
    for name in info.roots:
        parts.append(_LENGTH.pack(len(changes[name])))
        for key, value in changes[name]:
            if value is None:
                parts += pack(len(key), _REMOVED), key
            else:
                parts += pack(len(key), len(value)), key, value
    return b"".join(parts)


def encode_head(version: int, record: bytes) -> bytes:
    """The record that names `version`, whose block is `record`, as the last one."""
    return sealed(HEAD_DATABASE, HEAD, version_key(version) + record[-SIZE:])


def check_head(path: str, version: int, seal: bytes, head: bytes | None) -> None:
    """Checks that the last block of the log, with that seal, was written last; version 0: there is none.

    Raises:
        CorruptDatabase: it is not.
    """
    if head is None and not version:
        return
    named = unsealed(path, HEAD_DATABASE, HEAD, head)
    written = version_of(named[:8])
    if version != written:
        raise CorruptDatabase(path, f"the last block is {version}, not {written} as written")
    if named[8:] != seal:
        raise CorruptDatabase(path, f"block {version} is not the one that was written last")


class BlockReader:
    """Reads a record, once, from its start.

    Raises:
        RecordMissing: there is none.
        CorruptDatabase: it is damaged, or is too short or too long.
    """

    def __init__(self, path: str, version: int, record: bytes | None) -> None:
        self._path = path
        self._version = version
        if record is None:
            raise RecordMissing(path, f"block {version} is missing")
        self._record = record
        self._at = _LENGTH.size
        self._changes = _LENGTH.size + int.from_bytes(record[: _LENGTH.size])
        self._end = len(record) - 2 * SIZE
        unsealed(path, DATABASE, version_key(version), record[: self._changes] + record[self._end :])

    @property
    def seal(self) -> bytes:
        """The record's seal."""
        return self._record[-SIZE:]

    def info(self) -> CommitInfo:
        """The version's roots and metadata."""
        app_hash = self._take(32)
        metadata = self._take(self._number(_LENGTH))
        roots: dict[str, bytes] = {}
        for _ in range(self._number(_SHORT)):
            name = self._take(self._number(_SHORT)).decode(errors="replace")
            roots[name] = self._take(32)
        if self._at != self._changes:
            raise self._corrupt("has bytes behind its head")
        if simple_root(roots) != app_hash:
            raise self._corrupt("has another app hash than its stores")
        return CommitInfo(self._version, roots, metadata, app_hash)

    def read(self) -> tuple[CommitInfo, dict[str, list[Change]]]:
        """The version's roots and metadata, and its changes."""
        info = self.info()
        if sha256(self._record[self._at : self._end]).digest() != self._record[self._end : -SIZE]:
            raise self._corrupt("is damaged")
        changes = {name: [self._change() for _ in range(self._number(_LENGTH))] for name in info.roots}
        if self._at != self._end:
            raise self._corrupt("has bytes behind its end")
        return info, changes

    def _change(self) -> Change:
        lengths = self._take(_LENGTHS.size)
        key_length, value_length = _LENGTHS.unpack(lengths)
        key = self._take(key_length)
        return key, (None if value_length == _REMOVED else self._take(value_length))

    def _number(self, form: struct.Struct) -> int:
        number: int = form.unpack(self._take(form.size))[0]
        return number

    def _take(self, length: int) -> bytes:
        start = self._at
        self._at = end = start + length
        if end > self._end:
            raise self._corrupt("is cut short")
        return self._record[start:end]

    def _corrupt(self, what: str) -> CorruptDatabase:
        return CorruptDatabase(self._path, f"block {self._version} {what}")
