"""The next block and the state after it: CometBFT's `state.MakeBlock` and `updateState` as pure functions."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from light_client.tendermint.codec import commit_to, header_to
from light_client.tendermint.encoding import EMPTY_HASH, merkle_root
from light_client.tendermint.hashing import (
    commit_hash,
    consensus_params_hash,
    data_hash,
    header_hash,
    validator_set_hash,
)
from light_client.tendermint.types import NO_BLOCK, BlockId, Commit, Header, Validator, ValidatorSet
from localnet.consensus.sign_state import Keyring
from localnet.consensus.votes import (
    Ballot,
    Flags,
    changed,
    check_power,
    first_set,
    next_proposer,
    seen_times,
    sign_votes,
    times_around,
)
from pyibc.codec.encoding import encode
from pyibc.proto.tendermint.types.block_pb2 import Block as PbBlock

PART_SIZE = 65_536
"""Bytes of a block part, CometBFT's BlockPartSizeBytes."""


def encode_block(header: Header, txs: Sequence[bytes], last_commit: Commit) -> bytes:
    """Encode a `tendermint.types.Block` without evidence (CometBFT `types/block.go`)."""
    block = PbBlock(header=header_to(header), last_commit=commit_to(last_commit))
    block.data.txs.extend(txs)
    return encode(block)


def block_id(header_digest: bytes, block: bytes) -> BlockId:
    """Return the block id: header hash, and count and Merkle root of the parts (`types/part_set.go`)."""
    parts = [block[at : at + PART_SIZE] for at in range(0, len(block), PART_SIZE)]
    return BlockId(header_digest, len(parts), merkle_root(parts))


class ChainParams(NamedTuple):
    """Parameters fixed for the life of the chain."""

    chain_id: str
    block_bytes: int
    block_gas: int

    @property
    def params_hash(self) -> bytes:
        """The `consensus_hash` of every header."""
        return consensus_params_hash(self.block_bytes, self.block_gas)


class LastBlock(NamedTuple):
    """Data of the previous block that the next block refers to."""

    height: int
    time_ns: int
    block_id: BlockId
    flags: Flags  # validators that did not vote for it
    validators: ValidatorSet


class EngineState(NamedTuple):
    """Consensus state after a block, or at genesis if `last` is None."""

    last: LastBlock | None
    validators: ValidatorSet  # of the next block
    next_validators: ValidatorSet  # of the one after it
    app_hash: bytes
    results_hash: bytes
    genesis_time_ns: int
    initial_height: int = 1

    @property
    def height(self) -> int:
        """Height of the last block; at genesis, one below the initial height."""
        return self.last.height if self.last else self.initial_height - 1

    @property
    def time_ns(self) -> int:
        """Time of the last block, or of the genesis, unix nanoseconds."""
        return self.last.time_ns if self.last else self.genesis_time_ns


class Block(NamedTuple):
    """A block, its id, and the commit that its validators signed."""

    header: Header
    txs: tuple[bytes, ...]
    last_commit: Commit
    block_id: BlockId
    commit: Commit
    validators: ValidatorSet


def genesis_state(
    members: Sequence[Validator], app_hash: bytes, time_ns: int, initial_height: int = 1
) -> EngineState:
    """Return the consensus state before the first block."""
    validators = first_set(members)
    following = next_proposer(validators)
    return EngineState(None, validators, following, app_hash, EMPTY_HASH, time_ns, initial_height)


class Draft(NamedTuple):
    """A block without signatures."""

    header: Header
    txs: tuple[bytes, ...]
    last_commit: Commit
    block_id: BlockId


def draft(
    rules: ChainParams, state: EngineState, keyring: Keyring, time_ns: int, txs: Sequence[bytes], flags: Flags
) -> Draft:
    """Return the next block, unsigned.

    Args:
        rules: Parameters of the chain.
        state: Consensus state after the previous block.
        keyring: The validators' keys, for the last commit.
        time_ns: Time of the block; the weighted median of the last commit's timestamps.
        txs: Transactions, in order.
        flags: Validators that will not vote for the block.

    Raises:
        ValueError: the time is not after the previous block's, or the first block's is not the genesis time.
        NotEnoughPower: at most two thirds of the power would sign it.
    """
    check_power(state.validators, keyring, flags)
    if state.last is None and time_ns != state.genesis_time_ns:
        raise ValueError("the time of the first block must be the genesis time")
    if state.last is not None and time_ns <= state.last.time_ns:
        raise ValueError(f"block time {time_ns} is not after {state.last.time_ns}")
    last_commit = _last_commit(rules, state, keyring, time_ns)
    header = _header(rules, state, time_ns, txs, last_commit)
    this = block_id(header_hash(header), encode_block(header, txs, last_commit))
    return Draft(header, tuple(txs), last_commit, this)


def sign(of: Draft, validators: ValidatorSet, keyring: Keyring, flags: Flags) -> Block:
    """Sign a block with all validators except those that do not vote for it (`flags`)."""
    ballot = Ballot(of.header.chain_id, of.header.height, of.block_id)
    times = seen_times(len(validators), of.header.time_ns)
    commit = sign_votes(ballot, validators, keyring, times, flags)
    return Block(of.header, of.txs, of.last_commit, of.block_id, commit, validators)


def make_block(
    rules: ChainParams, state: EngineState, keyring: Keyring, time_ns: int, txs: Sequence[bytes], flags: Flags
) -> Block:
    """Make and sign the next block, for chains in memory; arguments and errors as `draft`."""
    return sign(draft(rules, state, keyring, time_ns, txs, flags), state.validators, keyring, flags)


def _last_commit(rules: ChainParams, state: EngineState, keyring: Keyring, time_ns: int) -> Commit:
    """Return the commit of the previous block as included in this one; empty in the first block."""
    last = state.last
    if last is None:
        return Commit(0, 0, NO_BLOCK, ())
    ballot = Ballot(rules.chain_id, last.height, last.block_id)
    times = times_around(last.validators, last.flags, time_ns, last.time_ns)
    return sign_votes(ballot, last.validators, keyring, times, last.flags)


def _header(
    rules: ChainParams, state: EngineState, time_ns: int, txs: Sequence[bytes], last_commit: Commit
) -> Header:
    proposer = state.validators.proposer
    return Header(
        chain_id=rules.chain_id,
        height=state.height + 1,
        time_ns=time_ns,
        last_block_id=state.last.block_id if state.last else NO_BLOCK,
        last_commit_hash=commit_hash(last_commit),
        data_hash=data_hash(txs),
        validators_hash=validator_set_hash(state.validators),
        next_validators_hash=validator_set_hash(state.next_validators),
        consensus_hash=rules.params_hash,
        app_hash=state.app_hash,
        last_results_hash=state.results_hash,
        evidence_hash=EMPTY_HASH,
        proposer_address=proposer.address if proposer else b"",
    )


def state_after(
    state: EngineState,
    block: Block,
    flags: Flags,
    app_hash: bytes,
    results_hash: bytes,
    updates: Mapping[Validator, int],
) -> EngineState:
    """Return the consensus state after `block`; validator `updates` take effect two blocks later.

    Raises:
        ValueError, MalformedValidatorSet: the updates are invalid.
    """
    following = changed(state.next_validators, updates) if updates else state.next_validators
    header = block.header
    last = LastBlock(header.height, header.time_ns, block.block_id, flags, state.validators)
    return EngineState(
        last,
        state.next_validators,
        next_proposer(following),
        app_hash,
        results_hash,
        state.genesis_time_ns,
    )
