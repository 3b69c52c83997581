"""Verification of one home: state, blocks, signing record; under CometBFT, snapshots.

Of a block store, every record, hash, signature and index entry is checked.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple, TypeVar

import lmdb.verify
from google.protobuf.message import DecodeError

from iavl import IavlError, verify_store
from iavl.disk.database.data_file import NAME
from light_client.tendermint.codec import commit_from
from light_client.tendermint.hashing import commit_hash, data_hash, header_hash, validator_set_hash
from light_client.tendermint.types import Commit, SignedHeader, ValidatorSet
from light_client.tendermint.verifier import check_commit_of, check_signed_header
from localnet.chain import BLOCKS, SIGNED, STATE
from localnet.comet.homes import validator_homes
from localnet.consensus.engine import block_id, encode_block
from localnet.consensus.sign_state import SignedBlock, SignState
from localnet.errors import DamagedRecord, LocalnetError
from localnet.process.startup import HomeLock
from localnet.settings import COMETBFT, NodeSettings, read_node
from localnet.storage.block_store import BlockRecord, BlockStore
from localnet.storage.recovery import outcomes_hash
from pyibc.chain.comet.settings import APP_STATE, TwoSlots
from pyibc.chain.comet.snapshots import walk_snapshots
from pyibc.core.errors import IbcError
from pyibc.core.host.block import TxOutcome
from pyibc.proto.tendermint.types import types_pb2

# -- problems found by the verification of a home


class Problem(NamedTuple):
    """A problem at a place of a part of the home."""

    part: str  # "state", "blocks", "signed", "snapshots", "last block", "settings"
    place: str  # "block 7", "node 12", ...
    what: str

    def __str__(self) -> str:
        return f"{self.part}: {self.place}: {self.what}"


class HomeProblems:
    """The problems of one home, in the order found, and the number of records read of each kind."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.counts: Counter[str] = Counter()

    def report(self, part: str, place: str, what: object) -> None:
        """Add a problem."""
        self.problems.append(Problem(part, place, str(what)))


# -- verification of a block store

_PART = "blocks"
_UNREADABLE = (DamagedRecord, IbcError, DecodeError)


