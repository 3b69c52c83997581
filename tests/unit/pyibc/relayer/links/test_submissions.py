"""Submissions in flight: none waits for the other chain's, and no task is in two of them."""

from types import SimpleNamespace

import pytest

from pyibc.core.channel.types import ChannelState, Order
from pyibc.core.errors import InsufficientFee
from pyibc.core.host.block import TxOutcome
from pyibc.relayer.errors import EndpointUnavailable
from pyibc.relayer.links.batch import BatchLimits
from pyibc.relayer.links.link import Link
from pyibc.relayer.links.options import Options
from pyibc.relayer.links.submissions import split_evenly
from pyibc.relayer.links.submitter import Submitter
from pyibc.relayer.metrics import Metrics
from pyibc.relayer.packets.task import Task, TaskKey, TaskKind, TaskSet, union
from pyibc.relayer.paths.open_path import make_path
from tests.unit.pyibc.relayer.manual_runner import ManualRunner

CHANNEL = "channel-0"


def linked(pair, runner, order=Order.UNORDERED, **more):
    path = make_path(*pair, "port", order, "v1")
    for chain in pair:
        chain.log.clear()
    return Link([path], *pair, options=Options(sleep=lambda _seconds: None, runner=runner, **more))


def sent(pair, *numbers):
    for chain, number in zip(pair, numbers, strict=True):
        for _ in range(number):
            chain.send(CHANNEL)
        chain.make_block()


def received(chain):
    return [entry["messages"].count("MsgRecvPacket") for entry in chain.log if entry["code"] == 0]


def rounds(link, runner, number=30):
    for _ in range(number):
        link.round()
        while runner.waiting:
            runner.run()


def test_a_chain_that_includes_nothing_holds_up_nothing_that_is_for_the_other(pair):
    runner = ManualRunner(slots=1)
    link = linked(pair, runner)
    sent(pair, 3, 2)
    link.round()
    assert len(runner.waiting) == 2  # one to each
    runner.run(0)  # to a; what is for b waits for its block
    for _ in range(8):
        link.round()
        if len(runner.waiting) > 1:
            runner.run(1)
        pair[0].make_block()
    assert (received(pair[0]), received(pair[1])) == ([2], [])
    rounds(link, runner)
    assert (link.metrics.delivered, link.metrics.acknowledged, link.pending) == (5, 5, 0)
    assert link.metrics.redundant == link.metrics.refused == 0


def test_h189_several_submissions_share_no_task(pair):
    runner = ManualRunner(slots=3)
    link = linked(pair, runner, messages_per_round=5)
    sent(pair, 11, 0)
    link.round()
    assert len(runner.waiting) == 3  # by one round
    for _ in range(5):
        link.round()
    assert len(runner.waiting) == 3
    rounds(link, runner)
    done = link.metrics
    assert received(pair[1]) == [3, 4, 4]
    assert (done.delivered, done.acknowledged, done.redundant, link.pending) == (11, 11, 0, 0)


def test_an_eighth_of_a_submission_is_worth_an_update_of_its_own(pair):
    runner = ManualRunner(slots=3)
    link = linked(pair, runner, messages_per_round=16)
    sent(pair, 20, 0)
    link.round()
    assert len(runner.waiting) == 2
    sent(pair, 1, 0)
    link.round()
    assert len(runner.waiting) == 2  # not of one
    sent(pair, 1, 0)
    link.round()
    assert len(runner.waiting) == 3
    rounds(link, runner)
    assert received(pair[1]) == [10, 10, 2]


@pytest.mark.parametrize(("count", "sizes"), [(1, [1]), (8, [8]), (9, [4, 5]), (16, [8, 8]), (17, [5, 6, 6])])
def test_nothing_is_left_over_beside_full_submissions(count, sizes):
    tasks = [Task(TaskKey(TaskKind.RECV, 0, 1, number), None, None, ordered=False) for number in range(count)]
    parts = list(split_evenly(tasks, 8))
    assert [len(part) for part in parts] == sizes
    assert [task for part in parts for task in part] == tasks


