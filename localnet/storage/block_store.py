"""Storage of a chain's blocks by height: headers, commits, validator sets and transaction results.

A block is flushed to disk before the application commits its state and before listeners are notified: this is
the only commit point (ADR 0021). On restart the application's state is brought up to the last stored block.

Every record begins with 8 bytes of the SHA-256 of its key and content, which is verified on reading.

On disk a block is compressed by zlib at its fastest level: events and proofs are repetitive, so a tenth
remains, for some ten microseconds per packet. Blocks written by earlier releases are not compressed.
"""

import zlib
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple, Protocol, TypeVar

import lmdb
import msgspec

from iavl.disk.database import data_file
from iavl.disk.database.settings import as_storage_errors
from light_client.tendermint.codec import commit_to, header_to, validator_set_to
from light_client.tendermint.types import BlockId, Header, Validator, ValidatorSet
from localnet.consensus import engine
from localnet.consensus.votes import Flags
from localnet.errors import DamagedRecord
from pyibc.chain.abci_responses import FinalizedBlock, weight_of_block
from pyibc.codec.encoding import encode
from pyibc.core.host.block import CommittedBlock
from pyibc.proto.tendermint.types.types_pb2 import SignedHeader
from pyibc.relayer.chain.values import LightBlock

Entry = tuple[bytes, bytes]


class KeyValue(Protocol):
    """A key-value database."""

    path: str

    def get(self, key: bytes) -> bytes | None:
        """Return the value at `key`, or None."""

    def put_all(self, entries: Iterable[Entry], gone: Iterable[bytes] = ()) -> None:
        """Delete the keys `gone` and write all entries, atomically."""

    def items(self, prefix: bytes) -> list[Entry]:
        """Return the entries whose key has `prefix`, in key order."""

    def close(self) -> None:
        """Close the database."""


class MemoryKeyValue:
    """An in-memory database, lost when the process ends."""

    path = "memory"

    def __init__(self) -> None:
        self._entries: dict[bytes, bytes] = {}

    def get(self, key: bytes) -> bytes | None:
        """Return the value at `key`, or None."""
        return self._entries.get(key)

    def put_all(self, entries: Iterable[Entry], gone: Iterable[bytes] = ()) -> None:
        """Delete the keys `gone`, then write the entries."""
        for key in gone:
            self._entries.pop(key, None)
        self._entries.update(entries)

    def items(self, prefix: bytes) -> list[Entry]:
        """Return the entries whose key has `prefix`, sorted by key."""
        return [each for each in sorted(self._entries.items()) if each[0].startswith(prefix)]

    def close(self) -> None:
        """Do nothing."""


class DiskKeyValue:
    """An LMDB database; each transaction is synced to disk, including its meta page.

    Raises, in every method:
        StorageError: the disk or the system failed, or the file is damaged; see `iavl.errors`.
    """

    def __init__(self, path: Path, map_bytes: int) -> None:
        self.path = str(path)
        with as_storage_errors(self.path):
            path.mkdir(parents=True, exist_ok=True)
            if (path / data_file.NAME).exists():
                # guard: h108-a-file-that-is-cut-short-is-mapped drop
                #   test_h108_a_block_store_that_is_cut_short_is_refused
                data_file.check(path, map_bytes)
            # guard: h104-the-page-that-names-a-block-is-not-flushed {lmdb.open(self.path, map_size=map_bytes)
            #   => lmdb.open(self.path, map_size=map_bytes, metasync=False)}
            #   test_h104_every_state_after_a_power_cut_opens_and_unmakes_nothing
            self._env = lmdb.open(self.path, map_size=map_bytes)

    def get(self, key: bytes) -> bytes | None:
        """Return the value at `key`, or None."""
        with as_storage_errors(self.path), self._env.begin() as txn:
            value: bytes | None = txn.get(key)
        return value

    def put_all(self, entries: Iterable[Entry], gone: Iterable[bytes] = ()) -> None:
        """Delete and write in one LMDB transaction."""
        with as_storage_errors(self.path), self._env.begin(write=True) as txn:
            for key in gone:
                txn.delete(key)
            for key, value in entries:
                txn.put(key, value)

    def items(self, prefix: bytes) -> list[Entry]:
        """Return the entries whose key has `prefix`, in key order."""
        found = []
        with as_storage_errors(self.path), self._env.begin() as txn, txn.cursor() as cursor:
            at = cursor.set_range(prefix)
            while at and cursor.key().startswith(prefix):
                found.append((cursor.key(), cursor.value()))
                at = cursor.next()
        return found

    def close(self) -> None:
        """Close the LMDB environment."""
        self._env.close()


