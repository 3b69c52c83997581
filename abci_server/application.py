"""The interface of an ABCI 2.0 application, as a Protocol, and a base class with defaults.

Threads: consensus methods never run concurrently; CheckTx never with another CheckTx or Commit. Queries,
`list_snapshots` and `load_snapshot_chunk` may run at any time (unless `Limits.serial` is set).
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Protocol

from abci_server import requests as ask
from abci_server.responses import (
    ResponseApplySnapshotChunk,
    ResponseCheckTx,
    ResponseFinalizeBlock,
    ResponseInfo,
    ResponseInitChain,
    ResponseQuery,
)
from abci_server.values import ApplyResult, OfferResult, Snapshot
from ibc_proto.varint import encode_varint


class Application(Protocol):
    """The methods of ABCI 2.0 except Echo and Flush, which the server answers itself."""

    def info(self, request: ask.RequestInfo) -> ResponseInfo:
        """The last committed height and app hash."""

    def init_chain(self, request: ask.RequestInitChain) -> ResponseInitChain:
        """Starts from the genesis. Persists nothing: CometBFT repeats it until the first commit."""

    def query(self, request: ask.RequestQuery) -> ResponseQuery:
        """Answers a query about committed state; raises AbciError to refuse it."""

    def check_tx(self, request: ask.RequestCheckTx) -> ResponseCheckTx:
        """Whether a transaction may enter the mempool; raises AbciError to refuse it."""

    def prepare_proposal(self, request: ask.RequestPrepareProposal) -> Sequence[bytes]:
        """The transactions of this validator's block, within `max_tx_bytes` as `tx_size` counts them."""

    def process_proposal(self, request: ask.RequestProcessProposal) -> bool:
        """Whether to vote for a proposed block. Must be deterministic."""

    def finalize_block(self, request: ask.RequestFinalizeBlock) -> ResponseFinalizeBlock:
        """Executes a block on what was last committed. Persists nothing; asked again after a crash."""

    def commit(self) -> int:
        """Persists the finalized block with its height and app hash, all or nothing.

        Returns:
            The lowest height of which CometBFT keeps blocks (`retain_height`); 0: all.
        """

    def extend_vote(self, request: ask.RequestExtendVote) -> bytes:
        """The extension of this validator's vote; may differ between validators."""

    def verify_vote_extension(self, request: ask.RequestVerifyVoteExtension) -> bool:
        """Whether another validator's vote extension is valid. Must be deterministic."""

    def list_snapshots(self) -> Sequence[Snapshot]:
        """Snapshots that others may restore from."""

    def offer_snapshot(self, request: ask.RequestOfferSnapshot) -> OfferResult:
        """Whether to restore from a snapshot that a peer offers."""

    def load_snapshot_chunk(self, request: ask.RequestLoadSnapshotChunk) -> bytes:
        """A chunk of one of this application's snapshots, at most 16 MB; empty if there is none."""

    def apply_snapshot_chunk(self, request: ask.RequestApplySnapshotChunk) -> ResponseApplySnapshotChunk:
        """Applies a chunk of the accepted snapshot; after the last the state is restored and persisted."""


class BaseApplication(ABC):
    """An `Application` with defaults for all but `info`, `finalize_block` and `commit`."""

    @abstractmethod
    def info(self, request: ask.RequestInfo) -> ResponseInfo:
        """The last committed height and app hash."""

    @abstractmethod
    def finalize_block(self, request: ask.RequestFinalizeBlock) -> ResponseFinalizeBlock:
        """Executes a block on what was last committed. Persists nothing; asked again after a crash."""

    @abstractmethod
    def commit(self) -> int:
        """Persists the finalized block with its height and app hash; returns `retain_height`."""

    def init_chain(self, request: ask.RequestInitChain) -> ResponseInitChain:  # noqa: ARG002
        """Accepts the genesis as it is."""
        return ResponseInitChain()

    def query(self, request: ask.RequestQuery) -> ResponseQuery:  # noqa: ARG002
        """Answers nothing."""
        return ResponseQuery(code=1, codespace="abci", log="this application answers no queries")

    def check_tx(self, request: ask.RequestCheckTx) -> ResponseCheckTx:  # noqa: ARG002
        """Accepts every transaction."""
        return ResponseCheckTx()

    def prepare_proposal(self, request: ask.RequestPrepareProposal) -> Sequence[bytes]:
        """The transactions that waited longest, as many as fit."""
        chosen, left = [], request.max_tx_bytes
        for tx in request.txs:
            left -= tx_size(tx)
            if left < 0:
                break
            chosen.append(tx)
        return chosen

    def process_proposal(self, request: ask.RequestProcessProposal) -> bool:  # noqa: ARG002
        """Accepts every block."""
        return True

    def extend_vote(self, request: ask.RequestExtendVote) -> bytes:  # noqa: ARG002
        """Nothing."""
        return b""

    def verify_vote_extension(self, request: ask.RequestVerifyVoteExtension) -> bool:
        """Only an empty extension is valid, as `extend_vote` makes them."""
        return not request.vote_extension

    def list_snapshots(self) -> Sequence[Snapshot]:
        """None."""
        return ()

    def offer_snapshot(self, request: ask.RequestOfferSnapshot) -> OfferResult:  # noqa: ARG002
        """Refuses: state sync needs an application that can restore."""
        return OfferResult.ABORT

    def load_snapshot_chunk(self, request: ask.RequestLoadSnapshotChunk) -> bytes:  # noqa: ARG002
        """None."""
        return b""

    def apply_snapshot_chunk(self, request: ask.RequestApplySnapshotChunk) -> ResponseApplySnapshotChunk:  # noqa: ARG002
        """Refuses."""
        return ResponseApplySnapshotChunk(ApplyResult.ABORT)


def tx_size(tx: bytes) -> int:
    """Bytes that a transaction counts for in `max_tx_bytes`: its own, its length as a varint, a tag."""
    return 1 + len(encode_varint(len(tx))) + len(tx)
