"""Retries of messages that fail: when, at whose cost, and until when."""

from itertools import pairwise
from math import inf
from types import SimpleNamespace

import pytest

from pyibc.core.channel.types import Order
from pyibc.core.host.block import TxOutcome
from pyibc.relayer.links.backoff import LONGEST_S, RETRIES, UPDATE_S, Backoff
from pyibc.relayer.links.link import Link
from pyibc.relayer.links.options import Options
from pyibc.relayer.packets.task import Result, Task, TaskKey, TaskKind, Verdict
from pyibc.relayer.paths.open_path import make_path
from pyibc.testing.faults import Time
from tests.unit.pyibc.relayer.manual_runner import ManualRunner

CHANNEL = "channel-0"
DAY_S = 86_400


def failure(sequence, *, is_paid=False, ordered=False):
    key = TaskKey(TaskKind.RECV, 0, 1, sequence)
    return Result(Task(key, None, None, ordered), Verdict.FAILED, f"reason {sequence}", is_paid=is_paid)


def waited(backoff, clock, key, step_s=1):
    """Return the seconds until the task may be planned again."""
    before = clock.now_s
    while key in backoff.excluded:
        clock.passes(step_s)
        backoff.next_round()
    return clock.now_s - before


def test_failures_wait_twice_as_long_each_time_for_at_most_ten_minutes_and_never_end():
    clock = Time()
    backoff, one = Backoff(5, clock), failure(1)
    waits, given_up = [], []
    for _ in range(14):
        backoff.failed(one)
        given_up.append(dict(backoff.given_up))
        waits.append(waited(backoff, clock, one.task.key))
    assert waits == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, *[LONGEST_S] * 4]
    assert given_up == [{}] * 4 + [{one.task.key: "reason 1"}] * 10
    assert backoff.oldest_s() == clock.now_s
    assert failure(2).task.key not in backoff.excluded
    backoff.forget(one.task.key)
    assert (backoff.given_up, backoff.oldest_s(), backoff.next_retry_s()) == ({}, 0.0, None)


def test_retries_that_are_paid_become_rare():
    clock = Time()
    backoff, one = Backoff(5, clock), failure(1, is_paid=True)
    waits = []
    for _ in range(9):
        backoff.failed(one)
        waits.append(waited(backoff, clock, one.task.key, step_s=10))
    assert waits == [60, 240, 960, 3840, 15_360, 61_440, DAY_S, DAY_S, DAY_S]


def test_failed_tasks_are_retried_a_hundred_at_a_time():
    clock = Time()
    backoff = Backoff(5, clock)
    keys = []
    for sequence in range(3 * RETRIES):
        backoff.failed(failure(sequence))
        keys.append(failure(sequence).task.key)
    clock.passes(1)
    backoff.next_round()
    assert sum(key not in backoff.excluded for key in keys) == RETRIES
    backoff.next_round()
    assert sum(key not in backoff.excluded for key in keys) == 2 * RETRIES


def test_what_could_not_be_tried_waits_like_after_a_failure_and_keeps_its_reason():
    clock = Time()
    backoff, one = Backoff(2, clock), failure(1)
    backoff.postpone(one)
    assert one.task.key not in backoff.excluded  # it never failed
    backoff.failed(one)
    backoff.postpone(one._replace(verdict=Verdict.SKIPPED, reason="pruned"))
    assert waited(backoff, clock, one.task.key) == 2
    assert backoff.given_up == {one.task.key: "reason 1"}


def test_followers_of_a_failed_task_on_an_ordered_channel_go_with_it():
    backoff = Backoff(5, Time())
    tasks = [failure(sequence, ordered=True).task for sequence in (1, 2)]
    other = failure(9).task._replace(key=TaskKey(TaskKind.RECV, 1, 1, 9))
    assert backoff.parted([*tasks, other]) == ([*tasks, other], [])
    backoff.failed(failure(1, ordered=True))
    assert backoff.parted([*tasks, other]) == ([other], tasks)


def linked(pair, clock, **more):
    path = make_path(*pair, "port", Order.UNORDERED, "v1")
    for chain in pair:
        chain.log.clear()
    return Link([path], *pair, options=Options(sleep=clock.passes, clock=clock, retry_wait_s=inf, **more))


