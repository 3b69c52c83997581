"""Validators' keys, derived from a seed, and the last signed block, written to disk before it is signed.

Like CometBFT's `priv_validator_state.json` with height, round, step and the signed bytes (`privval/file.go`).
Here all validators sign together, so one record serves all. It includes the whole proposal: after a crash, a
block that was signed but not stored is finished, never replaced by another one.
"""

from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import msgspec
from nacl.signing import SigningKey

from light_client.tendermint.types import ED25519, BlockId, Validator, validator
from localnet.errors import DoubleSign, UnreadableSignState
from pyibc.chain.comet.settings import TwoSlots


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


_PRECOMMIT_STEP = 3  # CometBFT's stepPrecommit


class Proposal(NamedTuple):
    """The content of a block, except for what follows from the state before it."""

    height: int
    time_ns: int
    txs: tuple[bytes, ...]
    flags: dict[bytes, int]  # validators that do not vote for it, by address
    updates: tuple[Validator, ...]  # new powers (0 removes), in force two blocks later

    @property
    def changes(self) -> dict[Validator, int]:
        """The updates as the argument of `rotation.changed`."""
        return {member: member.power for member in self.updates}


class SignedBlock(NamedTuple):
    """The last signed block."""

    height: int
    round: int  # always 0: the validators of one process agree at once
    step: int
    block_id: BlockId
    proposal: Proposal


class SignState:
    """The last signed block of one chain's validators.

    Args:
        path: Common prefix of its two files; None keeps it in memory.

    Raises:
        UnreadableSignState: both files are damaged.
        OSError: the files cannot be opened.
    """

    def __init__(self, path: Path | None) -> None:
        self._slots = TwoSlots(path, durable=True) if path else None
        self.last = _last(self._slots, path) if self._slots and path else None
        """The last signed block, or None."""

    def sign(self, proposal: Proposal, block_id: BlockId) -> None:
        """Record that the validators sign this block; afterwards they sign no other block at its height.

        Raises:
            DoubleSign: they signed another block at this height, or one at a later height.
            OSError: the disk failed; nothing may be signed.
        """
        last = self.last
        if last is not None and proposal.height <= last.height:
            if (proposal.height, block_id) == (last.height, last.block_id):
                return
            # guard: h104-another-block-is-signed-at-a-height test_h104_nobody_signs_two_blocks_of_a_height
            raise DoubleSign(proposal.height, block_id.hash, last.height, last.block_id.hash)
        signed = SignedBlock(proposal.height, 0, _PRECOMMIT_STEP, block_id, proposal)
        if self._slots is not None:
            self._slots.write(proposal.height, msgspec.msgpack.encode(signed))
        self.last = signed

    def close(self) -> None:
        """Close the files."""
        if self._slots is not None:
            self._slots.close()


def _last(slots: TwoSlots, path: Path) -> SignedBlock | None:
    try:
        found = [msgspec.msgpack.decode(raw, type=SignedBlock) for raw in slots.read()]
    except msgspec.DecodeError as error:
        slots.close()
        raise UnreadableSignState(str(path)) from error
    if slots.is_damaged():
        slots.close()
        raise UnreadableSignState(str(path))
    return max(found, key=lambda each: each.height, default=None)
