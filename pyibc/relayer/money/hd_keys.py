"""Private keys: derived from a mnemonic (BIP-32, BIP-39), or read from a file encrypted with a passphrase."""

import hmac
import json
import re
from functools import lru_cache

import coincurve
from mnemonic import Mnemonic
from nacl import pwhash
from nacl.exceptions import CryptoError
from nacl.secret import SecretBox
from nacl.utils import random

from pyibc.core.crypto import secp256k1
from pyibc.core.crypto.secp256k1 import ORDER
from pyibc.relayer.errors import KeyRefused

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


# -- private keys in files encrypted with a passphrase: Argon2id and XSalsa20-Poly1305, both of libsodium
#
# Such a file is one object of JSON: `pyibc_key` is 1, `kdf` is argon2id, `ops` and `memory` are its cost,
# `salt` and `box` are hexadecimal.

OPS, MEMORY = pwhash.argon2id.OPSLIMIT_MODERATE, pwhash.argon2id.MEMLIMIT_MODERATE
"""Cost of a passphrase; a file that asks for more is refused."""
_HEX = re.compile("(?:[0-9a-f]{2}){1,200}")


def encrypt_key(key: bytes, passphrase: str) -> str:
    """Return the text of a file with a private key, encrypted with a passphrase.

    Raises:
        KeyRefused: the passphrase is empty.
    """
    if not passphrase:
        raise KeyRefused("the passphrase", "it is empty")
    salt = random(pwhash.argon2id.SALTBYTES)
    box = _box(passphrase, salt, OPS, MEMORY).encrypt(key)
    content = {"pyibc_key": 1, "kdf": "argon2id", "ops": OPS, "memory": MEMORY}
    return json.dumps({**content, "salt": salt.hex(), "box": bytes(box).hex()}) + "\n"


def decrypt_key(text: str, where: str, passphrase: str) -> bytes:
    """Return the private key in a text by `encrypt_key`.

    Raises:
        KeyRefused: it is no such text, the passphrase is wrong, or what it encrypts is not a key.
    """
    salt, box, ops, memory = _read(text, where)
    try:
        key = _box(passphrase, salt, ops, memory).decrypt(box)
    except (CryptoError, ValueError):
        raise KeyRefused(where, "the passphrase is wrong, or the file is damaged") from None
    if len(key) != 32 or not 0 < int.from_bytes(key, "big") < secp256k1.ORDER:
        raise KeyRefused(where, "it encrypts no key of secp256k1")
    return key


def _box(passphrase: str, salt: bytes, ops: int, memory: int) -> SecretBox:
    return SecretBox(pwhash.argon2id.kdf(SecretBox.KEY_SIZE, passphrase.encode(), salt, ops, memory))


def _read(text: str, where: str) -> tuple[bytes, bytes, int, int]:
    try:
        found = json.loads(text)
        names = (found["pyibc_key"], found["kdf"])
        ops, memory, salt, box = found["ops"], found["memory"], found["salt"], found["box"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise KeyRefused(where, "not an encrypted key, as `pyibc keys export` writes it") from None
    is_cheap = type(ops) is int and type(memory) is int and 1 <= ops <= OPS and 8192 <= memory <= MEMORY
    is_hex = all(isinstance(each, str) and _HEX.fullmatch(each) for each in (salt, box))
    # guard: a-file-says-what-its-passphrase-costs {is_cheap => True}
    #   test_a_file_that_asks_for_more_memory_than_ours_is_refused
    if names != (1, "argon2id") or not (is_cheap and is_hex) or len(salt) != 2 * pwhash.argon2id.SALTBYTES:
        raise KeyRefused(where, "an encrypted key of another kind or cost than `pyibc keys export` writes")
    return bytes.fromhex(salt), bytes.fromhex(box), ops, memory
