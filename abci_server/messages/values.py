"""Parts of requests and responses, named as in CometBFT's ABCI (spec/abci).

Times are unix nanoseconds. Heights, powers and gas are int64.
"""

from collections.abc import Sequence
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
