"""Keys and signatures of accounts and validators; Wycheproof's are run by tests/vectors."""

from hashlib import sha256

import pytest

from pyibc.core.crypto import secp256k1
from pyibc.core.crypto.signatures import verify_signature

ONE = (1).to_bytes(32, "big")
KEY = secp256k1.PrivateKey(b"s" * 32)
OTHER = secp256k1.PrivateKey(b"o" * 32)
MESSAGE = b"what is signed"
SIGNATURE = KEY.sign(MESSAGE)


def test_a_signature_that_others_published():
    """RFC 6979 over secp256k1, key 1, as Bitcoin's libraries test it; its s is low."""
    signature = secp256k1.PrivateKey(ONE).sign(b"Satoshi Nakamoto")
    assert signature[:32].hex() == "934b1ea10a4b3c1757e2b0c017d0b6143ce3c9a7e6a4a49860d7a6ab210ee3d8"
    assert signature[32:].hex() == "2442ce9d2b916064108014783e923ec36b49743e2ffa1c4496f01a512aafd9e5"


def test_the_key_one_and_its_address():
    """The generator, and its hash as in BIP-173's examples."""
    public_key = secp256k1.PrivateKey(ONE).public_key
    assert public_key.hex() == "0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"
    assert secp256k1.address(public_key).hex() == "751e76e8199196d454941c45d1b3a323f1433bd6"


@pytest.mark.parametrize("scalar", [bytes(32), secp256k1.ORDER.to_bytes(32, "big"), b"\xff" * 32])
def test_scalars_that_are_no_key(scalar):
    with pytest.raises(ValueError, match=r"."):
        secp256k1.PrivateKey(scalar)


def test_the_largest_scalar_is_a_key():
    largest = secp256k1.PrivateKey((secp256k1.ORDER - 1).to_bytes(32, "big"))
    assert largest.public_key[1:] == secp256k1.PrivateKey(ONE).public_key[1:]  # minus the generator


def test_what_is_signed_verifies_for_that_key_and_message_alone():
    assert secp256k1.verify(KEY.public_key, MESSAGE, SIGNATURE)
    assert secp256k1.verify_digest(KEY.public_key, sha256(MESSAGE).digest(), SIGNATURE)
    assert verify_signature("secp256k1", KEY.public_key, MESSAGE, SIGNATURE)
    assert not secp256k1.verify(KEY.public_key, MESSAGE + b"x", SIGNATURE)
    assert not secp256k1.verify(OTHER.public_key, MESSAGE, SIGNATURE)


def test_signatures_are_deterministic_and_low():
    short = 0
    for number in range(512):
        message = MESSAGE + number.to_bytes(2, "big")
        signature = KEY.sign(message)
        assert signature == KEY.sign(message)
        assert 0 < int.from_bytes(signature[32:], "big") <= secp256k1.HALF_ORDER
        assert secp256k1.verify(KEY.public_key, message, signature)
        short += 0 in (signature[0], signature[32])
    assert short > 1  # numbers of less than 32 bytes were among them


def test_an_s_in_the_upper_half_is_refused():
    high = secp256k1.ORDER - int.from_bytes(SIGNATURE[32:], "big")
    assert not secp256k1.verify(KEY.public_key, MESSAGE, SIGNATURE[:32] + high.to_bytes(32, "big"))


@pytest.mark.parametrize(
    "key",
    [
        b"",
        b"\x02" * 32,
        b"\x04" + b"x" * 32,
        b"\x02" + b"\xff" * 32,
        KEY._key.public_key.format(compressed=False),
    ],
)
def test_keys_that_are_none(key):
    assert not secp256k1.is_public_key(key)
    assert not secp256k1.verify(key, MESSAGE, SIGNATURE)


@pytest.mark.parametrize(
    "signature",
    [
        b"",
        bytes(64),
        b"\xff" * 64,
        SIGNATURE[:63],
        SIGNATURE + b"\x00",
        SIGNATURE[:32] + b"\x00" + SIGNATURE[32:],
        SIGNATURE[:32] + bytes(32),
        bytes(32) + SIGNATURE[32:],
        SIGNATURE[:32] + secp256k1.ORDER.to_bytes(32, "big"),
        SIGNATURE[32:] + SIGNATURE[:32],
    ],
)
def test_signatures_that_are_none(signature):
    assert secp256k1.is_public_key(KEY.public_key)
    assert not secp256k1.verify(KEY.public_key, MESSAGE, signature)
