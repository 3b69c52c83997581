"""A policy defers packets: the others are delivered, deferred ones are listed and delivered later."""

from math import inf

import pytest

from conformance.kit.seconds import SECONDS
from pyibc.core.channel.types import Order
from pyibc.relayer.links.link import Link
from pyibc.relayer.links.options import Options
from pyibc.relayer.packets.policy import Policy, Rule
from pyibc.relayer.paths.open_path import make_path

CHANNEL = "channel-0"
SMALL = Policy(max_data=10)
QUICK = Options(sleep=lambda _seconds: None, clock=SECONDS, retry_wait_s=inf, policy=SMALL)


def opened(pair, order=Order.UNORDERED):
    return make_path(*pair, "port", order, "v1")


def test_what_is_too_large_waits_and_is_listed(pair):
    path = opened(pair)
    link = Link([path], *pair, options=QUICK)
    for data in (b"small", b"x" * 11, b"small too", b"y" * 12):
        pair[0].send(CHANNEL, data=data)
    done = link.until_idle()
    assert (done.delivered, done.acknowledged, done.refused, done.given_up) == (2, 2, 0, {})
    assert done.held == {
        "recv 2 of channel 0 on b": "data of 11 bytes, at most 10",
        "recv 4 of channel 0 on b": "data of 12 bytes, at most 10",
    }
    assert link.pending == 2
    assert Link([path], *pair, options=QUICK._replace(policy=Policy())).until_idle().delivered == 2
    assert link.until_idle().held == {}  # somebody else delivered them


def test_on_an_ordered_channel_those_behind_wait_too(pair):
    link = Link([opened(pair, Order.ORDERED)], *pair, options=QUICK)
    for data in (b"small", b"x" * 11, b"small too"):
        pair[0].send(CHANNEL, data=data)
    done = link.until_idle()
    assert (done.delivered, link.pending) == (1, 2)
    assert list(done.held) == ["recv 2 of channel 0 on b"]


def test_thousands_that_wait_hold_up_nothing(pair):
    link = Link([opened(pair)], *pair, options=QUICK)
    for _ in range(1_100):  # more than a round plans
        pair[0].send(CHANNEL, data=b"x" * 11)
    pair[0].send(CHANNEL, data=b"small")
    done = link.until_idle()
    assert (done.delivered, len(done.held)) == (1, 1_100)


def test_no_message_of_a_packet_that_the_policy_denies_is_paid(pair):
    """Otherwise a denied sender makes the relayer pay for timeouts and acknowledgements."""
    path = opened(pair)
    pair[0].send(CHANNEL, data=b"x" * 11)
    pair[0].send(CHANNEL, data=b"x" * 12, timeout_ns=pair[1].times[-1] + 1)
    rival = Link([path], *pair, options=QUICK._replace(policy=Policy()))
    while not rival.metrics.delivered:
        rival.round()  # it delivers the first one, and then is gone
    for _ in range(3):
        pair[1].make_block()
    link = Link([path], *pair, options=QUICK)
    for chain in pair:
        chain.log.clear()
    done = link.until_idle()
    assert (done.timed_out, done.acknowledged, done.transactions, link.pending) == (0, 0, 0, 2)
    assert {"acknowledge 1 of channel 0 on a", "timeout 2 of channel 0 on a"} <= set(done.held)
    assert [entry["messages"] for chain in pair for entry in chain.log] == []
    allowed = Link([path], *pair, options=QUICK._replace(policy=Policy())).until_idle()
    assert (allowed.timed_out, allowed.acknowledged) == (1, 1)


@pytest.mark.parametrize("rule", [Rule(deny=("port/channel-*",)), Rule(allow=("other/*",))])
def test_ends_are_filtered_by_pattern(pair, rule):
    link = Link([opened(pair)], *pair, options=QUICK._replace(policy=Policy(source=rule)))
    pair[0].send(CHANNEL)
    assert link.until_idle().held == {"recv 1 of channel 0 on b": "source 'port/channel-0'"}


def test_a_dry_run_says_what_would_be_submitted_and_submits_nothing(pair):
    path = opened(pair)
    link = Link([path], *pair, options=QUICK)
    for data in (b"small", b"x" * 11):
        pair[0].send(CHANNEL, data=data)
    heights = [chain.height for chain in pair]
    planned = link.planned()
    assert [(task.key.kind.value, task.key.sequence, task.key.target) for task in planned] == [("recv", 1, 1)]
    assert [chain.height for chain in pair] == heights
    assert link.until_idle().delivered == 1
