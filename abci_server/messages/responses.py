"""Responses of an application (CometBFT 0.38, spec/abci/abci++_methods.md)."""

from collections.abc import Sequence
from dataclasses import dataclass

from abci_server.messages.values import (
    AnyEvent,
    ApplyResult,
    ConsensusParams,
    ExecTxResult,
    ProofOp,
    ValidatorUpdate,
)


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
