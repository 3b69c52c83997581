"""The node as the gRPC services need it, in addition to the application's state: blocks and transactions."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple, Protocol, TypeVar

from light_client.tendermint.codec import block_id_to, header_to
from light_client.tendermint.types import Validator
from localnet.chain import LocalChain
from localnet.errors import ChainHalted, LocalnetError
from localnet.event_index import parse_query
from localnet.grpc.calls import page_within
from pyibc.chain.config import local_node
from pyibc.core.errors import InvalidRequest
from pyibc.core.host.block import TxOutcome
from pyibc.proto.tendermint.p2p.types_pb2 import DefaultNodeInfo
from pyibc.proto.tendermint.types import block_pb2, evidence_pb2, types_pb2
from pyibc.relayer.errors import EndpointRefused, EndpointUnavailable


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


_T = TypeVar("_T")


class LocalView:
    """A LocalChain as a node.

    Committed blocks never change and are read without the chain's lock; `broadcast` takes the lock and waits
    for a block in progress.

    Args:
        chain: The chain.
        rpc_address: Address of its JSON-RPC (`tcp://...`), for GetNodeInfo.
    """

    def __init__(self, chain: LocalChain, rpc_address: str = "") -> None:
        self._chain = chain
        self._rpc_address = rpc_address

    def node_info(self) -> DefaultNodeInfo:
        """Return the info of a node without peers."""
        return local_node(self._chain.app.config, self._rpc_address)

    def latest(self) -> int:
        """Return the height of the last block."""
        return self._chain.height

    def earliest(self) -> int:
        """Return the height of the oldest stored block; before the first block, the initial height."""
        return self._chain.earliest

    def syncing(self) -> bool:
        """Return False."""
        return False

    def block(self, height: int) -> ViewedBlock:
        """Return a block of the chain; raise EndpointRefused."""
        record = self._answered(lambda: self._chain.record(height))
        block = block_pb2.Block(
            header=header_to(record.header),
            data=types_pb2.Data(txs=[outcome.tx for outcome in record.result.txs]),
            evidence=evidence_pb2.EvidenceList(),
            last_commit=types_pb2.Commit.FromString(record.last_commit),
        )
        return ViewedBlock(block_id_to(record.block_id), block, record.header.time_ns)

    def validators(self, height: int) -> Sequence[Validator]:
        """Return the validator set of a block, known up to two blocks ahead; raise EndpointRefused."""
        return self._answered(lambda: self._chain.validators(height)).validators

    def tx(self, digest: bytes) -> ViewedTx | None:
        """Return the transaction with this hash, or None if no block includes it."""
        found = self._chain.find_tx(digest)
        return ViewedTx(*found) if found else None

    def search(self, query: str, page: int, limit: int, *, descending: bool) -> FoundTxs:
        """Return a page of matching transactions.

        Raises:
            InvalidRequest: the query is malformed, or the page is out of range.
        """
        asked = parse_query(query)
        if asked.digest is not None:
            found = self.tx(asked.digest)
            return FoundTxs(page_within([found] if found else [], page, limit), 1 if found else 0)
        places = self._chain.events.txs(asked)
        ordered = places[::-1] if descending else places
        txs = [
            ViewedTx(at.height, self._answered(partial(self._chain.block, at.height)).txs[at.number])
            for at in page_within(ordered, page, limit)
        ]
        return FoundTxs(txs, len(places))

    def broadcast(self, raw: bytes) -> TxOutcome:
        """Submit a transaction; return the result of CheckTx. Raises EndpointUnavailable if halted."""
        return self._answered(lambda: self._chain.submit(raw))

    def _answered(self, ask: Callable[[], _T]) -> _T:
        try:
            return ask()
        except ChainHalted as error:
            raise EndpointUnavailable(self._chain.chain_id, str(error)) from error
        except LocalnetError as error:
            raise EndpointRefused(self._chain.chain_id, "block", str(error)) from error
