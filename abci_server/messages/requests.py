"""Requests of CometBFT and responses of an application (0.38, spec/abci/abci++_methods.md).

Times are Unix nanoseconds. Heights, powers and gas are int64.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple


class BlockIdFlag(IntEnum):
    """Kind of a validator's vote."""

    UNKNOWN = 0
    ABSENT = 1
    COMMIT = 2
    NIL = 3


class MisbehaviorType(IntEnum):
    """Type of misbehavior."""

    UNKNOWN = 0
    DUPLICATE_VOTE = 1
    LIGHT_CLIENT_ATTACK = 2


class OfferResult(IntEnum):
    """Result of OfferSnapshot."""

    UNKNOWN = 0
    ACCEPT = 1
    ABORT = 2  # stop all state sync
    REJECT = 3
    REJECT_FORMAT = 4
    REJECT_SENDER = 5


class ApplyResult(IntEnum):
    """Result of ApplySnapshotChunk."""

    UNKNOWN = 0
    ACCEPT = 1
    ABORT = 2  # stop all state sync
    RETRY = 3  # send this chunk again
    RETRY_SNAPSHOT = 4
    REJECT_SNAPSHOT = 5


class EventAttribute(NamedTuple):
    """A key and value of an event."""

    key: str
    value: str
    indexed: bool = True
    """Indexed by CometBFT (`index`): `tx_search` and `block_search` find only indexed attributes."""


AnyAttribute = EventAttribute | tuple[str, str]
"""An attribute; a plain pair is an indexed key and value."""


class Event(NamedTuple):
    """An event for subscribers and searches; not part of any hash."""

    type: str
    attributes: Sequence[AnyAttribute] = ()


AnyEvent = Event | tuple[str, Sequence[AnyAttribute]]
"""An event; a plain pair is a type and its attributes, so that a host's own tuples need no copy."""


class ExecTxResult(NamedTuple):
    """Result of a transaction. Code, data and both gas values are hashed into the next header."""

    code: int = 0  # 0: success
    data: bytes = b""
    log: str = ""  # need not be deterministic
    info: str = ""  # need not be deterministic
    gas_wanted: int = 0
    gas_used: int = 0
    events: Sequence[AnyEvent] = ()
    codespace: str = ""


class PublicKey(NamedTuple):
    """A validator's public key."""

    type: str  # "ed25519" (32 bytes) or "secp256k1" (33 bytes)
    data: bytes


class ValidatorUpdate(NamedTuple):
    """New power of a validator; 0 removes it."""

    pub_key: PublicKey
    power: int


class Validator(NamedTuple):
    """A validator of the last block."""

    address: bytes  # 20 bytes
    power: int


class VoteInfo(NamedTuple):
    """A vote in the commit of the last block."""

    validator: Validator
    block_id_flag: int  # a BlockIdFlag


class ExtendedVoteInfo(NamedTuple):
    """A vote with its extension."""

    validator: Validator
    vote_extension: bytes
    extension_signature: bytes
    block_id_flag: int  # a BlockIdFlag


class CommitInfo(NamedTuple):
    """Commit of the last block."""

    round: int = 0
    votes: Sequence[VoteInfo] = ()


class ExtendedCommitInfo(NamedTuple):
    """Commit with vote extensions, which only the next block's proposer receives."""

    round: int = 0
    votes: Sequence[ExtendedVoteInfo] = ()


class Misbehavior(NamedTuple):
    """Evidence against a validator."""

    type: int  # a MisbehaviorType
    validator: Validator
    height: int
    time_ns: int
    total_voting_power: int


class BlockParams(NamedTuple):
    """Limits of a block; -1 for none."""

    max_bytes: int
    max_gas: int


class EvidenceParams(NamedTuple):
    """Limits of evidence: its age, and its size in a block."""

    max_age_num_blocks: int
    max_age_duration_ns: int
    max_bytes: int


class ConsensusParams(NamedTuple):
    """Consensus parameters; None leaves a group unchanged."""

    block: BlockParams | None = None
    evidence: EvidenceParams | None = None
    pub_key_types: Sequence[str] | None = None  # of validators; not empty
    app_version: int | None = None
    vote_extensions_enable_height: int | None = None


class ProofOp(NamedTuple):
    """One step of a proof from a value to the app hash."""

    type: str
    key: bytes
    data: bytes


class Snapshot(NamedTuple):
    """A snapshot of the state after a block, identified by all of its fields together."""

    height: int
    format: int  # defined by the application
    chunks: int
    hash: bytes  # defined by the application, at most 64 bytes
    metadata: bytes = b""


