"""The parts of requests and responses, named as in CometBFT's ABCI (spec/abci).

Times are unix nanoseconds. Heights are int64, powers and gas too.
"""

from collections.abc import Sequence
from enum import IntEnum
from typing import NamedTuple


class BlockIdFlag(IntEnum):
    """How a validator voted."""

    UNKNOWN = 0
    ABSENT = 1
    COMMIT = 2
    NIL = 3


class MisbehaviorType(IntEnum):
    """Which offence."""

    UNKNOWN = 0
    DUPLICATE_VOTE = 1
    LIGHT_CLIENT_ATTACK = 2


class OfferResult(IntEnum):
    """The answer to an offered snapshot."""

    UNKNOWN = 0
    ACCEPT = 1
    ABORT = 2  # stop all state sync
    REJECT = 3
    REJECT_FORMAT = 4
    REJECT_SENDER = 5


class ApplyResult(IntEnum):
    """The answer to a snapshot's chunk."""

    UNKNOWN = 0
    ACCEPT = 1
    ABORT = 2  # stop all state sync
    RETRY = 3  # this chunk once more
    RETRY_SNAPSHOT = 4
    REJECT_SNAPSHOT = 5


class EventAttribute(NamedTuple):
    """A key and value of an event."""

    key: str
    value: str
    indexed: bool = True
    """Whether CometBFT's indexer stores it (`index`): `tx_search` and `block_search` find only those."""


AnyAttribute = EventAttribute | tuple[str, str]
"""A plain pair is a key and a value that are indexed."""


class Event(NamedTuple):
    """What happened, for subscribers and searches; not part of any hash."""

    type: str
    attributes: Sequence[AnyAttribute] = ()


AnyEvent = Event | tuple[str, Sequence[AnyAttribute]]
"""A plain pair is a type and its attributes: a host's own tuples need no copy."""


class ExecTxResult(NamedTuple):
    """The result of a transaction. Code, data and both gas figures are hashed into the next header."""

    code: int = 0  # 0: success
    data: bytes = b""
    log: str = ""  # need not be deterministic
    info: str = ""  # the same
    gas_wanted: int = 0
    gas_used: int = 0
    events: Sequence[AnyEvent] = ()
    codespace: str = ""


class PublicKey(NamedTuple):
    """A validator's public key."""

    type: str  # "ed25519" (32 bytes) or "secp256k1" (33 bytes)
    data: bytes


class ValidatorUpdate(NamedTuple):
    """A validator's new power; 0 removes it."""

    pub_key: PublicKey
    power: int


class Validator(NamedTuple):
    """A validator that could vote."""

    address: bytes  # 20 bytes
    power: int


class VoteInfo(NamedTuple):
    """A vote in the commit of the block before."""

    validator: Validator
    block_id_flag: int  # a BlockIdFlag


class ExtendedVoteInfo(NamedTuple):
    """A vote with its extension."""

    validator: Validator
    vote_extension: bytes
    extension_signature: bytes
    block_id_flag: int  # a BlockIdFlag


class CommitInfo(NamedTuple):
    """The commit of the block before."""

    round: int = 0
    votes: Sequence[VoteInfo] = ()


class ExtendedCommitInfo(NamedTuple):
    """The same with vote extensions; only the next block's proposer gets them."""

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
    """Limits of a block; -1: none."""

    max_bytes: int
    max_gas: int


class EvidenceParams(NamedTuple):
    """How old evidence may be, and how much of it a block may hold."""

    max_age_num_blocks: int
    max_age_duration_ns: int
    max_bytes: int


class ConsensusParams(NamedTuple):
    """Consensus parameters; None keeps the ones there are."""

    block: BlockParams | None = None
    evidence: EvidenceParams | None = None
    pub_key_types: Sequence[str] | None = None  # of validators; not empty
    app_version: int | None = None
    vote_extensions_enable_height: int | None = None


class ProofOp(NamedTuple):
    """One step of a proof that leads from a value to the app hash."""

    type: str
    key: bytes
    data: bytes


class Snapshot(NamedTuple):
    """A snapshot of the state after a block; CometBFT takes all its fields together as its identity."""

    height: int
    format: int  # the application's own numbering
    chunks: int
    hash: bytes  # what the application likes, at most 64 bytes
    metadata: bytes = b""
