"""Comparison of batch verification of Ed25519 signatures with single verification.

The signatures are honest, have torsion components, or are corrupted.
"""

from collections.abc import Iterator
from functools import cache
from hashlib import sha512
from random import Random

from nacl.signing import SigningKey

from conformance.native.trial import Trial
from pyibc.core import native
from pyibc.core.crypto import ed25519, zip215

_ORDER = 2**252 + 27742317777372353535851937790883648493
_TORSION = tuple(
    bytes.fromhex(text)
    for text in (
        "0100000000000000000000000000000000000000000000000000000000000000",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "0000000000000000000000000000000000000000000000000000000000000080",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
    )
)  # points of small order, some with non-canonical encodings that only ZIP-215 accepts

_Vote = tuple[bytes, bytes, bytes]


def trials(seed: int) -> Iterator[Trial]:
    """Yield batches of one to five signatures, each of which is also verified alone."""
    rng = Random(seed)  # noqa: S311  # cases are to be repeated, not secret
    while True:
        votes = [_vote(rng) for _ in range(rng.choice((1, 1, 1, 2, 3, 5)))]
        found = native.all_verify(votes)
        yield Trial(found, found, all(ed25519.verify(*vote) for vote in votes), votes)


def _vote(rng: Random) -> _Vote:
    pick = rng.random()
    if pick < 0.1:
        return rng.choice(_TORSION), rng.randbytes(4), rng.choice(_TORSION) + bytes(32)
    if pick < 0.3:
        return _mixed(rng.randrange(8), rng.randrange(len(_TORSION)), rng.randrange(len(_TORSION)))
    vote = _honest(rng.randrange(64))
    return _spoilt(rng, vote) if pick < 0.6 else vote


@cache
def _honest(number: int) -> _Vote:
    key = SigningKey(number.to_bytes(32, "big"))
    message = b"vote %d" % number
    return bytes(key.verify_key), message, key.sign(message).signature


@cache
def _mixed(number: int, in_key: int, in_commitment: int) -> _Vote:
    """Return a signature with a torsion component in the key, valid only under cofactored verification."""
    secret, nonce = (_scalar(b"%b %d" % (use, number)) for use in (b"key", b"nonce"))
    key, commitment = (
        _encode(zip215._add(zip215._multiply(scalar, zip215._base()), _point(_TORSION[which])))  # noqa: SLF001
        for scalar, which in ((secret, in_key), (nonce, in_commitment))
    )
    message = b"mixed %d" % number
    challenge = _number(sha512(commitment + key + message).digest())
    return key, message, commitment + ((nonce + challenge * secret) % _ORDER).to_bytes(32, "little")


def _scalar(seed: bytes) -> int:
    return _number(sha512(seed).digest())


def _number(digest: bytes) -> int:
    return int.from_bytes(digest, "little") % _ORDER


def _point(data: bytes) -> zip215._Point:
    found = zip215._decompress(data)  # noqa: SLF001
    if found is None:
        raise ValueError("no point")
    return found


def _encode(point: zip215._Point) -> bytes:
    x, y, z, _ = point
    prime = zip215._P  # noqa: SLF001
    inverse = pow(z, -1, prime)
    x, y = x * inverse % prime, y * inverse % prime
    return (y | (x & 1) << 255).to_bytes(32, "little")


def _spoilt(rng: Random, vote: _Vote) -> _Vote:
    key, message, signature = vote
    pick = rng.randrange(6)
    if pick == 0:
        return _flipped(rng, key), message, signature
    if pick == 1:
        return key, _flipped(rng, message), signature
    if pick == 2:
        return key, message, _flipped(rng, signature)
    if pick == 3:
        beyond = int.from_bytes(signature[32:], "little") + _ORDER
        return key, message, signature[:32] + beyond.to_bytes(32, "little")
    if pick == 4:
        return key, message, signature[: rng.randrange(64)] + rng.randbytes(rng.randrange(3))
    return key[: rng.randrange(33)], message, signature


def _flipped(rng: Random, data: bytes) -> bytes:
    edited = bytearray(data)
    edited[rng.randrange(len(edited))] ^= 1 << rng.randrange(8)
    return bytes(edited)
