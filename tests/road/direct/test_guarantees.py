"""What ICS-4's first text promises, each sentence a test on two real chains.

Sections: "Desired Properties", "Sending packets", "Receiving packets", "Acknowledgements", "Timeouts".
Cleaning up is in `test_cleanup.py`, races and odd packets in `test_races.py`, what a hostile module
may try in `test_capabilities.py`.
"""

import pytest

from conformance.kit.direct_channel import A, B, has, opened, send
from conformance.kit.direct_module import MODULE_PORT, DirectModules, packet_between
from conformance.kit.refusals import expect_call_refused
from conformance.kit.scripted_app import ScriptedRefusal
from conformance.kit.staged_block import StagedBlock
from conformance.native.trial import asking
from pyibc.core import paths
from pyibc.core.channel.types import ChannelState, Order
from pyibc.core.errors import (
    AcknowledgementExists,
    IbcError,
    InvalidAcknowledgement,
    InvalidPacket,
    InvalidProof,
    PacketCommitmentNotFound,
    PacketReceived,
    PacketSequenceOutOfOrder,
    TimeoutElapsed,
    TimeoutNotReached,
)
from pyibc.core.height import Height
from pyibc.core.packet.types import RECEIPT, acknowledgement_commitment, packet_commitment
from pyibc.core.proofs import fast
from pyibc.relayer.packets.packets import commitment_key

UNORDERED, ORDERED = Order.UNORDERED, Order.ORDERED
ORDERS = pytest.mark.parametrize("order", [UNORDERED, ORDERED], ids=lambda order: order.name)

# -- Desired properties: efficiency


def test_proofs_should_be_batchable_where_possible(monkeypatch):
    """One header, many packets: the paths that they share are hashed once."""
    net = opened()
    packets = send(net, *range(1, 33))
    calls = [net.calls_on_b.recv(packet) for packet in packets]
    assert len({call.arguments["proof_height"] for call in calls}) == 1
    counted, hashing = [], fast.sha256
    monkeypatch.setattr(fast, "sha256", lambda *raw: counted.append(1) or hashing(*raw))
    spent = []
    stage = StagedBlock(net.b.chain)
    with asking(None):  # Python's hashes are counted
        for call in calls:
            counted.clear()
            assert stage.call(call).error is None
            spent.append(len(counted))
    alone = spent[0]
    assert alone >= 6
    assert sum(spent) < 32 * alone / 2
    assert min(spent[1:]) <= 3  # its leaf, and where it joins what is known


def test_one_transaction_brings_many_packets_under_one_header():
    net = opened()
    packets = send(net, 1, 2, 3, 4)
    calls = [net.calls_on_b.recv(packet) for packet in packets]
    net.b.inside(lambda ctx: [call(ctx) for call in calls])
    net.pair.sync()
    answers = [net.calls_on_a.acknowledge(packet) for packet in packets]
    net.a.inside(lambda ctx: [call(ctx) for call in answers])
    assert not any(has(net.a, commitment_key(packet)) for packet in packets)


# -- Desired properties: exactly-once delivery


@ORDERS
def test_packets_sent_on_one_end_are_delivered_exactly_once_to_the_other(order):
    net = opened(order)
    [packet] = send(net, 1)
    call = net.calls_on_b.recv(packet)
    assert net.on_b(call) == packet
    for again in (call, net.calls_on_b.recv(packet), call.but(acknowledgement=b"another")):
        expect_call_refused(StagedBlock(net.b.chain), again, PacketReceived, sequence=1)


@ORDERS
def test_no_network_synchrony_is_required_and_packets_flow_again_once_the_chains_resume(order):
    """B halts, A goes on; then A halts; then both are back, days later: once each, no more."""
    net = opened(order)
    packets = send(net, 1, 2)
    for _ in range(5):
        net.a.chain.make_block([])  # B makes none
    net.pair.clock.advance(3 * 86_400 * 10**9)
    net.pair.sync()
    for packet in packets:
        assert net.on_b(net.calls_on_b.recv(packet)) == packet
        expect_call_refused(StagedBlock(net.b.chain), net.calls_on_b.recv(packet), PacketReceived)
    for packet in packets:
        assert net.on_a(net.calls_on_a.acknowledge(packet)) == packet


# -- Desired properties: ordering


def test_on_ordered_channels_packets_are_received_in_the_order_they_were_sent():
    net = opened(ORDERED)
    first, second, third = send(net, 1, 2, 3)
    for early in (second, third):
        call = net.calls_on_b.recv(early)
        expect_call_refused(StagedBlock(net.b.chain), call, PacketSequenceOutOfOrder, expected=1)
    for packet in (first, second, third):
        net.on_b(net.calls_on_b.recv(packet))


def test_on_unordered_channels_packets_may_be_received_in_any_order():
    net = opened(UNORDERED)
    packets = send(net, 1, 2, 3)
    for packet in (packets[2], packets[0], packets[1]):
        assert net.on_b(net.calls_on_b.recv(packet)) == packet


