"""The interface of an ABCI 2.0 application, as a Protocol, and a base class with defaults.

Thread safety: consensus methods never run concurrently; CheckTx never with another CheckTx or Commit.
Queries, `list_snapshots` and `load_snapshot_chunk` may run at any time (unless `Limits.serial` is set).
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Protocol

from abci_server.messages import requests as ask
from abci_server.messages.requests import (
    ApplyResult,
    OfferResult,
    ResponseApplySnapshotChunk,
    ResponseCheckTx,
    ResponseFinalizeBlock,
    ResponseInfo,
    ResponseInitChain,
    ResponseQuery,
    Snapshot,
)
from pyibc.proto.varint import encode_varint


class Application(Protocol):
    """The methods of ABCI 2.0 except Echo and Flush, which the server handles."""

    def info(self, request: ask.RequestInfo) -> ResponseInfo:
        """Return the last committed height and app hash."""

    def init_chain(self, request: ask.RequestInitChain) -> ResponseInitChain:
        """Initialize the state from the genesis without persisting it; repeated until the first commit."""

    def query(self, request: ask.RequestQuery) -> ResponseQuery:
        """Run a query on committed state; raise AbciError to refuse it."""

    def check_tx(self, request: ask.RequestCheckTx) -> ResponseCheckTx:
        """Check whether a transaction may enter the mempool; raise AbciError to refuse it."""

    def prepare_proposal(self, request: ask.RequestPrepareProposal) -> Sequence[bytes]:
        """Return the transactions of this validator's block, within `max_tx_bytes` (see `tx_size`)."""

    def process_proposal(self, request: ask.RequestProcessProposal) -> bool:
        """Return whether to accept a proposed block. Must be deterministic."""

    def finalize_block(self, request: ask.RequestFinalizeBlock) -> ResponseFinalizeBlock:
        """Execute a block on the last committed state. Persists nothing; repeated after a crash."""

    def commit(self) -> int:
        """Persist the finalized block with its height and app hash atomically.

        Returns:
            Lowest height whose block CometBFT must retain (`retain_height`); 0 for all blocks.
        """

    def extend_vote(self, request: ask.RequestExtendVote) -> bytes:
        """Return the extension of this validator's vote; it may differ between validators."""

    def verify_vote_extension(self, request: ask.RequestVerifyVoteExtension) -> bool:
        """Return whether another validator's vote extension is valid. Must be deterministic."""

    def list_snapshots(self) -> Sequence[Snapshot]:
        """Return the snapshots that peers may restore from."""

    def offer_snapshot(self, request: ask.RequestOfferSnapshot) -> OfferResult:
        """Decide whether to restore from a snapshot that a peer offers."""

    def load_snapshot_chunk(self, request: ask.RequestLoadSnapshotChunk) -> bytes:
        """Return a chunk of one of this application's snapshots, at most 16 MB; empty if there is none."""

    def apply_snapshot_chunk(self, request: ask.RequestApplySnapshotChunk) -> ResponseApplySnapshotChunk:
        """Apply a chunk of the accepted snapshot; after the last the state is restored and persisted."""


class BaseApplication(ABC):
    """An `Application` with defaults for all methods but `info`, `finalize_block` and `commit`."""

    @abstractmethod
    def info(self, request: ask.RequestInfo) -> ResponseInfo:
        """Return the last committed height and app hash."""

    @abstractmethod
    def finalize_block(self, request: ask.RequestFinalizeBlock) -> ResponseFinalizeBlock:
        """Execute a block on the last committed state. Persists nothing; repeated after a crash."""

    @abstractmethod
    def commit(self) -> int:
        """Persist the finalized block with its height and app hash; return `retain_height`."""

    def init_chain(self, request: ask.RequestInitChain) -> ResponseInitChain:  # noqa: ARG002
        """Accept the genesis without changes."""
        return ResponseInitChain()

    def query(self, request: ask.RequestQuery) -> ResponseQuery:  # noqa: ARG002
        """Refuse all queries."""
        return ResponseQuery(code=1, codespace="abci", log="this application supports no queries")

    def check_tx(self, request: ask.RequestCheckTx) -> ResponseCheckTx:  # noqa: ARG002
        """Accept every transaction."""
        return ResponseCheckTx()

    def prepare_proposal(self, request: ask.RequestPrepareProposal) -> Sequence[bytes]:
        """Return the oldest transactions of the mempool that fit."""
        chosen, left = [], request.max_tx_bytes
        for tx in request.txs:
            left -= tx_size(tx)
            if left < 0:
                break
            chosen.append(tx)
        return chosen

    def process_proposal(self, request: ask.RequestProcessProposal) -> bool:  # noqa: ARG002
        """Accept every block."""
        return True

    def extend_vote(self, request: ask.RequestExtendVote) -> bytes:  # noqa: ARG002
        """Return an empty extension."""
        return b""

    def verify_vote_extension(self, request: ask.RequestVerifyVoteExtension) -> bool:
        """Accept only an empty extension, as `extend_vote` returns."""
        return not request.vote_extension

    def list_snapshots(self) -> Sequence[Snapshot]:
        """Return no snapshots."""
        return ()

    def offer_snapshot(self, request: ask.RequestOfferSnapshot) -> OfferResult:  # noqa: ARG002
        """Abort state sync: it needs an application that can restore."""
        return OfferResult.ABORT

    def load_snapshot_chunk(self, request: ask.RequestLoadSnapshotChunk) -> bytes:  # noqa: ARG002
        """Return no chunk."""
        return b""

    def apply_snapshot_chunk(self, request: ask.RequestApplySnapshotChunk) -> ResponseApplySnapshotChunk:  # noqa: ARG002
        """Abort state sync."""
        return ResponseApplySnapshotChunk(ApplyResult.ABORT)


def tx_size(tx: bytes) -> int:
    """Return the bytes that a transaction counts for in `max_tx_bytes`: with tag and length."""
    return 1 + len(encode_varint(len(tx))) + len(tx)
