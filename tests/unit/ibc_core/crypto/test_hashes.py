"""The hashes of `ibc_core.crypto.hashes`, written in plain Python, held against those in C.

SHA-512/256 is written from FIPS 180-4: constants are computed, as the standard says, from primes' roots.
"""

import hashlib
import runpy
import struct
from math import isqrt

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ibc_core.crypto import hashes
from ibc_core.crypto.hashes import (
    ripemd160,
    ripemd160_by_native,
    ripemd160_by_openssl,
    ripemd160_by_pycryptodome,
    sha512_256,
)

_MASK = 0xFFFFFFFF
_ROUNDS = tuple[tuple[int, ...], ...]

_LEFT_WORDS: _ROUNDS = (
    tuple(range(16)),
    (7, 4, 13, 1, 10, 6, 15, 3, 12, 0, 9, 5, 2, 14, 11, 8),
    (3, 10, 14, 4, 9, 15, 8, 1, 2, 7, 0, 6, 13, 11, 5, 12),
    (1, 9, 11, 10, 0, 8, 12, 4, 13, 3, 7, 15, 14, 5, 6, 2),
    (4, 0, 5, 9, 7, 12, 2, 10, 14, 1, 3, 8, 11, 6, 15, 13),
)
_RIGHT_WORDS: _ROUNDS = (
    (5, 14, 7, 0, 9, 2, 11, 4, 13, 6, 15, 8, 1, 10, 3, 12),
    (6, 11, 3, 7, 0, 13, 5, 10, 14, 15, 8, 12, 4, 9, 1, 2),
    (15, 5, 1, 3, 7, 14, 6, 9, 11, 8, 12, 2, 10, 0, 4, 13),
    (8, 6, 4, 1, 3, 11, 15, 0, 5, 12, 2, 13, 9, 7, 10, 14),
    (12, 15, 10, 4, 1, 5, 8, 7, 6, 2, 13, 14, 0, 3, 9, 11),
)
_LEFT_SHIFTS: _ROUNDS = (
    (11, 14, 15, 12, 5, 8, 7, 9, 11, 13, 14, 15, 6, 7, 9, 8),
    (7, 6, 8, 13, 11, 9, 7, 15, 7, 12, 15, 9, 11, 7, 13, 12),
    (11, 13, 6, 7, 14, 9, 13, 15, 14, 8, 13, 6, 5, 12, 7, 5),
    (11, 12, 14, 15, 14, 15, 9, 8, 9, 14, 5, 6, 8, 6, 5, 12),
    (9, 15, 5, 11, 6, 8, 13, 12, 5, 12, 13, 14, 11, 8, 5, 6),
)
_RIGHT_SHIFTS: _ROUNDS = (
    (8, 9, 9, 11, 13, 15, 15, 5, 7, 7, 8, 11, 14, 14, 12, 6),
    (9, 13, 15, 7, 12, 8, 9, 11, 7, 7, 12, 7, 6, 15, 13, 11),
    (9, 7, 15, 11, 8, 6, 6, 14, 12, 13, 5, 14, 13, 13, 7, 5),
    (15, 5, 8, 11, 14, 14, 6, 14, 6, 9, 12, 9, 12, 5, 15, 8),
    (8, 5, 12, 9, 12, 5, 14, 6, 8, 13, 6, 5, 15, 13, 11, 11),
)
_LEFT_CONSTANTS = (0x00000000, 0x5A827999, 0x6ED9EBA1, 0x8F1BBCDC, 0xA953FD4E)
_RIGHT_CONSTANTS = (0x50A28BE6, 0x5C4DD124, 0x6D703EF3, 0x7A6D76E9, 0x00000000)
_START = (0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0)


def _mix(kind: int, x: int, y: int, z: int) -> int:
    if kind == 0:
        return x ^ y ^ z
    if kind == 1:
        return (x & y) | (~x & z)
    if kind == 2:
        return (x | ~y) ^ z
    if kind == 3:
        return (x & z) | (y & ~z)
    return x ^ (y | ~z)


def _rotate(word: int, bits: int) -> int:
    word &= _MASK
    return (word << bits | word >> (32 - bits)) & _MASK


def _line(state: tuple[int, ...], words: tuple[int, ...], *, left: bool) -> tuple[int, ...]:
    a, b, c, d, e = state
    order, shifts = (_LEFT_WORDS, _LEFT_SHIFTS) if left else (_RIGHT_WORDS, _RIGHT_SHIFTS)
    constants = _LEFT_CONSTANTS if left else _RIGHT_CONSTANTS
    for turn in range(5):
        kind = turn if left else 4 - turn
        for word, shift in zip(order[turn], shifts[turn], strict=True):
            a = _rotate(a + _mix(kind, b, c, d) + words[word] + constants[turn], shift) + e
            a, b, c, d, e = e, a & _MASK, b, _rotate(c, 10), d
    return a, b, c, d, e


