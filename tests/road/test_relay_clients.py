"""IBC v2 between real chains: packets go from client to client by our relayer."""

import pytest

from conformance.kit.v2_chains import scripted
from localnet.consensus.sign_state import validator_keys
from pyibc.core.application.v2 import PayloadAnswer
from pyibc.core.channel.types import Order
from pyibc.core.packet_v2.types import ABI, JSON, PROTOBUF
from pyibc.relayer.clients.driver import Drivers
from pyibc.relayer.clients.tendermint import ClientSettings, TendermintDriver
from pyibc.relayer.links.link import Link
from pyibc.relayer.packets.task import TaskSet
from pyibc.relayer.paths.open_clients import make_client_path
from pyibc.relayer.paths.open_path import make_path
from pyibc.testing.ledger import broken_laws, channel_view
from pyibc.testing.pair import SECOND
from pyibc.testing.transfers import abroad, supply, transfer, transfer_v2


def test_coins_go_there_and_come_home_both_ways(client_net) -> None:
    net = client_net
    for near, far, here, there in net.ways:
        name = abroad("uatom", there).coin_denom
        out = transfer_v2(near, "alice", here, "uatom", 7, far.address("bob"))
        assert near.execute("alice", *[out] * 20).code == 0
        done = net.relay()
        assert (done.delivered, done.acknowledged, done.refused, done.redundant) == (20, 20, 0, 0)
        assert (far.balance("bob", name), near.balance("alice", "uatom")) == (140, 860)
        home = transfer_v2(far, "bob", there, name, 100, near.address("alice"))
        assert far.execute("bob", home).code == 0
        net.relay()
        assert (supply(far, name), near.balance("alice", "uatom")) == (40, 960)
    assert (net.outstanding(), net.broken_laws()) == ([], [])


def test_a_round_brings_everything_under_one_header(client_net) -> None:
    net = client_net
    net.transfer(count=40)
    done = net.relay()
    assert (done.delivered, done.acknowledged, done.transactions, done.updates) == (40, 40, 2, 2)


@pytest.mark.parametrize("encoding", [JSON, PROTOBUF, ABI])
def test_every_encoding(client_net, encoding) -> None:
    net = client_net
    net.transfer(encoding=encoding)
    assert net.relay().acknowledged == 1
    assert net.b.balance("bob", abroad("uatom", net.path.b).coin_denom) == 7


def test_late_packets_are_taken_back_at_the_second_that_says_so(client_net) -> None:
    net = client_net
    now_s = net.clock.now_ns // SECOND
    net.transfer(9, 3, until_s=now_s + 30)
    net.transfer(5, until_s=now_s + 500)
    net.clock.advance(60 * SECOND)
    net.b.chain.make_block([])
    done = net.relay()
    assert (done.timed_out, done.delivered, done.acknowledged, done.refused) == (3, 1, 1, 0)
    assert net.a.balance("alice", "uatom") == 995
    assert (net.outstanding(), net.broken_laws()) == ([], [])


def test_a_packet_is_late_in_the_very_second_of_its_timeout(client_net) -> None:
    """v1 counts nanoseconds; here a block's time is cut to seconds, and equal is too late."""
    net = client_net
    net.clock.step_ns = 0
    until_s = net.clock.now_ns // SECOND + 40
    net.transfer(until_s=until_s)
    net.clock.now_ns = until_s * SECOND - 1
    for party in (net.a, net.b):
        party.chain.make_block([])
    link = net.link()
    heads = link._reader.read()
    assert [len(link._plan(side, heads, TaskSet(), 10)) for side in (0, 1)] == [0, 1]  # to be received yet
    link.close()
    net.clock.now_ns = until_s * SECOND
    net.b.chain.make_block([])
    done = net.relay()
    assert (done.timed_out, done.delivered, done.refused) == (1, 0, 0)
    assert net.a.balance("alice", "uatom") == 1_000


def test_refused_packets_come_back_with_the_universal_error_and_the_coins(client_net) -> None:
    net = client_net
    net.transfer(5, 2, receiver="nobody")
    assert net.a.balance("alice", "uatom") == 990
    done = net.relay()
    assert (done.delivered, done.acknowledged, done.timed_out, done.refused) == (2, 2, 0, 0)
    assert net.a.balance("alice", "uatom") == 1_000
    assert (net.outstanding(), net.broken_laws()) == ([], [])


