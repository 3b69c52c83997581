"""Packets sent before their channel is open (ICS-4): where the host allows it, few, never lost or doubled."""

from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conformance.kit.direct_module import MODULE_PORT, DirectModules, opening, packet_between
from conformance.kit.messages import Messages
from conformance.kit.paired_chain import NEVER
from conformance.kit.refusals import expect_call_refused, expect_refusal
from conformance.kit.scripted_app import PORT, PORT_ON_B, VERSION
from conformance.kit.staged_block import StagedBlock
from pyibc.core import paths
from pyibc.core.channel.types import ChannelState, Order
from pyibc.core.errors import (
    CounterpartyUnknown,
    IbcError,
    InvalidChannelState,
    InvalidProof,
    InvalidSequence,
    PacketCommitmentNotFound,
    TooManyOptimisticPackets,
)
from pyibc.core.height import Height
from tests.sampling import rounds

A, B = "x-end-on-a", "x-end-on-b"
ORDERS = pytest.mark.parametrize("order", [Order.UNORDERED, Order.ORDERED], ids=lambda order: order.name)


@pytest.fixture
def net():
    return DirectModules(optimistic_sends=3)


def finish(net, a=A, b=B):
    """The rest of the handshake after A's INIT."""
    net.on_b(net.calls_on_b.open_try(opening(b, a, net_order(net, a))))
    net.on_a(net.calls_on_a.open_ack(a, b))
    net.on_b(net.calls_on_b.open_confirm(b, a))


def net_order(net, channel_id):
    return net.a.keepers.channels.get(StagedBlock(net.a.chain).ctx, MODULE_PORT, channel_id).ordering


def test_todays_send_refuses_unless_open():
    """Without a word from the host."""
    net = DirectModules()
    net.on_a(net.calls_on_a.open_init(opening(A, B)))
    call = net.calls_on_a.send(packet_between(1, A, B))
    expect_call_refused(StagedBlock(net.a.chain), call, InvalidChannelState, expected="OPEN", got="INIT")


def test_a_limit_below_zero_allows_none():
    net = DirectModules(optimistic_sends=-1)
    net.on_a(net.calls_on_a.open_init(opening(A, B)))
    expect_call_refused(
        StagedBlock(net.a.chain), net.calls_on_a.send(packet_between(1, A, B)), InvalidChannelState
    )


def test_optimistic_sends_are_bounded(net):
    net.on_a(net.calls_on_a.open_init(opening(A, B)))
    for number in (1, 2, 3):
        net.on_a(net.calls_on_a.send(packet_between(number, A, B)))
    fourth = net.calls_on_a.send(packet_between(4, A, B))
    expect_call_refused(StagedBlock(net.a.chain), fourth, TooManyOptimisticPackets, limit=3)
    finish(net)
    net.on_a(net.calls_on_a.send(packet_between(4, A, B)))
    net.on_a(net.calls_on_a.send(packet_between(5, A, B)))


def test_a_channel_that_does_not_know_its_other_end_sends_nothing(net):
    net.on_a(net.calls_on_a.open_init(opening(A, "")))
    sender = net.calls_on_a.module.services.sender
    expect_call_refused(
        StagedBlock(net.a.chain),
        lambda ctx: sender.send_packet(ctx, MODULE_PORT, A, NEVER, 0, b"whither"),
        CounterpartyUnknown,
        channel_id=A,
    )


def test_the_answering_end_sends_while_it_is_tryopen(net):
    net.on_a(net.calls_on_a.open_init(opening(A, B)))
    net.on_b(net.calls_on_b.open_try(opening(B, A)))
    early = packet_between(1, B, A)
    net.on_b(net.calls_on_b.send(early))
    net.on_a(net.calls_on_a.open_ack(A, B))
    assert net.on_a(net.calls_on_a.recv(early)) == early


