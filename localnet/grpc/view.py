"""What a node's gRPC services need beyond the application's state: blocks, transactions, the node itself."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from ibc_core.host.block import TxOutcome
from ibc_proto.tendermint.p2p.types_pb2 import DefaultNodeInfo
from ibc_proto.tendermint.types import block_pb2, types_pb2
from light_client.tendermint.types import Validator


class ViewedBlock(NamedTuple):
    """A block as consensus made it."""

    block_id: types_pb2.BlockID
    block: block_pb2.Block
    time_ns: int  # unix nanoseconds, from the header


class ViewedTx(NamedTuple):
    """A transaction of a block, and what came of it."""

    height: int
    outcome: TxOutcome


class FoundTxs(NamedTuple):
    """A page of a search."""

    txs: Sequence[ViewedTx]
    total: int  # of all pages


class NodeView(Protocol):
    """A node that makes or follows blocks. Called from many threads at once.

    Every method may raise EndpointUnavailable: consensus does not answer.
    """

    def node_info(self) -> DefaultNodeInfo:
        """Id, addresses and version of the node."""

    def latest(self) -> int:
        """Height of the last block."""

    def earliest(self) -> int:
        """Height of the first block that is kept."""

    def syncing(self) -> bool:
        """Whether the node is still catching up."""

    def block(self, height: int) -> ViewedBlock:
        """A block from `earliest` to `latest`.

        Raises:
            EndpointRefused: there is no such block (yet, or any more).
        """

    def validators(self, height: int) -> Sequence[Validator]:
        """Who votes on a block.

        Raises:
            EndpointRefused: that is not known (yet, or any more).
        """

    def tx(self, digest: bytes) -> ViewedTx | None:
        """The transaction with this SHA-256, None where no block holds it."""

    def search(self, query: str, page: int, limit: int, *, descending: bool) -> FoundTxs:
        """Transactions whose events match `type.key='value' AND ...`, a page (from 1) of at most `limit`.

        Raises:
            InvalidRequest: the query is not of that form.
        """

    def broadcast(self, raw: bytes) -> TxOutcome:
        """Gives a transaction to the mempool; what CheckTx said of it."""
