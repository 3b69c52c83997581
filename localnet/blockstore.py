"""Storage of a chain's blocks by height: headers, commits, validator sets and transaction results.

A block is on the disk, flushed, before the application commits its state and before anybody hears of it: it
is the one commit point (ADR 0021). On restart the application's state is brought up to the last block found
here.

Every record begins with 8 bytes of the SHA-256 of its key and content: a damaged one is refused when read.

On the disk a block is packed by zlib at its fastest: events and proofs repeat themselves, so that a tenth is
left, for some ten microseconds a packet. Blocks that an earlier release wrote are not packed.
"""

import zlib
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec

from ibc_core.host.block import CommittedBlock
from light_client.tendermint.types import BlockId, Header, Validator, ValidatorSet
from localnet.errors import DamagedRecord
from localnet.key_value import DiskKeyValue, KeyValue, MemoryKeyValue

_T = TypeVar("_T")

PRUNED_AT_ONCE = 20
"""Blocks deleted with a new one, at most: a smaller setting must not make one block wait for thousands."""


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


_LAST, _FIRST = b"last", b"first"
_BLOCK, _VALIDATORS, _TX, _KEY = b"b", b"v", b"t", b"k"
_SEAL = 8
RECENT_BYTES = 1 << 22
"""Bytes that the blocks in memory have as records; as objects they take some five times that."""
_PACKED = b"\x78"
"""What zlib's bytes begin with. A record that is not packed begins with the count of its fields."""


