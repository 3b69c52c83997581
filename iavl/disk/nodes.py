"""Node records, and nodes that are loaded on access.

A record has everything about its children but their content, so an unloaded ("hollow") child has hash,
height, size, version and serial: hashing, balancing and proofs never load a sibling. Reading one of the
other fields loads the record and turns the object into a plain node in place: all versions that share the
node profit, and the tree's code need not know.
"""

import struct
from collections.abc import Callable

from iavl.errors import CorruptDatabase
from iavl.node import Node

_CHILDREN = struct.Struct(">QQQB32sQQQB32s")  # serial, version, size, height, hash of the left and the right
_SERIAL = struct.Struct(">Q")
_LENGTH = struct.Struct(">I")
_CONTENT = ("key", "value", "left", "right")

serial_key = _SERIAL.pack


def node_record(node: Node) -> bytes:
    """The record of a hashed node, whose children have serials."""
    if not node.height:
        return _LENGTH.pack(len(node.key)) + node.key + node.value
    left, right = node.left, node.right
    children = _CHILDREN.pack(
        left.serial, left.version, left.size, left.height, left.hash,
        right.serial, right.version, right.size, right.height, right.hash,
    )  # fmt: skip
    return children + node.key


class NodeLoader:
    """Makes hollow nodes of one database, and fills them."""

    def __init__(self, path: str, read: Callable[[bytes], bytes | None]) -> None:
        self.loads = 0
        """How many nodes were loaded, ever."""
        self._path = path
        self._read = read
        self._hollow = self._hollow_class()

    def _hollow_class(self) -> type[Node]:
        load = self._load

        class HollowNode(Node):
            """A node whose content is on disk. Without slots of its own, so that `__class__` can change."""

            __slots__ = ()

            def __getattr__(self, name: str) -> object:
                if name not in _CONTENT:
                    raise AttributeError(name)
                load(self)
                return getattr(self, name)

        return HollowNode

    def new(self, serial: int, version: int, size: int, height: int, node_hash: bytes) -> Node:
        """A hollow node."""
        node = self._hollow()
        node.serial = serial
        node.version = version
        node.size = size
        node.height = height
        node.hash = node_hash
        return node

    def empty(self, node: Node) -> None:
        """Turns a node that has a serial into a hollow one, which frees its subtree."""
        node.__class__ = self._hollow
        del node.key
        if node.height:
            del node.left
            del node.right
        else:
            del node.value

    def _load(self, node: Node) -> None:
        record = self._read(serial_key(node.serial))
        if record is None:
            raise CorruptDatabase(self._path, f"node {node.serial} is missing")
        try:
            if node.height:
                fields = _CHILDREN.unpack_from(record)
                node.left = self.new(*fields[:5])
                node.right = self.new(*fields[5:])
                node.key = record[_CHILDREN.size :]
            else:
                end = _LENGTH.size + _LENGTH.unpack_from(record)[0]
                node.key = record[_LENGTH.size : end]
                node.value = record[end:]
        except struct.error as error:
            raise CorruptDatabase(self._path, f"node {node.serial}: {error}") from error
        node.__class__ = Node
        self.loads += 1
