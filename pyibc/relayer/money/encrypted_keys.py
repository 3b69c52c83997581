"""Private keys in files encrypted with a passphrase: Argon2id and XSalsa20-Poly1305, both of libsodium.

{"pyibc_key": 1, "kdf": "argon2id", "ops": 3, "memory": 268435456, "salt": HEX, "box": HEX}
"""

import json
import re

from nacl import pwhash
from nacl.exceptions import CryptoError
from nacl.secret import SecretBox
from nacl.utils import random

from pyibc.core.crypto import secp256k1
from pyibc.relayer.errors import KeyRefused

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
