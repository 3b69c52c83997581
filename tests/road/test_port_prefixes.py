"""One application for every port below a prefix, with middleware around it."""

import pytest

from conformance.kit.paired_chain import NEVER
from conformance.kit.scripted_app import STORE, ScriptedApp
from ibc_module import hookimpl
from ibc_module.hookspecs import Middleware, MiddlewareV2
from ibc_module.plugin import Config
from pyibc.core.application.classic import AppAcknowledgement
from pyibc.core.application.middleware import (
    PassThroughApp,
    PassThroughAppV2,
    PassThroughSender,
    PassThroughSenderV2,
)
from pyibc.core.application.services import PortPrefix
from pyibc.core.application.v2 import PayloadAnswer
from pyibc.core.channel.types import Order
from pyibc.core.errors import InvalidPacketV2, InvalidRoute, NotPortOwner
from pyibc.core.packet_v2.types import NS_PER_S, Payload
from pyibc.default_plugins import plugins
from pyibc.testing.pair import two_chains

PREFIX = PortPrefix("accounts-")


class Around(PassThroughApp):
    def __init__(self, below, seen):
        super().__init__(below)
        self.seen = seen

    def on_recv_packet(self, ctx, received):
        self.seen.append(("received", received.packet.port_id_on_b))
        return super().on_recv_packet(ctx, received)


class Above(PassThroughSender):
    def __init__(self, above, seen):
        super().__init__(above)
        self.seen = seen

    def send_packet(self, ctx, port_id, *rest):
        self.seen.append(("sends", port_id))
        return super().send_packet(ctx, port_id, *rest)

    def write_acknowledgement(self, ctx, packet, acknowledgement):
        self.seen.append(("answers", packet.port_id_on_b))
        super().write_acknowledgement(ctx, packet, acknowledgement + b" at last")


class AboveV2(PassThroughSenderV2):
    def __init__(self, above, seen):
        super().__init__(above)
        self.seen = seen

    def send_packet(self, ctx, client_id, timeout_s, payloads, signer):
        self.seen.append(("sends", payloads[0].port_id_on_a))
        return super().send_packet(ctx, client_id, timeout_s, payloads, signer)

    def write_acknowledgement(self, ctx, client_id, sequence, acknowledgement):
        self.seen.append(("answers", sequence))
        super().write_acknowledgement(ctx, client_id, sequence, (acknowledgement[0] + b" at last",))


class AppV2:
    """Answers later what says so; notes acknowledgements."""

    def __init__(self):
        self.acknowledgements = []

    def on_send_packet(self):
        pass

    def on_recv_packet(self, received):
        return None if received.payload.value == b"later" else PayloadAnswer(success=True, data=b"done")

    def on_acknowledgement_packet(self, acknowledged):
        self.acknowledgements.append(acknowledged.acknowledgement)

    def on_timeout_packet(self):
        pass


class Ports:
    """Applications on `accounts-*`, and another's on `plain`; middleware around the prefix."""

    def __init__(self):
        self.app, self.app_v2, self.seen, self.todo = ScriptedApp(), AppV2(), [], []
        self.services = None

    @hookimpl
    def chain_stores(self):
        return (STORE,)

    @hookimpl
    def ibc_register_apps(self, services):
        self.services = services
        return {PREFIX: self.app}

    @hookimpl
    def ibc_register_apps_v2(self, services):
        return {PREFIX: self.app_v2, "plain": self.app_v2}

    @hookimpl
    def ibc_register_middleware(self):
        wrap_sender = lambda above: Above(above, self.seen)  # noqa: E731
        return [Middleware(PREFIX, lambda below, _: Around(below, self.seen), wrap_sender)]

    @hookimpl
    def ibc_register_middleware_v2(self):
        wrap_sender = lambda above: AboveV2(above, self.seen)  # noqa: E731
        return [MiddlewareV2(PREFIX, lambda below, _: PassThroughAppV2(below), wrap_sender)]

    @hookimpl
    def chain_begin_block(self, ctx):
        while self.todo:
            self.todo.pop(0)(ctx)


@pytest.fixture
def net():
    made = []

    def make():
        made.append(Ports())
        return [made[-1], *plugins(Config(several_payloads=True))]

    net = two_chains(plugins=make)
    net.on_a, net.on_b = made
    yield net
    net.close()


def inside(party, plugin, action):
    plugin.todo.append(action)
    party.chain.make_block([])


