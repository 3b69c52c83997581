"""The node as the gRPC services need it, in addition to the application's state: blocks and transactions."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from light_client.tendermint.types import Validator
from pyibc.core.errors import InvalidRequest
from pyibc.core.host.block import TxOutcome
from pyibc.proto.tendermint.p2p.types_pb2 import DefaultNodeInfo
from pyibc.proto.tendermint.types import block_pb2, types_pb2


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
        """Return the node's id, addresses and version."""

    def latest(self) -> int:
        """Return the last block's height."""

    def earliest(self) -> int:
        """Return the lowest height that has not been pruned."""

    def syncing(self) -> bool:
        """Return whether the node is catching up with the chain."""

    def block(self, height: int) -> ViewedBlock:
        """Return a block from `earliest` to `latest`.

        Raises:
            EndpointRefused: the block does not exist yet, or has been pruned.
        """

    def validators(self, height: int) -> Sequence[Validator]:
        """Return the validator set of a block; raise EndpointRefused if it is not available."""

    def tx(self, digest: bytes) -> ViewedTx | None:
        """Return the transaction with this SHA-256, or None."""

    def search(self, query: str, page: int, limit: int, *, descending: bool) -> FoundTxs:
        """Return a page (from 1) of at most `limit` transactions with events matching the query.

        Raises:
            InvalidRequest: the query is malformed, or the page is beyond the last; an empty result has one
                page.
        """

    def broadcast(self, raw: bytes) -> TxOutcome:
        """Submit a transaction to the mempool; return the result of CheckTx."""


# -- lookup of blocks by requested height


def require_block(view: NodeView, height: int) -> ViewedBlock:
    """Return the block at a height.

    Raises:
        InvalidRequest: the block does not exist yet, or was pruned.
    """
    first, last = view.earliest(), view.latest()
    if not first <= height <= last:
        raise InvalidRequest(f"requested height {height}; blocks {first} to {last} are available")
    return view.block(height)
