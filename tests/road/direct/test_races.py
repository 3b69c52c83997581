"""What ICS-4's first text promises under "Reasoning about race conditions" and "Properties & Invariants"."""

from dataclasses import replace

import pytest

from conformance.kit.direct_channel import A, B, opened, send
from conformance.kit.direct_module import MODULE_PORT, DirectModules, opening, packet_between
from conformance.kit.refusals import expect_call_refused
from conformance.kit.staged_block import StagedBlock
from pyibc.core.channel.types import Order
from pyibc.core.errors import (
    ChannelExists,
    InvalidChannelCounterparty,
    InvalidChannelState,
    InvalidPacket,
    InvalidProof,
    PacketCommitmentNotFound,
    PacketReceived,
    PacketSequenceOutOfOrder,
    TimeoutElapsed,
    TimeoutNotReached,
)
from pyibc.core.height import Height

UNORDERED, ORDERED = Order.UNORDERED, Order.ORDERED
ORDERS = pytest.mark.parametrize("order", [UNORDERED, ORDERED], ids=lambda order: order.name)


# -- Reasoning about race conditions


def test_if_two_machines_simultaneously_initiate_with_the_same_identifiers_both_will_fail():
    """ "Attempting to use the same identifiers": not each other's ends. New identifiers must be used."""
    net = DirectModules()
    net.a.inside(net.calls_on_a.open_init(opening(A, B)))
    net.b.inside(net.calls_on_b.open_init(opening(B, "x-another-end-on-a")))
    net.pair.sync()
    on_b = net.calls_on_b.open_try(opening(B, A))
    on_a = net.calls_on_a.open_try(opening(A, B))
    expect_call_refused(StagedBlock(net.b.chain), on_b, ChannelExists, port_id=MODULE_PORT, channel_id=B)
    expect_call_refused(StagedBlock(net.a.chain), on_a, InvalidProof)  # B's end does not mean this one
    for calls, ends in ((net.calls_on_a, (A, B)), (net.calls_on_b, (B, A))):
        for call in (calls.open_ack(*ends), calls.open_confirm(*ends)):
            error = StagedBlock((net.a if calls is net.calls_on_a else net.b).chain).call(call).error
            assert type(error) in {InvalidProof, InvalidChannelState, InvalidChannelCounterparty}
    net.open("y-end-on-a", "y-end-on-b")


def test_identifier_allocation_a_claimed_name_is_annoying_but_no_man_in_the_middle():
    """Another module of B's has the name first, on its own port: the handshake goes where it was for."""
    net = DirectModules((MODULE_PORT, "second-port"))
    net.on_a(net.calls_on_a.open_init(opening(A, B)))
    thief = net.calls["second-port"][1]
    net.on_b(thief.open_init(opening(B, A, port="second-port")))
    stolen = opening(B, A, port="second-port")
    answer = net.calls_on_b.open_try(opening(B, A))
    seized = answer.but(opening=stolen._replace(counterparty=answer.arguments["opening"].counterparty))
    seized.module, seized.arguments["port"] = thief.module, thief.module.capability
    assert type(StagedBlock(net.b.chain).call(seized).error) in {InvalidProof, ChannelExists}
    net.on_b(answer)
    net.on_a(net.calls_on_a.open_ack(A, B))
    net.on_b(net.calls_on_b.open_confirm(B, A))


def test_on_its_own_port_a_taken_name_means_that_new_identifiers_must_be_used():
    net = DirectModules()
    net.on_b(net.calls_on_b.open_init(opening(B, "x-another-end-on-a")))
    net.on_a(net.calls_on_a.open_init(opening(A, B)))
    expect_call_refused(StagedBlock(net.b.chain), net.calls_on_b.open_try(opening(B, A)), ChannelExists)
    net.open("y-end-on-a", "y-end-on-b")


