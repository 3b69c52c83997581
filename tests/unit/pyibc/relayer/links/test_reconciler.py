"""Nodes that omit, invent or mix up events: no packet is lost, since state decides."""

import sqlite3
from contextlib import closing
from math import inf

import pytest

from conformance.kit.seconds import SECONDS
from localnet.rpc.methods import Methods, Params
from pyibc.core.channel.types import ChannelState, Order
from pyibc.core.packet.events import ACKNOWLEDGE_PACKET, RECV_PACKET, SEND_PACKET, WRITE_ACKNOWLEDGEMENT
from pyibc.relayer.chain import grpc_query
from pyibc.relayer.chain.endpoint import EndpointExtras
from pyibc.relayer.daemon.chains import SharedChain
from pyibc.relayer.errors import BlockMismatch, EndpointRefused, EndpointUnavailable
from pyibc.relayer.links import reconcile
from pyibc.relayer.links.link import Link
from pyibc.relayer.links.options import Options
from pyibc.relayer.packets.backlog import Backlog
from pyibc.relayer.packets.pending_packets import Stage
from pyibc.relayer.packets.queries import Commitments, Unreceived, commitments
from pyibc.relayer.paths.open_path import make_path
from pyibc.relayer.rpc.calls import Rpc
from pyibc.relayer.rpc.transactions import find_event
from pyibc.testing.faults import EndpointWrapper
from pyibc.testing.pair import two_chains
from pyibc.testing.transfers import transfer, transfer_v2
from tests.sampling import sample

QUICK = Options(sleep=lambda _: None, clock=SECONDS, retry_wait_s=inf)


class Hiding(EndpointWrapper):
    """Node that omits events of these kinds from its next answers that have any."""

    def __init__(self, inner, times=1, kinds=(SEND_PACKET,)):
        super().__init__(inner)
        self.times = times
        self.kinds = kinds

    def _call(self, name, run):
        return run()

    def block(self, height):
        block = self.inner.block(height)
        txs = tuple(
            tx._replace(events=tuple(e for e in tx.events if e[0] not in self.kinds)) for tx in block.txs
        )
        events = tuple(each for each in block.block_events if each[0] not in self.kinds)
        if self.times and (txs, events) != (block.txs, block.block_events):
            self.times -= 1
            return block._replace(txs=txs, block_events=events)
        return block


class Net:
    """Two chains with a path, and a user on each."""

    def __init__(self, kind):
        self.pair = two_chains()
        self.kind = kind
        v2 = kind == "v2"
        self.path = self.pair.open_clients() if v2 else self.pair.open("transfer", Order.UNORDERED, "ics20-1")
        self.a, self.b = self.pair.a.endpoint, self.pair.b.endpoint
        self.close = self.pair.close

    def send(self):
        message = (transfer_v2 if self.kind == "v2" else transfer)(
            self.pair.a, "alice", self.path.a, "stake", 5, self.pair.b.address("bob")
        )
        assert self.pair.a.execute("alice", message).code == 0

    def blocks(self, count=4):
        for _ in range(count):
            self.pair.a.chain.make_block()
            self.pair.b.chain.make_block()

    @property
    def outstanding(self):
        return sorted(commitments(self.a, self.path.a).by_sequence)


class OrderedNet(Net):
    """The same with an ordered channel, whose application the chains above do not have."""

    def __init__(self, chains):
        self.a, self.b = chains
        self.path = make_path(*chains, "port", Order.ORDERED, "v1")

    def send(self):
        self.a.send(self.path.a.channel_id)

    def blocks(self, count=4):
        for _ in range(count):
            self.a.make_block()
            self.b.make_block()


@pytest.fixture(params=["unordered", "ordered", "v2"])
def net(request, pair):
    if request.param == "ordered":
        yield OrderedNet(pair)
        return
    made = Net(request.param)
    yield made
    made.close()


@pytest.fixture(params=["unordered", "v2"])
def real_net(request):
    made = Net(request.param)
    yield made
    made.close()