@dataclass(frozen=True, slots=True)
class RequestInfo:
    """Info: the first request after each start, with the versions of CometBFT."""

    version: str  # of CometBFT
    block_version: int
    p2p_version: int
    abci_version: str


@dataclass(frozen=True, slots=True)
class RequestInitChain:
    """InitChain: the genesis; repeated until block `initial_height` is committed."""

    time_ns: int
    chain_id: str
    consensus_params: ConsensusParams
    validators: Sequence[ValidatorUpdate]
    app_state_bytes: bytes  # JSON, as in genesis.json
    initial_height: int


@dataclass(frozen=True, slots=True)
class RequestQuery:
    """Query from the node's RPC: untrusted input."""

    data: bytes
    path: str  # bytes that are not UTF-8 become surrogates (U+DC80 to U+DCFF)
    height: int  # 0 for the last
    prove: bool


@dataclass(frozen=True, slots=True)
class RequestCheckTx:
    """CheckTx: check of a transaction for the mempool."""

    tx: bytes
    recheck: bool  # True if it is in the mempool already, and a block was committed since


@dataclass(frozen=True, slots=True)
class RequestPrepareProposal:
    """PrepareProposal: selection of the transactions for the block that this validator proposes."""

    max_tx_bytes: int  # as counted by `tx_size`
    txs: Sequence[bytes]
    local_last_commit: ExtendedCommitInfo
    misbehavior: Sequence[Misbehavior]
    height: int
    time_ns: int
    next_validators_hash: bytes
    proposer_address: bytes


@dataclass(frozen=True, slots=True)
class RequestProcessProposal:
    """ProcessProposal: validation of a proposed block."""

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
    """FinalizeBlock: execution of the decided block."""

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
    """ExtendVote: extension of this validator's vote."""

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
    """VerifyVoteExtension: validation of the extension of another validator's vote."""

    hash: bytes
    validator_address: bytes
    height: int
    vote_extension: bytes


@dataclass(frozen=True, slots=True)
class RequestOfferSnapshot:
    """OfferSnapshot: offer of a peer's snapshot for state sync."""

    snapshot: Snapshot
    app_hash: bytes  # of the restored state, verified by the light client


@dataclass(frozen=True, slots=True)
class RequestLoadSnapshotChunk:
    """LoadSnapshotChunk: request for a chunk of one of this application's snapshots."""

    height: int
    format: int
    chunk: int  # from 0


@dataclass(frozen=True, slots=True)
class RequestApplySnapshotChunk:
    """ApplySnapshotChunk: a chunk of the accepted snapshot, in order."""

    index: int  # from 0
    chunk: bytes
    sender: str  # id of the peer


@dataclass(frozen=True, slots=True)
class ResponseInfo:
    """The committed state of the application: CometBFT replays the blocks after it."""

    last_block_height: int  # last *committed*; 0 before the first
    last_block_app_hash: bytes
    data: str = ""
    version: str = ""
    app_version: int = 0  # as in the block headers


@dataclass(frozen=True, slots=True)
class ResponseInitChain:
    """The initial state."""

    app_hash: bytes = b""  # for the first block's header
    validators: Sequence[ValidatorUpdate] = ()  # empty for those of the genesis
    consensus_params: ConsensusParams | None = None  # None for those of the genesis


@dataclass(frozen=True, slots=True)
class ResponseQuery:
    """The result of a query."""

    code: int = 0
    log: str = ""
    info: str = ""
    index: int = 0
    key: bytes = b""
    value: bytes = b""
    proof_ops: Sequence[ProofOp] = ()
    height: int = 0  # of the state; its app hash is in the next header
    codespace: str = ""


@dataclass(frozen=True, slots=True)
class ResponseCheckTx:
    """The result of a transaction's check: code 0 admits it to the mempool."""

    code: int = 0
    data: bytes = b""
    log: str = ""
    info: str = ""
    gas_wanted: int = 0
    gas_used: int = 0
    events: Sequence[AnyEvent] = ()
    codespace: str = ""


@dataclass(frozen=True, slots=True)
class ResponseFinalizeBlock:
    """The results of a block. All but `events` must be the same on every validator."""

    tx_results: Sequence[ExecTxResult] = ()  # one per transaction
    app_hash: bytes = b""  # of the resulting state, before it is persisted
    events: Sequence[AnyEvent] = ()
    validator_updates: Sequence[ValidatorUpdate] = ()
    consensus_param_updates: ConsensusParams | None = None


@dataclass(frozen=True, slots=True)
class ResponseApplySnapshotChunk:
    """The next step of state sync."""

    result: ApplyResult
    refetch_chunks: Sequence[int] = ()
    reject_senders: Sequence[str] = ()
