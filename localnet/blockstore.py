"""Blocks of a chain: headers, commits, validator sets, what came of the transactions; by height.

A block is saved before the application commits its state, as CometBFT does: a process killed in
between finds the block here and executes it again.
"""

from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple, Protocol

import lmdb
import msgspec

from ibc_core.host.block import CommittedBlock
from light_client.tendermint.types import BlockId, Header, Validator, ValidatorSet

_MAP_SIZE = 1 << 36  # of address space; the file grows as it is written


class BlockRecord(NamedTuple):
    """One block as it is stored; commits as `tendermint.types.Commit` bytes."""

    header: Header
    block_id: BlockId
    last_commit: bytes
    commit: bytes
    flags: dict[bytes, int]  # who did not vote for it
    result: CommittedBlock


class _StoredValidators(NamedTuple):
    members: tuple[Validator, ...]
    proposer: Validator | None


class KeyValue(Protocol):
    """Where blocks are kept."""

    def get(self, key: bytes) -> bytes | None:
        """The value at `key`."""

    def put_all(self, entries: Iterable[tuple[bytes, bytes]]) -> None:
        """Writes all or nothing."""

    def values(self, prefix: bytes) -> list[bytes]:
        """The values of all keys with `prefix`, by key."""

    def close(self) -> None:
        """Lets go of the disk."""


class MemoryKeyValue:
    """Blocks for as long as the process lives."""

    def __init__(self) -> None:
        self._entries: dict[bytes, bytes] = {}

    def get(self, key: bytes) -> bytes | None:
        """The value at `key`."""
        return self._entries.get(key)

    def put_all(self, entries: Iterable[tuple[bytes, bytes]]) -> None:
        """Writes all."""
        self._entries.update(entries)

    def values(self, prefix: bytes) -> list[bytes]:
        """Values in key order, sorted when asked."""
        return [value for key, value in sorted(self._entries.items()) if key.startswith(prefix)]

    def close(self) -> None:
        """Nothing to let go of."""


class DiskKeyValue:
    """Blocks in an LMDB database, one transaction a block."""

    def __init__(self, path: Path) -> None:
        path.mkdir(parents=True, exist_ok=True)
        self._env = lmdb.open(str(path), map_size=_MAP_SIZE, metasync=False)

    def get(self, key: bytes) -> bytes | None:
        """The value at `key`."""
        with self._env.begin() as txn:
            value: bytes | None = txn.get(key)
        return value

    def put_all(self, entries: Iterable[tuple[bytes, bytes]]) -> None:
        """Writes all or nothing."""
        with self._env.begin(write=True) as txn:
            for key, value in entries:
                txn.put(key, value)

    def values(self, prefix: bytes) -> list[bytes]:
        """Values in key order, which LMDB keeps."""
        found = []
        with self._env.begin() as txn, txn.cursor() as cursor:
            at = cursor.set_range(prefix)
            while at and cursor.key().startswith(prefix):
                found.append(cursor.value())
                at = cursor.next()
        return found

    def close(self) -> None:
        """Closes the database."""
        self._env.close()


def _at(kind: bytes, height: int) -> bytes:
    return kind + height.to_bytes(8, "big")


_LAST = b"last"
_BLOCK, _VALIDATORS, _TX, _KEY = b"b", b"v", b"t", b"k"


class BlockStore:
    """Blocks, and the validator sets up to two heights above the last one."""

    def __init__(self, entries: KeyValue) -> None:
        self._entries = entries

    @classmethod
    def open(cls, path: Path | None) -> "BlockStore":
        """Blocks in the folder `path`, made if absent; None keeps them in memory."""
        return cls(MemoryKeyValue() if path is None else DiskKeyValue(path))

    @property
    def height(self) -> int:
        """Height of the last block, 0 before the first."""
        raw = self._entries.get(_LAST)
        return int.from_bytes(raw, "big") if raw is not None else 0

    def begin(self, height: int, first: ValidatorSet, second: ValidatorSet) -> None:
        """Stores the validators of the first block, which is at `height`, and of the one after it."""
        self._entries.put_all([_validators_entry(height, first), _validators_entry(height + 1, second)])

    def save(self, record: BlockRecord, validators_two_later: ValidatorSet) -> None:
        """Stores a block, and the validators of the block two heights above it."""
        height = record.header.height
        entries = [
            (_at(_BLOCK, height), msgspec.msgpack.encode(record)),
            _validators_entry(height + 2, validators_two_later),
            (_LAST, height.to_bytes(8, "big")),
        ]
        for index, outcome in enumerate(record.result.txs):
            place = height.to_bytes(8, "big") + index.to_bytes(4, "big")
            entries.append((_TX + sha256(outcome.tx).digest(), place))
        self._entries.put_all(entries)

    def record(self, height: int) -> BlockRecord | None:
        """The block at `height`, None where there is none."""
        raw = self._entries.get(_at(_BLOCK, height))
        return msgspec.msgpack.decode(raw, type=BlockRecord) if raw is not None else None

    def validators(self, height: int) -> ValidatorSet | None:
        """The validators of the block at `height`, None where they are not known yet."""
        raw = self._entries.get(_at(_VALIDATORS, height))
        if raw is None:
            return None
        stored = msgspec.msgpack.decode(raw, type=_StoredValidators)
        return ValidatorSet(stored.members, stored.proposer)

    def save_key_seed(self, address: bytes, seed: bytes) -> None:
        """Stores the seed of a validator's key that the genesis does not make (test keys, all of them)."""
        self._entries.put_all([(_KEY + address, seed)])

    def key_seeds(self) -> list[bytes]:
        """Every seed that was stored."""
        return self._entries.values(_KEY)

    def find_tx(self, digest: bytes) -> tuple[int, int] | None:
        """Height and place of the transaction with this SHA-256."""
        raw = self._entries.get(_TX + digest)
        return (int.from_bytes(raw[:8], "big"), int.from_bytes(raw[8:], "big")) if raw is not None else None

    def close(self) -> None:
        """Lets go of the disk."""
        self._entries.close()


def _validators_entry(height: int, validators: ValidatorSet) -> tuple[bytes, bytes]:
    stored = _StoredValidators(validators.validators, validators.proposer)
    return _at(_VALIDATORS, height), msgspec.msgpack.encode(stored)