_T = TypeVar("_T")

PRUNED_AT_ONCE = 20
"""Maximum number of blocks deleted with a new one, so that a smaller setting does not delay one block."""


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
_PLACE = 12
"""Length of an encoded transaction position: height and index."""
_SEAL = 8
RECENT_BYTES = 16 << 20
"""Size limit of the cache of recent blocks, in bytes of memory."""
_PACKED = b"\x78"
"""First byte of zlib's output. An uncompressed record begins with the number of its fields."""


class BlockStore:
    """The blocks of a chain, and its validator sets up to two heights above the last block.

    Raises, in every method:
        StorageFailed: the disk failed.
        CorruptDatabase, DamagedRecord: the stored data is damaged.
    """

    def __init__(self, entries: KeyValue, *, packs: bool = True) -> None:
        """Open a store on `entries`; with `packs`, new blocks are compressed. Both formats are read."""
        self._entries = entries
        self._packs = packs
        self.height = self._number(_LAST)
        """Height of the last block; 0 before the first one."""
        self.first = self._number(_FIRST)
        """Height of the oldest stored block; 0 before the first one."""
        self._recent: dict[int, tuple[BlockRecord, int]] = {}
        """Recent blocks and their weights, cached because transaction senders and relayers read them."""
        self._recent_bytes = 0

    @classmethod
    def open(cls, path: Path | None, map_bytes: int = 1 << 38) -> "BlockStore":
        """Open the store in the folder `path`, creating it if absent; None keeps blocks in memory.

        `map_bytes` is the maximum size of the database.
        """
        entries = MemoryKeyValue() if path is None else DiskKeyValue(path, map_bytes)
        try:
            return cls(entries, packs=path is not None)
        except BaseException:
            entries.close()
            raise

    def begin(self, height: int, first: ValidatorSet, second: ValidatorSet) -> None:
        """Store the validator sets of the first block, at `height`, and of the one after it."""
        self._put([_validators_entry(height, first), _validators_entry(height + 1, second)])

    def save(self, record: BlockRecord, validators_two_later: ValidatorSet, keep_from: int = 0) -> None:
        """Store a block, and the validator set of the block two heights above it, in one transaction.

        The block is on disk when this returns. Blocks below `keep_from` are deleted, some with each block.
        """
        height, raw = record.header.height, msgspec.msgpack.encode(record)
        entries = [
            (_at(_BLOCK, height), zlib.compress(raw, zlib.Z_BEST_SPEED) if self._packs else raw),
            _validators_entry(height + 2, validators_two_later),
            (_LAST, height.to_bytes(8, "big")),
        ]
        # guard: h107-one-block-deletes-any-number {PRUNED_AT_ONCE => 10 ** 9}
        #   test_h107_a_smaller_setting_takes_some_blocks_with_each_new_one
        first = max(self.first or height, min(keep_from, self.first + PRUNED_AT_ONCE, height))
        entries += self._places_of(record, first)
        gone: list[bytes] = []
        for below in range(self.first, first) if self.first else ():
            self._prune(below, entries, gone)
        if first != self.first:
            entries.append((_FIRST, first.to_bytes(8, "big")))
            self.first = (
                first  # before deletion: a concurrent reader that finds no block then sees that it was pruned
            )
        self._put(entries, gone)
        self.height = height
        self._remember(record)

    def _remember(self, record: BlockRecord) -> None:
        weight = weight_of_block(record.result) + len(record.last_commit) + len(record.commit)
        self._recent[record.header.height] = record, weight
        self._recent_bytes += weight
        for height in list(self._recent):
            if self._recent_bytes <= RECENT_BYTES and height >= self.first:
                return
            self._recent_bytes -= self._recent.pop(height)[1]

    def _places_of(self, record: BlockRecord, kept: int) -> list[tuple[bytes, bytes]]:
        """Return the positions of a block's transactions, by hash; blocks from `kept` on are stored.

        A transaction that was executed before, in this block or an earlier one, is found where it succeeded:
        a later failed run, e.g. with a wrong sequence, is recorded after that position and replaces it on
        pruning.
        """
        found: dict[bytes, bytes] = {}
        executed: set[bytes] = set()
        for index, outcome in enumerate(record.result.txs):
            key = _TX + sha256(outcome.tx).digest()
            place = record.header.height.to_bytes(8, "big") + index.to_bytes(4, "big")
            if outcome.code == 0:
                executed.add(key)
                found[key] = place
                continue
            first = found[key] if key in executed else self._executed(key, kept)
            # guard: h272-a-failed-run-hides-the-executed-one {first[:_PLACE] + place => place}
            #   test_h272_a_run_that_failed_does_not_hide_the_executed_one
            found[key] = first[:_PLACE] + place
        return list(found.items())

    def _executed(self, key: bytes, kept: int) -> bytes:
        """Return the position in a block from `kept` on where a transaction succeeded; empty if none."""
        found = self._get(key) or b""
        height, index = _place_in(found)
        record = self.record(height) if height >= kept else None
        return found if record is not None and record.result.txs[index].code == 0 else b""

    def _prune(self, height: int, entries: list[tuple[bytes, bytes]], gone: list[bytes]) -> None:
        """Add all keys of a block to `gone`; transactions with a later run get that run's position."""
        record = self.record(height)
        gone += _at(_BLOCK, height), _at(_VALIDATORS, height)
        written = {key for key, _ in entries}
        for outcome in record.result.txs if record else ():
            key = _TX + sha256(outcome.tx).digest()
            found = self._get(key) or b""
            if key in written or int.from_bytes(found[:8], "big") != height:
                continue
            if len(found) > _PLACE:
                entries.append((key, found[_PLACE:]))
            else:
                gone.append(key)

    def record(self, height: int) -> BlockRecord | None:
        """Return the block at `height`, or None if it is not stored."""
        recent = self._recent.get(height)
        if recent is not None:
            return recent[0]
        return self._read(_at(_BLOCK, height), BlockRecord)

    def validators(self, height: int) -> ValidatorSet | None:
        """Return the validator set at `height`, or None if it is not known yet or was pruned."""
        stored = self._read(_at(_VALIDATORS, height), _StoredValidators)
        return ValidatorSet(stored.members, stored.proposer) if stored is not None else None

    def save_key_seed(self, address: bytes, seed: bytes) -> None:
        """Store the seed of a validator key that the genesis does not derive (test keys only)."""
        self._put([(_KEY + address, seed)])

    def key_seeds(self) -> list[bytes]:
        """Return all stored key seeds."""
        return [self._opened(key, raw) for key, raw in self._entries.items(_KEY)]

    def find_tx(self, digest: bytes) -> tuple[int, int] | None:
        """Return height and index of the successful run of the transaction with this SHA-256; or None.

        For a transaction that always failed, those of its last run.
        """
        raw = self._get(_TX + digest)
        return _place_in(raw) if raw is not None else None

    def indexed(self) -> Iterator[tuple[bytes, tuple[int, int] | DamagedRecord]]:
        """Iterate over all transactions' SHA-256 with height and index, or with the error of the entry."""
        for key, raw in self._entries.items(_TX):
            try:
                place = self._opened(key, raw)
            except DamagedRecord as error:
                yield key[1:], error
            else:
                yield key[1:], _place_in(place)

    def close(self) -> None:
        """Close the underlying database."""
        self._entries.close()

    # -- records with checksums

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


