"""Completion of a ledger's open transactions after a kill, or for chains whose blocks are not read."""

from pyibc.relayer.blocks.reader import MAX_LAG
from pyibc.relayer.chain.account import ask_account
from pyibc.relayer.chain.endpoint import ChainEndpoint, query_of
from pyibc.relayer.errors import EndpointRefused
from pyibc.relayer.money.ledger import Ledger


def catch_up(ledger: Ledger, endpoint: ChainEndpoint) -> list[int]:
    """Read the blocks that may include open transactions of this chain.

    The account's sequence selects them: a transaction whose sequence is not below it is in no block yet. If
    it is below, a block has this transaction, or another one of the same sequence, for example from another
    program with the same key; blocks show both cases (`Ledger.observe`). Sequence and last block may come
    from different nodes, one of them behind: transactions that no block up to here has stay open.

    Returns:
        Heights of blocks that the node has pruned: their transactions stay pending.

    Raises:
        EndpointUnavailable, RelayerError: see `ChainEndpoint.block` and `ask_account`.
    """
    chain_id = endpoint.chain_id
    waiting = ledger.open_of(chain_id)
    if not waiting:
        return []
    before = endpoint.tip().height
    names = sorted({each.account for each in waiting.values()})
    reached = {name: ask_account(query_of(endpoint), chain_id, name)[1] for name in names}
    consumed = {key for key, each in waiting.items() if each.sequence < reached[each.account]}
    # guard: h228-the-last-block-is-the-sequence-s drop:MAX_LAG
    #   test_h228_a_node_behind_tells_the_sequence_and_one_ahead_the_last_block
    ledger.mark_searched(chain_id, waiting.keys() - consumed, before - MAX_LAG)
    if not consumed:
        return []
    tip = endpoint.tip().height
    missing = _read(ledger, endpoint, consumed, tip)
    # guard: h228-what-no-block-has-is-replaced {=> for key in consumed: ledger._mark(key, "replaced")}
    #   test_h228_a_node_ahead_tells_the_sequence_and_one_behind_the_last_block
    ledger.mark_searched(chain_id, consumed, tip)
    return missing


def _read(ledger: Ledger, endpoint: ChainEndpoint, wanted: set[bytes], tip: int) -> list[int]:
    """Let the ledger observe the blocks that may include `wanted`; return the heights of pruned ones."""
    missing = []
    height = min(ledger.open_of(endpoint.chain_id)[key].since for key in wanted)
    while height < tip and wanted & ledger.open_of(endpoint.chain_id).keys():
        height += 1
        try:
            ledger.observe(endpoint.block(height))
        except EndpointRefused:
            missing.append(height)
    return missing
