"""The walk over one home: state, blocks, what was signed last; under CometBFT, snapshots."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import lmdb.verify

from iavl import IavlError
from iavl.disk.data_file import NAME
from localnet.blockstore import BlockStore
from localnet.chain import BLOCKS, SIGNED, STATE
from localnet.comet.homes import APP_STATE, validator_homes
from localnet.comet.snapshots import walk_snapshots
from localnet.consensus.sign_state import Signed, SignState
from localnet.durable import TwoSlots
from localnet.errors import LocalnetError
from localnet.home_lock import HomeLock
from localnet.settings import COMETBFT, NodeSettings, read_node
from localnet.verify.blocks import BlockWalk
from localnet.verify.report import Findings
from localnet.verify.state import PART, State, walk_state

_T = TypeVar("_T")
_FAULTS = (IavlError, LocalnetError, OSError, lmdb.verify.VerifyError)


def verify_home(home: Path) -> Findings:
    """Walks a chain's home; changes nothing in it.

    Raises:
        AlreadyRunning: its node runs.
        BadSettings, OSError: it is no home.
    """
    settings, findings = read_node(home), Findings()
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


def _local(home: Path, settings: NodeSettings, findings: Findings) -> None:
    state = _told(findings, PART, lambda: walk_state(home / STATE, settings.map_bytes, findings))
    signed = _told(findings, SIGNED, lambda: _signed(home, findings))
    _told(findings, BLOCKS, lambda: _blocks(home, settings, Parts(findings, state, signed)))


class Parts:
    """What the blocks are compared with."""

    def __init__(self, findings: Findings, state: State | None, signed: Signed | None) -> None:
        self._findings = findings
        self._state = state
        self._signed = signed

    def compare(self, chain_id: str, blocks: BlockStore) -> None:
        """Walks the blocks, and holds the other parts against them."""
        BlockWalk(chain_id, blocks, self._findings).walk()
        if self._state is not None:
            self._compare_state(self._state, blocks)
        if self._signed is not None:
            self._compare_signed(self._signed, blocks)

    def _compare_state(self, state: State, blocks: BlockStore) -> None:
        """One behind the last block is no fault: it is brought up when the chain is opened."""
        place = f"version {state.height}"
        if state.height > blocks.height:
            self._findings.tell(PART, place, f"it is ahead of the blocks, which end with {blocks.height}")
        elif state.height + 1 < blocks.first:
            self._findings.tell(PART, place, f"the blocks that would bring it up begin with {blocks.first}")
        elif state.height >= blocks.first:
            record = blocks.record(state.height)
            if record is not None and record.result.app_hash != state.app_hash:
                self._findings.tell(PART, place, "its app hash is not that of the block")

    def _compare_signed(self, signed: Signed, blocks: BlockStore) -> None:
        """One block ahead is no fault: it is finished when the chain is opened."""
        place, last = f"block {signed.height}", blocks.height
        record = blocks.record(last) if last else None
        if signed.height < last:
            self._findings.tell(SIGNED, place, f"it is not the last one, {last}")
        elif signed.height > last + 1:
            self._findings.tell(SIGNED, place, f"blocks were lost, they end with {last}")
        elif signed.height == last and record is not None and record.block_id != signed.block_id:
            self._findings.tell(SIGNED, place, "another block is stored at this height")


def _blocks(home: Path, settings: NodeSettings, parts: Parts) -> None:
    path = home / BLOCKS / NAME
    faults: list[str] = lmdb.verify.verify(str(path), subdir=False)  # type: ignore[no-untyped-call]
    if faults:  # LMDB may not be given such pages: it could end the process
        raise lmdb.verify.VerifyError("; ".join(faults[:5]))
    blocks = BlockStore.open(home / BLOCKS, settings.map_bytes)
    try:
        parts.compare(settings.chain_id, blocks)
    finally:
        blocks.close()


def _signed(home: Path, findings: Findings) -> Signed | None:
    if not (home / f"{SIGNED}.0").exists() or not (home / f"{SIGNED}.1").exists():
        findings.tell(SIGNED, str(home), "the record of what was signed last is missing")
        return None
    state = SignState(home / SIGNED)
    state.close()
    findings.counts["signed blocks"] += state.last is not None
    return state.last


def _validator(home: Path, settings: NodeSettings, findings: Findings) -> None:
    """What the application of a validator under CometBFT stores; CometBFT's own files are CometBFT's."""
    folder = home / APP_STATE
    _told(findings, PART, lambda: walk_state(folder / "state", settings.map_bytes, findings))
    for height, is_whole in walk_snapshots(folder / "snapshots"):
        findings.counts["snapshots"] += 1
        if not is_whole:
            findings.tell("snapshots", f"{home.name}: {height}", "its chunks are not those of its hashes")
    if (folder / "last.0").exists():
        slots = TwoSlots(folder / "last", durable=False)
        if slots.is_damaged():
            findings.tell("last block", home.name, "neither of its two files is whole")
        slots.close()


def _told(findings: Findings, part: str, walk: Callable[[], _T]) -> _T | None:
    try:
        return walk()
    except _FAULTS as error:
        findings.tell(part, type(error).__name__, error)
        return None
