"""Decoders of `cosmos.ics23.v1` and `ibc.core.commitment.v1.MerkleProof`.

As in gogoproto, a repeated oneof member replaces the first one, and a repeated embedded message is merged.
Batch proofs and compressed batch proofs decode to None: ics23/go dropped them after v0.11, and ibc-go never
accepted them, but its decoder parses them and refuses malformed ones.
"""

from collections.abc import Callable, Iterator

from google.protobuf.message import DecodeError, Message

from pyibc.core.errors import InvalidProof
from pyibc.core.proofs.spec import CommitmentProof, ExistenceProof, InnerOp, LeafOp, NonExistenceProof
from pyibc.proto.cosmos.ics23.v1 import proofs_pb2
from pyibc.proto.varint import MalformedVarint, read_varint

# -- protobuf decoder with the exact behaviour of gogoproto's generated code
#
# Proofs are opaque bytes in messages. gogoproto and upb differ in wire types of known fields, replaced
# oneof members, varint overflow and groups; the verdict must be that of a Go chain.

VARINT, FIXED64, BYTES, GROUP_START, GROUP_END, FIXED32 = range(6)
_MASK64 = 2**64 - 1


BYTES_A_FIELD = 8
"""Minimum average size of a proof's fields, in bytes; fields of a tree's steps have twelve and more."""
FREE_FIELDS = 256
"""Number of fields allowed in a proof of any size."""


class Allowance:
    """Number of fields that may still be read of one proof, at any nesting."""

    __slots__ = ("left",)

    def __init__(self, size: int) -> None:
        """Create the allowance of a proof of `size` bytes."""
        self.left = size // BYTES_A_FIELD + FREE_FIELDS

    def spend(self) -> None:
        """Count a field, including skipped ones; raises InvalidProof if there are too many."""
        # guard: h61-any-number-of-fields test_h61_a_proof_has_so_many_fields_for_its_size
        self.left -= 1
        if self.left < 0:
            raise InvalidProof("too many fields for its size")


def fields(data: bytes, known: dict[int, int], allowance: Allowance) -> Iterator[tuple[int, int, bytes]]:
    """Yield each known field in wire order as (number, varint, bytes); unknown fields are skipped.

    Args:
        data: An encoded message.
        known: The wire type of each known field, VARINT or BYTES.
        allowance: The allowance of the enclosing proof.

    Raises:
        InvalidProof: gogoproto refuses the bytes, or the allowance is exhausted.
    """
    try:
        yield from _fields(data, known, allowance)
    except MalformedVarint as error:
        raise InvalidProof(str(error)) from None


def _fields(data: bytes, known: dict[int, int], allowance: Allowance) -> Iterator[tuple[int, int, bytes]]:
    at, end = 0, len(data)
    while at < end:
        allowance.spend()
        tag, at = read_varint(data, at, end)
        number, wire_type = _field_number(tag), tag & 7
        if wire_type == GROUP_END or number <= 0:
            raise InvalidProof(f"illegal tag {tag} on the wire")
        expected = known.get(number)
        if expected is None:
            at = _skip(data, at, wire_type, allowance)
        elif expected != wire_type:
            raise InvalidProof(f"field {number} has wire type {wire_type}, expected {expected}")
        elif wire_type == VARINT:
            value, at = read_varint(data, at, end)
            yield number, value & _MASK64, b""
        else:
            stop, at = _length(data, at)
            yield number, 0, data[at:stop]
            at = stop


def int32(number: int) -> int:
    """Return the low 32 bits of a varint as a signed integer, as Go converts enums and int32 fields."""
    number &= 0xFFFFFFFF
    return number - 2**32 if number >= 2**31 else number


def _field_number(tag: int) -> int:
    return int32(tag >> 3)


def _length(data: bytes, at: int) -> tuple[int, int]:
    size, at = read_varint(data, at, len(data))
    size &= _MASK64
    if at + size > len(data):
        raise InvalidProof("unexpected end of bytes")
    return at + size, at


def _skip(data: bytes, at: int, wire_type: int, allowance: Allowance) -> int:
    """Return the end of a field whose tag ends at `at`, counting the fields inside a group."""
    at, depth = _skip_value(data, at, wire_type)
    while depth and at < len(data):
        # guard: h61-groups-have-any-number-of-fields test_h61_a_proof_has_so_many_fields_for_its_size
        allowance.spend()
        tag, at = read_varint(data, at, len(data))
        at, change = _skip_value(data, at, tag & 7)
        depth += change
    if depth or at > len(data):
        raise InvalidProof("unexpected end of bytes")
    return at


def _skip_value(data: bytes, at: int, wire_type: int) -> tuple[int, int]:
    if wire_type == VARINT:
        return read_varint(data, at, len(data))[1], 0
    if wire_type == FIXED64:
        return at + 8, 0
    if wire_type == FIXED32:
        return at + 4, 0
    if wire_type == BYTES:
        return _length(data, at)[0], 0
    if wire_type in (GROUP_START, GROUP_END):
        return at, 1 if wire_type == GROUP_START else -1
    raise InvalidProof(f"illegal wire type {wire_type}")