def test_a_port_below_the_prefix_opens_sends_and_answers_through_its_middleware(net):
    path = net.open(("accounts-alice", "accounts-bob"), Order.UNORDERED, "mock-version")
    channel, waiting, acknowledged = path.a.channel_id, [], []
    net.on_b.app.script["on_recv_packet"] = lambda ctx, version, packet, relayer: waiting.append(packet)
    net.on_a.app.script["on_acknowledgement_packet"] = lambda ctx, version, packet, ack, relayer: (
        acknowledged.append(ack)
    )
    send = net.on_a.services.sender.send_packet
    inside(net.a, net.on_a, lambda ctx: send(ctx, "accounts-alice", channel, NEVER, 0, b"data"))
    net.relay(path)
    assert net.on_a.seen == [("sends", "accounts-alice")]
    assert set(net.on_b.seen) == {("received", "accounts-bob")}  # in CheckTx and in the block
    net.on_b.seen.clear()
    answer = net.on_b.services.sender.write_acknowledgement
    inside(net.b, net.on_b, lambda ctx: answer(ctx, waiting[0], b"yes"))
    net.relay(path)
    assert net.on_b.seen == [("answers", "accounts-bob")]
    assert set(acknowledged) == {b"yes at last"}


def test_no_port_beside_the_prefix_is_the_applications(net):
    path = net.open(("transfer", "transfer"), Order.UNORDERED, "ics20-1")
    refused = []

    def tries(ctx):
        send = net.on_a.services.sender.send_packet
        with pytest.raises(NotPortOwner) as caught:
            send(ctx, "transfer", path.a.channel_id, NEVER, 0, b"data")
        refused.append(caught.value.port_id)
        assert not ctx.writes("ibc")

    inside(net.a, net.on_a, tries)
    assert refused == ["transfer"]
    ibc = net.a.chain.app.pipeline._manager.get_plugins()
    keepers = next(each.keepers for each in ibc if hasattr(each, "keepers"))
    for port_id in ("accounts", "account", "xaccounts-alice"):
        with pytest.raises(InvalidRoute):
            keepers.ports.route(port_id)
        with pytest.raises(InvalidRoute):
            keepers.v2.ports.route(port_id)


def payload(value, port_a="accounts-alice", port_b="accounts-bob"):
    return Payload(port_a, port_b, "v1", "text/plain", value)


def send_v2(net, path, *payloads):
    """From inside a block of chain a, through the application's sender."""
    until = net.a.chain.tip().time_ns // NS_PER_S + 600
    sender, addresses = net.on_a.services.sender_v2, net.on_a.services.addresses
    signer = addresses.decode(net.a.address("alice"), "signer")
    return lambda ctx: sender.send_packet(ctx, path.a.client_id, until, payloads, signer)


def test_ibc_v2_sends_and_answers_through_the_middleware_of_its_prefix(net):
    path = net.open_clients()
    inside(net.a, net.on_a, send_v2(net, path, payload(b"later")))
    inside(net.a, net.on_a, send_v2(net, path, payload(b"now")))
    net.relay(path)
    assert net.on_a.seen == [("sends", "accounts-alice")] * 2
    assert net.on_b.seen == []
    assert set(net.on_a.app_v2.acknowledgements) == {b"done"}
    answer = net.on_b.services.sender_v2.write_acknowledgement
    inside(net.b, net.on_b, lambda ctx: answer(ctx, path.b.client_id, 1, (b"yes",)))
    net.relay(path)
    assert net.on_b.seen == [("answers", 1)]
    assert set(net.on_a.app_v2.acknowledgements) == {b"done", b"yes at last"}


def test_ibc_v2_packets_of_ports_whose_middleware_differs_are_refused(net):
    path = net.open_clients()
    several = payload(b"now"), payload(b"now", "plain", "plain")
    refused = []

    def tries(ctx):
        for payloads in (several, several[::-1]):
            with pytest.raises(InvalidPacketV2, match="middleware") as caught:
                send_v2(net, path, *payloads)(ctx)
            refused.append(caught.value)
        assert not ctx.writes("ibc")

    inside(net.a, net.on_a, tries)
    assert len(refused) == 2
    inside(net.a, net.on_a, send_v2(net, path, payload(b"now"), payload(b"now", "accounts-carol")))
    inside(net.a, net.on_a, send_v2(net, path, payload(b"now", "plain", "plain")))
    net.relay(path)
    assert net.on_a.seen == [("sends", "accounts-alice")]
    assert set(net.on_a.app_v2.acknowledgements) == {b"done"}


def test_an_answer_that_is_given_at_once_does_not_pass_the_sender(net):
    path = net.open(("accounts-alice", "accounts-bob"), Order.ORDERED, "mock-version")
    given = AppAcknowledgement(success=True, data=b"at once")
    acknowledged = []
    net.on_b.app.script["on_recv_packet"] = lambda *_: given
    net.on_a.app.script["on_acknowledgement_packet"] = lambda *given: acknowledged.append(given[3])
    send = net.on_a.services.sender.send_packet
    inside(net.a, net.on_a, lambda ctx: send(ctx, "accounts-alice", path.a.channel_id, NEVER, 0, b"data"))
    net.relay(path)
    assert set(acknowledged) == {b"at once"}
    assert set(net.on_b.seen) == {("received", "accounts-bob")}
