"""What ICS-4's first text promises, each sentence a test on two real chains.

Sections: "Desired Properties", "Sending packets" to "Cleaning up state", "Reasoning about race conditions",
"Properties & Invariants". What a hostile module may try is in `test_ics4_capabilities.py`.
"""

from dataclasses import replace

import pytest

from ibc_module import hookimpl
from ibc_module.core import acknowledgement as acks
from ibc_module.core import paths
from ibc_module.core.channel import ChannelState, Order
from ibc_module.core.commitment import RECEIPT, acknowledgement_commitment
from ibc_module.core.height import Height
from ibc_module.core.middleware import PassThroughApp
from ibc_module.errors import (
    AcknowledgementExists,
    ChannelExists,
    CleanupRefused,
    IbcError,
    InvalidAcknowledgement,
    InvalidChannelCounterparty,
    InvalidChannelState,
    InvalidPacket,
    InvalidProof,
    InvalidSequence,
    PacketCommitmentNotFound,
    PacketReceived,
    PacketSequenceOutOfOrder,
    TimeoutElapsed,
    TimeoutNotReached,
)
from ibc_module.hookspecs import Middleware
from ibc_module.proofs import sdk_path
from localnet.testkit.app import ScriptedApp, ScriptedPlugin, ScriptedRefusal
from localnet.testkit.messages import Messages
from localnet.testkit.module import MODULE_PORT, Modules, opening, packet_between
from localnet.testkit.pair import Pair
from localnet.testkit.refusals import expect_call_refused, expect_refusal, expect_undone
from localnet.testkit.stage import Stage

A, B = "x-end-on-a", "x-end-on-b"
UNORDERED, ORDERED = Order.UNORDERED, Order.ORDERED
ORDERS = pytest.mark.parametrize("order", [UNORDERED, ORDERED], ids=lambda order: order.name)


def opened(order=UNORDERED, **options):
    net = Modules(**options)
    net.open(A, B, order)
    return net


def send(net, *numbers, **fields):
    packets = [packet_between(number, A, B, b"packet %d" % number, **fields) for number in numbers]
    for packet in packets:
        net.a.inside(net.calls_on_a.send(packet))
    net.pair.sync()
    return packets


def has(side, key):
    return side.chain.get(key) is not None


def commitment(packet):
    return paths.packet_commitment_path(packet.port_id_on_a, packet.channel_id_on_a, packet.sequence)


# -- Desired properties: efficiency


def test_proofs_should_be_batchable_where_possible(monkeypatch):
    """One header, many packets: the paths that they share are hashed once."""
    net = opened()
    packets = send(net, *range(1, 33))
    calls = [net.calls_on_b.recv(packet) for packet in packets]
    assert len({call.arguments["proof_height"] for call in calls}) == 1
    counted, hashing = [], sdk_path.sha256
    monkeypatch.setattr(sdk_path, "sha256", lambda *raw: counted.append(1) or hashing(*raw))
    spent = []
    stage = Stage(net.b.chain)
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
    assert not any(has(net.a, commitment(packet)) for packet in packets)


# -- Desired properties: exactly-once delivery


@ORDERS
def test_packets_sent_on_one_end_are_delivered_exactly_once_to_the_other(order):
    net = opened(order)
    [packet] = send(net, 1)
    call = net.calls_on_b.recv(packet)
    assert net.on_b(call) == packet
    for again in (call, net.calls_on_b.recv(packet), call.but(acknowledgement=b"another")):
        expect_call_refused(Stage(net.b.chain), again, PacketReceived, sequence=1)


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
        expect_call_refused(Stage(net.b.chain), net.calls_on_b.recv(packet), PacketReceived)
    for packet in packets:
        assert net.on_a(net.calls_on_a.acknowledge(packet)) == packet


# -- Desired properties: ordering


def test_on_ordered_channels_packets_are_received_in_the_order_they_were_sent():
    net = opened(ORDERED)
    first, second, third = send(net, 1, 2, 3)
    for early in (second, third):
        call = net.calls_on_b.recv(early)
        expect_call_refused(Stage(net.b.chain), call, PacketSequenceOutOfOrder, expected=1)
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
    expect_call_refused(Stage(net.b.chain), net.calls_on_b.recv(short), TimeoutElapsed)
    assert net.on_b(net.calls_on_b.recv(long)) == long
    assert net.on_a(net.calls_on_a.timeout(short)) == short
    assert net.on_a(net.calls_on_a.acknowledge(long)) == long  # the channel continues


# -- Desired properties: permissioning