class BlockWalk:
    """Reads all blocks of one chain.

    Args:
        chain_id: Id of the chain.
        blocks: Block store of the chain.
        findings: Collects problems and counts.
    """

    def __init__(self, chain_id: str, blocks: BlockStore, findings: HomeProblems) -> None:
        self._chain_id = chain_id
        self._blocks = blocks
        self._findings = findings

    def walk(self) -> None:
        """Check every block, then the index of transactions."""
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
            self._report(height, error)
            return None
        if record is None:
            self._report(height, "missing")
            return None
        self._findings.counts["blocks"] += 1
        for what in self._faults(height, record, before):
            self._report(height, what)
        return record

    def _faults(self, height: int, record: BlockRecord, before: BlockRecord | None) -> Iterator[str]:
        header, result = record.header, record.result
        if (header.chain_id, header.height) != (self._chain_id, height):
            yield f"contains block {header.height} of {header.chain_id!r}"
        if (result.chain_id, result.height, result.time_ns) != (header.chain_id, height, header.time_ns):
            yield "the results are those of another block"
        if header.data_hash != data_hash(outcome.tx for outcome in result.txs):
            yield "the transactions do not match the header"
        last_commit, commit = self._commit(height, record.last_commit), self._commit(height, record.commit)
        if last_commit is not None:
            if header.last_commit_hash != commit_hash(last_commit):
                yield "the last commit does not match the header"
            txs = [outcome.tx for outcome in result.txs]
            if record.block_id != block_id(header_hash(header), encode_block(header, txs, last_commit)):
                yield "the block id does not match the content"
        if commit is not None:
            yield from self._votes(SignedHeader(header, commit), "commit")
        following = self._validators(height + 1)
        if following is not None and header.next_validators_hash != validator_set_hash(following):
            yield "the next validators do not match the header"
        if before is not None:
            yield from self._links(record, before, last_commit)

    def _links(self, record: BlockRecord, before: BlockRecord, last_commit: Commit | None) -> Iterator[str]:
        header = record.header
        if header.last_block_id != before.block_id:
            yield "the header refers to another previous block"
        if header.time_ns <= before.header.time_ns:
            yield "the time is not after that of the previous block"
        if header.app_hash != before.result.app_hash:
            yield "the app hash in the header differs from that of the previous block"
        if header.last_results_hash != outcomes_hash(before.result.txs):
            yield "the results hash in the header differs from that of the previous block"
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
                yield f"{name}: the validators do not match the header"
        except IbcError as error:
            yield f"{name}: {error}"
        self._findings.counts["signatures"] += len(signed.commit.signatures)

    def _commit(self, height: int, raw: bytes) -> Commit | None:
        try:
            return commit_from(types_pb2.Commit.FromString(raw))
        except _UNREADABLE as error:
            self._report(height, f"a commit cannot be read: {error}")
            return None

    def _validators(self, height: int) -> ValidatorSet | None:
        try:
            found = self._blocks.validators(height)
        except _UNREADABLE as error:
            self._findings.report(_PART, f"validators {height}", error)
            return None
        if found is None:
            self._findings.report(_PART, f"validators {height}", "missing")
        return found

    def _index(self) -> None:
        """Check that the index has every transaction, at its successful or last run, and no other entry.

        Earlier releases always recorded the last run.
        """
        expected: dict[bytes, tuple[int, int]] = {}
        executed: dict[bytes, tuple[int, int]] = {}
        for height in range(self._blocks.first, self._blocks.height + 1):
            for number, outcome in enumerate(self._txs(height)):
                digest = sha256(outcome.tx).digest()
                expected[digest] = height, number
                if outcome.code == 0:
                    executed[digest] = height, number
        self._findings.counts["transactions"] += len(expected)
        for digest, place in self._entries():
            if digest not in expected:
                self._report_tx(digest, f"the index names block {place[0]}, which lacks it")
            elif place not in {expected.pop(digest), executed.get(digest)}:
                self._report_tx(digest, f"the index has a wrong position in block {place[0]}")
        for digest, (height, _) in expected.items():
            self._report_tx(digest, f"not in the index: block {height}")

    def _entries(self) -> Iterator[tuple[bytes, tuple[int, int]]]:
        for digest, found in self._blocks.indexed():
            if isinstance(found, DamagedRecord):
                self._report_tx(digest, found)
            else:
                yield digest, found

    def _txs(self, height: int) -> Sequence[TxOutcome]:
        try:
            record = self._blocks.record(height)
        except _UNREADABLE:
            return ()  # reported already
        return record.result.txs if record is not None else ()

    def _report(self, height: int, what: object) -> None:
        self._findings.report(_PART, f"block {height}", what)

    def _report_tx(self, digest: bytes, what: object) -> None:
        self._findings.report(_PART, f"transaction {digest.hex().upper()}", what)


# -- verification of an application's state

PART = "state"


class StateSummary(NamedTuple):
    """Height and app hash of the last version."""

    height: int  # 0 for an empty state
    app_hash: bytes


def walk_state(folder: Path, map_bytes: int, findings: HomeProblems) -> StateSummary | None:
    """Verify every record; return None if the last version cannot be read.

    Raises:
        StorageError: the state cannot be verified; see `iavl.verify_store`.
    """
    if not (folder / NAME).exists():
        findings.report(PART, str(folder), "missing")
        return None
    told = verify_store(
        folder, on_problem=lambda each: findings.report(PART, each.record, each.detail), map_size=map_bytes
    )
    findings.counts["versions"] += len(told.versions)
    findings.counts["nodes"] += told.nodes
    if told.versions and not told.app_hash:
        return None
    return StateSummary(told.versions.stop - 1 if told.versions else 0, told.app_hash)


# -- verification of a home

_T = TypeVar("_T")
_FAULTS = (IavlError, LocalnetError, OSError, lmdb.verify.VerifyError)


