"""Protobuf requests to values."""

from collections.abc import Iterable, Sequence

from google.protobuf.duration_pb2 import Duration
from google.protobuf.timestamp_pb2 import Timestamp

from abci_server import requests as ask
from abci_server import values
from ibc_proto.tendermint.abci import types_pb2 as pb
from ibc_proto.tendermint.types import params_pb2

_SECOND = 1_000_000_000


def info(of: pb.RequestInfo) -> ask.RequestInfo:
    """Who asks."""
    return ask.RequestInfo(of.version, of.block_version, of.p2p_version, of.abci_version)


def init_chain(of: pb.RequestInitChain) -> ask.RequestInitChain:
    """The genesis."""
    return ask.RequestInitChain(
        _nanoseconds(of.time),
        of.chain_id,
        consensus_params(of.consensus_params),
        [validator_update(each) for each in of.validators],
        of.app_state_bytes,
        of.initial_height,
    )


def query(of: pb.RequestQuery) -> ask.RequestQuery:
    """A question from outside."""
    path = of.path.decode("utf-8", "surrogateescape")  # bytes: proto/tendermint/abci/types.proto says why
    return ask.RequestQuery(of.data, path, of.height, of.prove)


def check_tx(of: pb.RequestCheckTx) -> ask.RequestCheckTx:
    """A transaction."""
    return ask.RequestCheckTx(of.tx, of.type == pb.RECHECK)


def prepare_proposal(of: pb.RequestPrepareProposal) -> ask.RequestPrepareProposal:
    """What waits for a block."""
    votes = [
        values.ExtendedVoteInfo(
            _validator(each.validator), each.vote_extension, each.extension_signature, each.block_id_flag
        )
        for each in of.local_last_commit.votes
    ]
    return ask.RequestPrepareProposal(
        of.max_tx_bytes,
        list(of.txs),
        values.ExtendedCommitInfo(of.local_last_commit.round, votes),
        _misbehavior(of.misbehavior),
        of.height,
        _nanoseconds(of.time),
        of.next_validators_hash,
        of.proposer_address,
    )


def process_proposal(of: pb.RequestProcessProposal) -> ask.RequestProcessProposal:
    """Another's block."""
    return ask.RequestProcessProposal(
        list(of.txs),
        _commit_info(of.proposed_last_commit),
        _misbehavior(of.misbehavior),
        of.hash,
        of.height,
        _nanoseconds(of.time),
        of.next_validators_hash,
        of.proposer_address,
    )


def finalize_block(of: pb.RequestFinalizeBlock) -> ask.RequestFinalizeBlock:
    """A decided block."""
    return ask.RequestFinalizeBlock(
        list(of.txs),
        _commit_info(of.decided_last_commit),
        _misbehavior(of.misbehavior),
        of.hash,
        of.height,
        _nanoseconds(of.time),
        of.next_validators_hash,
        of.proposer_address,
    )


def extend_vote(of: pb.RequestExtendVote) -> ask.RequestExtendVote:
    """A block voted for."""
    return ask.RequestExtendVote(
        of.hash,
        of.height,
        _nanoseconds(of.time),
        list(of.txs),
        _commit_info(of.proposed_last_commit),
        _misbehavior(of.misbehavior),
        of.next_validators_hash,
        of.proposer_address,
    )


def verify_vote_extension(of: pb.RequestVerifyVoteExtension) -> ask.RequestVerifyVoteExtension:
    """Another's extension."""
    return ask.RequestVerifyVoteExtension(of.hash, of.validator_address, of.height, of.vote_extension)


def offer_snapshot(of: pb.RequestOfferSnapshot) -> ask.RequestOfferSnapshot:
    """A peer's snapshot."""
    at = of.snapshot
    snapshot = values.Snapshot(at.height, at.format, at.chunks, at.hash, at.metadata)
    return ask.RequestOfferSnapshot(snapshot, of.app_hash)


def load_snapshot_chunk(of: pb.RequestLoadSnapshotChunk) -> ask.RequestLoadSnapshotChunk:
    """Which chunk."""
    return ask.RequestLoadSnapshotChunk(of.height, of.format, of.chunk)


def apply_snapshot_chunk(of: pb.RequestApplySnapshotChunk) -> ask.RequestApplySnapshotChunk:
    """A peer's chunk."""
    return ask.RequestApplySnapshotChunk(of.index, of.chunk, of.sender)


def validator_update(of: pb.ValidatorUpdate) -> values.ValidatorUpdate:
    """A validator; a key of a type that is not known has the type ""."""
    kind = of.pub_key.WhichOneof("sum") or ""
    key = values.PublicKey(kind, getattr(of.pub_key, kind) if kind else b"")
    return values.ValidatorUpdate(key, of.power)


def consensus_params(of: params_pb2.ConsensusParams) -> values.ConsensusParams:
    """Consensus parameters; absent parts are None."""
    return values.ConsensusParams(
        values.BlockParams(of.block.max_bytes, of.block.max_gas) if of.HasField("block") else None,
        _evidence(of.evidence) if of.HasField("evidence") else None,
        list(of.validator.pub_key_types) if of.HasField("validator") else None,
        of.version.app if of.HasField("version") else None,
        of.abci.vote_extensions_enable_height if of.HasField("abci") else None,
    )


def _evidence(of: params_pb2.EvidenceParams) -> values.EvidenceParams:
    age = _nanoseconds(of.max_age_duration)
    return values.EvidenceParams(of.max_age_num_blocks, age, of.max_bytes)


def _nanoseconds(of: Timestamp | Duration) -> int:
    return of.seconds * _SECOND + of.nanos


def _validator(of: pb.Validator) -> values.Validator:
    return values.Validator(of.address, of.power)


def _commit_info(of: pb.CommitInfo) -> values.CommitInfo:
    votes: Sequence[values.VoteInfo] = [
        values.VoteInfo(_validator(each.validator), each.block_id_flag) for each in of.votes
    ]
    return values.CommitInfo(of.round, votes)


def _misbehavior(of: Iterable[pb.Misbehavior]) -> list[values.Misbehavior]:
    return [
        values.Misbehavior(
            each.type,
            _validator(each.validator),
            each.height,
            _nanoseconds(each.time),
            each.total_voting_power,
        )
        for each in of
    ]
