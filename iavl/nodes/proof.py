"""ICS-23 proofs of a tree, as protobuf bytes of `cosmos.ics23.v1.CommitmentProof`, for `IavlSpec`.

Encoded by hand: there are few message types, and a proof consists mostly of known hashes. Field order and
omitted zero fields are those of the Go encoder, byte for byte (iavl's proof_ics23.go).
"""

from iavl.errors import UnprovableAbsence
from iavl.nodes.node import HASH_LENGTH, LEAF_HEAD, Node
from iavl.sha import UVARINT, VARINT, uvarint, varint

_OP = b"\x22"  # ExistenceProof field 4
_SHA256 = b"\x08\x01\x12"  # hash SHA256; field 2, the prefix
_LEAF_OP = b"\x08\x01\x18\x01\x20\x01\x2a"  # hash and prehash_value SHA256, length VAR_PROTO; the prefix
_SUFFIX = HASH_LENGTH + b"\x1a\x21" + HASH_LENGTH  # ends the prefix; field 3, the right sibling
_TABLE = len(VARINT)


def field(number: int, content: bytes) -> bytes:
    """Encode a length-delimited protobuf field (`number` below 16)."""
    return bytes((number << 3 | 2,)) + uvarint(len(content)) + content


def existence_message(key: bytes, value: bytes, leaf_prefix: bytes, path: list[bytes]) -> bytes:
    """Encode `ExistenceProof`: key 1, value 2 (omitted if empty), leaf op 3, inner ops 4 from the leaf up."""
    leaf = field(3, _LEAF_OP + uvarint(len(leaf_prefix)) + leaf_prefix)
    content = field(2, value) if value else b""
    return b"".join((field(1, key), content, leaf, *path))


def _existence(path: list[Node], leaf: Node) -> bytes:
    """Encode the `ExistenceProof` of `leaf`, with `path` from the root to its parent.

    An inner op describes how the hash of a child becomes that of its parent: the sibling of a left child is
    the suffix, that of a right child ends the prefix. All lengths fit in one byte: a head has at most 22
    bytes.
    """
    parts: list[bytes] = []
    child = leaf
    for node in reversed(path):
        size, version = node.size, node.version
        count = VARINT[size] if size < _TABLE else varint(size)
        born = VARINT[version] if version < _TABLE else varint(version)
        length = len(count) + len(born) + 2  # with the byte of the height, and that of a hash's length
        if node.left is child:
            parts += _OP, UVARINT[length + 39], _SHA256, UVARINT[length]
            parts += VARINT[node.height], count, born, _SUFFIX, node.right.hash
        else:
            parts += _OP, UVARINT[length + 37], _SHA256, UVARINT[length + 33]
            parts += VARINT[node.height], count, born
            parts += HASH_LENGTH, node.left.hash, HASH_LENGTH
        child = node
    return existence_message(leaf.key, leaf.value, LEAF_HEAD + varint(leaf.version), parts)


def _walk(node: Node, key: bytes, path: list[Node]) -> Node:
    """Return the leaf where `key` is or would be; append the nodes above it to `path`."""
    while node.height:
        path.append(node)
        node = node.left if key < node.key else node.right
    return node


def _neighbour(path: list[Node], leaf: Node, *, after: bool) -> bytes:
    """Encode the proof of the leaf before or after `leaf`; empty if there is none."""
    child = leaf
    for depth in range(len(path) - 1, -1, -1):
        node = path[depth]
        if (node.left if after else node.right) is child:
            steps = path[: depth + 1]
            node = node.right if after else node.left
            while node.height:
                steps.append(node)
                node = node.left if after else node.right
            return _existence(steps, node)
        child = node
    return b""


def prove(root: Node | None, key: bytes) -> tuple[bytes | None, bytes]:
    """Return the value at `key` (None: absent) and its CommitmentProof.

    `root` is the root of a hashed tree. Absence is proved by the neighbours of `key` (ICS-23,
    NonExistenceProof). An empty value yields a well-formed proof, which ICS-23 verifiers reject.

    Raises:
        UnprovableAbsence: the tree is empty.
    """
    if root is None:
        raise UnprovableAbsence(key)
    path: list[Node] = []
    leaf = _walk(root, key, path)
    if leaf.key == key:
        return leaf.value, field(1, _existence(path, leaf))
    here = _existence(path, leaf)
    if leaf.key < key:
        left, right = here, _neighbour(path, leaf, after=True)
    else:
        left, right = _neighbour(path, leaf, after=False), here
    neighbours = (field(2, left) if left else b"") + (field(3, right) if right else b"")
    return None, field(2, field(1, key) + neighbours)