def test_unordered_packets_have_individual_timeouts_in_terms_of_the_destination_chains_height():
    net = opened(UNORDERED)
    soon, later = Height(1, net.b.chain.height + 4), Height(1, net.b.chain.height + 500)
    [short] = send(net, 1, timeout_height_on_b=soon)
    [long] = send(net, 2, timeout_height_on_b=later)
    for _ in range(4):
        net.pair.sync()
    expect_call_refused(StagedBlock(net.b.chain), net.calls_on_b.recv(short), TimeoutElapsed)
    assert net.on_b(net.calls_on_b.recv(long)) == long
    assert net.on_a(net.calls_on_a.timeout(short)) == short
    assert net.on_a(net.calls_on_a.acknowledge(long)) == long  # the channel continues


# -- Desired properties: permissioning


def test_channels_are_permissioned_to_one_module_on_each_end_immutable_afterwards():
    """No call of another module acts on an end, whatever it shows; see also the hostile application."""
    net = DirectModules((MODULE_PORT, "second-port"))
    net.open(A, B)
    stranger = net.calls["second-port"][0].module
    held = net.calls_on_a.module.held[A]
    for call in (
        net.calls_on_a.send(packet_between(1, A, B)),
        net.calls_on_a.close_init(A),
        net.calls_on_a.open_ack(A, B),
    ):
        attempt = StagedBlock(net.a.chain).call(
            lambda ctx, c=call: getattr(stranger.handler, c.method)(ctx, **{**c.arguments, "channel": held})
        )
        assert attempt.error is not None
        assert attempt.writes == {}


# -- Sending


def test_a_constant_size_commitment_is_stored_and_not_the_packet():
    """ "Note that the full packet is not stored": 32 bytes for 100,000, and a log that relayers index."""
    net = opened()
    data = bytes(range(256)) * 400
    packet = packet_between(1, A, B, data)
    attempt = StagedBlock(net.a.chain).call(net.calls_on_a.send(packet))
    written = dict(attempt.writes)
    assert len(written.pop(("ibc", commitment_key(packet)))) == 32
    assert written == {("ibc", paths.next_sequence_send_path(MODULE_PORT, A)): (2).to_bytes(8, "big")}
    [attributes] = [dict(pairs) for kind, pairs in attempt.events if kind == "send_packet"]
    assert bytes.fromhex(attributes["packet_data_hex"]) == data
    assert (attributes["packet_sequence"], attributes["packet_src_channel"]) == ("1", A)


def test_absence_of_the_path_in_the_store_is_equivalent_to_a_zero_bit():
    """What was never sent has no commitment: B gets no proof of it."""
    net = opened()
    unsent = packet_between(1, A, B)
    assert not has(net.a, commitment_key(unsent))
    expect_call_refused(StagedBlock(net.b.chain), net.calls_on_b.recv(unsent), InvalidProof)
    kept = net.a.keepers.packets.commitment
    assert kept(StagedBlock(net.a.chain).ctx, unsent) is None
    [sent] = send(net, 1)
    assert kept(StagedBlock(net.a.chain).ctx, sent) == packet_commitment(sent)


def test_application_logic_is_executed_atomically_in_conjunction_with_send_packet():
    """ "MUST": the module's write and the packet go together, whichever of them fails."""
    net = opened()
    stage = StagedBlock(net.a.chain)

    def module(ctx, packet, mine):
        ctx.store("scripted").set(b"escrowed", b"5")
        net.calls_on_a.send(packet)(ctx)
        mine()

    def refusal():
        raise ScriptedRefusal("module")

    good, bad = packet_between(1, A, B), packet_between(7, A, B)
    for packet, mine in ((good, refusal), (bad, lambda: None)):
        with pytest.raises(IbcError), stage.ctx.branch():
            module(stage.ctx, packet, mine)
        assert stage.writes() == {}
    module(stage.ctx, good, lambda: None)
    assert ("scripted", b"escrowed") in stage.writes()


# -- Receiving


def test_the_acknowledgement_is_set_at_a_path_unique_to_the_packet():
    net = opened()
    [packet] = send(net, 1)
    attempt = StagedBlock(net.b.chain).call(net.calls_on_b.recv(packet, b"an opaque value"))
    assert attempt.writes == {
        ("ibc", paths.packet_receipt_path(MODULE_PORT, B, 1)): RECEIPT,
        ("ibc", paths.packet_acknowledgement_path(MODULE_PORT, B, 1)): acknowledgement_commitment(
            b"an opaque value"
        ),
    }
    assert [kind for kind, _ in attempt.events if kind != "message"] == [
        "recv_packet",
        "write_acknowledgement",
    ]