def test_an_application_that_is_routed_to_may_send_early_too(net):
    named_a, named_b = net.named(net.a), net.named(net.b)
    asked_a = opening(A, B, version=VERSION, port=PORT, far_port=PORT_ON_B)
    asked_b = opening(B, A, version=VERSION, port=PORT_ON_B, far_port=PORT)
    assert net.a.submit(named_a.channel_open_init(asked_a)).code == 0
    sender = net.a.scripted.sender
    assert net.a.inside(lambda ctx: sender.send_packet(ctx, PORT, A, NEVER, 0, b"early")) == 1
    net.pair.sync()
    assert net.b.submit(named_b.channel_open_try(asked_b, VERSION)).code == 0
    net.pair.sync()
    assert net.a.submit(named_a.channel_open_ack(A, B, VERSION)).code == 0
    net.pair.sync()
    assert net.b.submit(named_b.channel_open_confirm(B, A)).code == 0
    early = packet_between(1, A, B, b"early", port_id_on_a=PORT, port_id_on_b=PORT_ON_B)
    assert net.b.submit(Messages(net.pair, net.b).recv(early)).code == 0
    assert net.b.app.calls.count("on_recv_packet") == 1


@ORDERS
def test_a_day_in_the_life_of_a_packet_starting_from_scratch(net, order):
    """ "Connection opening handshake started; channel opening handshake started; packet sent over the newly
    created channel; successful completion of handshakes; packet confirmation; acknowledgement", in order."""
    named_a, named_b = net.named(net.a), net.named(net.b)
    ours, theirs = "new-conn-on-a", "new-conn-on-b"
    assert net.a.submit(named_a.connection_open_init(ours, theirs)).code == 0
    net.on_a(net.calls_on_a.open_init(opening(A, B, order, connection_id=ours)))
    packet = packet_between(1, A, B, b"before anything is open")
    net.on_a(net.calls_on_a.send(packet))
    assert net.b.submit(named_b.connection_open_try(theirs, ours)).code == 0
    net.pair.sync()
    assert net.a.submit(named_a.connection_open_ack(ours, theirs)).code == 0
    net.pair.sync()
    assert net.b.submit(named_b.connection_open_confirm(theirs, ours)).code == 0
    net.pair.sync()
    net.on_b(net.calls_on_b.open_try(opening(B, A, order, connection_id=theirs)))
    too_early = net.calls_on_b.recv(packet)
    expect_call_refused(StagedBlock(net.b.chain), too_early, InvalidChannelState, got="TRYOPEN")
    net.on_a(net.calls_on_a.open_ack(A, B))
    net.on_b(net.calls_on_b.open_confirm(B, A))
    assert net.on_b(net.calls_on_b.recv(packet)) == packet
    assert net.on_a(net.calls_on_a.acknowledge(packet)) == packet
    again = net.calls_on_a.acknowledge(packet)
    expect_call_refused(StagedBlock(net.a.chain), again, PacketCommitmentNotFound)


def pass_timeouts(net, blocks=12):
    for _ in range(blocks):
        net.b.chain.make_block([])
    net.pair.sync()


def early_packet(net):
    """A packet on a channel that never opens, B past its timeout."""
    packet = packet_between(1, A, B, timeout_height_on_b=Height(1, net.b.chain.height + 10))
    net.on_a(net.calls_on_a.send(packet))
    pass_timeouts(net)
    return packet


def test_if_the_handshake_fails_the_channel_can_be_closed_and_the_packet_timed_out(net):
    """Unordered: B has no receipt."""
    net.on_a(net.calls_on_a.open_init(opening(A, B)))
    packet = early_packet(net)
    net.on_a(net.calls_on_a.close_init(A))
    port = net.calls_on_a.module.capability
    assert net.on_a(net.calls_on_a.timeout(packet).but(held=port)) == packet
    again = net.calls_on_a.timeout(packet).but(held=port)
    expect_call_refused(StagedBlock(net.a.chain), again, PacketCommitmentNotFound)