def for_days(link, clock, pair, days, step_s=30):
    for _ in range(days * DAY_S // step_s):
        pair[0].make_block()
        link.round()
        clock.passes(step_s)


def updates(chain):
    return sum(entry["messages"].count("MsgUpdateClient") for entry in chain.log if entry["code"] == 0)


def test_no_update_is_paid_for_the_retries_of_a_packet_more_than_once_a_day(pair):
    clock = Time()
    link = linked(pair, clock)
    pair[1].poison = {1, 2}
    for _ in range(2):
        pair[0].send(CHANNEL)
    for_days(link, clock, pair, 2)
    assert updates(pair[1]) <= 1 + 2
    tries = sum(entry["messages"].count("MsgRecvPacket") for entry in pair[1].log)
    assert tries > 2 * 2 * DAY_S / LONGEST_S
    assert UPDATE_S == DAY_S
    assert list(link.metrics.given_up) == ["recv 1 of channel 0 on b", "recv 2 of channel 0 on b"]
    assert link.metrics.given_up_s > 1.9 * DAY_S
    pair[1].poison = set()
    clock.passes(LONGEST_S)
    assert link.until_idle().delivered == 2
    assert (link.metrics.given_up, link.metrics.given_up_s, link.pending) == ({}, 0.0, 0)


def test_what_another_relayer_delivers_is_no_longer_given_up(pair):
    clock = Time()
    link = linked(pair, clock)
    pair[1].poison = {1}
    pair[0].send(CHANNEL)
    assert len(link.until_idle().given_up) == 1
    pair[1].poison = set()
    rival = Link(
        [link._backlog.channels[0].path],
        *pair,
        options=Options(sleep=clock.passes, clock=clock, retry_wait_s=inf),
    )
    assert rival.until_idle().acknowledged == 1
    link.round()
    link.round()
    assert (link.metrics.given_up, link._backoff._failing, link.pending) == ({}, {}, 0)


@pytest.mark.parametrize(("gas_used", "is_rare"), [(0, False), (70_000, True)])
def test_a_failure_in_a_block_counts_as_paid(pair, gas_used, is_rare):
    clock = Time()
    link = linked(pair, clock)
    submit, tried = pair[1].submit, []

    def fails(messages):
        if all("UpdateClient" in each.type_url for each in messages):
            return submit(messages)
        tried.append(clock.now_s)
        return TxOutcome(b"tx", 5, "wasm", (), gas_used and 90_000, gas_used)

    pair[1].submit = fails
    pair[0].send(CHANNEL)
    for_days(link, clock, pair, 1)
    alone = [after - before for before, after in pairwise(tried[2:])]
    assert (max(alone) > LONGEST_S + 60) is is_rare
    assert (len(tried) < 10) is is_rare


def test_new_packets_do_not_wait_for_retries(pair):
    clock, runner = Time(), ManualRunner(slots=2)
    link = linked(pair, clock, runner=runner)
    pair[1].poison = {1}
    pair[0].send(CHANNEL)
    while not link._backoff._failing:
        link.round()
        while runner.waiting:
            runner.run()
    clock.passes(1)
    link.round()
    assert len(runner.waiting) == 1  # the retry is in flight
    pair[0].send(CHANNEL)
    pair[0].make_block()
    link.round()
    assert len(runner.waiting) == 2
    runner.run(1)
    assert link._submissions.is_busy(1)
    assert pair[1].log[-1]["messages"] == ["MsgUpdateClient", "MsgRecvPacket"]


def test_a_run_does_not_wait_for_a_retry_of_what_was_paid():
    options = Options()
    link = SimpleNamespace(_options=options, _reconciler=SimpleNamespace(is_suspect=False))
    link.round = lambda: False
    for pause_s, expected in ((4.0, 4.0), (10.0, 10.0), (60.0, None), (None, None)):
        link._backoff = SimpleNamespace(next_retry_s=lambda pause_s=pause_s: pause_s)
        assert Link._until_retry_s(link) == expected
