"""What ICS-4's first text promises of "Cleaning up state", each sentence a test on two real chains."""

import pytest

from conformance.kit.direct_channel import A, has, opened, send
from conformance.kit.direct_module import MODULE_PORT, DirectModules, packet_between
from conformance.kit.messages import Messages
from conformance.kit.pair import Pair
from conformance.kit.refusals import expect_call_refused, expect_refusal, expect_undone
from conformance.kit.scripted_app import ScriptedApp, ScriptedPlugin, ScriptedRefusal
from conformance.kit.staged_block import StagedBlock
from ibc_module import hookimpl
from ibc_module.hookspecs import Middleware
from pyibc.core import paths
from pyibc.core.application.middleware import PassThroughApp
from pyibc.core.channel.types import Order
from pyibc.core.errors import (
    InvalidProof,
    InvalidSequence,
    PacketCommitmentNotFound,
    PacketSequenceOutOfOrder,
)
from pyibc.core.height import Height
from pyibc.core.packet import acknowledgement as acks
from pyibc.direct.errors import CleanupRefused
from pyibc.relayer.packets.packets import commitment_key

UNORDERED, ORDERED = Order.UNORDERED, Order.ORDERED
ORDERS = pytest.mark.parametrize("order", [UNORDERED, ORDERED], ids=lambda order: order.name)

# -- Cleaning up


@ORDERS
def test_cleanup_packet_removes_a_received_packet_commitment(order):
    """Ordered: by B's next sequence. Unordered: by B's acknowledgement. The module is not told more of it."""
    net = opened(order)
    [packet] = send(net, 1)
    net.on_b(net.calls_on_b.recv(packet))
    call = net.calls_on_a.cleanup(packet, 2 if order is ORDERED else b"done")
    attempt = StagedBlock(net.a.chain).call(call)
    expected = {("ibc", commitment_key(packet)): None}
    if order is ORDERED:
        expected["ibc", paths.next_sequence_ack_path(MODULE_PORT, A)] = (2).to_bytes(8, "big")
    assert attempt.writes == expected
    assert [kind for kind, _ in attempt.events if kind != "message"] == ["cleanup_packet"]
    assert net.on_a(call) == packet
    expect_call_refused(StagedBlock(net.a.chain), call, PacketCommitmentNotFound)
    expect_call_refused(
        StagedBlock(net.a.chain), net.calls_on_a.acknowledge(packet), PacketCommitmentNotFound
    )


@ORDERS
def test_h23_cleaning_up_is_proven_under_the_port_and_channel_of_the_other_end(order):
    net = opened(order, ports_on_b=("mirror-module",))
    [packet] = send(net, 1, port_id_on_b="mirror-module")
    net.on_b(net.calls_on_b.recv(packet))
    claim = 2 if order is ORDERED else b"done"
    assert net.on_a(net.calls_on_a.cleanup(packet, claim)) == packet
    assert not has(net.a, commitment_key(packet))


@ORDERS
def test_the_receiving_end_must_have_already_processed_the_packet(order):
    net = opened(order)
    [packet] = send(net, 1)
    claim = 2 if order is ORDERED else b"done"
    expect_call_refused(StagedBlock(net.a.chain), net.calls_on_a.cleanup(packet, claim), InvalidProof)
    if order is ORDERED:
        expect_call_refused(StagedBlock(net.a.chain), net.calls_on_a.cleanup(packet, 1), InvalidSequence)


def test_ordered_packets_are_cleaned_up_in_order_so_that_acknowledgements_go_on():
    """Out of order, the channel would wait for ever for the answer to a packet it forgot."""
    net = opened(ORDERED)
    packets = send(net, 1, 2, 3)
    for packet in packets:
        net.on_b(net.calls_on_b.recv(packet))
    early = net.calls_on_a.cleanup(packets[1], 4)
    expect_call_refused(StagedBlock(net.a.chain), early, PacketSequenceOutOfOrder, expected=1, got=2)
    net.on_a(net.calls_on_a.cleanup(packets[0], 4))  # B's counter is further on: it shows the first one too
    net.on_a(net.calls_on_a.acknowledge(packets[1]))
    net.on_a(net.calls_on_a.cleanup(packets[2], 4))
    assert not any(has(net.a, commitment_key(packet)) for packet in packets)


class Forgetful(ScriptedApp):
    """Lets anybody clean up."""

    def on_cleanup_packet(self, ctx, cleaned_up):
        self._play("on_cleanup_packet", None, ctx, cleaned_up)


class ForgetfulPlugin(ScriptedPlugin):
    def __init__(self):
        super().__init__("forgetful", "forgetful")
        self.app = Forgetful("forgetful")


def cleanable(order, extra=ForgetfulPlugin):
    """A packet of an application that lets anybody clean up, answered; and the message."""
    made = []

    def plugins():
        made.append(extra())
        return [made[-1]]

    net = DirectModules(extra=plugins)
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
    assert not has(net.a, commitment_key(packet))
    again = StagedBlock(net.a.chain).attempt(message)
    assert (again.error, again.writes) == (None, {})  # a relayer who came second


def test_an_application_may_refuse_to_have_a_packet_cleaned_up():
    net, plugin, _, message = cleanable(UNORDERED)
    plugin.app.refuse("on_cleanup_packet")
    expect_undone(StagedBlock(net.a.chain), message, ScriptedRefusal)


def test_nobody_cleans_up_for_an_application_that_waits_for_its_answer():
    """A transfer's refund would be lost: ICS-20 has no such callback, nor has a middleware around one."""
    pair = Pair.connected(direct=True)
    path = pair.transfer
    packet = packet_between(
        1, path.a.channel_id, path.b.channel_id, port_id_on_a="transfer", port_id_on_b="transfer"
    )
    message = DirectModules().named(pair.a).cleanup(packet, b"x")
    expect_refusal(StagedBlock(pair.a.chain), message, CleanupRefused, port_id="transfer")

    class Wrapped(ForgetfulPlugin):
        @hookimpl
        def ibc_register_middleware(self):
            return [Middleware("forgetful", lambda below, _: PassThroughApp(below))]

    net, _, _, message = cleanable(UNORDERED, Wrapped)
    expect_refusal(StagedBlock(net.a.chain), message, CleanupRefused, port_id="forgetful")
