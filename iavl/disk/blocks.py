"""The log: one record per block, with all changes from the version before.

head:     app hash 32 B | length 4 B, metadata | stores 2 B
          each store, in byte order: length 2 B, name | root hash 32 B
changes:  each store again: changes 4 B
          each of its changes, in the order applied:
              key length 4 B | value length 4 B (all ones: removed) | key | value
record:   the head's length 4 B | head | changes | SHA-256 of the changes 32 B |
          seal 32 B (seal.py) of the head and that hash, so that the head is verified alone

`meta` names the last block by its version and its seal, so that a truncated log is detected.
"""

import struct
from collections.abc import Mapping

from iavl.commit_info import CommitInfo, simple_root
from iavl.disk.database.data_file import SIZE, sealed, unsealed
from iavl.errors import CorruptDatabase, RecordMissing
from iavl.nodes.write import Change
from iavl.sha import sha256

_REMOVED = 0xFFFFFFFF
_LENGTHS = struct.Struct(">II")
_LENGTH = struct.Struct(">I")
_SHORT = struct.Struct(">H")
_VERSION = struct.Struct(">Q")

Changes = Mapping[str, list[Change]]

DATABASE = "block"
"""Name of the log in the seals of its records."""
HEAD = b"last block"
"""Key in `meta` of the record that names the last block."""
HEAD_DATABASE = "setting"

version_key = _VERSION.pack


def version_of(key: bytes) -> int:
    """Return the version of a log or checkpoint key."""
    version: int = _VERSION.unpack(key)[0]
    return version


def encode_block(info: CommitInfo, changes: Changes) -> bytes:
    """Encode the log record of a block."""
    head = _encode_info(info)
    changed = _encode_changes(info, changes)
    prefix = _LENGTH.pack(len(head)) + head
    digest = sha256(changed).digest()
    seal = sealed(DATABASE, version_key(info.version), prefix + digest)[-SIZE:]
    return b"".join((prefix, changed, digest, seal))


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
    """Encode the record that names `version`, whose block is `record`, as the last one."""
    return sealed(HEAD_DATABASE, HEAD, version_key(version) + record[-SIZE:])


def check_head(path: str, version: int, seal: bytes, head: bytes | None) -> None:
    """Check that the last block of the log is the one that was written last.

    Args:
        path: path of the database, for errors.
        version: version of the last block in the log; 0 if the log is empty.
        seal: seal of that block; not used if the log is empty.
        head: record in `meta` that names the block written last (`encode_head`); None if there is none.

    Raises:
        RecordMissing: the log has a block, but `head` is None.
        CorruptDatabase: `head` is damaged, or names another block.
    """
    if head is None and not version:
        return
    named = unsealed(path, HEAD_DATABASE, HEAD, head)
    written = version_of(named[:8])
    if version != written:
        raise CorruptDatabase(path, f"the last block is {version}, but {written} was written")
    if named[8:] != seal:
        raise CorruptDatabase(path, f"block {version} is not the one that was written last")


class BlockReader:
    """Reader of one log record, to be read once from its start.

    Raises:
        RecordMissing: the record does not exist.
        CorruptDatabase: the record is damaged, too short or too long.
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
    def size(self) -> int:
        """Size of the record in bytes."""
        return len(self._record)

    @property
    def seal(self) -> bytes:
        """The record's seal."""
        return self._record[-SIZE:]

    def info(self) -> CommitInfo:
        """Decode the version's roots and metadata."""
        app_hash = self._take(32)
        metadata = self._take(self._number(_LENGTH))
        roots: dict[str, bytes] = {}
        for _ in range(self._number(_SHORT)):
            name = self._take(self._number(_SHORT)).decode(errors="replace")
            roots[name] = self._take(32)
        if self._at != self._changes:
            raise self._corrupt("has trailing bytes after its head")
        if simple_root(roots) != app_hash:
            raise self._corrupt("has an app hash that differs from its stores'")
        return CommitInfo(self._version, roots, metadata, app_hash)

    def read(self) -> tuple[CommitInfo, dict[str, list[Change]]]:
        """Decode the version's roots, metadata and changes."""
        info = self.info()
        if sha256(self._record[self._at : self._end]).digest() != self._record[self._end : -SIZE]:
            raise self._corrupt("is damaged")
        changes = {name: [self._change() for _ in range(self._number(_LENGTH))] for name in info.roots}
        if self._at != self._end:
            raise self._corrupt("has trailing bytes")
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
            raise self._corrupt("is truncated")
        return self._record[start:end]

    def _corrupt(self, what: str) -> CorruptDatabase:
        return CorruptDatabase(self._path, f"block {self._version} {what}")
