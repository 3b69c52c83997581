"""The requests of CometBFT (0.38, spec/abci/abci++_methods.md). Times are unix nanoseconds."""

from collections.abc import Sequence
from dataclasses import dataclass

from abci_server.values import (
    CommitInfo,
    ConsensusParams,
    ExtendedCommitInfo,
    Misbehavior,
    Snapshot,
    ValidatorUpdate,
)


@dataclass(frozen=True, slots=True)
class RequestInfo:
    """The first request after each start: which CometBFT connects."""

    version: str  # CometBFT's
    block_version: int
    p2p_version: int
    abci_version: str


@dataclass(frozen=True, slots=True)
class RequestInitChain:
    """The genesis; repeated until block `initial_height` is committed."""

    time_ns: int
    chain_id: str
    consensus_params: ConsensusParams
    validators: Sequence[ValidatorUpdate]
    app_state_bytes: bytes  # JSON, as in genesis.json
    initial_height: int


@dataclass(frozen=True, slots=True)
class RequestQuery:
    """A query from the node's RPC: untrusted input."""

    data: bytes
    path: str  # bytes that are no UTF-8 become surrogates (U+DC80 to U+DCFF)
    height: int  # 0: the last
    prove: bool


@dataclass(frozen=True, slots=True)
class RequestCheckTx:
    """May this transaction enter the mempool?"""

    tx: bytes
    recheck: bool  # it waits already, and a block was committed since


@dataclass(frozen=True, slots=True)
class RequestPrepareProposal:
    """Which transactions should the block have that this validator proposes?"""

    max_tx_bytes: int  # as `tx_size` counts
    txs: Sequence[bytes]
    local_last_commit: ExtendedCommitInfo
    misbehavior: Sequence[Misbehavior]
    height: int
    time_ns: int
    next_validators_hash: bytes
    proposer_address: bytes


@dataclass(frozen=True, slots=True)
class RequestProcessProposal:
    """Is this proposed block valid?"""

    txs: Sequence[bytes]
    proposed_last_commit: CommitInfo
    misbehavior: Sequence[Misbehavior]
    hash: bytes
    height: int
    time_ns: int
    next_validators_hash: bytes
    proposer_address: bytes


@dataclass(frozen=True, slots=True)
class RequestFinalizeBlock:
    """The block that was decided: execute it."""

    txs: Sequence[bytes]
    decided_last_commit: CommitInfo
    misbehavior: Sequence[Misbehavior]
    hash: bytes
    height: int
    time_ns: int
    next_validators_hash: bytes
    proposer_address: bytes


@dataclass(frozen=True, slots=True)
class RequestExtendVote:
    """What should extend this validator's vote?"""

    hash: bytes
    height: int
    time_ns: int
    txs: Sequence[bytes]
    proposed_last_commit: CommitInfo
    misbehavior: Sequence[Misbehavior]
    next_validators_hash: bytes
    proposer_address: bytes


@dataclass(frozen=True, slots=True)
class RequestVerifyVoteExtension:
    """Is the extension of another validator's vote valid?"""

    hash: bytes
    validator_address: bytes
    height: int
    vote_extension: bytes


@dataclass(frozen=True, slots=True)
class RequestOfferSnapshot:
    """Should the state be restored from this snapshot?"""

    snapshot: Snapshot
    app_hash: bytes  # what a light client trusts the state after it to hash to


@dataclass(frozen=True, slots=True)
class RequestLoadSnapshotChunk:
    """Asks for a chunk of one of this application's snapshots."""

    height: int
    format: int
    chunk: int  # from 0


@dataclass(frozen=True, slots=True)
class RequestApplySnapshotChunk:
    """A chunk of the snapshot that was accepted, in order."""

    index: int  # from 0
    chunk: bytes
    sender: str  # the peer's id