def test_channels_are_permissioned_to_one_module_on_each_end_immutable_afterwards():
    """No call of another module acts on an end, whatever it shows; see also the hostile application."""
    net = Modules((MODULE_PORT, "second-port"))
    net.open(A, B)
    stranger = net.calls["second-port"][0].module
    held = net.calls_on_a.module.held[A]
    for call in (
        net.calls_on_a.send(packet_between(1, A, B)),
        net.calls_on_a.close_init(A),
        net.calls_on_a.open_ack(A, B),
    ):
        attempt = Stage(net.a.chain).call(
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
    attempt = Stage(net.a.chain).call(net.calls_on_a.send(packet))
    written = dict(attempt.writes)
    assert len(written.pop(("ibc", commitment(packet)))) == 32
    assert written == {("ibc", paths.next_sequence_send_path(MODULE_PORT, A)): (2).to_bytes(8, "big")}
    [attributes] = [dict(pairs) for kind, pairs in attempt.events if kind == "send_packet"]
    assert bytes.fromhex(attributes["packet_data_hex"]) == data
    assert (attributes["packet_sequence"], attributes["packet_src_channel"]) == ("1", A)


def test_absence_of_the_path_in_the_store_is_equivalent_to_a_zero_bit():
    """What was never sent has no commitment: B gets no proof of it."""
    net = opened()
    unsent = packet_between(1, A, B)
    assert not has(net.a, commitment(unsent))
    expect_call_refused(Stage(net.b.chain), net.calls_on_b.recv(unsent), InvalidProof)


def test_application_logic_is_executed_atomically_in_conjunction_with_send_packet():
    """ "MUST": the module's write and the packet go together, whichever of them fails."""
    net = opened()
    stage = Stage(net.a.chain)

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
    attempt = Stage(net.b.chain).call(net.calls_on_b.recv(packet, b"an opaque value"))
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
    expect_call_refused(Stage(net.a.chain), net.calls_on_a.timeout(packet), InvalidProof)
    module = net.calls_on_b.module
    answer = lambda ctx: module.handler.write_acknowledgement(ctx, module.held[B], packet, b"late")  # noqa: E731
    net.on_b(answer)
    expect_call_refused(Stage(net.b.chain), answer, AcknowledgementExists)
    assert net.on_a(net.calls_on_a.acknowledge(packet, b"late")) == packet


def test_ordered_channels_may_write_an_acknowledgement_but_are_not_required_to():
    net = opened(ORDERED)
    first, second = send(net, 1, 2)
    stage = Stage(net.b.chain)
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
    expect_call_refused(Stage(net.b.chain), net.calls_on_b.recv(packet), AcknowledgementExists)
    assert net.on_b(net.calls_on_b.recv(packet, b"")) == packet


def test_an_answer_to_a_packet_of_another_channel_is_refused():
    net = opened()
    module = net.calls_on_b.module
    for wrong in ({"port_id_on_a": "other"}, {"channel_id_on_a": "other-end"}):
        packet = packet_between(1, A, B, **wrong)
        expect_call_refused(
            Stage(net.b.chain),
            lambda ctx, p=packet: module.handler.write_acknowledgement(ctx, module.held[B], p, b"x"),
            InvalidPacket,
        )
    empty = packet_between(1, A, B)
    expect_call_refused(
        Stage(net.b.chain),
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
    assert not has(net.a, commitment(packet))
    expect_call_refused(Stage(net.a.chain), call, PacketCommitmentNotFound, sequence=1)


def expire(net, order, until=6):
    [packet] = send(net, 1, timeout_height_on_b=Height(1, net.b.chain.height + until))
    for _ in range(until):
        net.pair.sync()
    return packet


def test_an_ordered_channel_closes_if_a_packet_has_timed_out():
    net = opened(ORDERED)
    packet = expire(net, ORDERED)
    net.on_a(net.calls_on_a.timeout(packet, ORDERED, 1))
    end = net.a.keepers.channels.get(Stage(net.a.chain).ctx, MODULE_PORT, A)
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
    expect_call_refused(Stage(net.a.chain), call, TimeoutNotReached)
    assert net.on_b(net.calls_on_b.recv(packet)) == packet


@ORDERS
def test_in_case_of_timeout_a_packet_can_be_timed_out_exactly_once_on_the_sending_chain(order):
    net = opened(order)
    packet = expire(net, order)
    call = net.calls_on_a.timeout(packet, order).but(held=net.calls_on_a.module.capability)
    assert net.on_a(call) == packet
    expect_call_refused(Stage(net.a.chain), call, PacketCommitmentNotFound)


# -- Cleaning up


@ORDERS
def test_cleanup_packet_removes_a_received_packet_commitment(order):
    """Ordered: by B's next sequence. Unordered: by B's acknowledgement. The module is not told more of it."""
    net = opened(order)
    [packet] = send(net, 1)
    net.on_b(net.calls_on_b.recv(packet))
    call = net.calls_on_a.cleanup(packet, 2 if order is ORDERED else b"done")
    attempt = Stage(net.a.chain).call(call)
    expected = {("ibc", commitment(packet)): None}
    if order is ORDERED:
        expected["ibc", paths.next_sequence_ack_path(MODULE_PORT, A)] = (2).to_bytes(8, "big")
    assert attempt.writes == expected
    assert [kind for kind, _ in attempt.events if kind != "message"] == ["cleanup_packet"]
    assert net.on_a(call) == packet
    expect_call_refused(Stage(net.a.chain), call, PacketCommitmentNotFound)
    expect_call_refused(Stage(net.a.chain), net.calls_on_a.acknowledge(packet), PacketCommitmentNotFound)


@ORDERS
def test_the_receiving_end_must_have_already_processed_the_packet(order):
    net = opened(order)
    [packet] = send(net, 1)
    claim = 2 if order is ORDERED else b"done"
    expect_call_refused(Stage(net.a.chain), net.calls_on_a.cleanup(packet, claim), InvalidProof)
    if order is ORDERED:
        expect_call_refused(Stage(net.a.chain), net.calls_on_a.cleanup(packet, 1), InvalidSequence)


def test_ordered_packets_are_cleaned_up_in_order_so_that_acknowledgements_go_on():
    """Out of order, the channel would wait for ever for the answer to a packet it forgot."""
    net = opened(ORDERED)
    packets = send(net, 1, 2, 3)
    for packet in packets:
        net.on_b(net.calls_on_b.recv(packet))
    early = net.calls_on_a.cleanup(packets[1], 4)
    expect_call_refused(Stage(net.a.chain), early, PacketSequenceOutOfOrder, expected=1, got=2)
    net.on_a(net.calls_on_a.cleanup(packets[0], 4))  # B's counter is further on: it shows the first one too
    net.on_a(net.calls_on_a.acknowledge(packets[1]))
    net.on_a(net.calls_on_a.cleanup(packets[2], 4))
    assert not any(has(net.a, commitment(packet)) for packet in packets)


class Forgetful(ScriptedApp):
    """Lets anybody clean up."""

    def on_cleanup_packet(self, ctx, channel_version, packet, acknowledgement, relayer):
        self._play("on_cleanup_packet", None, packet, acknowledgement)


class ForgetfulPlugin(ScriptedPlugin):
    def __init__(self):
        super().__init__("forgetful", ())
        self.app = Forgetful()


def cleanable(order, extra=ForgetfulPlugin):
    """A packet of an application that lets anybody clean up, answered; and the message."""
    made = []

    def plugins():
        made.append(extra())
        return [made[-1]]

    net = Modules(extra=plugins)
    path = net.pair.open("forgetful", order, "mock-version")
    sender, end = made[0].sender, path.a
    until = Height(1, 10**6)
    net.a.inside(lambda ctx: sender.send_packet(ctx, end.port_id, end.channel_id, until, 0, b"data"))
    net.pair.sync()
    ports = {"port_id_on_a": "forgetful", "port_id_on_b": "forgetful"}
    packet = packet_between(1, path.a.channel_id, path.b.channel_id, b"data", **ports)
    assert net.b.submit(Messages(net.pair, net.b).recv(packet)).code == 0
    net.pair.sync()
    claim = 2 if order is ORDERED else acks.success()
    return net, made[0], packet, net.named(net.a).cleanup(packet, claim)


@ORDERS
def test_anybody_cleans_up_for_an_application_that_lets_him(order):
    net, plugin, packet, message = cleanable(order)
    assert net.a.submit(message).code == 0
    assert plugin.app.calls[-1] == "on_cleanup_packet"
    assert not has(net.a, commitment(packet))
    again = Stage(net.a.chain).attempt(message)
    assert (again.error, again.writes) == (None, {})  # a relayer who came second


def test_an_application_may_refuse_to_have_a_packet_cleaned_up():
    net, plugin, _, message = cleanable(UNORDERED)
    plugin.app.refuse("on_cleanup_packet")
    expect_undone(Stage(net.a.chain), message, ScriptedRefusal)


def test_nobody_cleans_up_for_an_application_that_waits_for_its_answer():
    """A transfer's refund would be lost: ICS-20 has no such callback, nor has a middleware around one."""
    pair = Pair.connected(ics4=True)
    path = pair.transfer
    packet = packet_between(
        1, path.a.channel_id, path.b.channel_id, port_id_on_a="transfer", port_id_on_b="transfer"
    )
    message = Modules().named(pair.a).cleanup(packet, b"x")
    expect_refusal(Stage(pair.a.chain), message, CleanupRefused, port_id="transfer")

    class Wrapped(ForgetfulPlugin):
        @hookimpl
        def ibc_register_middleware(self):
            return [Middleware("forgetful", lambda below, _: PassThroughApp(below))]

    net, _, _, message = cleanable(UNORDERED, Wrapped)
    expect_refusal(Stage(net.a.chain), message, CleanupRefused, port_id="forgetful")


# -- Reasoning about race conditions


def test_if_two_machines_simultaneously_initiate_with_the_same_identifiers_both_will_fail():
    """ "Attempting to use the same identifiers": not each other's ends. New identifiers must be used."""
    net = Modules()
    net.a.inside(net.calls_on_a.open_init(opening(A, B)))
    net.b.inside(net.calls_on_b.open_init(opening(B, "x-another-end-on-a")))
    net.pair.sync()
    on_b = net.calls_on_b.open_try(opening(B, A))
    on_a = net.calls_on_a.open_try(opening(A, B))
    expect_call_refused(Stage(net.b.chain), on_b, ChannelExists, port_id=MODULE_PORT, channel_id=B)
    expect_call_refused(Stage(net.a.chain), on_a, InvalidProof)  # B's end does not mean this one
    for calls, ends in ((net.calls_on_a, (A, B)), (net.calls_on_b, (B, A))):
        for call in (calls.open_ack(*ends), calls.open_confirm(*ends)):
            error = Stage((net.a if calls is net.calls_on_a else net.b).chain).call(call).error
            assert type(error) in {InvalidProof, InvalidChannelState, InvalidChannelCounterparty}
    net.open("y-end-on-a", "y-end-on-b")


def test_identifier_allocation_a_claimed_name_is_annoying_but_no_man_in_the_middle():
    """Another module of B's has the name first, on its own port: the handshake goes where it was for."""
    net = Modules((MODULE_PORT, "second-port"))
    net.on_a(net.calls_on_a.open_init(opening(A, B)))
    thief = net.calls["second-port"][1]
    net.on_b(thief.open_init(opening(B, A, port="second-port")))
    stolen = opening(B, A, port="second-port")
    answer = net.calls_on_b.open_try(opening(B, A))
    seized = answer.but(opening=stolen._replace(counterparty=answer.arguments["opening"].counterparty))
    seized.module, seized.arguments["port"] = thief.module, thief.module.capability
    assert type(Stage(net.b.chain).call(seized).error) in {InvalidProof, ChannelExists}
    net.on_b(answer)
    net.on_a(net.calls_on_a.open_ack(A, B))
    net.on_b(net.calls_on_b.open_confirm(B, A))


def test_on_its_own_port_a_taken_name_means_that_new_identifiers_must_be_used():
    net = Modules()
    net.on_b(net.calls_on_b.open_init(opening(B, "x-another-end-on-a")))
    net.on_a(net.calls_on_a.open_init(opening(A, B)))
    expect_call_refused(Stage(net.b.chain), net.calls_on_b.open_try(opening(B, A)), ChannelExists)
    net.open("y-end-on-a", "y-end-on-b")


@ORDERS
def test_there_is_no_race_condition_between_a_packet_timeout_and_packet_confirmation(order):
    """At every height of B's either it can still be received or it can be timed out, and never both."""
    net = opened(order)
    until = net.b.chain.height + 8
    [packet] = send(net, 1, timeout_height_on_b=Height(1, until))
    seen = set()
    while net.b.chain.height <= until + 2:
        receivable = Stage(net.b.chain).call(net.calls_on_b.recv(packet)).error
        timeoutable = Stage(net.a.chain).call(net.calls_on_a.timeout(packet, order)).error
        assert receivable is not None or timeoutable is not None
        assert type(receivable) in {type(None), TimeoutElapsed}
        assert type(timeoutable) in {type(None), TimeoutNotReached}
        seen.add((receivable is None, timeoutable is None))
        net.pair.sync()
    assert {(True, False), (False, True)} <= seen


@ORDERS
def test_a_packet_received_at_the_last_height_is_never_timed_out(order):
    net = opened(order)
    until = net.b.chain.height + 4
    [packet] = send(net, 1, timeout_height_on_b=Height(1, until))
    while net.b.chain.height < until - 2:
        net.b.chain.make_block([])
    net.on_b(net.calls_on_b.recv(packet))
    for _ in range(4):
        net.pair.sync()
    for claim in (1, 2):
        error = Stage(net.a.chain).call(net.calls_on_a.timeout(packet, order, claim)).error
        assert type(error) in {InvalidProof, PacketReceived}
    assert net.on_a(net.calls_on_a.acknowledge(packet)) == packet


def test_verification_of_cross_chain_state_prevents_man_in_the_middle_attacks():
    """ "All information is known by the module which starts the handshake and confirmed prior to completion":
    nothing that A's end says can be answered as if it said something else."""
    net = Modules((MODULE_PORT, "second-port"))
    net.on_a(net.calls_on_a.open_init(opening(A, B)))
    good = net.calls_on_b.open_try(opening(B, A))
    stage = Stage(net.b.chain)
    for change in (
        {"opening": opening(B, A, ORDERED)},
        {"opening": opening("x-other-end-b", A)},
        {"counterparty_version": "v2"},
    ):
        expect_call_refused(stage, good.but(**change), InvalidProof)
    net.on_b(good)
    ack = net.calls_on_a.open_ack(A, B)
    expect_call_refused(Stage(net.a.chain), ack.but(counterparty=(B, "v2")), InvalidProof)


def test_another_chains_handler_cannot_stand_in_for_the_one_that_was_meant():
    """A third chain with the very same channel: its proofs lead to no root that B's client of A knows."""
    honest, third = Modules(), Modules()
    for net in (honest, third):
        net.on_a(net.calls_on_a.open_init(opening(A, B)))
    third.a.chain.make_block([])
    third.pair.sync()
    forged = third.calls_on_b.open_try(opening(B, A))
    call = honest.calls_on_b.open_try(opening(B, A)).but(proof_init=forged.arguments["proof_init"])
    expect_call_refused(Stage(honest.b.chain), call, InvalidProof)


@ORDERS
def test_if_a_channel_is_closed_with_packets_in_flight_they_are_timed_out_on_the_source_chain(order):
    """ "The packets can no longer be received on the destination chain": before their timeout, at once."""
    net = opened(order)
    [packet] = send(net, 1)
    recv = net.calls_on_b.recv(packet)
    net.on_b(net.calls_on_b.close_init(B))
    expect_call_refused(Stage(net.b.chain), recv, InvalidChannelState, got="CLOSED")
    call = net.calls_on_a.timeout_on_close(packet, order)
    assert net.on_a(call) == packet
    again = call.but(held=net.calls_on_a.module.capability)
    expect_call_refused(Stage(net.a.chain), again, PacketCommitmentNotFound)


@ORDERS
def test_a_packet_that_arrived_before_the_close_is_not_taken_back(order):
    net = opened(order)
    [packet] = send(net, 1)
    net.on_b(net.calls_on_b.recv(packet))
    net.on_b(net.calls_on_b.close_init(B))
    for claim in (1, 2):
        error = Stage(net.a.chain).call(net.calls_on_a.timeout_on_close(packet, order, claim)).error
        assert type(error) in {InvalidProof, InvalidPacket}


# -- Properties & invariants: bad numbers and odd packets


NUMBERS = {
    "sequence 0": ({"sequence": 0}, InvalidPacket),
    "sequence 2^63": ({"sequence": 2**63}, PacketSequenceOutOfOrder),
    "sequence 2^64-1": ({"sequence": 2**64 - 1}, PacketSequenceOutOfOrder),
}
BEYOND = ({"sequence": 2**64}, {"sequence": -1}, {"timeout_ns_on_b": 2**64}, {"timeout_ns_on_b": -1})
TYPES = (
    {"sequence": True},
    {"sequence": "1"},
    {"data": "text"},
    {"data": bytearray(b"x")},
    {"port_id_on_a": b"direct"},
    {"timeout_height_on_b": (1, 5)},
    {"timeout_height_on_b": Height(1, 2**64)},
    {"timeout_height_on_b": Height(-1, 1)},
    {"timeout_height_on_b": Height(1, True)},
)


def test_a_module_cannot_send_what_does_not_fit_the_wire():
    net = opened()
    packet = packet_between(1, A, B)
    stage = Stage(net.a.chain)
    for change, error in NUMBERS.values():
        expect_call_refused(stage, net.calls_on_a.send(replace(packet, **change)), error)
    for change in (*BEYOND, *TYPES):
        attempt = stage.call(net.calls_on_a.send(packet).but(packet=replace(packet, **change)))
        assert type(attempt.error).__name__ == "InvalidRequest", change
        assert attempt.writes == {}
