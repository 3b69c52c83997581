"""Proposer rotation: CometBFT's weighted round robin, and its handling of validator set changes.

Sources: CometBFT `types/validator_set.go` (IncrementProposerPriority, UpdateWithChangeSet). Priorities are
not part of any hash; they determine the proposer, whose address is in the header.
"""

from collections.abc import Mapping, Sequence

from light_client.tendermint.types import Validator, ValidatorSet, in_canonical_order
from pyibc.core.numbers import MAX_I64

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
