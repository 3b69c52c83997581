"""Validators of this chain, all in one process; any 07-tendermint client verifies its headers and commits.

A chain under CometBFT gets these from CometBFT. Everything that a light client checks is real: hashes,
validator sets, signatures. Everything else is simple: one voting round, equal powers, proposers in turn, one
commit per block, repeated in the next block, and the proposer's clock as block time.
"""

from collections.abc import Sequence
from hashlib import sha256

from nacl.signing import SigningKey

from pyibc import TxOutcome
from pyibc.light_clients import (
    ED25519,
    EMPTY_HASH,
    FLAG_COMMIT,
    NO_BLOCK,
    BlockId,
    Commit,
    CommitSig,
    Header,
    SignedHeader,
    TxResult,
    ValidatorSet,
    commit_hash,
    commit_sign_bytes,
    consensus_params_hash,
    data_hash,
    header_hash,
    in_canonical_order,
    merkle_root,
    results_hash,
    validator,
)

_PARAMS = consensus_params_hash(1_048_576, -1)
_VOTE_DELAY_NS = 1_000_000


class Consensus:
    """Chain of signed headers."""

    def __init__(self, chain_id: str, seeds: Sequence[bytes]) -> None:
        """Create one validator per 32-byte seed."""
        keys = [SigningKey(seed) for seed in seeds]
        members = [validator(ED25519, bytes(key.verify_key), 1) for key in keys]
        self.validators = ValidatorSet(in_canonical_order(members))
        self.headers: list[SignedHeader] = []
        self._chain_id = chain_id
        self._keys = {member.address: key for member, key in zip(members, keys, strict=True)}

    def decide(
        self, time_ns: int, txs: Sequence[bytes], app_hash: bytes, last_outcomes: Sequence[TxOutcome]
    ) -> SignedHeader:
        """Return the next block's header, signed by all validators.

        Args:
            time_ns: Time of the block, later than that of the previous block.
            txs: Its transactions.
            app_hash: App hash before this block; empty before the first block.
            last_outcomes: Outcomes of the previous block's transactions.
        """
        header = self._header(time_ns, txs, app_hash, last_outcomes)
        digest = header_hash(header)
        block_id = BlockId(digest, 1, merkle_root([digest]))  # not gossiped: one part, the header
        signed = SignedHeader(header, self._commit(Commit(header.height, 0, block_id, ()), time_ns))
        self.headers.append(signed)
        return signed

    def _header(
        self, time_ns: int, txs: Sequence[bytes], app_hash: bytes, last_outcomes: Sequence[TxOutcome]
    ) -> Header:
        height = len(self.headers) + 1
        last = self.headers[-1].commit if self.headers else Commit(0, 0, NO_BLOCK, ())
        members = self.validators.validators
        return Header(
            chain_id=self._chain_id,
            height=height,
            time_ns=time_ns,
            last_block_id=last.block_id,
            last_commit_hash=commit_hash(last),
            data_hash=data_hash(txs),
            validators_hash=self.validators.hash,
            next_validators_hash=self.validators.hash,  # the set never changes on this chain
            consensus_hash=_PARAMS,
            app_hash=app_hash or sha256(b"").digest(),
            last_results_hash=results_hash(
                TxResult(each.code, each.data, each.gas_wanted, each.gas_used) for each in last_outcomes
            ),
            evidence_hash=EMPTY_HASH,
            proposer_address=members[height % len(members)].address,
        )

    def _commit(self, commit: Commit, time_ns: int) -> Commit:
        """Add the signatures of all validators, in the order of the set."""
        sign_bytes = commit_sign_bytes(self._chain_id, commit)
        votes = []
        for member in self.validators.validators:
            vote = CommitSig(FLAG_COMMIT, member.address, time_ns + _VOTE_DELAY_NS)
            signature = self._keys[member.address].sign(sign_bytes(vote)).signature
            votes.append(vote._replace(signature=signature))
        return commit._replace(signatures=tuple(votes))
