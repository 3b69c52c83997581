"""A relayer without a journal finds pending packets, even if nodes behind one address differ in height."""

from itertools import cycle

import pytest

from conformance.kit.seconds import SECONDS
from pyibc.core.channel.types import Order
from pyibc.core.errors import UnknownRequest
from pyibc.proto.ibc.core.channel.v1 import query_pb2 as v1
from pyibc.relayer.chain.endpoint import NO_EXTRAS
from pyibc.relayer.chain.grpc_query import ask_all
from pyibc.relayer.errors import EndpointRefused
from pyibc.relayer.links.link import Link, relay
from pyibc.relayer.links.options import Options
from pyibc.relayer.packets.queries import PACKET_COMMITMENTS, commitments
from pyibc.relayer.paths.open_path import make_path
from pyibc.testing.faults import EndpointWrapper
from pyibc.testing.pair import two_chains
from pyibc.testing.transfers import transfer, transfer_v2


class Behind(EndpointWrapper):
    """Chain whose queries are answered by a node some blocks behind the one that returns the tip."""

    def __init__(self, inner, blocks):
        super().__init__(inner)
        self.blocks = blocks

    def _call(self, name, run):
        return run()

    def grpc(self, path, request):
        chain = self.inner.chain
        return chain.app.grpc(path, request, chain.height - self.blocks)

    def get(self, key, store="ibc"):
        chain = self.inner.chain
        return chain.app.store.get_at(store, key, chain.height - self.blocks)


def v1_net(pair):
    path = pair.open("transfer", Order.UNORDERED, "ics20-1")
    return path, lambda: transfer(pair.a, "alice", path.a, "stake", 5, pair.b.address("bob"))


def v2_net(pair):
    path = pair.open_clients()
    return path, lambda: transfer_v2(pair.a, "alice", path.a, "stake", 5, pair.b.address("bob"))


def pending_of(pair, path):
    """Return the sequences of packets that are not completed on chain a."""
    return sorted(commitments(pair.a.endpoint, path.a).by_sequence)


@pytest.fixture(params=[v1_net, v2_net])
def net(request):
    pair = two_chains()
    path, message = request.param(pair)
    yield pair, path, message
    pair.close()


def test_a_packet_that_the_answering_node_has_not_yet_is_delivered(net):
    pair, path, message = net
    for _ in range(3):
        pair.b.chain.make_block()
    assert pair.a.execute("alice", message()).code == 0
    done = relay(path, Behind(pair.a.endpoint, 1), pair.b.endpoint)
    assert (done.delivered, done.acknowledged) == (1, 1)


def test_an_answer_that_the_answering_node_has_not_yet_is_brought_back(net):
    pair, path, message = net
    assert pair.a.execute("alice", message()).code == 0
    for _ in range(3):
        pair.a.chain.make_block()
    link = pair.link(path)
    link._relay_to(1, link._reader.read())  # received, not acknowledged
    link.close()
    done = relay(path, pair.a.endpoint, Behind(pair.b.endpoint, 1))
    assert (done.delivered, done.acknowledged) == (0, 1)


class Uneven(EndpointWrapper):
    """Two nodes behind one address take turns in blocks; one of them is some blocks behind."""

    def __init__(self, inner, blocks, turns):
        """Set `turns`, the lag of the node that answers next; None: both have pruned so many blocks."""
        super().__init__(inner)
        self.blocks = blocks
        self.turns = turns
        self.tips_behind = False
        self.refused = 0

    def _call(self, name, run):
        return run()

    def tip(self):
        tip = self.inner.tip()
        behind = self.blocks if self.refused and self.tips_behind else 0
        return tip._replace(height=tip.height - behind)

    def block(self, height):
        behind = next(self.turns) if self.turns else self.blocks
        if height > self.inner.chain.height - behind:
            self.refused += 1
            raise EndpointRefused(self.chain_id, f"block {height}", "not yet, or not any more")
        return self.inner.block(height)


def test_a_block_that_one_of_two_nodes_refuses_is_asked_for_again(net):
    pair, path, message = net
    assert pair.a.execute("alice", message()).code == 0
    uneven = Uneven(pair.a.endpoint, 2, cycle([2, 0]))
    done = relay(path, uneven, pair.b.endpoint, options=Options(sleep=lambda _: None, clock=SECONDS))
    assert (done.delivered, done.acknowledged) == (1, 1)
    assert uneven.refused


def test_a_block_that_no_node_has_yet_is_no_pruned_one(net):
    pair, path, message = net
    assert pair.a.execute("alice", message()).code == 0
    behind = Uneven(pair.a.endpoint, 2, cycle([2]))
    behind.tips_behind = True
    link = Link([path], behind, pair.b.endpoint)
    with pytest.raises(EndpointRefused):
        link.round()
    assert (link.pending, link.metrics.skipped) == (0, 0)
    behind.turns = cycle([0])
    behind.tips_behind = False
    done = link.until_idle()
    assert (done.delivered, done.acknowledged, done.skipped) == (1, 1, 0)
    assert pending_of(pair, path) == []
    link.close()


