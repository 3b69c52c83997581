"""The walk over one home: its state, its blocks, what its validators signed; under CometBFT, its snapshots."""

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

from iavl import IavlError
from localnet.blockstore import BlockStore
from localnet.chain import BLOCKS, SIGNED, STATE
from localnet.comet.application import STATE as COMET_STATE
from localnet.comet.homes import validator_homes
from localnet.comet.snapshots import Snapshots
from localnet.consensus.sign_state import SignState
from localnet.durable import TwoSlots
from localnet.errors import LocalnetError
from localnet.home_lock import HomeLock
from localnet.settings import COMETBFT, NodeSettings, read_node
from localnet.verify.blocks import BlockWalk
from localnet.verify.report import Findings
from localnet.verify.state import State, walk_state

_FAULTS = (IavlError, LocalnetError, OSError)


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
    state = walk_state(home / STATE, settings.map_bytes, findings)
    _told(findings, BLOCKS, lambda: _blocks(home, settings, state, findings))


def _blocks(home: Path, settings: NodeSettings, state: State | None, findings: Findings) -> None:
    if not (home / BLOCKS / "data.mdb").exists():
        findings.tell(BLOCKS, str(home / BLOCKS), "there are none")
        return
    blocks = BlockStore.open(home / BLOCKS, settings.map_bytes)
    try:
        BlockWalk(settings.chain_id, blocks, findings).walk()
        if state is not None:
            _state_and_blocks(state, blocks, findings)
        _told(findings, SIGNED, lambda: _signed(home, blocks, findings))
    finally:
        blocks.close()


def _state_and_blocks(state: State, blocks: BlockStore, findings: Findings) -> None:
    """The state is that of a block; one behind the last is brought up when the chain is opened."""
    if state.height > blocks.height:
        findings.tell(STATE, f"version {state.height}", f"it is ahead of the blocks, up to {blocks.height}")
    elif state.height and state.height + 1 < blocks.first:
        findings.tell(STATE, f"version {state.height}", f"the blocks after it are pruned up to {blocks.first}")
    elif state.height >= blocks.first:
        record = blocks.record(state.height)
        if record is not None and record.result.app_hash != state.app_hash:
            findings.tell(STATE, f"version {state.height}", "its app hash is not that of the block")


def _signed(home: Path, blocks: BlockStore, findings: Findings) -> None:
    if not (home / f"{SIGNED}.0").exists():
        findings.tell(SIGNED, str(home), "the record of what was signed is missing")
        return
    signed = SignState(home / SIGNED)
    try:
        last, height = signed.last, blocks.height
        findings.counts["signed blocks"] += last is not None
        if last is None or last.height < height:
            found = last.height if last is not None else 0
            findings.tell(SIGNED, f"block {found}", f"the blocks are signed up to {height}")
        elif last.height > height + 1:
            findings.tell(SIGNED, f"block {last.height}", f"blocks are lost: they end with {height}")
        elif last.height == height:
            record = blocks.record(height)
            if record is not None and record.block_id != last.block_id:
                findings.tell(SIGNED, f"block {height}", "another block was signed at this height")
    finally:
        signed.close()


def _validator(home: Path, settings: NodeSettings, findings: Findings) -> None:
    """What the application of a validator under CometBFT stores; CometBFT's own files are CometBFT's."""
    folder = home / COMET_STATE
    walk_state(folder / "state", settings.map_bytes, findings)
    if (folder / "snapshots").exists():
        snapshots = Snapshots(folder / "snapshots")
        for height in snapshots.damaged():
            findings.tell("snapshots", f"{home.name}: snapshot {height}", "its chunks are not those of its hashes")
        findings.counts["snapshots"] += len(snapshots.known())
    if (folder / "last.0").exists():
        slots = TwoSlots(folder / "last", durable=False)
        if slots.is_damaged():
            findings.tell("last block", home.name, "neither of its two files is whole")
        slots.close()


def _told(findings: Findings, part: str, walk: Callable[[], None]) -> None:
    try:
        walk()
    except _FAULTS as error:
        findings.tell(part, type(error).__name__, error)


__all__ = ["verify_home"]
_ = sha256
