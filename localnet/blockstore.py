"""Storage of a chain's blocks by height: headers, commits, validator sets and transaction results.

A block is saved before the application commits its state, as in CometBFT. If the process is killed in
between, the block is found here on restart and executed again.
"""

from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple, Protocol

import lmdb
import msgspec

from ibc_core.host.block import CommittedBlock
from light_client.tendermint.types import BlockId, Header, Validator, ValidatorSet

_MAP_SIZE = 1 << 36  # address space to reserve; the file grows as it is written


class BlockRecord(NamedTuple):
    """One stored block; commits are encoded `tendermint.types.Commit` messages."""

    header: Header
    block_id: BlockId
    last_commit: bytes
    commit: bytes
    flags: dict[bytes, int]  # validators that did not vote for it, by address
    result: CommittedBlock


class _StoredValidators(NamedTuple):
    members: tuple[Validator, ...]
    proposer: Validator | None


class KeyValue(Protocol):
    """The key-value database that holds the blocks."""

    def get(self, key: bytes) -> bytes | None:
        """The value at `key`, or None."""

    def put_all(self, entries: Iterable[tuple[bytes, bytes]]) -> None:
        """Writes all entries atomically."""

    def values(self, prefix: bytes) -> list[bytes]:
        """The values of all keys with `prefix`, in key order."""

    def close(self) -> None:
        """Closes the database."""


class MemoryKeyValue:
    """An in-memory database, lost when the process ends."""

    def __init__(self) -> None:
        self._entries: dict[bytes, bytes] = {}

    def get(self, key: bytes) -> bytes | None:
        """Looks up `key`; None if absent."""
        return self._entries.get(key)

    def put_all(self, entries: Iterable[tuple[bytes, bytes]]) -> None:
        """Writes all entries."""
        self._entries.update(entries)

    def values(self, prefix: bytes) -> list[bytes]:
        """The values of all keys with `prefix`, sorted by key."""
        return [value for key, value in sorted(self._entries.items()) if key.startswith(prefix)]

    def close(self) -> None:
        """Does nothing."""


class DiskKeyValue:
    """An LMDB database; each block is written in one transaction."""

    def __init__(self, path: Path) -> None:
        path.mkdir(parents=True, exist_ok=True)
        self._env = lmdb.open(str(path), map_size=_MAP_SIZE, metasync=False)

    def get(self, key: bytes) -> bytes | None:
        """Reads `key`; None if absent."""
        with self._env.begin() as txn:
            value: bytes | None = txn.get(key)
        return value

    def put_all(self, entries: Iterable[tuple[bytes, bytes]]) -> None:
        """Writes all entries in one LMDB transaction."""
        with self._env.begin(write=True) as txn:
            for key, value in entries:
                txn.put(key, value)

    def values(self, prefix: bytes) -> list[bytes]:
        """The values of all keys with `prefix`, in the order of the cursor."""
        found = []
        with self._env.begin() as txn, txn.cursor() as cursor:
            at = cursor.set_range(prefix)
            while at and cursor.key().startswith(prefix):
                found.append(cursor.value())
                at = cursor.next()
        return found

    def close(self) -> None:
        """Closes the LMDB environment."""
        self._env.close()


def _at(kind: bytes, height: int) -> bytes:
    return kind + height.to_bytes(8, "big")


_LAST = b"last"
_BLOCK, _VALIDATORS, _TX, _KEY = b"b", b"v", b"t", b"k"


class BlockStore:
    """The blocks of a chain, and its validator sets up to two heights above the last block."""

    def __init__(self, entries: KeyValue) -> None:
        self._entries = entries

    @classmethod
    def open(cls, path: Path | None) -> "BlockStore":
        """Opens the store in the folder `path`, creating it if absent; None keeps blocks in memory."""
        return cls(MemoryKeyValue() if path is None else DiskKeyValue(path))

    @property
    def height(self) -> int:
        """Height of the last block; 0 before the first one."""
        raw = self._entries.get(_LAST)
        return int.from_bytes(raw, "big") if raw is not None else 0

    def begin(self, height: int, first: ValidatorSet, second: ValidatorSet) -> None:
        """Stores the validator sets of the first block, at `height`, and of the one after it."""
        self._entries.put_all([_validators_entry(height, first), _validators_entry(height + 1, second)])

    def save(self, record: BlockRecord, validators_two_later: ValidatorSet) -> None:
        """Stores a block, and the validator set of the block two heights above it."""
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
        """The block at `height`, or None if it is not stored."""
        raw = self._entries.get(_at(_BLOCK, height))
        return msgspec.msgpack.decode(raw, type=BlockRecord) if raw is not None else None

    def validators(self, height: int) -> ValidatorSet | None:
        """The validator set at `height`, or None if it is not known yet."""
        raw = self._entries.get(_at(_VALIDATORS, height))
        if raw is None:
            return None
        stored = msgspec.msgpack.decode(raw, type=_StoredValidators)
        return ValidatorSet(stored.members, stored.proposer)

    def save_key_seed(self, address: bytes, seed: bytes) -> None:
        """Stores the seed of a validator key that the genesis does not derive (test keys only)."""
        self._entries.put_all([(_KEY + address, seed)])

    def key_seeds(self) -> list[bytes]:
        """All stored key seeds."""
        return self._entries.values(_KEY)

    def find_tx(self, digest: bytes) -> tuple[int, int] | None:
        """Height and index of the transaction with this SHA-256, or None."""
        raw = self._entries.get(_TX + digest)
        return (int.from_bytes(raw[:8], "big"), int.from_bytes(raw[8:], "big")) if raw is not None else None

    def close(self) -> None:
        """Closes the underlying database."""
        self._entries.close()


def _validators_entry(height: int, validators: ValidatorSet) -> tuple[bytes, bytes]:
    stored = _StoredValidators(validators.validators, validators.proposer)
    return _at(_VALIDATORS, height), msgspec.msgpack.encode(stored)
