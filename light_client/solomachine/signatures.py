"""Signatures of solo machines as they travel: Cosmos SDK `SignatureDescriptor.Data`."""

from typing import NamedTuple, Union

from google.protobuf.message import DecodeError

from ibc_core.errors import InvalidProof, SignatureVerificationFailed
from ibc_core.proofs import wire
from ibc_proto.cosmos.crypto.multisig.v1beta1 import multisig_pb2
from ibc_proto.cosmos.tx.signing.v1beta1 import signing_pb2

MAX_DEPTH = 50
"""Of threshold keys' signatures in each other: a hundred messages, which is as deep as upb reads."""
_SINGLE, _BITS = 1, 1
_DATA = {_SINGLE: wire.BYTES, 2: wire.BYTES}
_MULTI = {_BITS: wire.BYTES, 2: wire.BYTES}


class SingleSignature(NamedTuple):
    """Of one key; the sign mode beside it says nothing here."""

    signature: bytes


class MultiSignature(NamedTuple):
    """Of a threshold key."""

    signed: tuple[bool, ...] | None  # which keys signed; None: more bits than there are, or fewer than none
    signatures: tuple["Signature", ...]  # theirs, in the order of the keys


Signature = Union[SingleSignature, MultiSignature]  # noqa: UP007 - names itself


def decode_signature(raw: bytes) -> Signature:
    """The signature that `raw` encodes.

    Of two that are said to be it the last one counts, as in gogoproto; other decoders would merge them.

    Raises:
        SignatureVerificationFailed: it is none, or threshold keys' are deeper in each other than may be.
    """
    try:
        return _signature(raw, wire.Allowance(len(raw)), MAX_DEPTH)
    except (DecodeError, InvalidProof):
        raise SignatureVerificationFailed("malformed signature data") from None


def _signature(raw: bytes, allowance: wire.Allowance, depth: int) -> Signature:
    found: Signature | None = None
    if not depth:
        raise SignatureVerificationFailed("signatures too deep in each other")
    for number, _, part in wire.fields(raw, _DATA, allowance):
        if number == _SINGLE:
            found = SingleSignature(signing_pb2.SignatureDescriptor.Data.Single.FromString(part).signature)
        else:
            found = _multi(part, allowance, depth)
    if found is None:
        raise SignatureVerificationFailed("signature data hold no signature")
    return found


def _multi(raw: bytes, allowance: wire.Allowance, depth: int) -> MultiSignature:
    bits, signatures = multisig_pb2.CompactBitArray(), []
    for number, _, part in wire.fields(raw, _MULTI, allowance):
        if number == _BITS:
            bits.MergeFromString(part)
        else:
            signatures.append(_signature(part, allowance, depth - 1))
    return MultiSignature(_bits(bits), tuple(signatures))


def count_of(signature: Signature) -> int:
    """How many keys' signatures it is made of."""
    if isinstance(signature, SingleSignature):
        return 1
    return sum(map(count_of, signature.signatures))


def _bits(array: multisig_pb2.CompactBitArray) -> tuple[bool, ...] | None:
    """Most significant bit first; `extra_bits_stored` of the last byte count, all eight where it is zero."""
    raw, extra = array.elems, array.extra_bits_stored
    size = (len(raw) - 1) * 8 + extra if extra else len(raw) * 8
    if not 0 <= size <= len(raw) * 8:
        return None
    return tuple([bool(raw[at >> 3] >> (7 - at % 8) & 1) for at in range(size)])