def verify_home(home: Path) -> HomeProblems:
    """Verify a chain's home, read-only.

    Raises:
        AlreadyRunning: the node is running.
        BadSettings, OSError: the folder is not a home.
    """
    settings, findings = read_node(home), HomeProblems()
    lock = HomeLock(home)
    try:
        if settings.consensus == COMETBFT:
            for each in validator_homes(home, settings):
                _validator(each, settings, findings)
        else:
            _local(home, settings, findings)
    finally:
        lock.release()
    return findings


def _local(home: Path, settings: NodeSettings, findings: HomeProblems) -> None:
    state = _checked(findings, PART, lambda: walk_state(home / STATE, settings.map_bytes, findings))
    signed = _checked(findings, SIGNED, lambda: _signed(home, findings))
    _checked(findings, BLOCKS, lambda: _blocks(home, settings, findings, state, signed))


def _blocks(
    home: Path,
    settings: NodeSettings,
    findings: HomeProblems,
    state: StateSummary | None,
    signed: SignedBlock | None,
) -> None:
    """Verify the blocks, and compare the other parts with them."""
    path = home / BLOCKS / NAME
    faults: list[str] = lmdb.verify.verify(str(path), subdir=False)  # type: ignore[no-untyped-call]
    if faults:  # opening such pages with LMDB could kill the process
        raise lmdb.verify.VerifyError("; ".join(faults[:5]))
    with closing(BlockStore.open(home / BLOCKS, settings.map_bytes)) as blocks:
        BlockWalk(settings.chain_id, blocks, findings).walk()
        if state is not None:
            _compare_state(state, blocks, findings)
        if signed is not None:
            _compare_signed(signed, blocks, findings)


def _compare_state(state: StateSummary, blocks: BlockStore, findings: HomeProblems) -> None:
    """Compare the state; one block behind the last is valid: opening executes that block again."""
    place = f"version {state.height}"
    if state.height > blocks.height:
        findings.report(PART, place, f"ahead of the blocks, which end at {blocks.height}")
    elif state.height + 1 < blocks.first:
        findings.report(PART, place, f"behind the blocks, which begin at {blocks.first}")
    elif state.height >= blocks.first:
        record = blocks.record(state.height)
        if record is not None and record.result.app_hash != state.app_hash:
            findings.report(PART, place, "the app hash differs from that of the block")


def _compare_signed(signed: SignedBlock, blocks: BlockStore, findings: HomeProblems) -> None:
    """Compare the signing record; one block ahead is valid: opening finishes that block."""
    place, last = f"block {signed.height}", blocks.height
    record = blocks.record(last) if last else None
    if signed.height < last:
        findings.report(SIGNED, place, f"not the last block, which is {last}")
    elif signed.height > last + 1:
        findings.report(SIGNED, place, f"blocks were lost; they end at {last}")
    elif signed.height == last and record is not None and record.block_id != signed.block_id:
        findings.report(SIGNED, place, "another block is stored at this height")


def _signed(home: Path, findings: HomeProblems) -> SignedBlock | None:
    if not (home / f"{SIGNED}.0").exists() or not (home / f"{SIGNED}.1").exists():
        findings.report(SIGNED, str(home), "the signing record is missing")
        return None
    state = SignState(home / SIGNED)
    state.close()
    findings.counts["signed blocks"] += state.last is not None
    return state.last


def _validator(home: Path, settings: NodeSettings, findings: HomeProblems) -> None:
    """Verify the application's files of a validator under CometBFT; CometBFT's own files are not read."""
    folder = home / APP_STATE
    _checked(findings, PART, lambda: walk_state(folder / "state", settings.map_bytes, findings))
    for height, is_whole in walk_snapshots(folder / "snapshots"):
        findings.counts["snapshots"] += 1
        if not is_whole:
            findings.report("snapshots", f"{home.name}: {height}", "the chunks do not match their hashes")
    if (folder / "last.0").exists():
        slots = TwoSlots(folder / "last", durable=False)
        if slots.is_damaged():
            findings.report("last block", home.name, "both files are damaged")
        slots.close()


def _checked(findings: HomeProblems, part: str, walk: Callable[[], _T]) -> _T | None:
    try:
        return walk()
    except _FAULTS as error:
        findings.report(part, type(error).__name__, error)
        return None
