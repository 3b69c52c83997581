"""The blocks that a CometBFT node keeps, with their events; needs no account."""

from ibc_core.comet_json.fields import read_integer
from ibc_core.comet_json.results import read_block
from ibc_core.host.block import CommittedBlock
from ibc_relayer.rpc_client import Rpc
from ibc_relayer.rpc_read import node_of, read_answer


class RpcBlocks:
    """Blocks of one node."""

    def __init__(self, rpc: Rpc) -> None:
        """Queries the node's chain id.

        Raises:
            EndpointUnavailable: the node does not answer.
            MalformedAnswer: its answer cannot be decoded.
        """
        self._rpc = rpc
        self.chain_id, version = node_of(rpc.call("status"))
        self._encoded = version.startswith("0.34.")

    def kept(self) -> range:
        """Heights of the available blocks: from the oldest kept to the last executed one.

        Raises:
            EndpointUnavailable, MalformedAnswer: as above.
        """
        sync = self._rpc.call("status")
        info = self._rpc.call("abci_info")
        first = read_answer(
            self.chain_id, "status", lambda: read_integer(sync["sync_info"]["earliest_block_height"])
        )
        last = read_answer(
            self.chain_id, "abci_info", lambda: read_integer(info["response"].get("last_block_height"))
        )
        return range(first, last + 1)

    def block(self, height: int) -> CommittedBlock:
        """A committed block with its events.

        Raises:
            EndpointRefused: the node has no such block (yet, or any more).
            EndpointUnavailable, MalformedAnswer: as above.
        """
        raw = self._rpc.call("block", height=str(height))
        results = self._rpc.call("block_results", height=str(height))
        return read_answer(self.chain_id, "block", lambda: read_block(raw, results, encoded=self._encoded))