def test_several_payloads_stand_and_fall_together(client_net) -> None:
    net = client_net
    net.send(net.coins(3), scripted(b"fine"), net.coins(4, ABI))
    net.send(net.coins(30), scripted(b"refuse"))
    net.send(net.coins(50), net.coins(60, receiver="nobody"))
    done = net.relay()
    assert (done.delivered, done.acknowledged, done.refused) == (3, 3, 0)
    assert net.b.balance("bob", abroad("uatom", net.path.b).coin_denom) == 7
    assert net.a.balance("alice", "uatom") == 993
    assert (net.outstanding(), net.broken_laws()) == ([], [])


def answer_later(net, sequence, answer=(b"at last",)):
    """The application of chain b answers a packet, in a transaction of its own later on."""
    sender, app, client = net.mocks[1].sender, net.mocks[1].app, net.path.b.client_id

    def once(ctx):
        sender.write_acknowledgement(ctx, client, sequence, answer)
        app.receive = None
        return PayloadAnswer(success=True, data=b"meanwhile")

    app.receive = once


@pytest.mark.parametrize("with_journal", [False, True])
def test_answers_that_come_later_are_brought_when_they_come(client_net, tmp_path, with_journal) -> None:
    net = client_net
    how = {"journal": tmp_path / "relayer.db"} if with_journal else {}
    net.send(scripted(b"later"))
    first = net.relay(**how)
    assert (first.delivered, first.acknowledged) == (1, 0)
    assert net.outstanding() == [("chain-a-1", 1)]
    assert net.relay(**how).transactions == 0
    answer_later(net, 1)
    net.send(scripted(b"another"))
    done = net.relay(**how)  # which knows of the first packet from its journal, or finds it in old blocks
    assert (done.delivered, done.acknowledged, done.given_up) == (1, 2, {})
    assert net.outstanding() == []


def test_a_packet_that_waits_for_its_answer_is_never_timed_out(client_net) -> None:
    net = client_net
    net.send(scripted(b"later"), seconds=60)
    net.relay()
    net.clock.advance(300 * SECOND)
    for party in (net.a, net.b):
        party.chain.make_block([])
    done = net.relay()
    assert (done.timed_out, done.refused) == (0, 0)
    assert net.outstanding() == [("chain-a-1", 1)]


def test_channels_and_clients_share_a_link_and_its_headers(client_net) -> None:
    net = client_net
    channel = make_path(*net.ends, "transfer", Order.UNORDERED, "ics20-1")
    assert (channel.a.client_id, channel.b.client_id) == (net.path.a.client_id, net.path.b.client_id)
    both = [
        transfer_v2(net.a, "alice", net.path.a, "uatom", 1, net.b.address("bob")),
        transfer(net.a, "alice", channel.a, "uatom", 2, net.b.address("bob")),
    ]
    assert net.a.execute("alice", *both * 3).code == 0
    link = Link([channel, net.path], *net.ends)
    done = link.until_idle()
    assert (done.delivered, done.acknowledged, done.transactions, done.updates) == (6, 6, 2, 2)
    views = [channel_view(path, net.a.chain, net.b.chain) for path in (channel, net.path)]
    assert broken_laws(views) == []


def test_headers_that_too_few_trusted_signed_are_reached_over_others(client_net) -> None:
    net = client_net
    old = list(net.a.chain.keys)
    for generation in range(3):
        new = validator_keys(f"generation-{generation}", 4)
        net.a.chain.make_block(updates={**dict.fromkeys(new, 10), **dict.fromkeys(old, 0)})
        for _ in range(4):
            net.a.chain.make_block()
        old = new
    net.transfer()
    done = net.relay()
    assert (done.acknowledged, done.refused) == (1, 0)
    assert done.updates >= 4


def test_idle_clients_are_refreshed(client_net) -> None:
    net = client_net
    drivers = Drivers(TendermintDriver(ClientSettings(trusting_ns=3_000 * SECOND)))
    net.path = make_client_path(*net.ends, drivers=drivers, new_clients=True)
    link = net.link()
    for _ in range(10):
        net.clock.advance(1_000 * SECOND)
        for party in (net.a, net.b):
            party.chain.make_block([])
        link.until_idle()
    assert 8 <= link.metrics.updates <= 20
    net.transfer()
    link.until_idle()
    assert link.metrics.acknowledged == 1
