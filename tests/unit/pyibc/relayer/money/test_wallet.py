"""Keys and addresses against published values."""

import pytest

from pyibc.codec.anys import AnyMessage
from pyibc.core.coin import coin
from pyibc.core.crypto import secp256k1
from pyibc.core.wire.tx import DIRECT, decode_tx, sign_bytes
from pyibc.relayer.money.wallet import Wallet

ONE = (1).to_bytes(32, "big")


def test_the_key_one():
    """Generator point and its hash, as in BIP-173's examples."""
    wallet = Wallet(ONE, "cosmos")
    assert wallet.public_key.hex() == "0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"
    assert wallet.address.raw.hex() == "751e76e8199196d454941c45d1b3a323f1433bd6"
    assert wallet.address.text.startswith("cosmos1w508d6qejxtdg4y5r3zarvary0c5xw7k")


def test_seeds_are_deterministic_and_apart():
    assert Wallet.from_seed("a", "cosmos").address == Wallet.from_seed("a", "cosmos").address
    assert Wallet.from_seed("a", "cosmos").address.raw != Wallet.from_seed("b", "cosmos").address.raw
    assert Wallet.from_seed("a", "py").address.text.startswith("py1")


@pytest.mark.parametrize("scalar", [bytes(32), b"\xff" * 32])
def test_scalars_that_are_no_key(scalar):
    with pytest.raises(ValueError, match=r"."):
        Wallet(scalar, "cosmos")


def test_the_key_is_never_printed():
    assert repr(Wallet(ONE, "cosmos")) == f"Wallet({Wallet(ONE, 'cosmos').address.text})"


def test_a_transaction_says_what_was_asked_and_is_signed():
    wallet = Wallet(ONE, "cosmos")
    fields = {"chain_id": "c-1", "account_number": 3, "sequence": 4, "gas_limit": 5}
    fields |= {"fee": [coin("stake", 6)], "memo": "m", "timeout_height": 7}
    raw = wallet.sign_tx([AnyMessage("/x.Y", b"z")], **fields)
    tx = decode_tx(raw)
    assert (tx.messages, tx.memo, tx.timeout_height) == ((AnyMessage("/x.Y", b"z"),), "m", 7)
    assert (tx.fee.amount, tx.fee.gas_limit) == ((coin("stake", 6),), 5)
    (info,) = tx.signer_infos
    assert (info.mode, info.sequence) == (DIRECT, 4)
    document = sign_bytes(tx.body_bytes, tx.auth_info_bytes, "c-1", 3)
    assert secp256k1.verify(wallet.public_key, document, tx.signatures[0])
    assert raw == wallet.sign_tx([AnyMessage("/x.Y", b"z")], **fields)