def test_of_ordered_channels_there_is_one_part():
    tasks = [
        Task(TaskKey(TaskKind.RECV, 0, 1, number), None, None, ordered=number == 9) for number in range(20)
    ]
    assert list(split_evenly(tasks, 8)) == [tasks[:8]]


def test_h189_what_ends_while_a_round_is_planned_is_not_submitted_again(pair):
    """The blocks that the round has read do not include the effects."""
    runner = ManualRunner(slots=2)
    link = linked(pair, runner, messages_per_round=1)
    sent(pair, 1, 1)
    link.round()
    launch, to_b = runner.launch, runner.waiting[1]
    sent(pair, 0, 1)

    def launch_while_the_other_ends(work):
        if to_b in runner.waiting:
            runner.run(runner.waiting.index(to_b))
        return launch(work)

    runner.launch = launch_while_the_other_ends
    link.round()
    assert (received(pair[1]), len(runner.waiting)) == ([1], 2)  # both to a
    rounds(link, runner)
    assert (sum(received(pair[0])), sum(received(pair[1]))) == (2, 1)
    assert (link.metrics.acknowledged, link.metrics.redundant, link.pending) == (3, 0, 0)


def test_h238_what_several_hold_is_held_whatever_holds_more():
    """Union of two sets, and a third set that is not empty."""
    one, two, three = (TaskSet([TaskKey(TaskKind.RECV, 0, 1, number)]) for number in (1, 2, 3))
    for held in (
        union(union(one, two), three),
        union(three, union(one, two)),
        union(union(one, two), TaskSet()),
    ):
        assert held
        assert held.of(TaskKind.RECV, 0, 1) >= {1, 2}
    assert union(union(one, two), three).of(TaskKind.RECV, 0, 1) == {1, 2, 3}
    assert not union(union(TaskSet(), TaskSet()), TaskSet())


def test_few_packets_wait_for_what_is_under_way_and_share_the_next_update(pair):
    runner = ManualRunner(slots=3)
    link = linked(pair, runner, messages_per_round=24)
    for _ in range(3):
        sent(pair, 1, 0)
        link.round()
        assert len(runner.waiting) == 1
    rounds(link, runner)
    assert received(pair[1]) == [1, 2]
    assert sum(entry["messages"].count("MsgUpdateClient") for entry in pair[1].log) == 2
    assert (link.metrics.acknowledged, link.pending) == (3, 0)


def test_on_an_ordered_channel_nothing_overtakes(pair):
    runner = ManualRunner(slots=3)
    link = linked(pair, runner, Order.ORDERED, messages_per_round=4)
    sent(pair, 10, 0)
    for _ in range(5):
        link.round()
    assert len(runner.waiting) == 1
    rounds(link, runner)
    assert received(pair[1]) == [4, 4, 2]
    assert (link.metrics.acknowledged, link.metrics.refused) == (10, 0)


def test_h190_a_channel_is_closed_after_all_that_is_under_way(pair):
    runner = ManualRunner(slots=2)
    link = linked(pair, runner)
    sent(pair, 2, 0)
    rounds(link, runner, 2)
    pair[1].close(CHANNEL)
    for _ in range(3):
        link.round()
        pair[0].make_block()
        pair[1].make_block()
    assert len(runner.waiting) == 1  # the acknowledgements: the close would come before them
    rounds(link, runner)
    assert (link.metrics.acknowledged, link.metrics.closed, link.metrics.refused) == (2, 1, 0)
    assert pair[0].channel(CHANNEL).state == ChannelState.CLOSED


