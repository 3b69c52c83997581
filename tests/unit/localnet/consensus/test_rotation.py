"""CometBFT's proposer rotation."""

from collections import Counter

import pytest

from localnet.consensus.sign_state import ValidatorKey
from localnet.consensus.votes import changed, first_set, next_proposer

KEYS = [ValidatorKey.from_text(str(n)) for n in range(3)]


def test_turns_are_in_proportion_to_power():
    current = first_set([key.validator(power) for key, power in zip(KEYS, (1, 2, 5), strict=True)])
    turns = Counter()
    for _ in range(80):
        turns[current.proposer.address] += 1
        current = next_proposer(current)
    assert [turns[key.address] for key in KEYS] == [10, 20, 50]


def test_a_newcomer_waits_for_its_turn():
    current = first_set([key.validator(10) for key in KEYS[:2]])
    current = changed(current, {KEYS[2].validator(1000): 1000})
    assert next_proposer(current).proposer.address != KEYS[2].address


@pytest.mark.parametrize("powers", [(10, 10, 10), (1, 1, 2**59), (7, 2**40, 3)])
def test_priorities_stay_within_twice_the_power(powers):
    current = first_set([key.validator(power) for key, power in zip(KEYS, powers, strict=True)])
    for _ in range(50):
        current = next_proposer(current)
        priorities = [member.priority for member in current.validators]
        assert max(priorities) - min(priorities) <= 2 * current.total_power
