"""Node records, and nodes that are loaded on access.

    leaf:   key length 4 B | key | value
    inner:  serial 8 B, version 8 B, size 8 B, height 1 B of the left child, the same of the right |
            0x20, hash of the left child | 0x20, hash of the right child | key | check 4 B

A record has all metadata of its node's children, so a child that is not loaded ("hollow") has its hash,
height, size, version and serial: hashing, balancing and proofs never load a sibling. Reading another field
loads the record and turns the object into a plain node in place: all versions that share the node profit, and
the tree's code does not distinguish them. This module is the Python implementation (see `iavl.engine`).

Each record is verified before use: it must hash to the node hash in its parent (for the root: in the commit
info). That hash covers all of a leaf, but neither an inner node's key nor its children's serials, sizes,
heights and versions. The check covers those: CRC-32 of the record and of the node's own serial, so that
no record passes for another.
"""

import struct
from typing import Protocol
from zlib import crc32

from iavl.disk.database.settings import SYSTEM_ERRORS, storage_error
from iavl.errors import CorruptDatabase, RecordMissing
from iavl.nodes.node import HASH_LENGTH, LEAF_HEAD, Node
from iavl.sha import UVARINT, VARINT, sha256, uvarint, varint

_CHILDREN = struct.Struct(">QQQBQQQBB32sB32s")
_CHECK = struct.Struct("<I")
_RESIDUE = 0x2144DF1C
"""CRC-32 of any bytes followed by their own CRC-32, lowest byte first."""
_SERIAL = struct.Struct(">Q")
_LENGTH = struct.Struct(">I")
_KEY = _CHILDREN.size
_HASHES = _KEY - 66
_unpacked = _CHILDREN.unpack_from
_CONTENT = ("key", "value", "left", "right")
_TABLE = len(VARINT)

serial_key = _SERIAL.pack


class Source(Protocol):
    """Source of node records."""

    @property
    def get(self) -> "Reading":
        """Function that reads a record by its key; None if there is none."""


class Reading(Protocol):
    """Function that reads one record."""

    def __call__(self, key: bytes, /) -> bytes | None:
        """Return the record at `key`, or None."""


def node_record(node: Node) -> bytes:
    """Encode a hashed node that has a serial, as its children must have."""
    if not node.height:
        return _LENGTH.pack(len(node.key)) + node.key + node.value
    left, right = node.left, node.right
    body = _CHILDREN.pack(
        left.serial, left.version, left.size, left.height,
        right.serial, right.version, right.size, right.height,
        32, left.hash, 32, right.hash,
    ) + node.key  # fmt: skip
    return body + _CHECK.pack(crc32(body, node.serial))


def split_leaf(record: bytes) -> tuple[bytes, bytes]:
    """Split a leaf's record into key and value, without verifying it."""
    end = _LENGTH.size + int.from_bytes(record[: _LENGTH.size])
    return record[_LENGTH.size : end], record[end:]


def children_of(record: bytes) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return serial and height of both children in an inner node's record."""
    fields = _CHILDREN.unpack_from(record)
    return (fields[0], fields[3]), (fields[4], fields[7])


class Records:
    """Reader of one database's node records, for native code."""

    __slots__ = ("_path", "_source")

    def __init__(self, path: str, source: Source) -> None:
        self._path = path
        self._source = source

    def read(self, serial: int) -> bytes:
        """Return a node's record, not verified.

        Raises:
            RecordMissing: the record does not exist.
            StorageError: LMDB failed.
        """
        return _record(self._path, self._source, serial)

    def damaged(self, serial: int) -> CorruptDatabase:
        """Return the error for a damaged record."""
        return CorruptDatabase(self._path, f"node {serial} is damaged")


def _record(path: str, source: Source, serial: int) -> bytes:
    try:
        record = source.get(serial_key(serial))
    except SYSTEM_ERRORS as error:
        raise storage_error(path, error) from error
    if record is None:
        raise RecordMissing(path, f"node {serial} is missing")
    return record


class NodeLoader:
    """Creates hollow nodes of one database, and loads them (`iavl.nodes.node.Loader`)."""

    def __init__(self, path: str, source: Source) -> None:
        self.loads = 0
        """Number of nodes loaded so far."""
        self._path = path
        self._source = source
        self._hollow = self._hollow_class()

    def _hollow_class(self) -> type[Node]:
        owner, load = self, self._load

        class HollowNode(Node):
            """A node whose content is on disk. It has no slots of its own, so that `__class__` can change."""

            __slots__ = ()
            loader = owner

            def __getattr__(self, name: str) -> object:
                if name not in _CONTENT:
                    raise AttributeError(name)
                load(self)
                return getattr(self, name)

        return HollowNode

    def new(self, serial: int, version: int, size: int, height: int, node_hash: bytes) -> Node:
        """Return a hollow node."""
        node = self._hollow()
        node.serial = serial
        node.version = version
        node.size = size
        node.height = height
        node.hash = node_hash
        return node

    def empty(self, node: Node) -> None:
        """Turn a node that has a serial into a hollow one, which frees its subtree."""
        node.__class__ = self._hollow
        del node.key
        if node.height:
            del node.left
            del node.right
        else:
            del node.value

    def _load(self, node: Node) -> None:
        serial, height = node.serial, node.height
        record = _record(self._path, self._source, serial)
        if not height:
            self._fill_leaf(node, record)
        else:  # inlined, since each load adds microseconds to a block
            size, version = node.size, node.version
            count = VARINT[size] if size < _TABLE else varint(size)
            born = VARINT[version] if version < _TABLE else varint(version)
            preimage = VARINT[height] + count + born + record[_HASHES:_KEY]
            if sha256(preimage).digest() != node.hash or crc32(record, serial) != _RESIDUE:
                raise self._damaged(node)
            hollow = self._hollow
            left, right = hollow(), hollow()
            (
                left.serial, left.version, left.size, left.height,
                right.serial, right.version, right.size, right.height,
                _, left.hash, _, right.hash,
            ) = _unpacked(record)  # fmt: skip
            node.left, node.right, node.key = left, right, record[_KEY:-4]
        node.__class__ = Node
        self.loads += 1

    def _fill_leaf(self, node: Node, record: bytes) -> None:
        key, value = split_leaf(record)
        version = node.version
        length = UVARINT[len(key)] if len(key) < _TABLE else uvarint(len(key))
        born = VARINT[version] if version < _TABLE else varint(version)
        content = sha256(value).digest()
        if sha256(b"".join((LEAF_HEAD, born, length, key, HASH_LENGTH, content))).digest() != node.hash:
            raise self._damaged(node)
        node.key, node.value = key, value

    def _damaged(self, node: Node) -> CorruptDatabase:
        return CorruptDatabase(self._path, f"node {node.serial} is damaged")
