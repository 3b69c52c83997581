"""The consensus state at startup, from disk or from the genesis."""

import logging
from collections.abc import Sequence

from ibc_core.host.block import TxOutcome
from light_client.tendermint.hashing import TxResult, results_hash
from light_client.tendermint.types import Validator
from localnet.blockstore import BlockRecord, BlockStore
from localnet.consensus.engine import LastBlock, State, genesis_state
from localnet.consensus.sign_state import Signed
from localnet.errors import BrokenChain, DoubleSign, SignedAhead, StateAhead, StateBehind
from localnet.host.app import EMPTY_APP_HASH, HostApp

log = logging.getLogger("localnet")


def outcomes_hash(outcomes: Sequence[TxOutcome]) -> bytes:
    """The `last_results_hash` of the next header."""
    return results_hash(TxResult(each.code, each.data, each.gas_wanted, each.gas_used) for each in outcomes)


def begin(blocks: BlockStore, members: Sequence[Validator], time_ns: int, initial_height: int) -> State:
    """The state before the first block; stores its validator sets."""
    state = genesis_state(members, EMPTY_APP_HASH, time_ns, initial_height)
    blocks.begin(initial_height, state.validators, state.next_validators)
    return state


def recover(chain_id: str, app: HostApp, blocks: BlockStore, genesis_time_ns: int) -> State:
    """The state after the last block. Blocks that were saved and not committed are executed again.

    Raises:
        StateAhead: the state knows a later block than the block store.
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
    else:  # the process may have been killed before this call: listeners must tolerate seeing a block twice
        app.pipeline.committed(record.result)
    app.resume(record.header.time_ns)
    return _state_of(chain_id, blocks, record, genesis_time_ns)


def check_signed(chain_id: str, signed: Signed | None, state: State) -> bool:
    """Whether the validators have signed the block after the last one, which has to be finished then.

    Raises:
        SignedAhead: they signed a later one.
        DoubleSign: they signed another last block than the block store has.
    """
    if signed is None or signed.height < state.height:
        return False  # the blocks themselves say what was signed
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
    log.info("%s: block %d is executed again", chain_id, result.height)
    txs = [outcome.tx for outcome in result.txs]
    final = app.finalize_block(record.header.time_ns, txs, record.header.next_validators_hash)
    if (final.app_hash, outcomes_hash(final.outcomes)) != (result.app_hash, outcomes_hash(result.txs)):
        raise BrokenChain(chain_id, f"block {record.header.height} gives another app hash now")
    app.commit()
    app.pipeline.committed(result)


def _state_of(chain_id: str, blocks: BlockStore, record: BlockRecord, genesis_time_ns: int) -> State:
    height = record.header.height
    this, following, later = [blocks.validators(height + ahead) for ahead in range(3)]
    if this is None or following is None or later is None:
        raise BrokenChain(chain_id, f"validators after block {height} are missing")
    last = LastBlock(height, record.header.time_ns, record.block_id, record.flags, this)
    results = outcomes_hash(record.result.txs)
    return State(last, following, later, record.result.app_hash, results, genesis_time_ns)