KINDS = ((0, SEND_PACKET), (1, RECV_PACKET), (1, WRITE_ACKNOWLEDGEMENT), (0, ACKNOWLEDGE_PACKET))


@pytest.mark.parametrize(
    ("side", "kind", "restart"),
    sample([(*each, restart) for each in KINDS for restart in (False, True)], 4, "hidden events"),
)
def test_h120_events_that_are_hidden_once_are_found_by_state(net, tmp_path, side, kind, restart):
    nodes = [net.a, net.b]
    nodes[side] = Hiding(nodes[side], kinds=(kind,))
    file = tmp_path / "relayer.db"
    net.send()
    with closing(Link([net.path], net.a, net.b, journal=file, options=QUICK)) as link:
        link.until_idle()
    link = Link([net.path], *nodes, journal=file, options=QUICK)
    net.send()
    net.send()
    for _ in range(5):
        link.round()
    assert nodes[side].times == 0
    if restart:
        link.close()
        link = Link([net.path], *nodes, journal=file, options=QUICK)
    for _ in range(3):
        net.blocks()
        link.until_idle()
    assert (net.outstanding, link.pending, link.metrics.given_up) == ([], 0, {})
    assert link.metrics.wanted == 0
    link.close()


def test_h120_events_that_one_of_two_nodes_always_hides(net):
    """The events are found as soon as the other node answers: the search for them goes on."""
    node = Hiding(net.a, times=10**9)
    link = Link([net.path], node, net.b, options=QUICK)
    net.send()
    link.until_idle()
    net.blocks()
    link.until_idle()
    assert (net.outstanding, link.pending, link.metrics.wanted) == ([1], 0, 1)
    node.times = 0
    for _ in range(12):
        net.blocks()
        link.until_idle()
    assert (net.outstanding, link.metrics.delivered, link.metrics.wanted) == ([], 1, 0)
    link.close()


def test_h120_a_block_that_is_kept_for_others_is_asked_for_again(net):
    """Links of one chain share its blocks: a cached block without its events would stay so."""
    node = Hiding(net.a)
    shared = SharedChain(node)
    link = Link([net.path], shared, net.b, options=QUICK)
    net.send()
    link.until_idle()
    assert (node.times, link.pending) == (0, 0)
    for _ in range(3):
        net.blocks()
        link.until_idle()
    assert (net.outstanding, link.metrics.delivered) == ([], 1)
    link.close()


class Detour(EndpointWrapper):
    """Address of nodes of another chain, for some answers about blocks."""

    def __init__(self, inner, elsewhere):
        super().__init__(inner)
        self.elsewhere = elsewhere
        self.left = 0

    def _call(self, name, run):
        return run()

    def block(self, height):
        if self.left:
            self.left -= 1
            return self.elsewhere(height)
        return self.inner.block(height)


@pytest.mark.parametrize(
    ("elsewhere", "reason"),
    [
        (lambda net, at: net.b.block(3)._replace(height=at), "of '(chain-b-1|beta-7)'"),
        (lambda net, at: net.a.block(at - 1), "it is block"),
        (lambda net, at: net.a.block(at)._replace(parent=b"\1" * 32, txs=()), "its parent is 0101"),
    ],
    ids=["another chain", "another height", "another history"],
)
def test_h121_a_block_of_another_history_moves_nothing(net, elsewhere, reason):
    node = Detour(net.a, lambda height: elsewhere(net, height))
    link = Link([net.path], node, net.b, options=QUICK)
    link.until_idle()
    net.blocks(2)
    net.send()
    net.blocks(1)
    before = link._reader.cursors[0]
    node.left = 1
    with pytest.raises(BlockMismatch, match=reason):
        link.round()
    assert (link._reader.cursors[0], link.pending) == (before, 0)
    done = link.until_idle()
    assert (done.delivered, done.acknowledged, done.restarts, net.outstanding) == (1, 1, 0, [])
    link.close()


