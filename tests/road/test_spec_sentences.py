"""Sentences of the source documents that no other test shows, on two real chains; docs/spec-coverage.md."""

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.kit.direct_module import CONNECTION, DirectModules, packet_between
from conformance.kit.direct_scenario import DirectScenario, end_names
from conformance.kit.encode import to_any
from conformance.kit.mutate_state import change_connection
from conformance.kit.outcomes import must
from conformance.kit.pair import Pair
from conformance.kit.queue.pair import QueuePair
from conformance.kit.scripted_app import VERSION, ScriptedRefusal
from conformance.kit.staged_block import StagedBlock
from localnet.endpoint import LocalEndpoint
from pyibc.core.channel.types import Order
from pyibc.core.coin import coin
from pyibc.core.connection.types import ConnectionState
from pyibc.core.errors import InvalidProof
from pyibc.core.height import Height
from pyibc.queues.messages import Item, MsgHandleReceipt, MsgReceive
from pyibc.queues.packet import QueueConfig
from pyibc.queues.types import STORE_NAME, element_key
from pyibc.relayer.clients.foreign_client import ForeignClient
from pyibc.relayer.links.link import Link
from pyibc.relayer.queue.link import Options, QueueLink
from pyibc.relayer.queue.path import make_queue_path
from pyibc.testing.pair import SECOND

UNORDERED, ORDERED = Order.UNORDERED, Order.ORDERED
A, B = "x-end-on-a", "x-end-on-b"


@pytest.fixture(scope="module")
def queues():
    pair = QueuePair.registered(channels=2)
    yield pair
    pair.close()


@pytest.fixture(scope="module")
def scene():
    return DirectScenario()


# -- "the speed of packet transmission and confirmation is limited only by the speed of the chains"


def test_a_packet_takes_no_longer_than_the_chains_do():
    """Each step is in the block after the header that proves the one before: no block is waited for."""
    pair = Pair.connected()
    path = pair.open(pair.ports, UNORDERED, VERSION)
    link = Link([path], pair.a.relayer, pair.b.relayer)
    pair.a.send(path.a, path.b, b"data")
    heights = []
    for prover in (pair.a, pair.b):
        prover.chain.make_block([])  # whose header proves what the block before did
        before = pair.a.chain.height, pair.b.chain.height
        assert link.round()
        heights.append((pair.a.chain.height - before[0], pair.b.chain.height - before[1]))
    assert heights == [(0, 1), (1, 0)]
    assert (link.metrics.delivered, link.metrics.acknowledged) == (1, 1)


def brought(prover, target, key):
    """What one transaction needs to bring a queue's entry at once: header, proof of the block before."""
    height = prover.chain.height
    prover.chain.make_block([])
    client = ForeignClient(target.relayer, prover.relayer, target.client_id)
    header, updates = client.build_updates(height + 1)
    assert header == height + 1
    proven = prover.chain.prove(key, height, STORE_NAME)
    return updates, (Item(key, proven.value, proven.proof),), Height(1, header)


def test_a_queue_packet_takes_no_longer_than_the_chains_do(queues):
    path, a, b = queues.path, queues.a, queues.b
    index = a.bounds(path.outgoing)[1]
    must(queues.send(path))
    before = b.chain.height
    updates, items, height = brought(a, b, element_key(path.outgoing, index))
    there = MsgReceive(path.a, height, items, b.relayer.signer)
    must(b.relayer.submit([*updates, to_any(there)]))
    assert b.chain.height == before + 1
    before = a.chain.height
    updates, items, height = brought(b, a, element_key(path.incoming, index))
    home = MsgHandleReceipt(path.b, height, items, a.relayer.signer)
    must(a.relayer.submit([*updates, to_any(home)]))
    assert a.chain.height == before + 1
    assert a.bounds(path.outgoing) == (index + 1, index + 1)


# -- "payload-agnostic"


@settings(deadline=None, max_examples=12)
@given(data=st.lists(st.binary(max_size=200), min_size=1, max_size=5))
def test_queues_carry_any_payload(queues, data):
    path, calls = queues.path, queues.b.mock.app.calls
    first = queues.a.bounds(path.outgoing)[1]
    must(queues.a.submit_as_user(*[queues.send_message(path, each) for each in data]))
    queues.sync()
    calls.clear()
    stage = StagedBlock(queues.b.chain)
    waiting = range(queues.b.bounds(path.incoming)[1], first + len(data))
    assert stage.attempt(queues.receive(path, waiting)).error is None
    assert [packet.data for _, (packet,) in calls][-len(data) :] == data


