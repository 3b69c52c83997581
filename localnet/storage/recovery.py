"""The consensus state at startup, from disk or from the genesis."""

import logging
import shutil
from collections.abc import Sequence
from pathlib import Path

from iavl import StorageError
from iavl.disk.database.data_file import sync_folder
from light_client.tendermint.hashing import TxResult, results_hash
from light_client.tendermint.types import Validator
from localnet.consensus.engine import EngineState, LastBlock, genesis_state
from localnet.consensus.sign_state import SignedBlock
from localnet.errors import BrokenChain, DamagedRecord, DoubleSign, SignedAhead, StateAhead, StateBehind
from localnet.storage.block_store import BlockRecord, BlockStore
from pyibc.chain.app import EMPTY_APP_HASH, HostApp
from pyibc.core.host.block import TxOutcome

log = logging.getLogger("localnet")


def outcomes_hash(outcomes: Sequence[TxOutcome]) -> bytes:
    """Return the `last_results_hash` of the next header."""
    return results_hash(TxResult(each.code, each.data, each.gas_wanted, each.gas_used) for each in outcomes)


def begin(blocks: BlockStore, members: Sequence[Validator], time_ns: int, initial_height: int) -> EngineState:
    """Return the state before the first block, and store its validator sets."""
    state = genesis_state(members, EMPTY_APP_HASH, time_ns, initial_height)
    blocks.begin(initial_height, state.validators, state.next_validators)
    return state


def recover(chain_id: str, app: HostApp, blocks: BlockStore, genesis_time_ns: int) -> EngineState:
    """Return the state after the last block; execute blocks again that were saved but not committed.

    Raises:
        StateAhead: the state is of a later block than the block store.
        StateBehind: blocks that the state lacks were pruned.
        BrokenChain: state and blocks on disk are inconsistent.
    """
    height, stored = app.info().height, blocks.height
    # guard: h104-a-state-ahead-of-the-blocks-is-taken drop
    #   test_h104_a_state_ahead_of_the_blocks_is_refused_by_both_heights
    if height > stored:
        raise StateAhead(chain_id, height, stored)
    # guard: h107-a-lost-state-begins-where-the-blocks-do drop
    #   test_h107_pruned_blocks_do_not_bring_back_a_lost_state
    if app.store.next_version < blocks.first:
        raise StateBehind(chain_id, height, blocks.first)
    if height and _block(chain_id, blocks, height).result.app_hash != app.info().app_hash:
        raise BrokenChain(chain_id, f"app hash of block {height} is not the state's")
    # guard: h104-only-one-block-is-executed-again {app.store.next_version => stored}
    #   test_h104_a_state_behind_the_blocks_is_brought_up_to_them
    for lacking in range(app.store.next_version, stored):
        _execute_again(chain_id, app, _block(chain_id, blocks, lacking))
    record = _block(chain_id, blocks, stored)
    if app.info().height < stored:
        _execute_again(chain_id, app, record)
    else:  # the process may have been killed before this call: listeners must tolerate a repeated block
        app.pipeline.committed(record.result)
    return _state_of(chain_id, blocks, record, genesis_time_ns)


def check_signed(chain_id: str, signed: SignedBlock | None, state: EngineState) -> bool:
    """Return whether the validators signed the block after the last stored one; the caller must finish it.

    False also if they signed nothing, or no block after the last stored one.

    Raises:
        SignedAhead: they signed a block more than one height above the last stored one.
        DoubleSign: at the last stored height they signed another block.
    """
    if signed is None or signed.height < state.height:
        return False  # the stored blocks show what was signed
    # guard: h104-lost-blocks-are-made-anew test_h104_with_more_blocks_lost_than_one_nothing_is_made
    if signed.height > state.height + 1:
        raise SignedAhead(chain_id, signed.height, state.height)
    if signed.height == state.height and state.last and signed.block_id != state.last.block_id:
        raise DoubleSign(state.height, state.last.block_id.hash, signed.height, signed.block_id.hash)
    return signed.height > state.height


def _block(chain_id: str, blocks: BlockStore, height: int) -> BlockRecord:
    record = blocks.record(height)
    if record is None or record.header.height != height or record.header.chain_id != chain_id:
        raise BrokenChain(chain_id, f"block {height} is missing")
    return record


def _execute_again(chain_id: str, app: HostApp, record: BlockRecord) -> None:
    result = record.result
    log.info("%s: executing block %d again", chain_id, result.height)
    txs = [outcome.tx for outcome in result.txs]
    final = app.finalize_block(record.header.time_ns, txs, record.header.next_validators_hash)
    if (final.app_hash, outcomes_hash(final.outcomes)) != (result.app_hash, outcomes_hash(result.txs)):
        raise BrokenChain(chain_id, f"executing block {record.header.height} again gives another app hash")
    app.commit()
    app.pipeline.committed(result)


def _state_of(chain_id: str, blocks: BlockStore, record: BlockRecord, genesis_time_ns: int) -> EngineState:
    height = record.header.height
    this, following, later = [blocks.validators(height + ahead) for ahead in range(3)]
    if this is None or following is None or later is None:
        raise BrokenChain(chain_id, f"validators after block {height} are missing")
    last = LastBlock(height, record.header.time_ns, record.block_id, record.flags, this)
    results = outcomes_hash(record.result.txs)
    return EngineState(last, following, later, record.result.app_hash, results, genesis_time_ns)


# -- creation of a home up to its first block
#
# Before the first block is stored the chain has no observers, and a power cut may leave incomplete
# databases. A marker file records this state; databases beside it are created again.

MARKER = "unfinished"


class HomeCreation:
    """The marker file in a home, from before the databases are created until the first block is stored.

    Args:
        home: Folder of the chain, created if absent.
        parts: Folders of its databases, blocks first; removed if an earlier creation was not finished.
        signed: Prefix of the signing record: if it exists without databases, they were lost.

    Raises:
        OSError: the disk failed.
    """

    def __init__(self, home: Path, parts: tuple[str, ...], signed: str) -> None:
        self._home = home
        self._parts = parts
        self._marker = home / MARKER
        home.mkdir(parents=True, exist_ok=True)
        if self._marker.exists():
            if not _has_blocks(home / parts[0]):  # otherwise a backup was restored
                for part in parts:
                    shutil.rmtree(home / part, ignore_errors=True)
        elif not any((home / part).exists() for part in (*parts, f"{signed}.0")):
            # guard: h104-a-new-home-is-not-marked drop
            #   test_h104_a_home_whose_first_block_was_never_stored_begins_again
            self._marker.touch()
            sync_folder(home)
            sync_folder(home.parent)

    def finish(self) -> None:
        """Remove the marker after the first block was stored. Raises OSError."""
        if self._marker.exists():
            for part in self._parts:
                sync_folder(self._home / part)
            sync_folder(self._home)  # the folders before the marker: the disk may reorder writes
            self._marker.unlink()
            sync_folder(self._home)


def _has_blocks(path: Path) -> bool:
    if not path.exists():
        return False
    try:
        blocks = BlockStore.open(path)
    except (StorageError, DamagedRecord):
        return False
    blocks.close()
    return blocks.height > 0
