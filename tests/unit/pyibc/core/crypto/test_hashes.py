"""RIPEMD-160 and SHA-512/256: every library gives the same digests, and those of the standards.

RIPEMD-160's own examples are in `proofs/test_ops.py`.
"""

import hashlib
import runpy

import pytest

from pyibc.core.crypto import hashes
from pyibc.core.crypto.hashes import (
    ripemd160,
    ripemd160_by_native,
    ripemd160_by_openssl,
    ripemd160_by_pycryptodome,
    sha512_256,
)

SIZES = (0, 1, 55, 56, 63, 64, 65, 111, 112, 119, 120, 127, 128, 129, 300)
"""Around the ends of blocks, where paddings differ."""


def test_every_way_to_ripemd160_has_the_same_digests():
    ways = [each for each in (ripemd160, ripemd160_by_openssl, ripemd160_by_native) if each is not None]
    for size in SIZES:
        data = b"x" * size
        assert {way(data) for way in ways} == {ripemd160_by_pycryptodome(data)}, size


def test_sha512_256_is_that_of_openssl_where_it_has_one():
    if "sha512_256" not in hashlib.algorithms_available:
        pytest.skip("this OpenSSL has no SHA-512/256")
    for size in SIZES:
        data = b"x" * size
        assert sha512_256(data) == hashlib.new("sha512_256", data).digest(), size


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
