"""BIP-39 and BIP-32 against their published vectors."""

import pytest

from pyibc.core.crypto.secp256k1 import PrivateKey
from pyibc.relayer.money.hd_keys import COUNTS, derive, mnemonic_key, new_mnemonic, read_path
from pyibc.relayer.money.wallet import ETHSECP256K1, SECP256K1, Wallet

ABANDON = "abandon " * 11 + "about"
TEST_TEST = "test " * 11 + "junk"

SEED_1 = "000102030405060708090a0b0c0d0e0f"
SEED_2 = (
    "fffcf9f6f3f0edeae7e4e1dedbd8d5d2cfccc9c6c3c0bdbab7b4b1aeaba8a5a29f9c999693908d8a8784817e7b7875726f6c6966"
    "63605d5a5754514e4b484542"
)
SEED_4 = "3ddd5602285899a946114506157c7997e5444528f3003f6134712147db19b678"


@pytest.mark.parametrize(
    ("seed", "path", "key"),
    [  # vectors of the BIP: the keys inside their xprv
        (SEED_1, "m", "e8f32e723decf4051aefac8e2c93c9c5b214313817cdb01a1494b917c8436b35"),
        (SEED_1, "m/0'", "edb2e14f9ee77d26dd93b4ecede8d16ed408ce149b6cd80b0715a2d911a0afea"),
        (SEED_1, "m/0h/1", "3c6cb8d0f6a264c91ea8b5030fadaa8e538b020f0a387421a12de9319dc93368"),
        (SEED_1, "m/0H/1/2'", "cbce0d719ecf7431d88e6a89fa1483e02e35092af60c042b1df2ff59fa424dca"),
        (
            SEED_1,
            "m/0'/1/2'/2/1000000000",
            "471b76e389e528d6de6d816857e012c5455051cad6660850e58372a6c3e6e7c8",
        ),
        (SEED_2, "m/0/2147483647'", "877c779ad9687164e9c2f4f0f4ff0340814392330693ce95a58fe18fd52e6e93"),
        (SEED_4, "m/0'", "00d948e9261e41362a688b916f297121ba6bfb2274a3575ac0e456551dfd7f7e"),  # leading zeros
    ],
)
def test_keys_of_the_bip(seed, path, key):
    assert derive(bytes.fromhex(seed), path).hex() == key


def test_addresses_that_other_wallets_give_a_mnemonic():
    """Addresses of Keplr and CosmJS for the first path, of MetaMask, Hardhat and Anvil for the second."""
    cosmos = Wallet(mnemonic_key(ABANDON, SECP256K1.hd_path), "cosmos")
    assert cosmos.address.text == "cosmos19rl4cm2hmr8afy4kldpxz3fka4jguq0auqdal4"
    ethereum = Wallet(mnemonic_key(TEST_TEST, ETHSECP256K1.hd_path), "evmos", ETHSECP256K1)
    assert ethereum.address.raw.hex() == "f39fd6e51aad88f6f4ce6ab8827279cfffb92266"
    assert ethereum.address.text.startswith("evmos1")


def test_a_passphrase_and_spaces():
    key = mnemonic_key(f"  {ABANDON}\n".replace(" ", "  "), "m", "TREZOR")
    # The master key of the seed that BIP-39's first English vector gives, c55257c3...
    seed = bytes.fromhex(
        "c55257c360c07c72029aebc1b53c05ed0362ada38ead3e3e9efa3708e53495531f09a6987599d18264c1e1c92f2cf141630c7a3c4"
        "ab7c81b2f001698e7463b04"
    )
    assert key == derive(seed, "m")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("abandon " * 12, "checksum"),
        ("abandon " * 11 + "abouts", "not in BIP-39's list"),
        ("abandon " * 10 + "about", "12, 15, 18"),
        ("", "12, 15, 18"),
    ],
)
def test_what_is_no_mnemonic_is_refused_and_not_repeated(words, said):
    with pytest.raises(ValueError, match=said) as caught:
        mnemonic_key(words, "m")
    assert "aband" not in str(caught.value)


@pytest.mark.parametrize("path", ["", "44'", "m/", "m/-1", "m/2147483648", "m/1''", "m/٣", "m/1/x", "M/0"])
def test_what_is_no_path(path):
    with pytest.raises(ValueError, match="HD path"):
        read_path(path)


def test_a_new_mnemonic_is_one_and_another_each_time():
    words = new_mnemonic()
    assert len(words.split()) in COUNTS
    assert words != new_mnemonic()
    assert PrivateKey(mnemonic_key(words, SECP256K1.hd_path)).public_key
