"""Signatures of solo machines as they travel: Cosmos SDK `SignatureDescriptor.Data`."""

from typing import NamedTuple, Union

from ibc_core.errors import InvalidProof, SignatureVerificationFailed
from ibc_core.numbers import MAX_U32
from ibc_core.proofs import wire

MAX_DEPTH = 50
"""Of threshold keys' signatures in each other: a hundred messages, which is as deep as upb reads."""
_DATA = _OF_SEVERAL = {1: wire.BYTES, 2: wire.BYTES}
_OF_ONE = _BITS = {1: wire.VARINT, 2: wire.BYTES}


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
        SignatureVerificationFailed: it is malformed, or threshold keys' are deeper in each other than may be.
    """
    try:
        return _signature(raw, wire.Allowance(len(raw)), MAX_DEPTH)
    except InvalidProof:
        raise SignatureVerificationFailed("malformed signature data") from None


# recursion: MAX_DEPTH signatures inside each other
def _signature(raw: bytes, allowance: wire.Allowance, depth: int) -> Signature:
    found: Signature | None = None
    if not depth:
        raise SignatureVerificationFailed("signatures too deep in each other")
    for number, _, part in wire.fields(raw, _DATA, allowance):
        found = _single(part, allowance) if number == 1 else _multi(part, allowance, depth)
    if found is None:
        raise SignatureVerificationFailed("signature data hold no signature")
    return found


def _single(raw: bytes, allowance: wire.Allowance) -> SingleSignature:
    signature = b""
    for number, _, part in wire.fields(raw, _OF_ONE, allowance):
        signature = part if number == 2 else signature
    return SingleSignature(signature)


def _multi(raw: bytes, allowance: wire.Allowance, depth: int) -> MultiSignature:
    extra, elems, signatures = 0, b"", []
    for number, _, part in wire.fields(raw, _OF_SEVERAL, allowance):
        if number == 2:
            signatures.append(_signature(part, allowance, depth - 1))
            continue
        for field, integer, content in wire.fields(part, _BITS, allowance):
            extra, elems = (integer & MAX_U32, elems) if field == 1 else (extra, content)
    return MultiSignature(_bits(extra, elems), tuple(signatures))


# recursion: as deep as what was decoded: MAX_DEPTH
def count_of(signature: Signature) -> int:
    """How many keys' signatures it is made of."""
    if isinstance(signature, SingleSignature):
        return 1
    return sum(map(count_of, signature.signatures))


def _bits(extra: int, raw: bytes) -> tuple[bool, ...] | None:
    """Most significant bit first; `extra` of the last byte count, all eight where it is zero."""
    size = (len(raw) - 1) * 8 + extra if extra else len(raw) * 8
    if not 0 <= size <= len(raw) * 8:
        return None
    return tuple([bool(raw[at >> 3] >> (7 - at % 8) & 1) for at in range(size)])
