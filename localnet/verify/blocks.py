"""The walk over a block store: every record, hash, signature and place in the index."""

from collections.abc import Iterator
from hashlib import sha256

from google.protobuf.message import DecodeError

from ibc_core.errors import IbcError
from ibc_proto.tendermint.types import types_pb2
from light_client.tendermint.codec import commit_from
from light_client.tendermint.hashing import commit_hash, data_hash, header_hash, validator_set_hash
from light_client.tendermint.types import Commit, SignedHeader, ValidatorSet
from light_client.tendermint.verifier import check_commit_of, check_signed_header
from localnet.blockstore import BlockRecord, BlockStore
from localnet.consensus.engine import block_id, encode_block
from localnet.errors import DamagedRecord
from localnet.recovery import outcomes_hash
from localnet.verify.report import Findings

_PART = "blocks"
_UNREADABLE = (DamagedRecord, IbcError, DecodeError)


class BlockWalk:
    """Reads all blocks of one chain.

    Args:
        chain_id: The chain's.
        blocks: Its block store.
        findings: Where problems and counts go.
    """

    def __init__(self, chain_id: str, blocks: BlockStore, findings: Findings) -> None:
        self._chain_id = chain_id
        self._blocks = blocks
        self._findings = findings

    def walk(self) -> None:
        """Checks every block, then the index of transactions."""
        before: BlockRecord | None = None
        for height in range(self._blocks.first, self._blocks.height + 1):
            before = self._block(height, before)
        for height in range(self._blocks.height + 1, self._blocks.height + 3):
            self._validators(height)
        self._index()

    def _block(self, height: int, before: BlockRecord | None) -> BlockRecord | None:
        try:
            record = self._blocks.record(height)
        except _UNREADABLE as error:
            self._tell(height, error)
            return None
        if record is None:
            self._tell(height, "it is missing")
            return None
        self._findings.counts["blocks"] += 1
        for what in self._faults(height, record, before):
            self._tell(height, what)
        return record

    def _faults(self, height: int, record: BlockRecord, before: BlockRecord | None) -> Iterator[str]:
        header, result = record.header, record.result
        if (header.chain_id, header.height) != (self._chain_id, height):
            yield f"it is block {header.height} of {header.chain_id!r}"
        if (result.chain_id, result.height, result.time_ns) != (header.chain_id, height, header.time_ns):
            yield "its results are another block's"
        if header.data_hash != data_hash(outcome.tx for outcome in result.txs):
            yield "its transactions are not those of its header"
        last_commit, commit = self._commit(height, record.last_commit), self._commit(height, record.commit)
        if last_commit is not None:
            if header.last_commit_hash != commit_hash(last_commit):
                yield "the last commit is not that of its header"
            txs = [outcome.tx for outcome in result.txs]
            if record.block_id != block_id(header_hash(header), encode_block(header, txs, last_commit)):
                yield "its id is not that of its content"
        if commit is not None:
            yield from self._votes(SignedHeader(header, commit), "commit")
        following = self._validators(height + 1)
        if following is not None and header.next_validators_hash != validator_set_hash(following):
            yield "the next validators are not those of its header"
        if before is not None:
            yield from self._links(record, before, last_commit)

    def _links(self, record: BlockRecord, before: BlockRecord, last_commit: Commit | None) -> Iterator[str]:
        header = record.header
        if header.last_block_id != before.block_id:
            yield "the block before it is another one"
        if header.time_ns <= before.header.time_ns:
            yield "it is not later than the block before it"
        if header.app_hash != before.result.app_hash:
            yield "its header has another app hash than the block before it made"
        if header.last_results_hash != outcomes_hash(before.result.txs):
            yield "its header has other results than the block before it"
        if last_commit is not None:
            yield from self._votes(SignedHeader(before.header, last_commit), "last commit")

    def _votes(self, signed: SignedHeader, name: str) -> Iterator[str]:
        validators = self._validators(signed.header.height)
        if validators is None:
            return
        try:
            check_signed_header(signed, self._chain_id)
            # guard: h108-signatures-are-not-verified drop
            #   test_h108_a_block_that_contradicts_its_hashes_or_signatures_is_told
            check_commit_of(signed, self._chain_id, validators)
            if signed.header.validators_hash != validator_set_hash(validators):
                yield f"{name}: the validators are not those of its header"
        except IbcError as error:
            yield f"{name}: {error}"
        self._findings.counts["signatures"] += len(signed.commit.signatures)

    def _commit(self, height: int, raw: bytes) -> Commit | None:
        try:
            return commit_from(types_pb2.Commit.FromString(raw))
        except _UNREADABLE as error:
            self._tell(height, f"a commit cannot be read: {error}")
            return None

    def _validators(self, height: int) -> ValidatorSet | None:
        try:
            found = self._blocks.validators(height)
        except _UNREADABLE as error:
            self._findings.tell(_PART, f"validators {height}", error)
            return None
        if found is None:
            self._findings.tell(_PART, f"validators {height}", "they are missing")
        return found

    def _index(self) -> None:
        """Every transaction is in the index, by its last block; and nothing else is."""
        expected: dict[bytes, tuple[int, int]] = {}
        for height in range(self._blocks.first, self._blocks.height + 1):
            for number, tx in enumerate(self._txs(height)):
                expected[sha256(tx).digest()] = height, number
        self._findings.counts["transactions"] += len(expected)
        for digest, place in self._entries():
            told = f"transaction {digest.hex().upper()}"
            if digest not in expected:
                self._findings.tell(_PART, told, f"the index names a block {place[0]} that lacks it")
            elif expected.pop(digest) != place:
                self._findings.tell(_PART, told, f"the index has a wrong place, block {place[0]}")
        for digest, (height, _) in expected.items():
            self._findings.tell(
                _PART, f"transaction {digest.hex().upper()}", f"not in the index: block {height}"
            )

    def _entries(self) -> Iterator[tuple[bytes, tuple[int, int]]]:
        for digest, found in self._blocks.indexed():
            if isinstance(found, DamagedRecord):
                self._findings.tell(_PART, f"transaction {digest.hex().upper()}", found)
            else:
                yield digest, found

    def _txs(self, height: int) -> list[bytes]:
        try:
            record = self._blocks.record(height)
        except _UNREADABLE:
            return []  # told already
        return [outcome.tx for outcome in record.result.txs] if record is not None else []

    def _tell(self, height: int, what: object) -> None:
        self._findings.tell(_PART, f"block {height}", what)
