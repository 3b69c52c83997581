"""Our relayer between chains of ours and of ibc-go: coins go there and come home."""

import pytest

from conformance.peers.chain import sent_packets
from pyibc.core import paths
from pyibc.core.coin import coin
from pyibc.core.height import Height, revision_of
from pyibc.testing.transfers import abroad

pytestmark = pytest.mark.interop


@pytest.fixture(scope="module")
def path(pair):
    """The first channel: one test opens another, and of several a relayer takes none by itself."""
    return pair.open()


def send(chain, user, end, coins, receiver, **more):
    """One transaction; its packets."""
    outcome = chain.submit(user, [chain.transfer(user, end, each, receiver, **more) for each in coins])
    assert outcome.code == 0, outcome.log
    return sent_packets(outcome)


def commitments(chain, packets):
    keys = [paths.packet_commitment_path(p.port_id_on_a, p.channel_id_on_a, p.sequence) for p in packets]
    return [chain.as_user("relayer").get(key) for key in keys]


def test_coins_go_there_and_come_home(pair, path):
    for side, (near, far) in ((pair, (path.a, path.b)), (pair.turned(), (path.b, path.a))):
        name = abroad("stake", far).coin_denom
        alice, bob = side.a.balance("alice", "stake"), side.b.balance("bob", name)
        coins = [coin("stake", 700), coin("stake", 300)]
        there = send(side.a, "alice", near, coins, side.b.address("bob"))
        told = pair.relay(path)
        assert (told.delivered, told.acknowledged, told.timed_out, told.refused) == (2, 2, 0, 0)
        assert side.a.balance("alice", "stake") == alice - 1000
        assert side.b.balance("bob", name) == bob + 1000
        assert commitments(side.a, there) == [None, None]
        home = send(side.b, "bob", far, [coin(name, 400)], side.a.address("alice"))
        pair.relay(path)
        assert side.a.balance("alice", "stake") == alice - 600
        assert side.b.balance("bob", name) == bob + 600 == side.b.supply(name)
        assert commitments(side.b, home) == [None]


def test_a_coin_that_comes_over_two_channels_keeps_both_in_its_name(pair, path):
    first, second = path, pair.open(new_channel=True)
    once = abroad("stake", first.b)
    before = pair.b.supply(once.coin_denom)
    send(pair.a, "alice", first.a, [coin(once.base, 50)], pair.b.address("bob"))
    pair.relay(first)
    twice = abroad(once, second.a)
    send(pair.b, "bob", second.b, [coin(once.coin_denom, 50)], pair.a.address("bob"))
    pair.relay(second)
    assert pair.a.balance("bob", twice.coin_denom) == 50
    send(pair.a, "bob", second.a, [coin(twice.coin_denom, 50)], pair.b.address("bob"))
    pair.relay(second)
    assert pair.a.supply(twice.coin_denom) == 0
    send(pair.b, "bob", first.b, [coin(once.coin_denom, 50)], pair.a.address("alice"))
    pair.relay(first)
    assert pair.b.supply(once.coin_denom) == before


@pytest.mark.parametrize("clock", ["height", "time"])
def test_a_packet_that_comes_too_late_is_refunded(pair, path, clock):
    for side, near in ((pair, path.a), (pair.turned(), path.b)):
        tip = side.b.as_user("relayer").tip()
        late = Height(revision_of(side.b.chain_id), tip.height + 3)
        until = late if clock == "height" else tip.time_ns + 2 * 10**9
        alice = side.a.balance("alice", "stake")
        sent = send(side.a, "alice", near, [coin("stake", 9)], side.b.address("bob"), until=until)
        assert side.a.balance("alice", "stake") == alice - 9
        side.b.as_user("relayer").wait(tip.height + 8)
        told = pair.relay(path)
        assert (told.delivered, told.timed_out, told.refused) == (0, 1, 0)
        assert side.a.balance("alice", "stake") == alice
        assert commitments(side.a, sent) == [None]


def test_a_refusal_comes_back_and_the_coins_with_it(pair, path):
    for side, near in ((pair, path.a), (pair.turned(), path.b)):
        alice = side.a.balance("alice", "stake")
        sent = send(side.a, "alice", near, [coin("stake", 5)], "nobody")
        told = pair.relay(path)
        assert (told.delivered, told.acknowledged, told.refused) == (1, 1, 0)
        assert side.a.balance("alice", "stake") == alice
        assert commitments(side.a, sent) == [None]


def test_a_hundred_packets_in_one_transaction_need_few(pair, path):
    for side, (near, far) in ((pair, (path.a, path.b)), (pair.turned(), (path.b, path.a))):
        name = abroad("stake", far).coin_denom
        bob = side.b.balance("bob", name)
        send(side.a, "alice", near, [coin("stake", 1)] * 100, side.b.address("bob"))
        told = pair.relay(path)
        assert (told.delivered, told.acknowledged, told.refused) == (100, 100, 0)
        assert told.transactions <= 10
        assert side.b.balance("bob", name) == bob + 100
