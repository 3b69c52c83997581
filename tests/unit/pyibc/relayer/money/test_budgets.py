"""Budgets of a day for fees: of the chain, of paths and of senders."""

import json

import pytest

from pyibc.relayer.links.outcomes import Action, action_of
from pyibc.relayer.money import budgets
from pyibc.relayer.money.budgets import DAY_S, Budget, Budgets
from tests.unit.pyibc.relayer.money.test_accounts import GAS, MESSAGE, FakeNode, accounts, outcome, recv

FEE = 3_000  # of a transaction


def transfer(sequence, sender):
    data = {"denom": "stake", "amount": "5", "sender": sender, "receiver": "x"}
    return recv(sequence, json.dumps(data).encode())


def ours(budget, clock=lambda: 0.0):
    found = accounts(GAS._replace(budget=budget))
    found.budgets._clock = clock
    return found


def test_a_budget_that_is_used_up_holds_packets_until_the_next_day():
    node, now = FakeNode(100_000), [10.5 * DAY_S]
    relayer = ours(Budget(chain=2 * FEE + 1), lambda: now[0])
    for sequence in (1, 2):
        assert relayer.broadcast([recv(sequence)], node.node).refusal is None
    assert relayer.budgets.spent == 2 * FEE
    held = relayer.broadcast([recv(3)], node.node).refusal
    assert held is not None
    assert action_of(held) is Action.HOLD
    assert (held.gas_wanted, held.log) == (
        0,
        "not sent: the day's budget of 6001stake for the chain has 1 left; it is renewed at 00:00 UTC",
    )
    assert relayer.broadcast([MESSAGE], node.node).refusal is None  # a client update is always sent
    now[0] = 11 * DAY_S
    assert relayer.broadcast([recv(3)], node.node).refusal is None
    assert (relayer.budgets.spent, len(node.sent)) == (FEE, 4)


def test_nothing_is_simulated_for_a_budget_that_is_used_up():
    node = FakeNode(100_000)
    relayer = ours(Budget(path=FEE))
    assert relayer.broadcast([recv(1)], node.node).refusal is None
    asked = len(node.asked)
    held = relayer.broadcast([recv(2)], node.node).refusal
    assert "for the path 'transfer/channel-3>port-b/channel-8' has 0 left" in held.log
    assert len(node.asked) == asked


def test_a_sender_s_budget_holds_his_packets_alone():
    node = FakeNode(100_000)
    relayer = ours(Budget(sender=FEE))
    assert relayer.broadcast([transfer(1, "spammer")], node.node).refusal is None
    held = relayer.broadcast([transfer(2, "spammer"), transfer(3, "alice")], node.node).refusal
    assert "for the sender 'spammer of transfer/channel-3>port-b/channel-8' has 0 left" in held.log
    assert relayer.broadcast([transfer(3, "alice")], node.node).refusal is None
    assert relayer.broadcast([recv(4)], node.node).refusal is None  # of another application


def test_the_fee_of_a_transaction_is_divided_among_its_packets():
    node = FakeNode(100_000)
    relayer = ours(Budget(sender=FEE // 2))
    assert relayer.broadcast([transfer(1, "bob"), transfer(2, "alice")], node.node).refusal is None
    assert relayer.broadcast([transfer(3, "bob"), transfer(4, "bob")], node.node).refusal is not None


def test_a_fee_that_was_not_taken_is_given_back():
    node = FakeNode(100_000)
    relayer = ours(Budget(chain=10 * FEE, path=10 * FEE, sender=10 * FEE))
    node.refusals = [outcome(20, "sdk", "mempool is full")]
    assert relayer.broadcast([transfer(1, "bob"), transfer(2, "eve")], node.node).refusal.code == 20
    assert relayer.budgets.spent == 0
    assert {spent for each in relayer.budgets._spent.values() for spent in each.values()} == {0}


@pytest.mark.parametrize("length", [10, 5_000])
def test_memory_is_bounded_however_many_senders_there_are(monkeypatch, length):
    monkeypatch.setattr(budgets, "MAX_PARTS", 50)
    found = Budgets(Budget(chain=10**9, sender=10**6), "stake", lambda: 0.0)
    for number in range(200):
        assert found.reserve([transfer(1, f"{number:010}" + "x" * length)], 7) is None
    senders = found._spent["sender"]
    assert len(senders) == 50
    assert max(map(len, senders)) < 256
    assert found.spent == 1_400  # the chain's budget holds whatever is forgotten


def test_without_a_budget_nothing_is_held():
    node = FakeNode(100_000)
    relayer = ours(Budget())
    for sequence in range(1, 20):
        assert relayer.broadcast([transfer(sequence, "bob")], node.node).refusal is None
    assert relayer.budgets.spent == 19 * FEE
