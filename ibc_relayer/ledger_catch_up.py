"""Settles what a ledger has open after a kill, or where nobody reads the chain's blocks."""

from ibc_relayer.chain_account import ask_account
from ibc_relayer.endpoint import ChainEndpoint
from ibc_relayer.errors import EndpointRefused
from ibc_relayer.ledger import Ledger
from ibc_relayer.reader import BEHIND


def catch_up(ledger: Ledger, endpoint: ChainEndpoint) -> list[int]:
    """Reads the blocks that may include open transactions of this chain.

    An account's sequence tells which: one that is not below it is in no block yet. One below it is in a
    block, or another one with its sequence is, as when another program used the key: blocks tell that as
    well (`Ledger.observe`). The sequence and the last block may be told by different nodes, one of them
    behind: what is in no block up to here stays open.

    Returns:
        Heights of blocks that the node does not keep any more: what they include stays pending.

    Raises:
        EndpointUnavailable, RelayerError: as `ChainEndpoint.block` and `ask_account`.
    """
    chain_id = endpoint.chain_id
    waiting = ledger.open_of(chain_id)
    if not waiting:
        return []
    before = endpoint.tip().height
    names = sorted({each.account for each in waiting.values()})
    reached = {name: ask_account(endpoint.grpc, chain_id, name)[1] for name in names}
    consumed = {key for key, each in waiting.items() if each.sequence < reached[each.account]}
    # guard: h228-the-last-block-is-the-sequence-s drop:BEHIND
    #   test_h228_a_node_behind_tells_the_sequence_and_one_ahead_the_last_block
    ledger.looked_until(chain_id, waiting.keys() - consumed, before - BEHIND)
    if not consumed:
        return []
    tip = endpoint.tip().height
    missing = _read(ledger, endpoint, consumed, tip)
    # guard: h228-what-no-block-has-is-replaced {=> for key in consumed: ledger._mark(key, "replaced")}
    #   test_h228_a_node_ahead_tells_the_sequence_and_one_behind_the_last_block
    ledger.looked_until(chain_id, consumed, tip)
    return missing


def _read(ledger: Ledger, endpoint: ChainEndpoint, wanted: set[bytes], tip: int) -> list[int]:
    """Lets the ledger observe the blocks that may include `wanted`; the heights that the node refuses."""
    missing = []
    height = min(ledger.open_of(endpoint.chain_id)[key].since for key in wanted)
    while height < tip and wanted & ledger.open_of(endpoint.chain_id).keys():
        height += 1
        try:
            ledger.observe(endpoint.block(height))
        except EndpointRefused:
            missing.append(height)
    return missing