def test_h121_a_history_that_stays_another_is_begun_anew(net):
    """The block read last was false: its successor never comes."""
    node = Detour(net.a, lambda height: net.a.block(height)._replace(hash=b"\2" * 32, txs=()))
    link = Link([net.path], node, net.b, options=QUICK)
    link.until_idle()
    net.send()
    node.left = 1
    link.round()
    assert link._reader.cursors[0].hash == b"\2" * 32
    net.blocks(1)
    done = link.until_idle()
    assert (done.delivered, done.acknowledged, done.restarts, net.outstanding) == (1, 1, 1, [])
    link.close()


class Pruning(EndpointWrapper):
    """Node that keeps only some of its chain's blocks."""

    def __init__(self, inner):
        super().__init__(inner)
        self.oldest, self.behind, self.calls = 0, 0, 0

    def _call(self, name, run):
        return run()

    def tip(self):
        tip = self.inner.tip()
        return tip._replace(height=tip.height - self.behind)

    def block(self, height):
        self.calls += 1
        if not self.oldest <= height <= self.inner.tip().height - self.behind:
            raise EndpointRefused(self.chain_id, f"block {height}", "not available")
        return self.inner.block(height)


def test_h122_pruned_blocks_are_skipped_and_their_packets_found(net, tmp_path):
    node, file = Pruning(net.a), tmp_path / "relayer.db"
    with closing(Link([net.path], node, net.b, journal=file, options=QUICK)) as link:
        link.until_idle()
    net.blocks(40)
    net.send()
    net.blocks(2)
    node.oldest = node.tip().height - 5
    link = Link([net.path], node, net.b, journal=file, options=QUICK)
    for _ in range(2):
        with pytest.raises(EndpointRefused):
            link.round()
    node.calls = 0
    assert link.round()
    assert link.metrics.skipped > 30
    assert node.calls < 20
    done = link.until_idle()
    assert (done.delivered, done.acknowledged, done.restarts, net.outstanding) == (1, 1, 0, [])
    link.close()


def test_h122_a_node_behind_the_journal_is_waited_for(net, tmp_path):
    node, file = Pruning(net.a), tmp_path / "relayer.db"
    net.blocks(60)
    net.send()
    with closing(Link([net.path], node, net.b, journal=file, options=QUICK)) as link:
        link._reader.read()
    node.behind = 2
    link = Link([net.path], node, net.b, journal=file, options=QUICK)
    link.round()
    assert (link.pending, link.metrics.restarts) == (1, 0)
    node.behind = 58
    with pytest.raises(EndpointUnavailable, match=r"its last block is \d+, but block \d+ was read before"):
        link.round()
    node.behind = 0
    done = link.until_idle()
    assert (done.acknowledged, done.restarts, net.outstanding) == (1, 0, [])
    link.close()


def test_h123_what_the_state_contradicts_is_corrected(net):
    link = Link([net.path], net.a, net.b, options=QUICK)
    net.send()
    link._reader.read()
    sent = link._backlog.channels[0].sent_from(0)
    known = sent.packets[1]
    sent.put(1, known._replace(stage=Stage.RECEIVED))  # as an event told that was not true
    sent.put(9, known)
    sent.next_sequence_recv = 7
    net.blocks(1)
    done = link.until_idle()
    assert (done.delivered, done.acknowledged, link.pending, net.outstanding) == (1, 1, 0, [])
    assert (done.given_up, done.corrected >= 2) == ({}, True)
    link.close()


class Busy(EndpointWrapper):
    """Chain whose state changes between two pages of a query."""

    def __init__(self, inner, happens):
        super().__init__(inner)
        self.happens, self.pages = happens, 0

    def _call(self, name, run):
        return run()

    def grpc(self, path, request):
        if path.endswith(("/PacketCommitments", "/PacketAcknowledgements")):
            self.pages += 1
            if self.pages == 2:
                self.happens()
        return self.inner.grpc(path, request)


