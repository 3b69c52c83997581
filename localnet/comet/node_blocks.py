"""The blocks of a validator's own CometBFT, for an exporter that lacks some of them."""

from ibc_core.comet_json.results import read_block
from ibc_core.host.block import CommittedBlock
from ibc_relayer.errors import EndpointRefused, EndpointUnavailable
from ibc_relayer.rpc_calls import Rpc
from ibc_relayer.rpc_client import RpcConfig
from ibc_relayer.rpc_read import read_answer

QUICK = RpcConfig(timeout_s=2.0, attempts=1)
"""Of its calls: a commit waits for them."""


class NodeBlocks:
    """Blocks with their results by height (`ibc_indexer.plugin.Blocks`).

    It may be called in Commit: `block` and `block_results` read CometBFT's stores, and wait neither for
    consensus nor for the application. `status` would wait for the commit.

    Args:
        chain_id: The chain's id.
        rpc: CometBFT's RPC.
    """

    def __init__(self, chain_id: str, rpc: Rpc) -> None:
        self._chain_id = chain_id
        self._rpc = rpc

    def __call__(self, height: int) -> CommittedBlock | None:
        """A block; None if the node has it no more.

        Raises:
            ConnectionError: the node does not answer: it starts, or makes up for blocks before it listens.
            MalformedAnswer: it is of another chain or height, or cannot be decoded.
        """
        try:
            raw, results = (self._rpc.call(each, height=str(height)) for each in ("block", "block_results"))
        except EndpointRefused:
            return None
        except EndpointUnavailable as error:
            raise ConnectionError(str(error)) from error

        def read() -> CommittedBlock:
            block = read_block(raw, results, encoded=False)
            # guard: h196-a-block-of-any-chain-will-do test_h196_a_block_of_another_chain_is_not_exported
            if (block.chain_id, block.height) != (self._chain_id, height):
                raise ValueError(f"it is of {block.chain_id!a:.64} {block.height}")
            return block

        return read_answer(self._chain_id, f"block {height}", read)