@settings(deadline=None, max_examples=12)
@given(data=st.binary(min_size=1, max_size=200), answer=st.binary(min_size=1, max_size=200))
def test_channels_carry_any_payload(scene, data, answer):
    """Data and answers that read as another application's, or as nothing at all, go through as they are."""
    a, b = StagedBlock(scene.net.a.chain), StagedBlock(scene.net.b.chain)
    ends = end_names("open", UNORDERED)
    sent = a.call(scene.on_a.send(packet_between(3, *ends, data)))
    assert sent.error is None
    (event,) = [dict(pairs) for kind, pairs in sent.events if kind == "send_packet"]
    assert bytes.fromhex(event["packet_data_hex"]) == data
    fresh = scene.fresh[UNORDERED]
    got = b.call(scene.on_b.recv(fresh, answer))
    assert (got.error, got.response) == (None, fresh)
    (event,) = [dict(pairs) for kind, pairs in got.events if kind == "write_acknowledgement"]
    assert bytes.fromhex(event["packet_ack_hex"]) == answer


# -- one connection and any number of channels


def test_channels_of_one_connection_share_one_header():
    """ "Amortising the cost of header verification across all the channels": one update for three."""
    net = DirectModules(("direct", "second-port"))
    net.open(A, B)
    net.open("y-end-on-a", "y-end-on-b", ORDERED)
    net.open(A, B, port="second-port")
    packets = [
        (net.calls["direct"], packet_between(1, A, B)),
        (net.calls["direct"], packet_between(1, "y-end-on-a", "y-end-on-b")),
        (
            net.calls["second-port"],
            packet_between(1, A, B, port_id_on_a="second-port", port_id_on_b="second-port"),
        ),
    ]
    net.a.inside(lambda ctx: [calls[0].send(packet)(ctx) for calls, packet in packets])
    net.pair.sync()
    received = [calls[1].recv(packet) for calls, packet in packets]
    assert len({call.arguments["proof_height"] for call in received}) == 1
    stage = StagedBlock(net.b.chain)
    for call in received:
        refused = StagedBlock(net.b.chain).call(call.but(proof=call.arguments["proof"][:-1])).error
        assert isinstance(refused, InvalidProof)
    assert [stage.call(call).error for call in received] == [None] * 3


def test_channels_of_one_connection_use_common_identifiers():
    """ "Allowing the use of common identifiers": the connection's, and one channel id at two ports."""
    net = DirectModules(("direct", "second-port"))
    for port in ("direct", "second-port"):
        net.open(A, B, port=port)
    ctx = net.a.chain.app.query_context()
    found = [net.a.keepers.channels.get(ctx, port, A) for port in ("direct", "second-port")]
    assert [end.connection_id for end in found] == [CONNECTION, CONNECTION]
    assert net.a.keepers.connections.get(ctx, CONNECTION).client_id == net.a.client_id


def test_ends_of_queues_share_one_header(queues):
    """ "IBC connections handle header initialization & updates": one for the chains and two channels."""
    paths = (queues.path, *queues.channel_paths)
    for path in paths:
        must(queues.send(path))
    queues.sync()
    messages = []
    for path in paths:
        waiting = range(queues.b.bounds(path.incoming)[1], queues.a.bounds(path.outgoing)[1])
        messages.append(queues.receive(path, waiting))
    assert len({message.proof_height for message in messages}) == 1
    stage = StagedBlock(queues.b.chain)
    assert [stage.attempt(message).error for message in messages] == [None] * 3


@pytest.mark.parametrize("order", [UNORDERED, ORDERED], ids=lambda order: order.name)
def test_a_channel_carries_packets_both_ways_whichever_its_order(order):
    """ "Directionality and ordering are independent": each direction counts for itself."""
    net = DirectModules()
    net.open(A, B, order)
    there = [packet_between(number, A, B) for number in (1, 2)]
    back = packet_between(1, B, A)
    net.a.inside(lambda ctx: [net.calls_on_a.send(packet)(ctx) for packet in there])
    net.b.inside(net.calls_on_b.send(back))
    net.pair.sync()
    assert [net.on_b(net.calls_on_b.recv(packet)) for packet in there] == there
    assert net.on_a(net.calls_on_a.recv(back)) == back
    assert net.on_b(net.calls_on_b.acknowledge(back)) == back
    assert [net.on_a(net.calls_on_a.acknowledge(packet)) for packet in there] == there


# -- "execute application logic atomically in conjunction with calling": MUST, and MAY