# -- proofs

_LEAF = {1: VARINT, 2: VARINT, 3: VARINT, 4: VARINT, 5: BYTES}
_INNER = {1: VARINT, 2: BYTES, 3: BYTES}
_EXIST = {1: BYTES, 2: BYTES, 3: BYTES, 4: BYTES}
_NONEXIST = {1: BYTES, 2: BYTES, 3: BYTES}
_COMMITMENT = {1: BYTES, 2: BYTES, 3: BYTES, 4: BYTES}
_MERKLE = {1: BYTES}


def merkle_proof(data: bytes) -> tuple[CommitmentProof, ...]:
    """Return the proofs in a `MerkleProof`, from leaf to root.

    Raises:
        InvalidProof: the bytes are malformed, or have too many fields.
    """
    allowance = Allowance(len(data))
    return tuple([commitment_proof(chunk, allowance) for _, _, chunk in fields(data, _MERKLE, allowance)])


def commitment_proof(data: bytes, allowance: Allowance | None = None) -> CommitmentProof:
    """Return the proof in a `CommitmentProof`; `allowance` is that of the enclosing proof.

    Raises:
        InvalidProof: the bytes are malformed, or have too many fields.
    """
    allowance = allowance or Allowance(len(data))
    found: CommitmentProof = None
    for number, _, chunk in fields(data, _COMMITMENT, allowance):
        found = _READERS[number](chunk, allowance)
    return found


def _existence(data: bytes, allowance: Allowance) -> ExistenceProof:
    found = _Existence()
    found.merge(data, allowance)
    return found.freeze()


class _Existence:
    """Builder of an `ExistenceProof`, into which repeated fields are merged."""

    __slots__ = ("_key", "_leaf", "_path", "_value")

    def __init__(self) -> None:
        self._key, self._value, self._leaf, _ = ExistenceProof()
        self._path: list[InnerOp] = []

    def merge(self, data: bytes, allowance: Allowance) -> None:
        """Merge an encoded `ExistenceProof`; raises InvalidProof as `commitment_proof`."""
        for number, _, chunk in fields(data, _EXIST, allowance):
            if number == 1:
                self._key = chunk
            elif number == 2:
                self._value = chunk
            elif number == 3:
                self._leaf = leaf_op(chunk, self._leaf, allowance)
            else:
                self._path.append(_inner_op(chunk, allowance))

    def freeze(self) -> ExistenceProof:
        """Return the merged proof."""
        return ExistenceProof(self._key, self._value, self._leaf, tuple(self._path))


def leaf_op(data: bytes, onto: LeafOp | None = None, allowance: Allowance | None = None) -> LeafOp:
    """Return a `LeafOp`, merged into an earlier one of the same field; `allowance` as in `commitment_proof`.

    Raises:
        InvalidProof: the bytes are malformed, or have too many fields.
    """
    allowance = allowance or Allowance(len(data))
    leaf = onto or LeafOp()
    numbers, prefix = list(leaf[:4]), leaf.prefix
    for number, integer, chunk in fields(data, _LEAF, allowance):
        if number == 5:
            prefix = chunk
        else:
            numbers[number - 1] = int32(integer)
    return LeafOp(numbers[0], numbers[1], numbers[2], numbers[3], prefix)


def _inner_op(data: bytes, allowance: Allowance) -> InnerOp:
    operation, prefix, suffix = 0, b"", None
    for number, integer, chunk in fields(data, _INNER, allowance):
        if number == 1:
            operation = int32(integer)
        elif number == 2:
            prefix = chunk
        else:
            suffix = chunk
    return InnerOp(operation, prefix, suffix)


def _nonexistence(data: bytes, allowance: Allowance) -> NonExistenceProof:
    key = b""
    sides: dict[int, _Existence] = {}
    for number, _, chunk in fields(data, _NONEXIST, allowance):
        if number == 1:
            key = chunk
        else:
            if number not in sides:
                sides[number] = _Existence()
            # guard: h61-a-path-is-copied-at-each-merge {=> (sides[number].merge(chunk, allowance),
            #   sides[number].freeze())} test_h61_a_neighbour_that_comes_again_and_again_is_put_together_once
            sides[number].merge(chunk, allowance)
    left, right = [sides[number].freeze() if number in sides else None for number in (2, 3)]
    return NonExistenceProof(key, left, right)


def _batch(wire: type[Message]) -> Callable[[bytes, Allowance], CommitmentProof]:
    def read(data: bytes, _: Allowance) -> CommitmentProof:
        try:
            wire.FromString(data)
        except DecodeError:
            raise InvalidProof(f"malformed {wire.DESCRIPTOR.full_name}") from None
        return None

    return read


_READERS: dict[int, Callable[[bytes, Allowance], CommitmentProof]] = {
    1: _existence,
    2: _nonexistence,
    3: _batch(proofs_pb2.BatchProof),
    4: _batch(proofs_pb2.CompressedBatchProof),
}
