"""Signatures of solo machines, encoded as the Cosmos SDK's `SignatureDescriptor.Data`."""

from typing import NamedTuple, Union

from pyibc.core.errors import InvalidProof, SignatureVerificationFailed
from pyibc.core.numbers import MAX_U32
from pyibc.core.proofs import decode

MAX_DEPTH = 50
"""Maximum nesting of threshold signatures: a hundred messages, the limit of upb."""
_DATA = _OF_SEVERAL = {1: decode.BYTES, 2: decode.BYTES}
_OF_ONE = _BITS = {1: decode.VARINT, 2: decode.BYTES}


class SingleSignature(NamedTuple):
    """Signature of a single key; its sign mode is ignored."""

    signature: bytes


class Bits(NamedTuple):
    """Bit array of the keys that signed; the most significant bit of a byte is first."""

    size: int  # number of bits; the last byte may be used in part
    raw: bytes

    def flags(self) -> list[bool]:
        """Return the bits as booleans; check `size` first, as it is untrusted."""
        return [bool(self.raw[at >> 3] >> (7 - at % 8) & 1) for at in range(self.size)]


class MultiSignature(NamedTuple):
    """Signature of a threshold key."""

    signed: Bits | None  # keys that signed; None: the size is invalid
    signatures: tuple["Signature", ...]  # in the order of the keys


Signature = Union[SingleSignature, MultiSignature]  # noqa: UP007 - recursive


def decode_signature(raw: bytes) -> Signature:
    """Return the signature encoded in `raw`.

    Of repeated oneof members, the last one counts, as in gogoproto; other decoders would merge them.

    Raises:
        SignatureVerificationFailed: the bytes are malformed or nested too deep.
    """
    try:
        return _signature(raw, decode.Allowance(len(raw)), MAX_DEPTH)
    except InvalidProof:
        raise SignatureVerificationFailed("malformed signature data") from None


# recursion: MAX_DEPTH signatures inside each other
def _signature(raw: bytes, allowance: decode.Allowance, depth: int) -> Signature:
    found: Signature | None = None
    if not depth:
        raise SignatureVerificationFailed("signatures too deep in each other")
    for number, _, part in decode.fields(raw, _DATA, allowance):
        found = _single(part, allowance) if number == 1 else _multi(part, allowance, depth)
    if found is None:
        raise SignatureVerificationFailed("signature data hold no signature").as_panic()
    return found


def _single(raw: bytes, allowance: decode.Allowance) -> SingleSignature:
    signature = b""
    for number, _, part in decode.fields(raw, _OF_ONE, allowance):
        signature = part if number == 2 else signature
    return SingleSignature(signature)


def _multi(raw: bytes, allowance: decode.Allowance, depth: int) -> MultiSignature:
    extra, elems, signatures = 0, b"", []
    for number, _, part in decode.fields(raw, _OF_SEVERAL, allowance):
        if number == 2:
            signatures.append(_signature(part, allowance, depth - 1))
            continue
        for field, integer, content in decode.fields(part, _BITS, allowance):
            extra, elems = (integer & MAX_U32, elems) if field == 1 else (extra, content)
    return MultiSignature(_bits(extra, elems), tuple(signatures))


# recursion: as deep as what was decoded: MAX_DEPTH
def count_of(signature: Signature) -> int:
    """Return the number of single signatures in a signature."""
    if isinstance(signature, SingleSignature):
        return 1
    return sum(map(count_of, signature.signatures))


def _bits(extra: int, raw: bytes) -> Bits | None:
    """Return a bit array whose last byte has `extra` bits, or eight if `extra` is 0; None if invalid."""
    size = (len(raw) - 1) * 8 + extra if extra else len(raw) * 8
    return Bits(size, raw) if 0 <= size <= len(raw) * 8 else None
