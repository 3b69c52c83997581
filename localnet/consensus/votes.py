"""Precommit votes: voters, timestamps, and the resulting commit."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from light_client.tendermint.hashing import commit_sign_bytes, vote_sign_bytes
from light_client.tendermint.types import (
    ABSENT,
    FLAG_ABSENT,
    FLAG_COMMIT,
    FLAG_NIL,
    NO_BLOCK,
    PRECOMMIT,
    BlockId,
    Commit,
    CommitSig,
    Validator,
    ValidatorSet,
)
from localnet.consensus.keys import Keyring
from pyibc.core.errors import NotEnoughPower

_STEP_NS = 1_000  # between the votes of two consecutive validators
_AFTER_BLOCK_NS = 1_000_000  # a vote is at least this much later than its block (CometBFT's TimeIota)

Flags = Mapping[bytes, int]
"""FLAG_ABSENT or FLAG_NIL by address, for validators that do not vote for the block; all others do."""


class Ballot(NamedTuple):
    """The subject of a vote."""

    chain_id: str
    height: int
    block_id: BlockId


def seen_times(count: int, block_time_ns: int) -> list[int]:
    """Return the timestamps of the votes right after a block, in validator order."""
    return [block_time_ns + _AFTER_BLOCK_NS + place * _STEP_NS for place in range(count)]


def times_around(validators: ValidatorSet, flags: Flags, median_ns: int, after_ns: int) -> list[int]:
    """Return timestamps after `after_ns` with the weighted median `median_ns` (CometBFT's MedianTime)."""
    powers = [
        0 if flags.get(member.address) == FLAG_ABSENT else member.power for member in validators.validators
    ]
    left, middle = sum(powers) // 2, 0
    for place, power in enumerate(powers):
        if power and left <= power:
            middle = place
            break
        left -= power
    return [max(after_ns + 1, median_ns + (place - middle) * _STEP_NS) for place in range(len(powers))]


def check_power(validators: ValidatorSet, keyring: Keyring, flags: Flags) -> None:
    """Check that the votes will make a commit, before any of them is signed.

    Raises:
        NotEnoughPower: votes for the block have at most two thirds of the power.
    """
    power = sum(
        member.power
        for member in validators.validators
        if flags.get(member.address, FLAG_COMMIT) == FLAG_COMMIT and member.address in keyring
    )
    if 3 * power <= 2 * validators.total_power:
        raise NotEnoughPower(power, 2 * validators.total_power // 3)


def sign_votes(
    ballot: Ballot, validators: ValidatorSet, keyring: Keyring, times: list[int], flags: Flags
) -> Commit:
    """Return all validators' votes as a commit, even without a majority for the block."""
    commit = Commit(ballot.height, 0, ballot.block_id, ())
    for_block = commit_sign_bytes(ballot.chain_id, commit)
    pairs = zip(validators.validators, times, strict=True)
    return commit._replace(
        signatures=tuple(
            _vote(ballot, member, flags.get(member.address, FLAG_COMMIT), time_ns, keyring, for_block)
            for member, time_ns in pairs
        )
    )


def _vote(
    ballot: Ballot,
    member: Validator,
    flag: int,
    time_ns: int,
    keyring: Keyring,
    for_block: Callable[[CommitSig], bytes],
) -> CommitSig:
    """Return one validator's vote; absent if it does not vote or its key is not in the keyring."""
    sig = CommitSig(flag, member.address, time_ns)
    if flag == FLAG_COMMIT:
        data = for_block(sig)
    elif flag == FLAG_NIL:
        data = vote_sign_bytes(ballot.chain_id, PRECOMMIT, ballot.height, 0, NO_BLOCK, time_ns)
    else:
        return ABSENT
    signature = keyring.sign(member.address, data)
    return ABSENT if signature is None else sig._replace(signature=signature)
