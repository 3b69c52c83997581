"""Applications that leave something out, or answer what is no answer, between two chains."""

import pytest

from conformance.kit.direct_module import DirectModules, packet_between
from conformance.kit.messages import Messages
from conformance.kit.refusals import expect_refusal, expect_undone
from conformance.kit.staged_block import StagedBlock
from ibc_module import hookimpl
from ibc_module.registration import AtWiring
from pyibc.core.application.classic import IbcApp
from pyibc.core.application.services import Services
from pyibc.core.channel.types import Order
from pyibc.core.errors import CallbackNotImplemented, InvalidCallbackAnswer
from pyibc.core.height import Height
from pyibc.core.packet import acknowledgement as acks

PORT = "laconic"


class Laconic(IbcApp):
    """Opens channels, and has no callback else."""

    def on_chan_open_init(self):
        return "v"

    def on_chan_open_try(self):
        return "v"

    def on_chan_open_ack(self):
        pass

    def on_chan_open_confirm(self):
        pass


class Lying(Laconic):
    """Answers packets with what is no acknowledgement."""

    def on_recv_packet(self, ctx):
        ctx.emit(("lied", ()))
        return "ok"


class LaconicPlugin:
    services = AtWiring[Services]()
    app = Laconic

    @hookimpl
    def ibc_register_apps(self, services):
        self.services = services
        return {PORT: self.app()}


class LyingPlugin(LaconicPlugin):
    app = Lying


def net_of(kind):
    """Two chains with the application and an open channel; a packet is under way from A."""
    made = []

    def extra():
        made.append(kind())
        return [made[-1]]

    net = DirectModules(extra=extra)
    path = net.pair.open(PORT, Order.UNORDERED, "v")
    sender, end = made[0].services.sender, path.a
    net.a.inside(lambda ctx: sender.send_packet(ctx, PORT, end.channel_id, Height(1, 10**6), 0, b"data"))
    net.pair.sync()
    ports = {"port_id_on_a": PORT, "port_id_on_b": PORT}
    return net, path, packet_between(1, path.a.channel_id, path.b.channel_id, b"data", **ports)


@pytest.fixture(scope="module")
def laconic():
    return net_of(LaconicPlugin)


def test_nobody_closes_a_channel_of_an_application_that_does_not_say_so(laconic):
    net, path, _ = laconic
    close = Messages(net.pair, net.a).channel_close_init(path.a.channel_id, port=PORT)
    refused = expect_refusal(StagedBlock(net.a.chain), close, CallbackNotImplemented)
    assert (refused.application, refused.callback) == ("Laconic", "on_chan_close_init")


def test_a_packet_that_nobody_takes_is_answered_with_an_error_and_its_answer_waits(laconic):
    net, _, packet = laconic
    received = StagedBlock(net.b.chain).attempt(Messages(net.pair, net.b).recv(packet))
    assert received.error is None
    [answer] = [dict(fields) for kind, fields in received.events if kind == "write_acknowledgement"]
    refusal = acks.failure(CallbackNotImplemented("Laconic", "on_recv_packet"))
    assert bytes.fromhex(answer["packet_ack_hex"]) == refusal
    assert net.b.submit(Messages(net.pair, net.b).recv(packet)).code == 0
    net.pair.sync()
    acknowledge = Messages(net.pair, net.a).acknowledge(packet, refusal)
    expect_undone(
        StagedBlock(net.a.chain), acknowledge, CallbackNotImplemented, callback="on_acknowledgement_packet"
    )


def test_an_answer_that_is_none_fails_the_message_and_the_packet_stays_unreceived():
    net, _, packet = net_of(LyingPlugin)
    message = Messages(net.pair, net.b).recv(packet)
    wrong = expect_undone(StagedBlock(net.b.chain), message, InvalidCallbackAnswer, callback="on_recv_packet")
    assert wrong.got == "str"
