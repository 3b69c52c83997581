"""Keys in the keyrings of other relayers: Hermes' files, and the `test` backend of the SDK's keyring (rly).

Both keep keys at `CHAIN/keyring-test/`. Hermes writes them in the clear, in JSON. The SDK encrypts each one
(JWE, RFC 7516: PBES2-HS256+A128KW, A256GCM) with the passphrase "test". Public keys and addresses that stand
beside a private key are compared with it.
"""

import hmac
import json
from base64 import b64decode, urlsafe_b64decode
from collections.abc import Callable, Iterator
from hashlib import pbkdf2_hmac, sha256
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from Crypto.Cipher import AES

from pyibc.core.address import AddressCodec
from pyibc.core.errors import IbcError
from pyibc.relayer.errors import KeyRefused
from pyibc.relayer.money.fees import field_of
from pyibc.relayer.money.wallet import ETHSECP256K1, KEY_TYPES, SECP256K1, KeyType, Wallet

MAX_BYTES = 65_536
"""Maximum size of a file."""
MAX_FILES = 1_000
MAX_ITERATIONS = 1_000_000
"""Maximum work for a passphrase; the SDK's keyring asks for 8,192."""
_PASSPHRASE = b"test"
_FOLDER = "keyring-test"
_BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


class NoPrivateKey(Exception):
    """The entry is a public key alone: of a Ledger, a multisig, or somebody else."""


class FoundKey(NamedTuple):
    """Key of a keyring."""

    chain: str
    name: str
    private_key: bytes
    prefix: str  # of the address in the keyring; "": it has none
    key_type: KeyType


def hermes_keys(folder: Path) -> Iterator[FoundKey]:
    """Yield the keys of Hermes, by default in ~/.hermes/keys.

    Raises:
        KeyRefused: a file is not such a key, or its address is that of another one.
        OSError: a file cannot be read.
    """
    for file in _files(folder, ".json"):
        yield _read(file, _hermes_key)


def rly_keys(folder: Path, skipped: Callable[[Path], None]) -> Iterator[FoundKey]:
    """Yield the private keys in keyrings of the SDK's `test` backend: the Go relayer's, or a chain binary's.

    Args:
        folder: folder with `keyring-test` or `CHAIN/keyring-test`, such as ~/.relayer/keys.
        skipped: called with the file of each key without a private part, such as a Ledger's or a multisig's.

    Raises:
        KeyRefused: there is no key or there are more than `MAX_FILES`, or a file is too large, damaged, of an
            unsupported key type, or encrypted with another passphrase.
        OSError: a file cannot be read.
    """
    for file in _files(folder, ".info"):
        try:
            yield _read(file, _sdk_key)
        except NoPrivateKey:
            skipped(file)


def _files(folder: Path, suffix: str) -> list[Path]:
    """Return the files of all keyrings in a folder, which may also be the folder of one chain."""
    found = (each for part in (_FOLDER, f"*/{_FOLDER}") for each in folder.glob(f"{part}/*{suffix}"))
    files = sorted(islice(found, MAX_FILES + 1))
    if not files:
        raise KeyRefused(str(folder), f"no keys in it: {_FOLDER}/NAME{suffix}, of one or more chains")
    if len(files) > MAX_FILES:
        raise KeyRefused(str(folder), f"more than {MAX_FILES} keys")
    return files


def _read(file: Path, parse: Callable[[Path, bytes], FoundKey]) -> FoundKey:
    """Parse a file; an error contains nothing of it."""
    with file.open("rb") as opened:
        raw = opened.read(MAX_BYTES + 1)
    if len(raw) > MAX_BYTES:
        raise KeyRefused(str(file), f"more than {MAX_BYTES} bytes")
    try:
        return parse(file, raw)
    except (ValueError, TypeError, LookupError, OverflowError, RecursionError, IbcError) as error:
        reason = str(error) if type(error) is ValueError else "not a key of this keyring"
    raise KeyRefused(str(file), reason)  # outside: the context of an error would contain the file


# -- Hermes: `private_key` in hex, `address` as a list of bytes; before 1.2 an extended key (BIP-32) in base58


