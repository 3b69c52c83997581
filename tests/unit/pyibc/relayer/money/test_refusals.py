"""One node's lie stops nothing: its refusal is judged by another node, or tried once in a while."""

import pytest

from pyibc.core.errors import ClientNotActive, TxInMempool
from pyibc.core.host.block import TxOutcome
from pyibc.relayer.chain.second_opinion import (
    DISTRUSTED_S,
    FIRST_TRIAL_S,
    LONGEST_TRIAL_S,
    WRONG_APPROVAL,
    WRONG_REFUSAL,
    OtherNode,
)
from pyibc.relayer.chain.values import Query
from pyibc.relayer.errors import EndpointRefused, EndpointUnavailable
from pyibc.relayer.links.outcomes import Action, action_of
from pyibc.relayer.money.accounts import SigningAccounts
from pyibc.relayer.money.refusals import NodeAccess
from tests.unit.pyibc.relayer.money.test_accounts import GAS, GAS_USED, MESSAGE, ONE, FakeNode, outcome, recv

NO = f"channel/13 poison{GAS_USED}"
INACTIVE = f"client state is not active{GAS_USED}"


class Time:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


class Several:
    """Two nodes, x and y; x is asked first."""

    speaker = "x"

    def __init__(self, first, second=None):
        self.first, self.second = FakeNode(first), second and FakeNode(second)
        self.named = []

    def another(self):
        return self.second and OtherNode("y", Query(self.second.query), self.second.broadcast, None, None)

    def contradicted(self, name, reason):
        self.named.append((name, reason))

    @property
    def node(self):
        return NodeAccess(Query(self.first.query), self.first.broadcast, 100, self)


@pytest.fixture
def time():
    return Time()


@pytest.fixture
def ours(time):
    return SigningAccounts((ONE,), "c-1", GAS, None, time)


@pytest.mark.parametrize("lie", [NO, INACTIVE, 10**12])
@pytest.mark.parametrize(("code", "named"), [(0, ("x", WRONG_REFUSAL)), (5, ("y", WRONG_APPROVAL))])
def test_what_one_node_refuses_and_another_accepts_is_sent(ours, lie, code, named) -> None:
    """The transaction's outcome shows which of the two was wrong."""
    nodes = Several(lie, 100_000)
    sent = ours.broadcast([recv(1), recv(2)], nodes.node)
    assert sent.refusal is None
    assert nodes.first.gas() == [120_000]
    assert nodes.named == []
    ours.done(sent, outcome(code, "channel"))
    assert nodes.named == [named]


def test_gas_that_makes_a_packet_too_expensive_has_a_second_opinion(time) -> None:
    ours = SigningAccounts((ONE,), "c-1", GAS._replace(max_fee=3_000), None, time)
    nodes = Several(5_000_000, 100_000)
    assert ours.broadcast([recv(1)], nodes.node).refusal is None
    assert nodes.first.gas() == [120_000]
    nodes.second.simulated = 5_000_000
    refusal = ours.broadcast([recv(2)], nodes.node).refusal
    assert action_of(refusal) is Action.HOLD


def test_what_two_nodes_refuse_is_not_sent_and_the_lesser_refusal_counts(ours) -> None:
    for first, second in ((INACTIVE, NO), (NO, INACTIVE)):
        nodes = Several(first, second)
        sent = ours.broadcast([recv(1)], nodes.node)
        assert action_of(sent.refusal) is Action.SKIP_PACKET
        assert (nodes.first.sent, nodes.named) == ([], [])
    nodes = Several(INACTIVE, INACTIVE)
    refusal = ours.broadcast([recv(1)], nodes.node).refusal
    assert (refusal.codespace, refusal.code) == (ClientNotActive.codespace, ClientNotActive.code)


def test_a_second_node_that_does_not_simulate_overrules_nothing(ours) -> None:
    for second in ("6 unknown query path", 0):
        nodes = Several(NO, second or "6 unknown service")
        assert ours.broadcast([recv(1)], nodes.node).refusal is not None
        assert nodes.first.sent == []