def test_h240_what_comes_between_two_pages_is_not_looked_for_in_older_blocks(real_net, monkeypatch):
    """The event is in a block that is not read yet."""
    monkeypatch.setattr(grpc_query, "PAGE_SIZE", 1)
    for _ in range(3):
        real_net.send()
    real_net.blocks()

    def happens():
        real_net.send()
        real_net.blocks(1)

    busy = Busy(real_net.a, happens)
    link = Link([real_net.path], busy, real_net.b, options=QUICK)
    link._reader.read()
    busy.pages = 0
    link._reconciler.check()
    assert busy.pages > 2
    read = [each.read for each in link._reconciler._searches]
    assert not link._reconciler.search(link._reader.cursors)
    assert [each.read for each in link._reconciler._searches] == read
    link.until_idle()
    assert (real_net.outstanding, link.metrics.wanted) == ([], 0)
    link.close()


@pytest.mark.parametrize(
    ("unreceived", "kind", "height"),
    [(frozenset({7}), SEND_PACKET, 9), (frozenset(), WRITE_ACKNOWLEDGEMENT, 8)],
)
def test_h240_an_event_is_looked_for_from_the_highest_answer_down(net, unreceived, kind, height):
    class Search:
        def __init__(self):
            self.asked = []

        def retain(self, _packets, _wanted):
            pass

        def search_for(self, key, _wanted, height):
            self.asked.append((key[0], key[2], height))
            return True

    searches = Search(), Search()
    sent, answered = Commitments({7: b"s" * 32}, 3, 9), Commitments({7: b"a" * 32}, 4, 8)
    states = reconcile._PacketStates(sent, Unreceived(unreceived, 3), answered, (9, 9))
    reconcile._Direction(0, 0, Backlog([net.path]).channels[0]).apply(states, searches)
    told, others = searches if kind == SEND_PACKET else searches[::-1]
    assert (told.asked, others.asked) == ([(kind, 7, height)], [])


def test_h123_an_older_answer_decides_nothing(real_net):
    """The node that answers queries is behind the node that returns blocks, and lacks the packet."""
    net = real_net
    node = Older(net.a)
    link = Link([net.path], node, net.b, options=QUICK)
    net.blocks(3)
    net.send()
    link._reader.read()
    node.behind = 2
    link._reconciler.check()
    assert (link.pending, sorted(link._backlog.channels[0].sent_from(0).packets)) == (1, [1])
    node.behind = 0
    assert link.until_idle().delivered == 1
    link.close()


class Older(EndpointWrapper):
    """Queries are answered by a node that is some blocks behind."""

    behind = 0

    def _call(self, name, run):
        return run()

    def grpc(self, path, request):
        chain = self.inner.chain
        return chain.app.grpc(path, request, chain.height - self.behind)


def test_h123_a_closed_end_that_no_event_told_of(pair):
    a, b = pair
    path = make_path(a, b, "port", Order.UNORDERED, "v1")
    link = Link([path], a, b, options=QUICK)
    a.send("channel-0")
    b.close("channel-0")
    b.blocks[-1] = b.blocks[-1]._replace(block_events=())
    for _ in range(6):
        a.make_block()
    done = link.until_idle()
    assert (done.timed_out, link.pending, done.given_up) == (1, 0, {})
    assert a.channel("channel-0").state == ChannelState.CLOSED
    link.close()


FORGED = {SEND_PACKET: "packet_data_hex", WRITE_ACKNOWLEDGEMENT: "packet_ack_hex"}
FORGED_V2 = {SEND_PACKET: "encoded_packet_hex", WRITE_ACKNOWLEDGEMENT: "encoded_acknowledgement_hex"}


class Forging(Hiding):
    """Node that changes the last byte of commitments and acknowledgements in its next answers."""

    def block(self, height):
        block = self.inner.block(height)
        txs = tuple(tx._replace(events=tuple(self._forged(each) for each in tx.events)) for tx in block.txs)
        if self.times and txs != block.txs:
            self.times -= 1
            return block._replace(txs=txs)
        return block

    def _forged(self, event):
        kind, pairs = event
        keys = {FORGED.get(kind), FORGED_V2.get(kind)} if kind in self.kinds else {}
        return kind, tuple((k, v[:-2] + f"{int(v[-2:], 16) ^ 1:02x}" if k in keys else v) for k, v in pairs)