def test_a_packet_of_a_pruned_block_is_looked_for_and_reported(net):
    pair, path, message = net
    assert pair.a.execute("alice", message()).code == 0
    for _ in range(5):
        pair.a.chain.make_block()
    pruned = Pruned(pair.a.endpoint, pair.a.chain.height - 3)
    link = Link([path], pruned, pair.b.endpoint, options=Options(sleep=lambda _: None, clock=SECONDS))
    done = link.until_idle()
    assert (link.pending, done.wanted, done.delivered) == (0, 1, 0)
    pruned.oldest = 1  # another node, that keeps more
    for _ in range(30):
        pair.a.chain.make_block()
    done = link.until_idle()
    assert (done.delivered, done.acknowledged, done.wanted) == (1, 1, 0)
    link.close()


class Pruned(Behind):
    """Node that keeps only the blocks from this height on."""

    def __init__(self, inner, oldest):
        super().__init__(inner, 0)
        self.oldest = oldest

    def block(self, height):
        if height < self.oldest:
            raise EndpointRefused(self.chain_id, f"block {height}", "pruned")
        return self.inner.block(height)


class Rewriting(Behind):
    """Node that changes its answer to one query."""

    def __init__(self, inner, query, change):
        super().__init__(inner, 0)
        self.query = query
        self.change = change

    def grpc(self, path, request):
        raw = super().grpc(path, request)
        return self.change(raw) if path.endswith(self.query) else raw


def with_another(raw):
    said = v1.QueryPacketAcknowledgementsResponse.FromString(raw)
    said.acknowledgements.add(sequence=10**6)
    return said.SerializeToString()


def test_an_answer_that_was_not_asked_for_is_not_looked_for(net):
    """No node has the event, and so the search would go back to the first block."""
    pair, path, message = net
    for _ in range(30):
        pair.b.chain.make_block()
    assert pair.a.execute("alice", message()).code == 0
    lying = Rewriting(pair.b.endpoint, "/PacketAcknowledgements", with_another)
    done = relay(path, pair.a.endpoint, lying)
    assert (done.delivered, done.acknowledged) == (1, 1)
    assert done.blocks < 15


class Answering:
    """Node that gives the same answer to every query."""

    chain_id = "chain-a-1"
    extras = NO_EXTRAS

    def __init__(self, *answers):
        self.answers = list(answers)
        self.asked = []

    def grpc(self, path, request):
        self.asked.append(v1.QueryPacketCommitmentsRequest.FromString(request).pagination.key)
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


def page(next_key):
    said = v1.QueryPacketCommitmentsResponse()
    said.pagination.next_key = next_key
    return said.SerializeToString()


def pages(endpoint):
    def make(page):
        return v1.QueryPacketCommitmentsRequest(pagination=page)

    return list(ask_all(endpoint, PACKET_COMMITMENTS, make, v1.QueryPacketCommitmentsResponse))


def test_pages_are_asked_for_by_the_key_that_the_last_one_said():
    node = Answering(page(b"2"), page(b"3"), page(b""))
    assert len(pages(node)) == 3
    assert node.asked == [b"", b"2", b"3"]


def test_h194_a_chain_that_serves_no_state_queries_is_read_back_so_far_and_no_further(pair, monkeypatch):
    a, b = pair
    path = make_path(a, b, "port", Order.UNORDERED, "v1")
    a.send("channel-0")
    for _ in range(300):
        a.make_block()
        b.make_block()
    a.send("channel-0")
    serve, read, blocks = a.grpc, [], a.block

    def refuses(query, _request):
        raise UnknownRequest(query)

    monkeypatch.setattr(a, "grpc", refuses)
    monkeypatch.setattr(a, "block", lambda height: read.append(height) or blocks(height))
    options = Options(sleep=lambda _seconds: None, clock=SECONDS, history=20, reconcile_every=10)
    first, far = a.height - 20, b.height - 20
    link = Link([path], a, b, options=options)
    done = link.until_idle()
    assert (done.delivered, done.acknowledged, link.pending) == (1, 1, 0)
    assert min(read) > first
    assert (done.unserved, done.unread) == (1, first + far)
    monkeypatch.setattr(a, "grpc", serve)
    for _ in range(400):
        a.make_block()
        link.round()
    assert link.metrics.delivered == 2  # some node serves them now: the old packet is found
    assert link.metrics.unserved == 1


def test_h194_however_many_packets_are_looked_for_a_block_is_read_once(pair, monkeypatch):
    a, b = pair
    path = make_path(a, b, "port", Order.UNORDERED, "v1")
    for _ in range(200):
        a.send("channel-0")
    for _ in range(60):
        a.make_block()
    read, blocks = [], a.block
    monkeypatch.setattr(a, "block", lambda height: read.append(height) or blocks(height))
    options = Options(sleep=lambda _seconds: None, clock=SECONDS, search_blocks=20)
    link = Link([path], a, b, options=options)
    link._reader.read()
    link._reconciler.check()
    read.clear()
    for _ in range(2):
        link._reconciler.search(link._reader.cursors)
    assert read == list(range(read[0], read[0] - 40, -1))
    assert link.until_idle().delivered == 200
    assert len(read) < 1_000