def test_if_the_handshake_fails_an_ordered_packet_is_timed_out_by_the_missing_counter(net):
    """Ordered: B has no nextSequenceRecv for a channel it never had; the end on A closes."""
    net.on_a(net.calls_on_a.open_init(opening(A, B, Order.ORDERED)))
    packet = early_packet(net)
    call = net.calls_on_a.timeout(packet, Order.ORDERED, None)
    expect_call_refused(StagedBlock(net.a.chain), call.but(next_sequence_recv=1), InvalidProof)
    expect_call_refused(StagedBlock(net.a.chain), call.but(next_sequence_recv=0), InvalidSequence)
    assert net.on_a(call) == packet
    assert (
        net.a.keepers.channels.get(StagedBlock(net.a.chain).ctx, MODULE_PORT, A).state is ChannelState.CLOSED
    )
    late = net.calls_on_b.open_try(opening(B, A, Order.ORDERED))
    expect_call_refused(StagedBlock(net.b.chain), late, InvalidProof)


def test_a_message_takes_an_ordered_packet_back_from_a_channel_that_never_was(net):
    asked = opening(A, B, Order.ORDERED, VERSION, port=PORT, far_port=PORT_ON_B)
    assert net.a.submit(net.named(net.a).channel_open_init(asked)).code == 0
    until, sender = Height(1, net.b.chain.height + 10), net.a.scripted.sender
    net.a.inside(lambda ctx: sender.send_packet(ctx, PORT, A, until, 0, b"data"))
    pass_timeouts(net)
    packet = packet_between(1, A, B, port_id_on_a=PORT, port_id_on_b=PORT_ON_B, timeout_height_on_b=until)
    todays = Messages(net.pair, net.a).timeout(packet, Order.ORDERED, 0)
    expect_refusal(StagedBlock(net.a.chain), todays, InvalidSequence)
    assert net.a.submit(net.named(net.a).timeout(packet, Order.ORDERED, 0)).code == 0
    assert net.a.app.calls.count("on_timeout_packet") == 1


def test_a_counter_that_is_there_is_not_said_to_be_missing(net):
    """The proof that nothing lies under nextSequenceRecv fails where the channel exists."""
    net.open(A, B, Order.ORDERED)
    packet = early_packet(net)
    expect_call_refused(
        StagedBlock(net.a.chain), net.calls_on_a.timeout(packet, Order.ORDERED, None), InvalidProof
    )
    assert net.on_a(net.calls_on_a.timeout(packet, Order.ORDERED, 1)) == packet


# -- whatever the handshake does


