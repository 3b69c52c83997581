"""Verification of one home: state, blocks, signing record; under CometBFT, snapshots."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, TypeVar

import lmdb.verify

from iavl import IavlError, verify_store
from iavl.disk.database.data_file import NAME
from localnet.chain import BLOCKS, SIGNED, STATE
from localnet.comet.homes import validator_homes
from localnet.consensus.sign_state import SignedBlock, SignState
from localnet.errors import LocalnetError
from localnet.process.home_lock import HomeLock
from localnet.settings import COMETBFT, NodeSettings, read_node
from localnet.storage.block_store import BlockStore
from localnet.verify.blocks import BlockWalk, HomeProblems
from pyibc.chain.comet.durable import TwoSlots
from pyibc.chain.comet.settings import APP_STATE
from pyibc.chain.comet.snapshots import walk_snapshots

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
    _checked(findings, BLOCKS, lambda: _blocks(home, settings, Parts(findings, state, signed)))


class Parts:
    """Parts of a home that are compared with its blocks."""

    def __init__(
        self, findings: HomeProblems, state: StateSummary | None, signed: SignedBlock | None
    ) -> None:
        self._findings = findings
        self._state = state
        self._signed = signed

    def compare(self, chain_id: str, blocks: BlockStore) -> None:
        """Verify the blocks, and compare the other parts with them."""
        BlockWalk(chain_id, blocks, self._findings).walk()
        if self._state is not None:
            self._compare_state(self._state, blocks)
        if self._signed is not None:
            self._compare_signed(self._signed, blocks)

    def _compare_state(self, state: StateSummary, blocks: BlockStore) -> None:
        """Compare the state; one block behind the last is valid: opening executes that block again."""
        place = f"version {state.height}"
        if state.height > blocks.height:
            self._findings.report(PART, place, f"ahead of the blocks, which end at {blocks.height}")
        elif state.height + 1 < blocks.first:
            self._findings.report(PART, place, f"behind the blocks, which begin at {blocks.first}")
        elif state.height >= blocks.first:
            record = blocks.record(state.height)
            if record is not None and record.result.app_hash != state.app_hash:
                self._findings.report(PART, place, "the app hash differs from that of the block")

    def _compare_signed(self, signed: SignedBlock, blocks: BlockStore) -> None:
        """Compare the signing record; one block ahead is valid: opening finishes that block."""
        place, last = f"block {signed.height}", blocks.height
        record = blocks.record(last) if last else None
        if signed.height < last:
            self._findings.report(SIGNED, place, f"not the last block, which is {last}")
        elif signed.height > last + 1:
            self._findings.report(SIGNED, place, f"blocks were lost; they end at {last}")
        elif signed.height == last and record is not None and record.block_id != signed.block_id:
            self._findings.report(SIGNED, place, "another block is stored at this height")


def _blocks(home: Path, settings: NodeSettings, parts: Parts) -> None:
    path = home / BLOCKS / NAME
    faults: list[str] = lmdb.verify.verify(str(path), subdir=False)  # type: ignore[no-untyped-call]
    if faults:  # opening such pages with LMDB could kill the process
        raise lmdb.verify.VerifyError("; ".join(faults[:5]))
    blocks = BlockStore.open(home / BLOCKS, settings.map_bytes)
    try:
        parts.compare(settings.chain_id, blocks)
    finally:
        blocks.close()


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