@ORDERS
def test_there_is_no_race_condition_between_a_packet_timeout_and_packet_confirmation(order):
    """At every height of B's either it can still be received or it can be timed out, and never both."""
    net = opened(order)
    until = net.b.chain.height + 8
    [packet] = send(net, 1, timeout_height_on_b=Height(1, until))
    seen = set()
    while net.b.chain.height <= until + 2:
        receivable = StagedBlock(net.b.chain).call(net.calls_on_b.recv(packet)).error
        timeoutable = StagedBlock(net.a.chain).call(net.calls_on_a.timeout(packet, order)).error
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
        error = StagedBlock(net.a.chain).call(net.calls_on_a.timeout(packet, order, claim)).error
        assert type(error) in {InvalidProof, PacketReceived}
    assert net.on_a(net.calls_on_a.acknowledge(packet)) == packet


def test_verification_of_cross_chain_state_prevents_man_in_the_middle_attacks():
    """ "All information is known by the module which starts the handshake and confirmed prior to completion":
    nothing that A's end says can be answered as if it said something else."""
    net = DirectModules((MODULE_PORT, "second-port"))
    net.on_a(net.calls_on_a.open_init(opening(A, B)))
    good = net.calls_on_b.open_try(opening(B, A))
    stage = StagedBlock(net.b.chain)
    for change in (
        {"opening": opening(B, A, ORDERED)},
        {"opening": opening("x-other-end-b", A)},
        {"counterparty_version": "v2"},
    ):
        expect_call_refused(stage, good.but(**change), InvalidProof)
    net.on_b(good)
    ack = net.calls_on_a.open_ack(A, B)
    expect_call_refused(StagedBlock(net.a.chain), ack.but(counterparty=(B, "v2")), InvalidProof)


def test_another_chains_handler_cannot_stand_in_for_the_one_that_was_meant():
    """A third chain with the very same channel: its proofs lead to no root that B's client of A knows."""
    honest, third = DirectModules(), DirectModules()
    for net in (honest, third):
        net.on_a(net.calls_on_a.open_init(opening(A, B)))
    third.a.chain.make_block([])
    third.pair.sync()
    forged = third.calls_on_b.open_try(opening(B, A))
    call = honest.calls_on_b.open_try(opening(B, A)).but(proof_init=forged.arguments["proof_init"])
    expect_call_refused(StagedBlock(honest.b.chain), call, InvalidProof)


@ORDERS
def test_if_a_channel_is_closed_with_packets_in_flight_they_are_timed_out_on_the_source_chain(order):
    """ "The packets can no longer be received on the destination chain": before their timeout, at once."""
    net = opened(order)
    [packet] = send(net, 1)
    recv = net.calls_on_b.recv(packet)
    net.on_b(net.calls_on_b.close_init(B))
    expect_call_refused(StagedBlock(net.b.chain), recv, InvalidChannelState, got="CLOSED")
    call = net.calls_on_a.timeout_on_close(packet, order)
    assert net.on_a(call) == packet
    again = call.but(held=net.calls_on_a.module.capability)
    expect_call_refused(StagedBlock(net.a.chain), again, PacketCommitmentNotFound)


@ORDERS
def test_a_packet_that_arrived_before_the_close_is_not_taken_back(order):
    net = opened(order)
    [packet] = send(net, 1)
    net.on_b(net.calls_on_b.recv(packet))
    net.on_b(net.calls_on_b.close_init(B))
    for claim in (1, 2):
        error = StagedBlock(net.a.chain).call(net.calls_on_a.timeout_on_close(packet, order, claim)).error
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
    stage = StagedBlock(net.a.chain)
    for change, error in NUMBERS.values():
        expect_call_refused(stage, net.calls_on_a.send(replace(packet, **change)), error)
    for change in (*BEYOND, *TYPES):
        attempt = stage.call(net.calls_on_a.send(packet).but(packet=replace(packet, **change)))
        assert type(attempt.error).__name__ == "InvalidRequest", change
        assert attempt.writes == {}
