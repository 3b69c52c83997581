"""The consensus state at startup, from disk or from the genesis."""

from collections.abc import Sequence

from ibc_core.host.block import TxOutcome
from light_client.tendermint.hashing import TxResult, results_hash
from light_client.tendermint.types import Validator
from localnet.blockstore import BlockRecord, BlockStore
from localnet.consensus.engine import LastBlock, State, genesis_state
from localnet.errors import BrokenChain
from localnet.host.app import EMPTY_APP_HASH, HostApp


def outcomes_hash(outcomes: Sequence[TxOutcome]) -> bytes:
    """The `last_results_hash` of the next header."""
    return results_hash(TxResult(each.code, each.data, each.gas_wanted, each.gas_used) for each in outcomes)


def begin(blocks: BlockStore, members: Sequence[Validator], time_ns: int, initial_height: int) -> State:
    """The state before the first block; stores its validator sets."""
    state = genesis_state(members, EMPTY_APP_HASH, time_ns, initial_height)
    blocks.begin(initial_height, state.validators, state.next_validators)
    return state


def recover(chain_id: str, app: HostApp, blocks: BlockStore, genesis_time_ns: int) -> State:
    """The state after the last block. A block that was saved but not committed is executed again.

    Raises:
        BrokenChain: state and blocks on disk are inconsistent.
    """
    info, stored = app.info(), blocks.height
    record = blocks.record(stored)
    if stored not in {info.height, app.store.next_version}:
        raise BrokenChain(chain_id, f"state of height {info.height}, blocks up to {stored}")
    if record is None:
        raise BrokenChain(chain_id, f"block {stored} is missing")
    if stored == app.store.next_version:
        _execute_again(chain_id, app, record)
    elif record.result.app_hash != info.app_hash:
        raise BrokenChain(chain_id, f"app hash of block {stored} is not the state's")
    # The process may have been killed before this call: listeners must tolerate seeing a block twice.
    app.pipeline.committed(record.result)
    app.resume(record.header.time_ns)
    return _state_of(chain_id, blocks, record, genesis_time_ns)


def _execute_again(chain_id: str, app: HostApp, record: BlockRecord) -> None:
    txs = [outcome.tx for outcome in record.result.txs]
    final = app.finalize_block(record.header.time_ns, txs, record.header.next_validators_hash)
    if final.app_hash != record.result.app_hash:
        raise BrokenChain(chain_id, f"block {record.header.height} gives another app hash now")
    app.commit()


def _state_of(chain_id: str, blocks: BlockStore, record: BlockRecord, genesis_time_ns: int) -> State:
    height = record.header.height
    this, following, later = [blocks.validators(height + ahead) for ahead in range(3)]
    if this is None or following is None or later is None:
        raise BrokenChain(chain_id, f"validators after block {height} are missing")
    last = LastBlock(height, record.header.time_ns, record.block_id, record.flags, this)
    results = outcomes_hash(record.result.txs)
    return State(last, following, later, record.result.app_hash, results, genesis_time_ns)