def _place_in(raw: bytes) -> tuple[int, int]:
    return int.from_bytes(raw[:8], "big"), int.from_bytes(raw[8:_PLACE], "big")


def _seal(key: bytes, raw: bytes) -> bytes:
    return sha256(len(key).to_bytes(2, "big") + key + raw).digest()[:_SEAL]


def _validators_entry(height: int, validators: ValidatorSet) -> tuple[bytes, bytes]:
    stored = _StoredValidators(validators.validators, validators.proposer)
    return _at(_VALIDATORS, height), msgspec.msgpack.encode(stored)


def committed_of(block: engine.Block, final: FinalizedBlock) -> CommittedBlock:
    """Return the block with the results of its transactions, for listeners."""
    header = block.header
    return CommittedBlock(
        header.chain_id,
        header.height,
        header.time_ns,
        final.app_hash,
        final.outcomes,
        final.events,
        block.block_id.hash,
        header.last_block_id.hash,
    )


def record_of(block: engine.Block, committed: CommittedBlock, flags: Flags) -> BlockRecord:
    """Return the block store's record. `flags` has the validators that did not vote for the block."""
    last, own = encode(commit_to(block.last_commit)), encode(commit_to(block.commit))
    return BlockRecord(block.header, block.block_id, last, own, dict(flags), committed)


def light_block_of(header: Header, commit: bytes, validators: ValidatorSet) -> LightBlock:
    """Return the light block for verification by light clients; `commit` is encoded."""
    signed = SignedHeader(header=header_to(header))
    signed.commit.ParseFromString(commit)
    members = encode(validator_set_to(validators))
    return LightBlock(header.height, header.time_ns, encode(signed), members)