def test_unordered_channels_always_write_even_an_empty_acknowledgement():
    """Today's receipt is that: its absence is the proof of a timeout. An answer may follow."""
    net = opened()
    until = Height(1, net.b.chain.height + 8)
    [packet] = send(net, 1, timeout_height_on_b=until)
    net.on_b(net.calls_on_b.recv(packet, b""))
    assert net.b.chain.get(paths.packet_receipt_path(MODULE_PORT, B, 1)) == RECEIPT
    assert not has(net.b, paths.packet_acknowledgement_path(MODULE_PORT, B, 1))
    for _ in range(6):
        net.pair.sync()
    expect_call_refused(StagedBlock(net.a.chain), net.calls_on_a.timeout(packet), InvalidProof)
    module = net.calls_on_b.module
    answer = lambda ctx: module.handler.write_acknowledgement(ctx, module.held[B], packet, b"late")  # noqa: E731
    net.on_b(answer)
    expect_call_refused(StagedBlock(net.b.chain), answer, AcknowledgementExists)
    assert net.on_a(net.calls_on_a.acknowledge(packet, b"late")) == packet


def test_ordered_channels_may_write_an_acknowledgement_but_are_not_required_to():
    net = opened(ORDERED)
    first, second = send(net, 1, 2)
    stage = StagedBlock(net.b.chain)
    counter = ("ibc", paths.next_sequence_recv_path(MODULE_PORT, B))
    assert stage.call(net.calls_on_b.recv(first, b"")).writes == {counter: (2).to_bytes(8, "big")}
    answered = stage.call(net.calls_on_b.recv(second, b"yes")).writes
    assert set(answered) == {counter, ("ibc", paths.packet_acknowledgement_path(MODULE_PORT, B, 2))}


def test_an_answer_that_was_written_ahead_of_its_packet_leaves_nothing_half_done():
    """recvPacket is refused as a whole: no receipt, no event."""
    net = opened()
    [packet] = send(net, 1)
    module = net.calls_on_b.module
    net.on_b(lambda ctx: module.handler.write_acknowledgement(ctx, module.held[B], packet, b"early"))
    expect_call_refused(StagedBlock(net.b.chain), net.calls_on_b.recv(packet), AcknowledgementExists)
    assert net.on_b(net.calls_on_b.recv(packet, b"")) == packet


def test_an_answer_to_a_packet_of_another_channel_is_refused():
    net = opened()
    module = net.calls_on_b.module
    for wrong in ({"port_id_on_a": "other"}, {"channel_id_on_a": "other-end"}):
        packet = packet_between(1, A, B, **wrong)
        expect_call_refused(
            StagedBlock(net.b.chain),
            lambda ctx, p=packet: module.handler.write_acknowledgement(ctx, module.held[B], p, b"x"),
            InvalidPacket,
        )
    empty = packet_between(1, A, B)
    expect_call_refused(
        StagedBlock(net.b.chain),
        lambda ctx: module.handler.write_acknowledgement(ctx, module.held[B], empty, b""),
        InvalidAcknowledgement,
    )


# -- Acknowledging, timing out


@ORDERS
def test_acknowledge_packet_cleans_up_the_commitment_so_we_cant_acknowledge_again(order):
    net = opened(order)
    [packet] = send(net, 1)
    net.on_b(net.calls_on_b.recv(packet))
    call = net.calls_on_a.acknowledge(packet)
    assert net.on_a(call) == packet
    assert not has(net.a, commitment_key(packet))
    expect_call_refused(StagedBlock(net.a.chain), call, PacketCommitmentNotFound, sequence=1)


def expire(net, order, until=6):
    [packet] = send(net, 1, timeout_height_on_b=Height(1, net.b.chain.height + until))
    for _ in range(until):
        net.pair.sync()
    return packet


def test_an_ordered_channel_closes_if_a_packet_has_timed_out():
    net = opened(ORDERED)
    packet = expire(net, ORDERED)
    net.on_a(net.calls_on_a.timeout(packet, ORDERED, 1))
    end = net.a.keepers.channels.get(StagedBlock(net.a.chain).ctx, MODULE_PORT, A)
    assert end.state is ChannelState.CLOSED


def test_unordered_channels_are_expected_to_continue_in_the_face_of_timed_out_packets():
    net = opened(UNORDERED)
    packet = expire(net, UNORDERED)
    net.on_a(net.calls_on_a.timeout(packet))
    [next_one] = send(net, 2)
    assert net.on_b(net.calls_on_b.recv(next_one)) == next_one


@ORDERS
def test_the_timeout_must_be_proven_on_the_recipient_chain_not_simply_the_absence_of_a_response(order):
    """A's own height is beyond it, B's is not: one can prove nothing in a partition, and must wait."""
    net = opened(order)
    [packet] = send(net, 1, timeout_height_on_b=Height(1, net.b.chain.height + 50))
    for _ in range(80):
        net.a.chain.make_block([])
    call = net.calls_on_a.timeout(packet, order)
    expect_call_refused(StagedBlock(net.a.chain), call, TimeoutNotReached)
    assert net.on_b(net.calls_on_b.recv(packet)) == packet


@ORDERS
def test_in_case_of_timeout_a_packet_can_be_timed_out_exactly_once_on_the_sending_chain(order):
    net = opened(order)
    packet = expire(net, order)
    call = net.calls_on_a.timeout(packet, order).but(held=net.calls_on_a.module.capability)
    assert net.on_a(call) == packet
    expect_call_refused(StagedBlock(net.a.chain), call, PacketCommitmentNotFound)
