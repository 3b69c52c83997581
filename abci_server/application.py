"""What a chain's application offers: ABCI 2.0 as a Protocol, and a base with defaults.

Threads: consensus methods never run beside each other; CheckTx never beside CheckTx or Commit. Queries,
`list_snapshots` and `load_snapshot_chunk` may run beside anything (unless `Limits.serial` is set).
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


class Application(Protocol):
    """The methods of ABCI 2.0, but for Echo and Flush, which the server answers itself."""

    def info(self, request: ask.RequestInfo) -> ResponseInfo:
        """The last committed height and app hash."""

    def init_chain(self, request: ask.RequestInitChain) -> ResponseInitChain:
        """Takes the genesis. Persists nothing: it is asked again until the first commit."""

    def query(self, request: ask.RequestQuery) -> ResponseQuery:
        """Answers about committed state; raises AbciError to refuse."""

    def check_tx(self, request: ask.RequestCheckTx) -> ResponseCheckTx:
        """Whether a transaction may wait for a block; raises AbciError to refuse."""

    def prepare_proposal(self, request: ask.RequestPrepareProposal) -> Sequence[bytes]:
        """The transactions of this validator's block, within `max_tx_bytes` as `tx_size` counts them."""

    def process_proposal(self, request: ask.RequestProcessProposal) -> bool:
        """Whether a block may be voted for. The same on every validator."""

    def finalize_block(self, request: ask.RequestFinalizeBlock) -> ResponseFinalizeBlock:
        """Executes a block on what was last committed. Persists nothing; asked again after a crash."""

    def commit(self) -> int:
        """Persists the finalized block with its height and app hash, all or nothing.

        Returns:
            The lowest height of which CometBFT keeps blocks (`retain_height`); 0: all.
        """

    def extend_vote(self, request: ask.RequestExtendVote) -> bytes:
        """What stands beside this validator's vote; may differ between validators."""

    def verify_vote_extension(self, request: ask.RequestVerifyVoteExtension) -> bool:
        """Whether another's extension is valid. The same on every validator."""

    def list_snapshots(self) -> Sequence[Snapshot]:
        """Snapshots that others may restore from."""

    def offer_snapshot(self, request: ask.RequestOfferSnapshot) -> OfferResult:
        """Whether to restore from a snapshot that a peer has."""

    def load_snapshot_chunk(self, request: ask.RequestLoadSnapshotChunk) -> bytes:
        """A chunk of a snapshot of ours, at most 16 MB; empty where there is none."""

    def apply_snapshot_chunk(self, request: ask.RequestApplySnapshotChunk) -> ResponseApplySnapshotChunk:
        """Takes a chunk of the accepted snapshot; after the last the state is restored and persisted."""


class BaseApplication(ABC):
    """An `Application` with defaults: `info`, `finalize_block` and `commit` are left to write."""

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
        """Takes the genesis as it is."""
        return ResponseInitChain()

    def query(self, request: ask.RequestQuery) -> ResponseQuery:  # noqa: ARG002
        """Answers nothing."""
        return ResponseQuery(code=1, codespace="abci", log="this application answers no queries")

    def check_tx(self, request: ask.RequestCheckTx) -> ResponseCheckTx:  # noqa: ARG002
        """Takes every transaction."""
        return ResponseCheckTx()

    def prepare_proposal(self, request: ask.RequestPrepareProposal) -> Sequence[bytes]:
        """What waited longest, as much as fits."""
        chosen, left = [], request.max_tx_bytes
        for tx in request.txs:
            left -= tx_size(tx)
            if left < 0:
                break
            chosen.append(tx)
        return chosen

    def process_proposal(self, request: ask.RequestProcessProposal) -> bool:  # noqa: ARG002
        """Votes for every block."""
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
    """Bytes a transaction takes of a block's `max_tx_bytes`: itself, its length as a varint, a tag."""
    length = len(tx)
    return 1 + max(1, -(-length.bit_length() // 7)) + length