# -- without another node


def refused(ours, nodes, *sequences):
    return ours.broadcast([recv(each) for each in sequences], nodes.node).refusal is not None


def test_without_another_node_one_refused_packet_is_sent_once_in_a_while(ours, time) -> None:
    nodes = Several(NO)
    assert refused(ours, nodes, 1)
    time.now += FIRST_TRIAL_S
    assert refused(ours, nodes, 1, 2)  # the fee of several would be lost
    sent = ours.broadcast([recv(1)], nodes.node)
    assert sent.refusal is None
    ours.done(sent, None)
    assert refused(ours, nodes, 2)
    assert nodes.first.gas() == [GAS.gas([recv(1)])]


def test_without_another_node_a_simulation_that_was_wrong_counts_for_nothing_for_a_while(ours, time) -> None:
    nodes = Several(INACTIVE)
    assert refused(ours, nodes, 1)
    time.now += FIRST_TRIAL_S
    sent = ours.broadcast([recv(1)], nodes.node)
    ours.done(sent, outcome())
    assert nodes.named == [("x", WRONG_REFUSAL)]
    sent = ours.broadcast([recv(2), recv(3)], nodes.node)
    assert sent.refusal is None
    ours.done(sent, outcome())
    time.now += DISTRUSTED_S
    assert refused(ours, nodes, 4, 5)


def test_without_another_node_trials_that_fail_become_rare(ours, time) -> None:
    nodes, tried = Several(NO), []
    assert refused(ours, nodes, 1)
    began = time.now
    while len(tried) < 8:
        time.now += 30
        sent = ours.broadcast([recv(1)], nodes.node)
        if sent.refusal is None:
            tried.append(time.now - began)
            began = time.now
            ours.done(sent, outcome(5, "channel"))
    assert tried == [60, 120, 240, 480, 960, 1920, LONGEST_TRIAL_S, LONGEST_TRIAL_S]
    assert nodes.named == []


# -- CheckTx


@pytest.mark.parametrize("refusal", [outcome(13, "sdk", "insufficient fee"), outcome(5, "sdk"), "no"])
def test_what_one_node_does_not_take_is_broadcast_by_another(ours, refusal) -> None:
    nodes = Several(100_000, 100_000)
    if refusal == "no":
        refusal = EndpointUnavailable("c-1", "internal error")
        refusal.__cause__ = EndpointRefused("c-1", "broadcast_tx_sync", "internal error")
    nodes.first.refusals.append(refusal)
    sent = ours.broadcast([MESSAGE], nodes.node)
    assert (sent.refusal, nodes.first.sent, len(nodes.second.sent)) == (None, [], 1)
    ours.done(sent, outcome())
    assert nodes.named == [("x", WRONG_REFUSAL)]


def test_a_refusal_by_two_nodes_is_the_first_ones(ours) -> None:
    nodes = Several(100_000, 100_000)
    first, second = outcome(5, "sdk", "first"), outcome(13, "sdk", "second")
    nodes.first.refusals.append(first)
    nodes.second.refusals.append(second)
    assert ours.broadcast([MESSAGE], nodes.node).refusal == first


def test_a_broadcast_without_an_answer_goes_to_no_other_node(ours) -> None:
    """It may be in the mempool."""
    nodes = Several(100_000, 100_000)
    nodes.first.refusals.append(EndpointUnavailable("c-1", "no whole answer in time"))
    with pytest.raises(EndpointUnavailable):
        ours.broadcast([MESSAGE], nodes.node)
    assert nodes.second.sent == []


def test_what_a_node_has_already_is_asked_of_no_other(ours) -> None:
    nodes = Several(100_000, 100_000)
    known = TxOutcome(b"", TxInMempool.code, TxInMempool.codespace, (), 0, 0)
    nodes.first.refusals.append(known)
    assert ours.broadcast([MESSAGE], nodes.node).refusal == known
    assert nodes.second.sent == []
