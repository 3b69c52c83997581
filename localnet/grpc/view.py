"""What the gRPC services need besides the application's state: blocks, transactions, the node itself."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from ibc_core.host.block import TxOutcome
from ibc_proto.tendermint.p2p.types_pb2 import DefaultNodeInfo
from ibc_proto.tendermint.types import block_pb2, types_pb2
from light_client.tendermint.types import Validator


class ViewedBlock(NamedTuple):
    """A block of the consensus engine."""

    block_id: types_pb2.BlockID
    block: block_pb2.Block
    time_ns: int  # unix nanoseconds, from the header


class ViewedTx(NamedTuple):
    """A transaction in a block, and its outcome."""

    height: int
    outcome: TxOutcome


class FoundTxs(NamedTuple):
    """A page of search results."""

    txs: Sequence[ViewedTx]
    total: int  # of all pages


class NodeView(Protocol):
    """A node that makes or follows blocks; must be thread-safe.

    Any method may raise EndpointUnavailable if consensus does not respond.
    """

    def node_info(self) -> DefaultNodeInfo:
        """The node's id, addresses and version."""

    def latest(self) -> int:
        """The last block's height."""

    def earliest(self) -> int:
        """The lowest height that has not been pruned."""

    def syncing(self) -> bool:
        """Whether the node is catching up with the chain."""

    def block(self, height: int) -> ViewedBlock:
        """A block from `earliest` to `latest`.

        Raises:
            EndpointRefused: the block does not exist yet, or has been pruned.
        """

    def validators(self, height: int) -> Sequence[Validator]:
        """The validator set of a block; raises EndpointRefused if it is not available."""

    def tx(self, digest: bytes) -> ViewedTx | None:
        """The transaction with this SHA-256, or None."""

    def search(self, query: str, page: int, limit: int, *, descending: bool) -> FoundTxs:
        """A page (from 1) of at most `limit` transactions with events matching `type.key='value' AND ...`.

        Raises:
            InvalidRequest: the query is malformed.
        """

    def broadcast(self, raw: bytes) -> TxOutcome:
        """Submits a transaction to the mempool; returns the result of CheckTx."""