def plain_ripemd160(data: bytes) -> bytes:
    """The 20-byte RIPEMD-160 digest of `data` (ISO/IEC 10118-3)."""
    padded = data + b"\x80" + bytes((55 - len(data)) % 64) + struct.pack("<Q", len(data) * 8 & (2**64 - 1))
    state: tuple[int, ...] = _START
    for start in range(0, len(padded), 64):
        words = struct.unpack("<16L", padded[start : start + 64])
        one = _line(state, words, left=True)
        two = _line(state, words, left=False)
        state = tuple((state[(i + 1) % 5] + one[(i + 2) % 5] + two[(i + 3) % 5]) & _MASK for i in range(5))
    return struct.pack("<5L", *state)


_WORD = (1 << 64) - 1


def _primes(count):
    found = []
    number = 2
    while len(found) < count:
        if all(number % each for each in found):
            found.append(number)
        number += 1
    return found


def _cube_root(number):
    low, high = 0, number
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if middle**3 <= number else (low, middle - 1)
    return low


_K = [_cube_root(prime << 192) & _WORD for prime in _primes(80)]
_SHA512 = [isqrt(prime << 128) & _WORD for prime in _primes(8)]


def _right(word, bits):
    return (word >> bits | word << (64 - bits)) & _WORD


def _compress(state, block):
    words = list(struct.unpack(">16Q", block))
    for at in range(16, 80):
        one, two = words[at - 15], words[at - 2]
        low = _right(one, 1) ^ _right(one, 8) ^ one >> 7
        high = _right(two, 19) ^ _right(two, 61) ^ two >> 6
        words.append((words[at - 16] + low + words[at - 7] + high) & _WORD)
    a, b, c, d, e, f, g, h = state
    for constant, word in zip(_K, words, strict=True):
        mixed = h + (_right(e, 14) ^ _right(e, 18) ^ _right(e, 41)) + (e & f ^ ~e & g) + constant + word
        majority = (_right(a, 28) ^ _right(a, 34) ^ _right(a, 39)) + (a & b ^ a & c ^ b & c)
        a, b, c, d, e, f, g, h = (mixed + majority) & _WORD, a, b, c, (d + mixed) & _WORD, e, f, g
    return [(old + new) & _WORD for old, new in zip(state, (a, b, c, d, e, f, g, h), strict=True)]


def _sha512_from(start, data):
    state = start
    padded = data + b"\x80" + bytes((111 - len(data)) % 128) + (len(data) * 8).to_bytes(16, "big")
    for at in range(0, len(padded), 128):
        state = _compress(state, padded[at : at + 128])
    return struct.pack(">8Q", *state)


def plain_sha512_256(data):
    """Initial values by FIPS 180-4, 5.3.6: of SHA-512 with its own, each byte 0xa5 apart."""
    changed = [word ^ 0xA5A5A5A5A5A5A5A5 for word in _SHA512]
    start = struct.unpack(">8Q", _sha512_from(changed, b"SHA-512/256"))
    return _sha512_from(list(start), data)[:32]


INPUTS = st.binary(max_size=300)
WAYS = [
    each
    for each in (ripemd160_by_openssl, ripemd160_by_native, ripemd160_by_pycryptodome)
    if each is not None
]


@given(INPUTS)
@example(b"x" * 55)
@example(b"x" * 56)
@example(b"x" * 64)
@settings(max_examples=60, deadline=None)
def test_ripemd160_is_what_plain_python_says(data):
    assert {way(data) for way in WAYS} == {plain_ripemd160(data)}


@given(INPUTS)
@example(b"x" * 111)
@example(b"x" * 112)
@example(b"x" * 128)
@settings(max_examples=40, deadline=None)
def test_sha512_256_is_what_plain_python_says(data):
    assert _sha512_from(_SHA512, data) == hashlib.sha512(data).digest()
    assert sha512_256(data) == plain_sha512_256(data)


@pytest.mark.parametrize(
    ("data", "digest"),
    [
        (b"", "c672b8d1ef56ed28ab87c3622c5114069bdd3ad7b8f9737498d0c01ecef0967a"),
        (b"abc", "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23"),
    ],
)
def test_sha512_256_of_the_standards_examples(data, digest):
    assert sha512_256(data).hex() == digest


def test_no_verdict_asks_openssl_for_a_hash_that_it_may_lack(monkeypatch):
    """Neither `hashlib.new` nor a missing algorithm changes what they say."""

    def absent(*_, **__):
        raise ValueError("unsupported hash type")

    monkeypatch.setattr(hashlib, "new", absent)
    without = runpy.run_path(hashes.__file__)
    assert without["ripemd160_by_openssl"] is None
    assert without["ripemd160"] is (without["ripemd160_by_native"] or without["ripemd160_by_pycryptodome"])
    for way in (ripemd160, without["ripemd160"]):
        assert way(b"").hex() == "9c1185a5c5e9fc54612808977ee8f548b2258d31"
    assert without["sha512_256"](b"abc").hex().startswith("53048e26")


def test_openssl_is_asked_for_the_hash_once(monkeypatch):
    """Each `hashlib.new` looks its name up: twice the price of a header's addresses."""
    if ripemd160_by_openssl is None:
        pytest.skip("this OpenSSL has no RIPEMD-160")
    assert ripemd160 is ripemd160_by_openssl
    monkeypatch.setattr(hashlib, "new", lambda *_, **__: pytest.fail("looked up again"))
    assert ripemd160(b"a") != ripemd160(b"b")
    assert ripemd160(b"a") == ripemd160_by_pycryptodome(b"a")
