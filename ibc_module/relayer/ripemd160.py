"""RIPEMD-160 (Dobbertin, Bosselaers, Preneel 1996), for builds of OpenSSL that leave it out.

Needed once an account, never on a hot path.
"""

import hashlib

_MASK = 0xFFFFFFFF
_WORDS_LEFT = (
    (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
    (7, 4, 13, 1, 10, 6, 15, 3, 12, 0, 9, 5, 2, 14, 11, 8),
    (3, 10, 14, 4, 9, 15, 8, 1, 2, 7, 0, 6, 13, 11, 5, 12),
    (1, 9, 11, 10, 0, 8, 12, 4, 13, 3, 7, 15, 14, 5, 6, 2),
    (4, 0, 5, 9, 7, 12, 2, 10, 14, 1, 3, 8, 11, 6, 15, 13),
)
_WORDS_RIGHT = (
    (5, 14, 7, 0, 9, 2, 11, 4, 13, 6, 15, 8, 1, 10, 3, 12),
    (6, 11, 3, 7, 0, 13, 5, 10, 14, 15, 8, 12, 4, 9, 1, 2),
    (15, 5, 1, 3, 7, 14, 6, 9, 11, 8, 12, 2, 10, 0, 4, 13),
    (8, 6, 4, 1, 3, 11, 15, 0, 5, 12, 2, 13, 9, 7, 10, 14),
    (12, 15, 10, 4, 1, 5, 8, 7, 6, 2, 13, 14, 0, 3, 9, 11),
)
_SHIFTS_LEFT = (
    (11, 14, 15, 12, 5, 8, 7, 9, 11, 13, 14, 15, 6, 7, 9, 8),
    (7, 6, 8, 13, 11, 9, 7, 15, 7, 12, 15, 9, 11, 7, 13, 12),
    (11, 13, 6, 7, 14, 9, 13, 15, 14, 8, 13, 6, 5, 12, 7, 5),
    (11, 12, 14, 15, 14, 15, 9, 8, 9, 14, 5, 6, 8, 6, 5, 12),
    (9, 15, 5, 11, 6, 8, 13, 12, 5, 12, 13, 14, 11, 8, 5, 6),
)
_SHIFTS_RIGHT = (
    (8, 9, 9, 11, 13, 15, 15, 5, 7, 7, 8, 11, 14, 14, 12, 6),
    (9, 13, 15, 7, 12, 8, 9, 11, 7, 7, 12, 7, 6, 15, 13, 11),
    (9, 7, 15, 11, 8, 6, 6, 14, 12, 13, 5, 14, 13, 13, 7, 5),
    (15, 5, 8, 11, 14, 14, 6, 14, 6, 9, 12, 9, 12, 5, 15, 8),
    (8, 5, 12, 9, 12, 5, 14, 6, 8, 13, 6, 5, 15, 13, 11, 11),
)
_ADDED_LEFT = (0, 0x5A827999, 0x6ED9EBA1, 0x8F1BBCDC, 0xA953FD4E)
_ADDED_RIGHT = (0x50A28BE6, 0x5C4DD124, 0x6D703EF3, 0x7A6D76E9, 0)
_START = (0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0)

_State = tuple[int, ...]
_Table = tuple[tuple[int, ...], ...]


def _mix(number: int, x: int, y: int, z: int) -> int:
    """The boolean function of round `number` (0 to 4)."""
    return (
        x ^ y ^ z,
        (x & y) | (~x & z),
        (x | ~y) ^ z,
        (x & z) | (y & ~z),
        x ^ (y | ~z),
    )[number] & _MASK


def _rotate(number: int, bits: int) -> int:
    number &= _MASK
    return (number << bits | number >> (32 - bits)) & _MASK


def _line(state: _State, block: list[int], words: _Table, shifts: _Table, right: bool) -> _State:
    """One of the two lines of five rounds over a block."""
    a, b, c, d, e = state
    for number in range(5):
        added = (_ADDED_RIGHT if right else _ADDED_LEFT)[number]
        kind = 4 - number if right else number
        for word, shift in zip(words[number], shifts[number], strict=True):
            mixed = _rotate(a + _mix(kind, b, c, d) + block[word] + added, shift) + e
            a, b, c, d, e = e, mixed & _MASK, b, _rotate(c, 10), d
    return a, b, c, d, e


def ripemd160_pure(data: bytes) -> bytes:
    """The 20-byte digest of `data`, without OpenSSL."""
    padded = data + b"\x80" + bytes(-(len(data) + 9) % 64) + (8 * len(data)).to_bytes(8, "little")
    h: _State = _START
    for at in range(0, len(padded), 64):
        block = [int.from_bytes(padded[at + 4 * i : at + 4 * i + 4], "little") for i in range(16)]
        left = _line(h, block, _WORDS_LEFT, _SHIFTS_LEFT, right=False)
        other = _line(h, block, _WORDS_RIGHT, _SHIFTS_RIGHT, right=True)
        h = tuple((h[(i + 1) % 5] + left[(i + 2) % 5] + other[(i + 3) % 5]) & _MASK for i in range(5))
    return b"".join(word.to_bytes(4, "little") for word in h)


def ripemd160(data: bytes) -> bytes:
    """The 20-byte RIPEMD-160 digest of `data`: OpenSSL's where it has one."""
    try:
        return hashlib.new("ripemd160", data).digest()
    except ValueError:
        return ripemd160_pure(data)