CALLS = {
    "chanCloseInit": lambda s: ("a", s.on_a.close_init(end_names("open", UNORDERED).a)),
    "chanCloseConfirm": lambda s: ("a", s.on_a.close_confirm(*end_names("shut", UNORDERED))),
    "recvPacket": lambda s: ("b", s.on_b.recv(s.fresh[UNORDERED])),
    "acknowledgePacket": lambda s: ("a", s.on_a.acknowledge(s.received[UNORDERED])),
    "timeoutPacket": lambda s: ("a", s.on_a.timeout(s.expired[UNORDERED])),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_modules_own_logic_and_its_call_stand_or_fall_together(scene, name):
    side, call = CALLS[name](scene)
    stage = StagedBlock(getattr(scene.net, side).chain)

    def module(ctx, call, mine):
        ctx.store("scripted").set(b"mine", b"5")
        call(ctx)
        mine()

    def refusal():
        raise ScriptedRefusal("module")

    held = "held" if "held" in call.arguments else "channel"
    for bad, mine in ((call, refusal), (call.but(**{held: None}), lambda: None)):
        with pytest.raises(Exception) as raised, stage.ctx.branch():  # noqa: PT011 - told apart below
            module(stage.ctx, bad, mine)
        assert type(raised.value).__name__ == ("ScriptedRefusal" if mine is refusal else "InvalidCapability")
        assert stage.writes() == {}
    module(stage.ctx, call, lambda: None)
    stores = {store for store, _ in stage.writes()}
    assert stores == {"ibc", "scripted"}


@pytest.mark.parametrize("order", [UNORDERED, ORDERED], ids=lambda order: order.name)
def test_packets_are_cleaned_up_over_a_connection_in_any_state(scene, order):
    """cleanupPacket: "the connection may have been closed"; here, be in any state that there is."""
    claim = 2 if order is ORDERED else b"done"
    for state in ConnectionState:
        if state is ConnectionState.UNINITIALIZED:
            continue
        stage = StagedBlock(scene.net.a.chain)
        change_connection(stage.ctx, CONNECTION, state=state)
        assert stage.call(scene.on_a.cleanup(scene.received[order], claim)).error is None


# -- "ideally each user that initiates the creation of a packet also relays it"


def test_whoever_sends_a_packet_may_relay_it(queues):
    """There and home, from an account with coins for fees and no other right."""
    path, a, b = queues.channel_paths[1], queues.a, queues.b
    index = a.bounds(path.outgoing)[1]
    must(queues.send(path))
    queues.sync()
    there = queues.receive(path, range(b.bounds(path.incoming)[1], index + 1))
    must(b.submit_as_user(replace(there, signer=b.user.signer)))
    queues.sync()
    home = queues.handle(path, range(a.bounds(path.outgoing)[0], index + 1))
    must(a.submit_as_user(replace(home, signer=a.user.signer)))
    assert a.bounds(path.outgoing) == (index + 1, index + 1)


def test_a_relay_process_needs_accounts_that_pay_fees_and_nothing_else(queues):
    """The queues were registered by others; each side has one transaction, and is one fee poorer."""
    path, fee = queues.channel_paths[0], 5
    sides = (queues.a, queues.b)
    ends = [LocalEndpoint(side.chain, side.user.wallet, fee=[coin("stake", fee)]) for side in sides]
    must(queues.send(path))
    held = [side.balance(side.user.wallet.address.raw, "stake") for side in sides]
    link = QueueLink([make_queue_path(*ends, (path.a, path.b))], *ends, Options())
    metrics = link.until_idle()
    assert metrics.delivered == metrics.acknowledged >= 1  # other tests may have left some
    head, tail = queues.a.bounds(path.outgoing)
    assert head == tail == queues.b.bounds(path.incoming)[1]
    left = [side.balance(side.user.wallet.address.raw, "stake") for side in sides]
    paid = [before - after for before, after in zip(held, left, strict=True)]
    assert min(paid) >= fee
    assert all(each % fee == 0 for each in paid)


# -- [ICS5-2019]: "if a blockchain requires a timeout on all messages and imposes some reasonable upper limit"

LIMIT = 100 * SECOND


@pytest.mark.parametrize("seed", range(3))
def test_past_the_upper_limit_all_previous_packets_were_processed_or_timed_out(seed):
    """Whatever was asked for, and relayed in between: past the last packet's limit nothing holds A up."""
    chance = Random(seed)
    rules = QueueConfig(open_registration=True, require_timeout=True, max_time_ahead_ns=LIMIT)
    pair = QueuePair.registered(queue=rules)
    path, refused = pair.path, 0
    for tenths in chance.sample([0, 1, 2, 4, 8, 10, 11, 30, 1000], 9):
        pair.sync()
        known = pair.a.queues.clients.timestamp_at(
            StagedBlock(pair.a.chain).ctx, pair.a.client_id, pair.known(pair.a)
        )
        until = known + tenths * LIMIT // 10 if tenths else 0
        refused += pair.send(path, max_time_ns=until).code != 0
        if chance.random() < 0.4:
            pair.relay(path)
        pair.clock.advance(chance.randrange(10) * SECOND)
    assert refused == 4  # no timeout, and those beyond the limit
    pair.clock.advance(LIMIT + SECOND)
    pair.sync()
    head, tail = pair.a.bounds(path.outgoing)
    if head < tail:
        must(pair.a.submit(pair.timeout(path, head, tail - head)))
    assert pair.a.bounds(path.outgoing) == (5, 5)
    called = [name for name, _ in pair.a.mock.app.calls]
    assert called.count("on_commit") + called.count("on_rollback") == 5
    pair.close()
