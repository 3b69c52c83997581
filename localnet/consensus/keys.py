"""Validators' Ed25519 keys, derived deterministically from a seed."""

from collections.abc import Iterable
from hashlib import sha256

from nacl.signing import SigningKey

from light_client.tendermint.types import ED25519, Validator, validator


class ValidatorKey:
    """A validator's private key, for tests and local networks only."""

    def __init__(self, seed: bytes) -> None:
        """Take a 32-byte seed."""
        self.seed = seed
        self._key = SigningKey(seed)
        self.public_key = bytes(self._key.verify_key)
        self.address = sha256(self.public_key).digest()[:20]

    @classmethod
    def from_text(cls, text: str) -> "ValidatorKey":
        """Derive a key from text, deterministically."""
        return cls(sha256(b"pyibc validator:" + text.encode()).digest())

    def __repr__(self) -> str:  # never the key
        return f"ValidatorKey({self.address.hex()})"

    def sign(self, data: bytes) -> bytes:
        """Return the 64-byte Ed25519 signature of `data`."""
        return bytes(self._key.sign(data).signature)

    def validator(self, power: int) -> Validator:
        """Return the validator set entry for this key."""
        return validator(ED25519, self.public_key, power)


def validator_keys(seed: str, count: int) -> list[ValidatorKey]:
    """Derive `count` keys from `seed/0`, `seed/1`, ..."""
    return [ValidatorKey.from_text(f"{seed}/{index}") for index in range(count)]


class Keyring:
    """Keys of all past and present validators, by address."""

    def __init__(self, keys: Iterable[ValidatorKey]) -> None:
        self._keys = {key.address: key for key in keys}

    def add(self, key: ValidatorKey) -> None:
        """Add a key."""
        self._keys[key.address] = key

    def sign(self, address: bytes, data: bytes) -> bytes | None:
        """Return the validator's signature, or None if its key is not in the keyring."""
        key = self._keys.get(address)
        return key.sign(data) if key is not None else None

    def __contains__(self, address: bytes) -> bool:
        return address in self._keys
