"""Reference implementation of Ed25519 verification by ZIP-215 in plain Python; takes milliseconds.

CometBFT verifies signatures by ZIP-215: points may be encoded non-canonically and have small-order
components, the equation is multiplied by the cofactor, and only s must be canonical. A library with other
rules could fork a chain, so this module is the reference (docs/adr/0006-ed25519.md).
"""

from functools import lru_cache
from hashlib import sha512

_P = 2**255 - 19
_ORDER = 2**252 + 27742317777372353535851937790883648493
_D = -121665 * pow(121666, -1, _P) % _P
_ROOT_OF_MINUS_ONE = pow(2, (_P - 1) // 4, _P)

_Point = tuple[int, int, int, int]  # extended coordinates: x = X/Z, y = Y/Z, T = XY/Z
_IDENTITY: _Point = (0, 1, 1, 0)


def verify(public_key: bytes, message: bytes, signature: bytes) -> bool:
    """Return whether a signature verifies: [8][s]B = [8]R + [8][k]A."""
    if len(public_key) != 32 or len(signature) != 64:
        return False
    s = int.from_bytes(signature[32:], "little")
    key, commitment = _decompress(public_key), _decompress(signature[:32])
    if s >= _ORDER or key is None or commitment is None:
        return False
    digest = sha512(signature[:32] + public_key + message).digest()
    challenge = int.from_bytes(digest, "little") % _ORDER
    # R + [k]A - [s]B, times 8, must be the identity.
    difference = _add(_add(commitment, _multiply(challenge, key)), _multiply(_ORDER - s, _base()))
    for _ in range(3):
        difference = _add(difference, difference)
    x, y, z, _ = difference
    return x % _P == 0 and (y - z) % _P == 0


@lru_cache(1)
def _base() -> _Point:
    point = _decompress((4 * pow(5, -1, _P) % _P).to_bytes(32, "little"))
    if point is None:
        raise ArithmeticError("the base point is on the curve")
    return point


def _decompress(data: bytes) -> _Point | None:
    """Return the point that 32 bytes encode; y may be p or more, and the sign of x = 0 is ignored."""
    number = int.from_bytes(data, "little")
    sign, y = number >> 255, (number & (1 << 255) - 1) % _P
    numerator, denominator = (y * y - 1) % _P, (_D * y * y + 1) % _P
    # Square root of numerator/denominator with one exponentiation (RFC 8032, 5.1.3).
    root = (
        numerator * pow(denominator, 3, _P) * pow(numerator * pow(denominator, 7, _P), (_P - 5) // 8, _P) % _P
    )
    square = denominator * root * root % _P
    if square == -numerator % _P:
        root = root * _ROOT_OF_MINUS_ONE % _P
    elif square != numerator:
        return None
    if root & 1 != sign:
        root = -root % _P
    return root, y, 1, root * y % _P


def _add(one: _Point, two: _Point) -> _Point:
    x1, y1, z1, t1 = one
    x2, y2, z2, t2 = two
    a = (y1 - x1) * (y2 - x2) % _P
    b = (y1 + x1) * (y2 + x2) % _P
    c = 2 * t1 * t2 * _D % _P
    d = 2 * z1 * z2 % _P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % _P, g * h % _P, f * g % _P, e * h % _P


def _multiply(scalar: int, point: _Point) -> _Point:
    result = _IDENTITY
    while scalar:
        if scalar & 1:
            result = _add(result, point)
        point = _add(point, point)
        scalar >>= 1
    return result
