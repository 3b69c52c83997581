"""Signatures of solo machines as they travel: Cosmos SDK `SignatureDescriptor.Data`."""

from typing import NamedTuple, Union

from google.protobuf.message import DecodeError

from ibc_core.errors import SignatureVerificationFailed
from ibc_proto.cosmos.crypto.multisig.v1beta1 import multisig_pb2
from ibc_proto.cosmos.tx.signing.v1beta1 import signing_pb2


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

    Raises:
        SignatureVerificationFailed: it is none.
    """
    try:
        data = signing_pb2.SignatureDescriptor.Data.FromString(raw)
    except DecodeError:
        raise SignatureVerificationFailed("malformed signature data") from None
    return _signature(data)


def _signature(data: signing_pb2.SignatureDescriptor.Data) -> Signature:
    if data.HasField("single"):
        return SingleSignature(data.single.signature)
    if data.HasField("multi"):
        bits = _bits(data.multi.bitarray)
        return MultiSignature(bits, tuple([_signature(each) for each in data.multi.signatures]))
    raise SignatureVerificationFailed("signature data hold no signature")


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
