"""Conversion of a block made by this process for storage, listeners and light clients."""

from light_client.tendermint.codec import commit_to, header_to, validator_set_to
from light_client.tendermint.types import Header, ValidatorSet
from localnet.consensus import engine
from localnet.consensus.votes import Flags
from localnet.storage.block_store import BlockRecord
from pyibc.chain.abci_responses import FinalizedBlock
from pyibc.codec.encoding import encode
from pyibc.core.host.block import CommittedBlock
from pyibc.proto.tendermint.types.types_pb2 import SignedHeader
from pyibc.relayer.chain.values import LightBlock


def committed_of(block: engine.Block, final: FinalizedBlock) -> CommittedBlock:
    """Return the block with the results of its transactions, for listeners."""
    header = block.header
    return CommittedBlock(
        header.chain_id,
        header.height,
        header.time_ns,
        final.app_hash,
        final.outcomes,
        final.events,
        block.block_id.hash,
        header.last_block_id.hash,
    )


def record_of(block: engine.Block, committed: CommittedBlock, flags: Flags) -> BlockRecord:
    """Return the block store's record. `flags` has the validators that did not vote for the block."""
    last, own = encode(commit_to(block.last_commit)), encode(commit_to(block.commit))
    return BlockRecord(block.header, block.block_id, last, own, dict(flags), committed)


def light_block_of(header: Header, commit: bytes, validators: ValidatorSet) -> LightBlock:
    """Return the light block for verification by light clients; `commit` is encoded."""
    signed = SignedHeader(header=header_to(header))
    signed.commit.ParseFromString(commit)
    members = encode(validator_set_to(validators))
    return LightBlock(header.height, header.time_ns, encode(signed), members)
