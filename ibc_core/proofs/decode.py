"""Bytes of `cosmos.ics23.v1` and `ibc.core.commitment.v1.MerkleProof` to values.

A oneof member that comes twice replaces the first (gogoproto), an embedded message that comes twice is
merged. Batches and compressed batches decode to None: ics23/go dropped them after v0.11, and ibc-go never
took them. Its decoder reads them nevertheless, and refuses the malformed ones.
"""

from collections.abc import Callable

from google.protobuf.message import DecodeError, Message

from ibc_core.errors import InvalidProof
from ibc_core.proofs.spec import CommitmentProof, ExistenceProof, InnerOp, LeafOp, NonExistenceProof
from ibc_core.proofs.wire import BYTES, VARINT, Allowance, fields, int32
from ibc_proto.cosmos.ics23.v1 import proofs_pb2

_LEAF = {1: VARINT, 2: VARINT, 3: VARINT, 4: VARINT, 5: BYTES}
_INNER = {1: VARINT, 2: BYTES, 3: BYTES}
_EXIST = {1: BYTES, 2: BYTES, 3: BYTES, 4: BYTES}
_NONEXIST = {1: BYTES, 2: BYTES, 3: BYTES}
_COMMITMENT = {1: BYTES, 2: BYTES, 3: BYTES, 4: BYTES}
_MERKLE = {1: BYTES}


def merkle_proof(data: bytes) -> tuple[CommitmentProof, ...]:
    """The proofs of a `MerkleProof`, leaf to root.

    Raises:
        InvalidProof: the bytes are not one, or have more fields than may be (`ibc_core/proofs/wire.py`).
    """
    allowance = Allowance(len(data))
    return tuple([commitment_proof(chunk, allowance) for _, _, chunk in fields(data, _MERKLE, allowance)])


def commitment_proof(data: bytes, allowance: Allowance | None = None) -> CommitmentProof:
    """The proof in a `CommitmentProof`; `allowance` is of the proof that it is a part of.

    Raises:
        InvalidProof: the bytes are not one, or have more fields than may be.
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
    """An `ExistenceProof` under way: onto one that comes twice the second is merged, however many come."""

    __slots__ = ("_key", "_leaf", "_path", "_value")

    def __init__(self) -> None:
        self._key, self._value, self._leaf, _ = ExistenceProof()
        self._path: list[InnerOp] = []

    def merge(self, data: bytes, allowance: Allowance) -> None:
        """Takes over what `data` spells; raises InvalidProof as `commitment_proof`."""
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
        """The proof as a value."""
        return ExistenceProof(self._key, self._value, self._leaf, tuple(self._path))


def leaf_op(data: bytes, onto: LeafOp | None = None, allowance: Allowance | None = None) -> LeafOp:
    """A `LeafOp`, merged onto an earlier one of the same field; `allowance` as in `commitment_proof`.

    Raises:
        InvalidProof: the bytes are not one, or have more fields than may be.
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