@pytest.mark.parametrize(("side", "kind"), [(0, SEND_PACKET), (1, WRITE_ACKNOWLEDGEMENT)])
def test_h123_events_that_say_something_else_once(real_net, side, kind):
    net, nodes = real_net, [real_net.a, real_net.b]
    nodes[side] = Forging(nodes[side], kinds=(kind,))
    with closing(Link([net.path], *nodes, options=QUICK)) as link:
        link.until_idle()
        net.send()
        for _ in range(4):
            link.round()
        assert (nodes[side].times, net.outstanding) == (0, [1])
        for _ in range(3):
            net.blocks()
            link.until_idle()
        assert (net.outstanding, link.pending, link.metrics.given_up) == ([], 0, {})
        assert link.metrics.refused == 0


class Indexed(Pruning):
    """Node with an index of events that may return anything."""

    def __init__(self, inner, found):
        super().__init__(inner)
        self.found = found
        self.asked = []

    @property
    def extras(self):
        return EndpointExtras(find=self.find)

    def find(self, key):
        self.asked.append(key)
        return self.found


def test_an_old_packet_is_found_by_the_index_and_fresh_ones_do_not_wait(net):
    net.send()
    sent_at = net.a.tip().height
    net.blocks(150)
    node = Indexed(net.a, sent_at)
    link = Link(
        [net.path], node, net.b, options=Options(sleep=lambda _: None, clock=SECONDS, search_blocks=10)
    )
    done = link.until_idle()
    assert (done.delivered, done.acknowledged, net.outstanding) == (1, 1, [])
    assert (len(node.asked), done.searched <= 31) == (1, True)
    link.close()


@pytest.mark.parametrize("found", [None, 1, 10**9])
def test_an_index_that_does_not_tell_or_lies_is_done_without(net, found):
    net.send()
    net.blocks(60)
    node = Indexed(net.a, found)
    link = Link(
        [net.path], node, net.b, options=Options(sleep=lambda _: None, clock=SECONDS, search_blocks=10)
    )
    if not isinstance(net, OrderedNet):  # there the later packet waits
        net.send()
        for _ in range(2):
            link.round()
        assert link.metrics.delivered == 1
        assert net.outstanding[0] == 1
    before = node.calls
    link.round()
    assert node.calls - before <= 30
    done = link.until_idle()
    assert (done.acknowledged, net.outstanding, len(node.asked) <= 2) == (done.delivered, [], True)
    link.close()


DAMAGES = (
    "DELETE FROM cursor WHERE side=1",
    "UPDATE packet SET channel=7",
    "UPDATE packet SET stage=9",
    "UPDATE packet SET sequence='x'",
    "UPDATE packet SET timeout_height='x', data=x'ff'",
    "UPDATE cursor SET height=-5",
    "UPDATE cursor SET height='five'",
    "DELETE FROM packet",
)


@pytest.mark.parametrize("damage", sample(DAMAGES, 4, "damaged journals"))
def test_h122_rows_of_a_journal_that_make_no_sense_are_found_again(net, tmp_path, damage):
    file = tmp_path / "relayer.db"
    net.send()
    with closing(Link([net.path], net.a, net.b, journal=file, options=QUICK)) as link:
        link._reader.read()
        assert link.pending == 1
    with closing(sqlite3.connect(file)) as db:
        db.execute(damage)
        db.commit()
    with closing(Link([net.path], net.a, net.b, journal=file, options=QUICK)) as link:
        done = link.until_idle()
        assert (done.delivered, done.acknowledged, link.pending, net.outstanding) == (1, 1, 0, [])


def test_the_index_of_a_node_is_asked_in_its_own_language(real_net):
    net = real_net
    net.send()
    sent_at = net.a.tip().height
    methods = Methods(net.pair.a.chain, "tcp://127.0.0.1:1")

    class Node(Rpc):
        def call(self, method, **params):
            return methods.call(method, Params(params, uri=False))

    net.blocks()
    assert find_event(Node(), "chain-a-1", (SEND_PACKET, net.path.a.name, 1)) == sent_at
    assert find_event(Node(), "chain-a-1", (SEND_PACKET, net.path.a.name, 2)) is None
