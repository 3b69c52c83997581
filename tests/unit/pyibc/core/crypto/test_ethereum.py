"""Ethereum's hash, addresses and signers, against what others say of them."""

import pytest

from pyibc.core.crypto import ethereum, secp256k1

KEY = (0xA11CE).to_bytes(32, "big")
PUBLIC = secp256k1.PrivateKey(KEY).public_key
DIGEST = b"d" * 32

KECCAK = {
    b"": "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470",
    b"abc": "4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45",
    b"transfer(address,uint256)": "a9059cbb2ab09eb219583f4a59a5d0623ade346d962bcd4e46b11da047c9049b",
}


@pytest.mark.parametrize(("data", "digest"), KECCAK.items())
def test_keccak(data, digest):
    assert ethereum.keccak256(data).hex() == digest


def test_an_address():
    assert ethereum.own_address(KEY).hex() == ethereum.address(PUBLIC).hex()
    assert ethereum.address(PUBLIC).hex() == "e05fcc23807536bee418f142d19fa0d21bb0cff7"
    with pytest.raises(ValueError, match="public key"):
        ethereum.address(b"\0" * 33)


def test_a_signer_is_recovered_by_each_spelling_of_v():
    signature = ethereum.sign(KEY, DIGEST)
    v = signature[64]
    assert v in {0, 1}
    for spelling in (v, v + 27):
        assert ethereum.recover(DIGEST, signature[:64] + bytes((spelling,))) == ethereum.address(PUBLIC)
    others = [ethereum.recover(DIGEST, signature[:64] + bytes((each,))) for each in range(256)]
    assert others.count(ethereum.address(PUBLIC)) == 2
    assert all(others[each] is None for each in range(256) if each not in {0, 1, 27, 28})


def recovered(signature):
    try:
        return ethereum.recover(DIGEST, signature)
    except Exception as error:
        return error


def test_what_is_no_signature():
    signature = ethereum.sign(KEY, DIGEST)
    order = secp256k1.ORDER.to_bytes(32, "big")
    for spoilt in (
        b"",
        signature[:64],
        signature + b"\0",
        bytes(65),
        bytes(32) + signature[32:],
        signature[:32] + bytes(32) + signature[64:],
        order + signature[32:],
        signature[:32] + order + signature[64:],
    ):
        assert recovered(spoilt) is None
    assert ethereum.recover(b"e" * 32, signature) != ethereum.address(PUBLIC)
