"""IBC v2 between real chains: packets go from client to client by our relayer."""

import pytest

from conformance.kit.v2_chains import scripted
from localnet.consensus.sign_state import validator_keys
from pyibc.core.application.v2 import PayloadAnswer
from pyibc.core.channel.types import Order
from pyibc.relayer.clients.driver import Drivers
from pyibc.relayer.clients.tendermint import ClientSettings, TendermintDriver
from pyibc.relayer.links.link import Link
from pyibc.relayer.packets.task import TaskSet
from pyibc.relayer.paths.open_path import make_client_path, make_path
from pyibc.testing.ledger import broken_laws, channel_view
from pyibc.testing.pair import SECOND
from pyibc.testing.transfers import transfer, transfer_v2


def test_a_round_brings_everything_under_one_header(client_net) -> None:
    net = client_net
    net.transfer(count=40)
    done = net.relay()
    assert (done.delivered, done.acknowledged, done.transactions, done.updates) == (40, 40, 2, 2)


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