@pytest.mark.parametrize(
    "trouble", [EndpointUnavailable("beta-7", "is full"), InsufficientFee("1stake", "2stake")]
)
def test_h191_a_side_that_fails_holds_up_nothing_that_is_for_the_other(pair, monkeypatch, trouble):
    runner = ManualRunner()
    link = linked(pair, runner)
    sent(pair, 3, 2)
    submit = pair[1].submit

    def failing(messages):
        if isinstance(trouble, EndpointUnavailable):
            raise trouble
        return TxOutcome(b"", trouble.code, trouble.codespace, (), 0, 0, log=str(trouble))

    monkeypatch.setattr(pair[1], "submit", failing)
    rounds(link, runner, 5)
    assert (received(pair[0]), received(pair[1])) == ([2], [])
    assert {(side, chain) for side, chain, _ in runner.errors} == {(1, "beta-7")}
    assert len(link.problems()) >= 1
    assert link._reconciler.is_suspect
    tried = len(runner.errors)
    rounds(link, runner, 3)
    assert len(runner.errors) == tried  # it rests
    monkeypatch.setattr(pair[1], "submit", submit)
    runner.resting.clear()
    rounds(link, runner)
    assert (link.metrics.delivered, link.metrics.acknowledged, link.pending) == (5, 5, 0)
    assert link.problems() == []


def test_a_fault_of_ours_ends_the_round(pair, monkeypatch):
    runner = ManualRunner()
    link = linked(pair, runner)
    sent(pair, 1, 1)

    def faulty(_messages):
        raise KeyError("ours")

    monkeypatch.setattr(pair[1], "submit", faulty)
    link.round()
    runner.run()
    runner.run()
    with pytest.raises(KeyError, match="ours"):
        link.round()
    assert received(pair[0]) == [1]
    assert link.metrics.delivered == 1  # what ended well beside it counts


def test_one_chain_is_asked_ahead_while_the_other_is_read(pair, monkeypatch):
    """Errors of prefetches are raised again by the round itself, or never."""
    runner, works = ManualRunner(), []
    runner.executor = SimpleNamespace(submit=works.append)
    link = linked(pair, runner)
    sent(pair, 0, 1)
    asked, block = [], pair[1].block
    monkeypatch.setattr(pair[1], "block", lambda height: asked.append(height) or block(height))
    link.round()
    looked = len(asked)
    works[0]()
    assert asked[looked:] == [asked[0]]  # the first that the round had read
    works[-1]()
    assert len(asked) == looked + 1  # nothing is new


def test_the_header_of_an_update_is_asked_for_ahead_once_a_tip(pair, monkeypatch):
    """Headers are prefetched once for several submissions by one header, and for both chains."""
    runner, works = ManualRunner(slots=3), []
    runner.executor = SimpleNamespace(submit=works.append)
    link = linked(pair, runner, messages_per_round=2)
    sent(pair, 6, 1)
    asked = []
    for each in pair:
        light_block, chain_id = each.light_block, each.chain_id
        monkeypatch.setattr(
            each,
            "light_block",
            lambda height, of=chain_id, ask=light_block: asked.append((of, height)) or ask(height),
        )
    tips = [(each.chain_id, each.tip().height) for each in pair]
    link.round()
    assert len(runner.waiting) == 4
    assert asked == []  # nothing of it in the caller's thread
    for work in works:
        work()
    assert sorted(asked) == sorted(tips)


def test_a_header_that_was_not_seen_is_waited_for_and_the_tip_is_not(pair, monkeypatch):
    client, waits = linked(pair, ManualRunner())._clients[1], []
    tip = pair[0].tip().height
    monkeypatch.setattr(pair[0], "wait", waits.append)
    submitter = Submitter(client, BatchLimits(), Metrics())
    for height in (tip, tip + 1):  # the second: another relayer has updated the client meanwhile
        monkeypatch.setattr(client, "build_updates", lambda _tip, height=height: (height, []))
        assert submitter.submit([], tip) == []
    assert waits == [tip + 1]
    submitter.submit_at([], tip + 2, client.proofs(tip - 1, []))  # they were had before
    assert waits == [tip + 1]
    submitter.submit_at([], tip + 3, None)
    assert waits == [tip + 1, tip + 3]


def test_the_end_of_a_link_waits_for_what_is_under_way(pair):
    runner = ManualRunner()
    link = linked(pair, runner)
    sent(pair, 1, 0)
    link.round()
    link.close()
    assert received(pair[1]) == [1]