def _hermes_key(file: Path, raw: bytes) -> FoundKey:
    given = json.loads(raw)
    text, address = str(given["private_key"]), bytes([*given["address"]])
    key = _extended(text) if text.startswith("xprv") else bytes.fromhex(text)
    prefix = str(given["account"]).rpartition("1")[0]
    for key_type in (SECP256K1, ETHSECP256K1):
        wallet = Wallet(key, prefix, key_type)
        if hmac.compare_digest(wallet.address.raw, address):
            break
    else:
        raise ValueError("the address in it is that of another key")
    # guard: an-account-of-another-key drop test_an_address_that_is_not_the_key_s_is_refused
    if AddressCodec(prefix).decode(given["account"], "account").raw != address:
        raise ValueError("the account in it is that of another key")
    return FoundKey(file.parent.parent.name, file.stem, key, prefix, key_type)


def _extended(text: str) -> bytes:
    """Return the private key in an extended one: 78 bytes and a checksum."""
    number = 0
    for sign in text[:128]:
        number = number * 58 + _BASE58.index(sign)
    raw = number.to_bytes(82, "big")
    if sha256(sha256(raw[:78]).digest()).digest()[:4] != raw[78:]:
        raise ValueError("the checksum of the extended key is wrong")
    return raw[46:78]


# -- the SDK: a `Record` of cosmos.crypto.keyring.v1 in JSON in a JWE


def _sdk_key(file: Path, raw: bytes) -> FoundKey:
    record = b64decode(json.loads(_decrypted(raw.decode("ascii")))["Data"])
    name, public, local = (field_of(record, number) for number in (1, 2, 3))
    if name is None or public is None:
        raise ValueError("not a record of SDK 0.46 or later: list the keys once with a newer program")
    if local is None:
        raise NoPrivateKey
    url, value = _any(field_of(local, 1))
    key_type = next(
        (each for each in KEY_TYPES.values() if each.type_url == url.replace("PrivKey", "PubKey")), None
    )
    if key_type is None:
        raise ValueError(f"keys of type {url[:64]!a} are not supported")
    key = field_of(value, 1) or b""
    wallet = Wallet(key, "cosmos", key_type)
    # guard: a-public-key-of-another-key drop test_a_public_key_that_is_not_the_key_s_is_refused
    if _any(public) != (key_type.type_url, b"\x0a\x21" + wallet.public_key):
        raise ValueError("the public key in it is that of another key")
    return FoundKey(file.parent.parent.name, name.decode(), key, "", key_type)


def _any(raw: bytes | None) -> tuple[str, bytes]:
    return (field_of(raw or b"", 1) or b"").decode(), field_of(raw or b"", 2) or b""


def _decrypted(token: str) -> bytes:
    """Return the text of a JWE in compact form, encrypted with the passphrase of the `test` backend."""
    head, wrapped, nonce, box, tag = token.strip().split(".")
    given: dict[str, Any] = json.loads(_base64(head))
    if (given["alg"], given["enc"]) != ("PBES2-HS256+A128KW", "A256GCM"):
        raise ValueError("not encrypted as the SDK's keyring does")
    if not 1 <= int(given["p2c"]) <= MAX_ITERATIONS:
        raise ValueError(f"more than {MAX_ITERATIONS} iterations for its passphrase")
    salt = given["alg"].encode() + b"\0" + _base64(given["p2s"])
    key = _unwrapped(pbkdf2_hmac("sha256", _PASSPHRASE, salt, int(given["p2c"]), 16), _base64(wrapped))
    cipher = AES.new(key, AES.MODE_GCM, nonce=_base64(nonce))
    cipher.update(head.encode())
    return bytes(cipher.decrypt_and_verify(_base64(box), _base64(tag)))


def _unwrapped(key: bytes, wrapped: bytes) -> bytes:
    """Unwrap a key (RFC 3394)."""
    cipher = AES.new(key, AES.MODE_ECB)
    check, *blocks = (wrapped[at : at + 8] for at in range(0, len(wrapped), 8))
    count = len(blocks)
    for step in range(6 * count, 0, -1):
        at = (step - 1) % count
        masked = (int.from_bytes(check, "big") ^ step).to_bytes(8, "big")
        both = cipher.decrypt(masked + blocks[at])
        check, blocks[at] = both[:8], both[8:]
    if check != b"\xa6" * 8:
        raise ValueError('the passphrase is not "test": only the keyring\'s `test` backend can be read')
    return b"".join(blocks)


def _base64(text: str) -> bytes:
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))