class BlockStore:
    """The blocks of a chain, and its validator sets up to two heights above the last block.

    Raises, in every method:
        StorageFailed: the disk refused.
        CorruptDatabase, DamagedRecord: what is stored is damaged.
    """

    def __init__(self, entries: KeyValue, *, packs: bool = True) -> None:
        """`packs`: whether blocks are packed before they are written; both kinds are read."""
        self._entries = entries
        self._packs = packs
        self.height = self._number(_LAST)
        """Height of the last block; 0 before the first one."""
        self.first = self._number(_FIRST)
        """Height of the oldest block that is kept; 0 before the first one."""
        self._recent: dict[int, tuple[BlockRecord, int]] = {}
        """The last blocks and their bytes: whoever sent a transaction, or follows, asks for them at once."""
        self._recent_bytes = 0

    @classmethod
    def open(cls, path: Path | None, map_bytes: int = 1 << 38) -> "BlockStore":
        """Opens the store in the folder `path`, creating it if absent; None keeps blocks in memory.

        `map_bytes` is its greatest size.
        """
        entries = MemoryKeyValue() if path is None else DiskKeyValue(path, map_bytes)
        try:
            return cls(entries, packs=path is not None)
        except BaseException:
            entries.close()
            raise

    def begin(self, height: int, first: ValidatorSet, second: ValidatorSet) -> None:
        """Stores the validator sets of the first block, at `height`, and of the one after it."""
        self._put([_validators_entry(height, first), _validators_entry(height + 1, second)])

    def save(self, record: BlockRecord, validators_two_later: ValidatorSet, keep_from: int = 0) -> None:
        """Stores a block, and the validator set of the block two heights above it, in one transaction.

        It is on the disk when this returns. Blocks below `keep_from` are deleted, some with each block.
        """
        height, raw = record.header.height, msgspec.msgpack.encode(record)
        entries = [
            (_at(_BLOCK, height), zlib.compress(raw, zlib.Z_BEST_SPEED) if self._packs else raw),
            _validators_entry(height + 2, validators_two_later),
            (_LAST, height.to_bytes(8, "big")),
        ]
        for index, outcome in enumerate(record.result.txs):
            place = height.to_bytes(8, "big") + index.to_bytes(4, "big")
            entries.append((_TX + sha256(outcome.tx).digest(), place))
        # guard: h107-one-block-deletes-any-number {PRUNED_AT_ONCE => 10 ** 9}
        #   test_h107_a_smaller_setting_takes_some_blocks_with_each_new_one
        first = max(self.first or height, min(keep_from, self.first + PRUNED_AT_ONCE, height))
        gone = (
            [key for below in range(self.first, first) for key in self._keys_of(below)] if self.first else []
        )
        if first != self.first:
            entries.append((_FIRST, first.to_bytes(8, "big")))
            self.first = (
                first  # before they go: who reads beside this finds a reason for what it does not find
            )
        self._put(entries, gone)
        self.height = height
        self._remember(record, len(raw))

    def _remember(self, record: BlockRecord, size: int) -> None:
        self._recent[record.header.height] = record, size
        self._recent_bytes += size
        for height in list(self._recent):
            if self._recent_bytes <= RECENT_BYTES and height >= self.first:
                return
            self._recent_bytes -= self._recent.pop(height)[1]

    def _keys_of(self, height: int) -> list[bytes]:
        """All keys of a block; of its transactions those that are in no later block as well."""
        record, keys = self.record(height), [_at(_BLOCK, height), _at(_VALIDATORS, height)]
        for outcome in record.result.txs if record else ():
            digest = sha256(outcome.tx).digest()
            place = self.find_tx(digest)
            if place is not None and place[0] == height:
                keys.append(_TX + digest)
        return keys

    def record(self, height: int) -> BlockRecord | None:
        """The block at `height`, or None if it is not stored."""
        recent = self._recent.get(height)
        if recent is not None:
            return recent[0]
        return self._read(_at(_BLOCK, height), BlockRecord)

    def validators(self, height: int) -> ValidatorSet | None:
        """The validator set at `height`, or None if it is not known yet or not any more."""
        stored = self._read(_at(_VALIDATORS, height), _StoredValidators)
        return ValidatorSet(stored.members, stored.proposer) if stored is not None else None

    def save_key_seed(self, address: bytes, seed: bytes) -> None:
        """Stores the seed of a validator key that the genesis does not derive (test keys only)."""
        self._put([(_KEY + address, seed)])

    def key_seeds(self) -> list[bytes]:
        """All stored key seeds."""
        return [self._opened(key, raw) for key, raw in self._entries.items(_KEY)]

    def find_tx(self, digest: bytes) -> tuple[int, int] | None:
        """Height and index of the transaction with this SHA-256, or None."""
        raw = self._get(_TX + digest)
        return (int.from_bytes(raw[:8], "big"), int.from_bytes(raw[8:], "big")) if raw is not None else None

    def indexed(self) -> Iterator[tuple[bytes, tuple[int, int] | DamagedRecord]]:
        """Every transaction's SHA-256 with its height and index, or what is wrong with the entry."""
        for key, raw in self._entries.items(_TX):
            try:
                place = self._opened(key, raw)
            except DamagedRecord as error:
                yield key[1:], error
            else:
                yield key[1:], (int.from_bytes(place[:8], "big"), int.from_bytes(place[8:], "big"))

    def close(self) -> None:
        """Closes the underlying database."""
        self._entries.close()

    # -- sealed records

    def _put(self, entries: Iterable[tuple[bytes, bytes]], gone: Iterable[bytes] = ()) -> None:
        self._entries.put_all([(key, _seal(key, raw) + raw) for key, raw in entries], gone)

    def _get(self, key: bytes) -> bytes | None:
        raw = self._entries.get(key)
        return self._opened(key, raw) if raw is not None else None

    def _opened(self, key: bytes, raw: bytes) -> bytes:
        # guard: h108-records-of-blocks-are-believed drop
        #   test_h108_every_changed_byte_of_a_block_s_record_is_refused
        if _seal(key, raw[_SEAL:]) != raw[:_SEAL]:
            raise DamagedRecord(self._entries.path, key)
        return raw[_SEAL:]

    def _read(self, key: bytes, kind: type[_T]) -> _T | None:
        raw = self._get(key)
        if raw is None:
            return None
        try:
            plain = zlib.decompress(raw) if raw.startswith(_PACKED) else raw
            return msgspec.msgpack.decode(plain, type=kind)
        except (zlib.error, msgspec.DecodeError) as error:
            raise DamagedRecord(self._entries.path, key) from error

    def _number(self, key: bytes) -> int:
        return int.from_bytes(self._get(key) or b"", "big")


def _at(kind: bytes, height: int) -> bytes:
    return kind + height.to_bytes(8, "big")


def _seal(key: bytes, raw: bytes) -> bytes:
    return sha256(len(key).to_bytes(2, "big") + key + raw).digest()[:_SEAL]


def _validators_entry(height: int, validators: ValidatorSet) -> tuple[bytes, bytes]:
    stored = _StoredValidators(validators.validators, validators.proposer)
    return _at(_VALIDATORS, height), msgspec.msgpack.encode(stored)
