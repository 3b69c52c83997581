"""Finds a transaction in the blocks after its broadcast; the node needs no index (`indexer = "null"`)."""

from ibc_core.host.block import TxOutcome
from ibc_relayer.errors import EndpointRefused
from ibc_relayer.outcomes import Action, action_of
from ibc_relayer.rpc_blocks import RpcBlocks


class Inclusion:
    """The search for one transaction."""

    def __init__(self, blocks: RpcBlocks, tx: bytes, first: int) -> None:
        """Searches from block `first` on: the one after the last block before the broadcast."""
        self._blocks = blocks
        self._tx = tx
        self._next = first

    def look(self) -> TxOutcome | None:
        """Its result, if one of the blocks committed since the last look holds it.

        Raises:
            EndpointUnavailable, EndpointRefused, MalformedAnswer: the node does not give a block.
        """
        tip = self._blocks.last_height()
        try:
            while self._next <= tip:
                found = self._in_block(self._next)
                if found is not None:
                    return found
                self._next += 1
        except EndpointRefused as error:
            if action_of(error) is not Action.OTHER_BACKEND:
                raise  # else a node behind the same address that is not as far
        return None

    def _in_block(self, height: int) -> TxOutcome | None:
        block = self._blocks.holding(height, self._tx)
        return block and next(each for each in block.txs if each.tx == self._tx)
