"""Private keys from a mnemonic: BIP-39 (words to a seed, by Trezor's `mnemonic`) and BIP-32 (seed to keys).

BIP-32's private derivation is a few lines on libsecp256k1, tested with the published vectors
(tests/unit/pyibc/relayer/money/test_hd_keys.py).
"""

import hmac
import re
from functools import lru_cache

import coincurve
from mnemonic import Mnemonic

from pyibc.core.crypto.secp256k1 import ORDER

HARDENED = 1 << 31
_PATH = re.compile(r"m(/\d{1,10}['hH]?)*", re.ASCII)
_STEP = re.compile(r"/(\d+)(['hH]?)", re.ASCII)
COUNTS = (12, 15, 18, 21, 24)
"""Allowed numbers of words in a mnemonic."""


def read_path(text: str) -> tuple[int, ...]:
    """Return the indices of an HD path such as `m/44'/118'/0'/0/0`; hardened ones have ', h or H.

    Raises:
        ValueError: the text is not a path, or an index is not below 2^31.
    """
    if not _PATH.fullmatch(text):
        raise ValueError(f"not an HD path: {text[:64]!r}")
    steps = [(int(number), bool(mark)) for number, mark in _STEP.findall(text)]
    if any(number >= HARDENED for number, _ in steps):
        raise ValueError(f"an index of the HD path is not below 2^31: {text[:64]!r}")
    return tuple(number + HARDENED * hard for number, hard in steps)


def derive(seed: bytes, path: str) -> bytes:
    """Return the private key, 32 bytes, at `path` below the master key of `seed` (BIP-32).

    Raises:
        ValueError: `path` is malformed, or has no key (one path in 2^127).
    """
    key, chain_code = _split(hmac.digest(b"Bitcoin seed", seed, "sha512"))
    _require_scalar(int.from_bytes(key, "big"))
    for index in read_path(path):
        parent = b"\x00" + key if index >= HARDENED else coincurve.PrivateKey(key).public_key.format()
        left, chain_code = _split(hmac.digest(chain_code, parent + index.to_bytes(4, "big"), "sha512"))
        if int.from_bytes(left, "big") >= ORDER:
            raise ValueError("no key at this HD path")
        scalar = (int.from_bytes(left, "big") + int.from_bytes(key, "big")) % ORDER
        _require_scalar(scalar)
        key = scalar.to_bytes(32, "big")
    return key


def mnemonic_key(words: str, path: str, passphrase: str = "") -> bytes:
    """Return the private key at `path` of a mnemonic of English words.

    Raises:
        ValueError: the number of words is wrong, a word is not in BIP-39's list, the checksum is wrong, or
            `path` is malformed. The error contains none of the words.
    """
    text = " ".join(words.split())
    if len(text.split()) not in COUNTS:
        raise ValueError("a mnemonic has 12, 15, 18, 21 or 24 words")
    if not _english().check(text):
        raise ValueError("not a mnemonic: a word is not in BIP-39's list, or the checksum is wrong")
    return derive(Mnemonic.to_seed(text, passphrase), path)


def new_mnemonic() -> str:
    """Return 24 words from the system's random source."""
    return str(_english().generate(256))


@lru_cache(1)
def _english() -> Mnemonic:
    return Mnemonic("english")


def _split(digest: bytes) -> tuple[bytes, bytes]:
    return digest[:32], digest[32:]


def _require_scalar(scalar: int) -> None:
    if not 0 < scalar < ORDER:
        raise ValueError("no key at this HD path")
