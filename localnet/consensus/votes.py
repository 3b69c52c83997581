"""Proposers and precommit votes: rotation, voters, timestamps, and the resulting commit.

The rotation is CometBFT's weighted round robin with its handling of validator set changes
(`types/validator_set.go`: IncrementProposerPriority, UpdateWithChangeSet). Priorities are not part of any
hash; they determine the proposer, whose address is in the header.
"""

from collections.abc import Callable, Mapping, Sequence
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
    in_canonical_order,
)
from localnet.consensus.sign_state import Keyring
from pyibc.core.errors import NotEnoughPower
from pyibc.core.numbers import MAX_I64

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


_WINDOW = 2  # PriorityWindowSizeFactor


def _clip(priority: int) -> int:
    return max(-MAX_I64 - 1, min(MAX_I64, priority))


def _quotient(number: int, divisor: int) -> int:
    """Divide with truncation towards zero, as in Go."""
    quotient = abs(number) // divisor
    return -quotient if number < 0 else quotient


def _rescaled(members: Sequence[Validator], total: int) -> list[Validator]:
    """Limit the spread of priorities to twice the total power, and centre them around zero."""
    priorities = [member.priority for member in members]
    spread, limit = max(priorities) - min(priorities), _WINDOW * total
    if spread > limit:
        ratio = -(-spread // limit)
        priorities = [_quotient(priority, ratio) for priority in priorities]
    mean = sum(priorities) // len(priorities)
    return [
        member._replace(priority=_clip(priority - mean))
        for member, priority in zip(members, priorities, strict=True)
    ]


def _rank(member: Validator) -> tuple[int, bytes]:
    """Return the sort key: highest priority first, then lowest address."""
    return -member.priority, member.address


def next_proposer(validators: ValidatorSet) -> ValidatorSet:
    """Return the set after one round, with its proposer chosen."""
    total = validators.total_power
    members = [
        member._replace(priority=_clip(member.priority + member.power))
        for member in _rescaled(validators.validators, total)
    ]
    place = min(range(len(members)), key=lambda at: _rank(members[at]))
    chosen = members[place]
    members[place] = chosen._replace(priority=_clip(chosen.priority - total))
    return ValidatorSet(members, members[place])


def first_set(members: Sequence[Validator]) -> ValidatorSet:
    """Return the validator set of a genesis: in canonical order, after one round."""
    fresh = [member._replace(priority=0) for member in members]
    total = sum(member.power for member in fresh)
    start = -(total + (total >> 3))
    entered = [member._replace(priority=start) for member in fresh]
    return next_proposer(ValidatorSet(in_canonical_order(_rescaled(entered, total))))


def changed(validators: ValidatorSet, powers: Mapping[Validator, int]) -> ValidatorSet:
    """Return the set with updated powers: 0 removes a validator, a new one gets the lowest priority.

    Raises:
        ValueError: no validator is left, or a validator to be removed is not in the set.
        MalformedValidatorSet: a power or the total power is out of range.
    """
    known = {member.address: member for member in validators.validators}
    new = {member.address: power for member, power in powers.items()}
    if any(power == 0 and address not in known for address, power in new.items()):
        raise ValueError("cannot remove a validator that is not in the set")
    updated = sum(new.get(address) or member.power for address, member in known.items())
    updated += sum(power for address, power in new.items() if address not in known)
    start = -(updated + (updated >> 3))
    members = [
        member._replace(power=new.get(address, member.power))
        for address, member in known.items()
        if new.get(address, member.power)
    ]
    members += [
        member._replace(power=power, priority=start)
        for member, power in powers.items()
        if member.address not in known
    ]
    if not members:
        raise ValueError("a validator set cannot be empty")
    total = sum(member.power for member in members)
    return ValidatorSet(in_canonical_order(_rescaled(members, total)))