class Walk:
    """Two ends, what was sent, received, acknowledged, taken back; each step is a block on a real chain."""

    def __init__(self, order):
        self.order = order
        self.net = DirectModules(optimistic_sends=3)
        self.ends = {"a": (A, B), "b": (B, A)}
        self.calls = {"a": self.net.calls_on_a, "b": self.net.calls_on_b}
        self.sides = {"a": self.net.a, "b": self.net.b}
        self.sent = {"a": [], "b": []}
        self.received = {"a": [], "b": []}  # by the OTHER side
        self.acked, self.taken = Counter(), Counter()

    def do(self, side, call):
        """The result of a call, None where it was refused: then it changed nothing."""
        results = []

        def action(ctx):
            try:
                with ctx.branch():
                    results.append(call(ctx))
            except IbcError:
                results.append(None)

        self.sides[side].inside(action)
        self.net.pair.sync()
        return results[0]

    def step(self, name, side, pick):
        calls, (ours, theirs) = self.calls[side], self.ends[side]
        far = "b" if side == "a" else "a"
        if name in {"open_init", "open_try"}:
            self.do(side, getattr(calls, name)(opening(ours, theirs, self.order)))
        elif name in {"open_ack", "open_confirm", "close_confirm"}:
            self.do(side, getattr(calls, name)(ours, theirs))
        elif name == "close_init":
            self.do(side, calls.close_init(ours))
        elif name == "send":
            self.send(side, calls, ours, theirs, far)
        elif self.sent[side]:
            self.packet_step(name, side, far, self.sent[side][pick % len(self.sent[side])])

    def send(self, side, calls, ours, theirs, far):
        until = Height(1, self.sides[far].chain.height + 90)
        packet = packet_between(len(self.sent[side]) + 1, ours, theirs, timeout_height_on_b=until)
        done = self.do(side, lambda ctx: (calls.send(packet)(ctx), True))
        if done is not None:
            self.sent[side].append(packet)

    def packet_step(self, name, side, far, packet):
        if name == "recv":
            if self.do(far, self.calls[far].recv(packet)) is not None:
                self.received[side].append(packet.sequence)
        elif name == "acknowledge":
            if self.do(side, self.calls[side].acknowledge(packet)) is not None:
                self.acked[side, packet.sequence] += 1
        else:
            self.take_back(name, side, packet)

    def take_back(self, name, side, packet):
        calls = self.calls[side]
        proven = len(self.received[side]) + 1
        claims = [proven, None] if name == "timeout" else [proven]
        for claim in claims:
            call = getattr(calls, name)(packet, self.order, claim).but(held=calls.module.capability)
            if self.do(side, call) is not None:
                self.taken[side, packet.sequence] += 1

    def check(self):
        for side in ("a", "b"):
            numbers = [packet.sequence for packet in self.sent[side]]
            got = self.received[side]
            assert numbers == list(range(1, len(numbers) + 1))  # the handshake set no counter back
            assert max(Counter(got).values(), default=0) <= 1
            assert self.order is Order.UNORDERED or got == numbers[: len(got)]
            for number in numbers:
                taken, acked = self.taken[side, number], self.acked[side, number]
                assert taken + acked <= 1
                assert not (taken and number in got)
                assert not acked or number in got
                port, channel = MODULE_PORT, self.ends[side][0]
                held = self.sides[side].chain.get(paths.packet_commitment_path(port, channel, number))
                assert (held is None) == bool(taken + acked)

    def settle(self):
        """Relayers do what is left to do, then time passes."""
        for name in ("open_try", "open_ack", "open_confirm"):
            for side in ("a", "b"):
                self.step(name, side, 0)
        self.all_packets("recv")
        self.all_packets("acknowledge")
        for side in self.sides.values():
            for _ in range(100):
                side.chain.make_block([])
        self.net.pair.sync()
        self.all_packets("timeout")

    def all_packets(self, name):
        for side in ("a", "b"):
            far = "b" if side == "a" else "a"
            for packet in self.sent[side]:
                self.packet_step(name, side, far, packet)


NAMES = (
    "open_init", "open_try", "open_ack", "open_confirm", "close_init", "close_confirm",
    "send", "send", "recv", "acknowledge", "timeout_on_close",
)  # fmt: skip
STEP = st.tuples(st.sampled_from(NAMES), st.sampled_from("ab"), st.integers(0, 3))
HISTORIES = {
    "order": st.sampled_from([Order.UNORDERED, Order.ORDERED]),
    "steps": st.lists(STEP, min_size=5, max_size=20),
}


def walk_and_settle(order, steps):
    walk = Walk(order)
    walk.step("open_init", "a", 0)
    walk.step("send", "a", 0)
    for step in steps:
        walk.step(*step)
        walk.check()
    walk.settle()
    walk.check()
    for side in ("a", "b"):
        for packet in walk.sent[side]:
            once = walk.taken[side, packet.sequence] + (packet.sequence in walk.received[side])
            assert once == 1, (side, packet)


@settings(max_examples=4, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(**HISTORIES)
def test_no_packet_is_lost_or_doubled_by_the_handshake(order, steps):
    """Any order of both sides' steps: each packet that was sent is received once or taken back once."""
    walk_and_settle(order, steps)


@pytest.mark.exhaustive
@settings(max_examples=rounds(25, 100), deadline=None, suppress_health_check=list(HealthCheck))
@given(**HISTORIES)
def test_no_packet_is_lost_or_doubled_by_many_handshakes(order, steps):
    walk_and_settle(order, steps)
