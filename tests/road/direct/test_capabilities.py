"""Permissioning by object capability (ICS-4, ICS-5): a hostile application tries each way."""

from dataclasses import replace
from functools import partial

import pytest

from conformance.kit.direct_module import CONNECTION, MODULE_PORT, DirectModules, opening, packet_between
from conformance.kit.hostile_module import ATTACKS, Attacker
from conformance.kit.messages import Messages
from conformance.kit.paired_chain import NEVER
from conformance.kit.refusals import expect_call_refused, expect_refusal, expect_undone
from conformance.kit.scripted_app import PORT, VERSION, ScriptedPlugin
from conformance.kit.staged_block import StagedBlock
from ibc_module import hookimpl
from ibc_module.hookspecs import Middleware
from ibc_module.pipeline import Pipeline
from ibc_module.wiring import wire
from pyibc.core.application.classic import AppAcknowledgement
from pyibc.core.application.middleware import PassThroughApp, PassThroughSender
from pyibc.core.channel.types import ChannelState, Order
from pyibc.core.errors import (
    ChannelExists,
    ChannelNotFound,
    InvalidChannelState,
    InvalidRoute,
    NotPortOwner,
    PacketReceived,
)
from pyibc.core.host.context import Config
from pyibc.core.packet import acknowledgement as acks
from pyibc.core.setup_error import WiringError
from pyibc.direct.capability import Capability
from pyibc.direct.errors import CapabilityRevoked, DirectCallsOnly, InvalidCapability
from pyibc.direct.plugin import DirectPlugin

HOSTILE = "hostile"


@pytest.fixture(scope="module")
def net():
    net = DirectModules((MODULE_PORT, HOSTILE))
    net.open("good-on-a", "good-on-b")
    net.open("evil-on-a", "evil-on-b", port=HOSTILE)
    net.open("shut-on-a", "shut-on-b", port=HOSTILE)
    net.on_a(net.calls[HOSTILE][0].close_init("shut-on-a"))
    return net


@pytest.fixture(scope="module")
def attacker(net):
    victim, own = (net.calls[port][0].module for port in (MODULE_PORT, HOSTILE))
    next_packet = packet_between(1, "good-on-a", "good-on-b")
    return Attacker(
        own,
        "evil-on-a",
        "shut-on-a",
        victim,
        "good-on-a",
        victim.capability,
        victim.held["good-on-a"],
        victim.handler.to_opaque(next_packet),
        next_packet,
        opening("more-on-a", "more-on-b"),
    )


@pytest.mark.parametrize("name", ATTACKS)
def test_a_hostile_application_is_refused_when_it(net, attacker, name):
    attack = ATTACKS[name]
    expect_call_refused(StagedBlock(net.a.chain), partial(attack.run, attacker), attack.error)


def test_what_the_attacker_could_not_do_the_owner_can(net, attacker):
    """Else the attacks would prove nothing: the same calls, by whom they are for."""
    stage = StagedBlock(net.a.chain)
    victim = attacker.victim
    assert (
        stage.call(
            lambda ctx: victim.handler.send_packet(ctx, attacker.stolen_channel, attacker.next_packet)
        ).error
        is None
    )
    assert (
        stage.call(
            lambda ctx: victim.handler.chan_open_init(ctx, attacker.stolen_port, attacker.wanted)
        ).error
        is None
    )
    sender = victim.services.sender
    done = stage.call(lambda ctx: sender.send_packet(ctx, MODULE_PORT, "good-on-a", NEVER, 0, b"x"))
    assert (done.error, done.response) == (None, 2)
    assert stage.call(lambda ctx: sender.close_channel(ctx, MODULE_PORT, "good-on-a")).error is None


def test_a_capability_shows_its_name_and_nothing_else():
    net = DirectModules()
    shown = net.calls_on_a.module.capability
    assert repr(shown) == "<capability ports/direct>"
    assert [name for name in dir(shown) if not name.startswith("_")] == []


def test_a_capability_has_no_subclasses():
    with pytest.raises(TypeError, match="no subclasses"):
        type("Own", (Capability,), {})


def test_an_opaque_packet_cannot_be_read(attacker):
    opaque = attacker.stolen_packet
    assert repr(opaque) == "<opaque packet>"
    assert [name for name in dir(opaque) if not name.startswith("_")] == []
    assert not hasattr(opaque, "__dict__")
    with pytest.raises(TypeError):
        vars(opaque)
    with pytest.raises(TypeError, match="no subclasses"):
        type("Own", (type(opaque),), {})


def test_the_handler_casts_a_packet_both_ways():
    """ "The IBC handler can cast a `Packet` to an `OpaquePacket` and vice versa": back with a proof."""
    net = DirectModules()
    net.open("name-on-a", "name-on-b")
    sent = packet_between(1, "name-on-a", "name-on-b")
    net.on_a(net.calls_on_a.send(sent))
    recv = net.calls_on_b.recv(sent)
    opaque = net.calls_on_b.module.handler.to_opaque(sent)
    sent_before = replace(sent)
    with pytest.raises(AttributeError):
        object.__setattr__(sent, "data", b"changed after it was cloaked")
    refused = recv.but(packet=opaque, proof=b"garbage")
    assert StagedBlock(net.b.chain).call(refused).response == b""
    assert net.on_b(recv.but(packet=opaque)) == sent_before


def test_opening_a_channel_yields_one_and_the_port_capability_another_for_the_same(net, attacker):
    """However a channel was opened, its port's owner gets its capability, and always the same object."""
    asked = attacker.victim.handler.channel_capability(
        StagedBlock(net.a.chain).ctx, attacker.victim.capability, MODULE_PORT, "good-on-a"
    )
    assert asked is attacker.stolen_channel


def test_a_relayers_channel_has_a_capability_too(net):
    scripted = net.a.scripted
    path = net.pair.open(net.pair.ports, Order.UNORDERED, VERSION)
    handler = scripted.services.direct
    stage = StagedBlock(net.a.chain)
    port = handler.bind_port(PORT)
    held = handler.channel_capability(stage.ctx, port, PORT, path.a.channel_id)
    assert stage.call(lambda ctx: handler.chan_close_init(ctx, held, PORT, path.a.channel_id)).error is None


def test_a_capability_does_not_survive_a_channel_that_was_undone(net):
    """A transaction opened a channel, kept its capability, and failed."""
    module = net.calls_on_a.module
    stage = StagedBlock(net.a.chain)
    with stage.ctx.branch() as branch:
        made = module.handler.chan_open_init(stage.ctx, module.capability, opening("undone-on-a", "far-on-b"))
        branch.discard()
    packet = packet_between(1, "undone-on-a", "far-on-b")
    expect_call_refused(
        stage, lambda ctx: module.handler.send_packet(ctx, made.capability, packet), ChannelNotFound
    )
    expect_call_refused(
        stage,
        lambda ctx: module.handler.chan_close_init(ctx, made.capability, MODULE_PORT, "undone-on-a"),
        ChannelNotFound,
    )


CLOSED_USES = {
    "send": (lambda c, p: c.send(p), InvalidChannelState),
    "recv": (lambda c, p: c.recv(p), InvalidChannelState),
    "acknowledge": (lambda c, p: c.acknowledge(p), InvalidChannelState),
    "cleanup": (lambda c, p: c.cleanup(p), InvalidChannelState),
    "close_init": (lambda c, p: c.close_init(p.channel_id_on_a), CapabilityRevoked),
    "close_confirm": (lambda c, p: c.close_confirm(p.channel_id_on_a, p.channel_id_on_b), CapabilityRevoked),
    "timeout": (lambda c, p: c.timeout(p), CapabilityRevoked),
    "timeout_on_close": (lambda c, p: c.timeout_on_close(p), CapabilityRevoked),
    "open_ack": (lambda c, p: c.open_ack(p.channel_id_on_a, p.channel_id_on_b), InvalidChannelState),
    "open_confirm": (lambda c, p: c.open_confirm(p.channel_id_on_a, p.channel_id_on_b), InvalidChannelState),
}


@pytest.mark.parametrize("use", CLOSED_USES)
def test_a_closed_channels_capability_is_refused_for(net, use):
    make, error = CLOSED_USES[use]
    calls = net.calls[HOSTILE][0]
    ends = ("shut-on-a", "shut-on-b")
    ports = {"port_id_on_a": HOSTILE, "port_id_on_b": HOSTILE}
    packet = packet_between(1, *(ends if use != "recv" else ends[::-1]), **ports)
    expect_call_refused(StagedBlock(net.a.chain), make(calls, packet), error)


def test_what_is_in_flight_outlives_its_channel_by_the_ports_capability():
    """ "Any in-flight packets can be timed-out as soon as a channel is closed", by the owner of the port."""
    net = DirectModules()
    net.open("name-on-a", "name-on-b")
    sent = packet_between(1, "name-on-a", "name-on-b")
    net.on_a(net.calls_on_a.send(sent))
    net.on_b(net.calls_on_b.close_init("name-on-b"))
    net.on_a(net.calls_on_a.close_confirm("name-on-a", "name-on-b"))
    call = net.calls_on_a.timeout_on_close(sent)
    expect_call_refused(StagedBlock(net.a.chain), call, CapabilityRevoked)
    assert net.on_a(call.but(held=net.calls_on_a.module.capability)) == sent


# -- receiving a call directly


def test_only_the_router_holds_the_applications():
    """What an application is given leads to no other application, to no keeper, to no sender but its own."""
    net = DirectModules((MODULE_PORT, HOSTILE))
    module = net.calls[HOSTILE][0].module
    strangers = {id(net.a.app), id(net.a.scripted), id(net.a.keepers), id(net.calls_on_a.module)}
    seen, queue = set(), [module.services, StagedBlock(net.a.chain).ctx.gas]
    while queue:
        found = queue.pop()
        if id(found) in seen or isinstance(found, (str, bytes, int, float, type(None), type)):
            continue
        seen.add(id(found))
        assert id(found) not in strangers
        assert type(found).__name__ not in {
            "Keepers",
            "CoreSender",
            "CapabilityKeeper",
            "Owner",
            "ModuleAccess",
        }
        if type(found) in {tuple, list}:
            queue.extend(found)
        queue.extend(getattr(found, name) for name in dir(found) if not name.startswith("_"))
    assert len(seen) > 20


def test_applications_are_registered_once():
    """Asking again would hand the asker every application, and hand them his own sender."""
    plugin = ScriptedPlugin()
    pipeline = Pipeline([plugin])
    wire(pipeline, Config())
    for ask in (pipeline.apps, pipeline.apps_v2):
        with pytest.raises(ValueError, match="registered once"):
            ask(lambda _: None)


def test_a_module_that_calls_the_handler_takes_no_routed_message(net):
    to_a = Messages(net.pair, net.a)
    init = to_a.channel_open_init(CONNECTION, port=MODULE_PORT)
    expect_undone(StagedBlock(net.a.chain), init, DirectCallsOnly, callback="on_chan_open_init")


def test_every_routed_callback_of_such_a_module_is_refused(net):
    app = net.a.keepers.ports.route(MODULE_PORT)
    assert app.on_cleanup_packet is None
    callbacks = [name for name in app._fields if name.startswith("on_") and name != "on_cleanup_packet"]
    assert len(callbacks) == 9
    for name in callbacks:
        with pytest.raises(DirectCallsOnly, match=name):
            getattr(app, name)(None)


def test_a_port_is_bound_by_the_first_plugin_that_asks():
    class Second(ScriptedPlugin):
        @hookimpl
        def ibc_register_apps(self, services):
            services.direct.bind_port(PORT)
            return {}

    scripted = r"kit\.scripted_app\.ScriptedPlugin"
    for parts in ([Second(), ScriptedPlugin()], [ScriptedPlugin(), Second()]):
        with pytest.raises(WiringError, match=rf"{scripted} registers port 'mock', and .*Second has"):
            wire(Pipeline([DirectPlugin(), *parts]), Config())
    with pytest.raises(WiringError, match=r"Second binds port 'mock', which .*Second has"):
        wire(Pipeline([DirectPlugin(), Second(), Second()]), Config())
    with pytest.raises(WiringError, match=rf"{scripted} registers port 'mock', and .*{scripted} has"):
        wire(Pipeline([ScriptedPlugin(), ScriptedPlugin()]), Config())


# -- re-entry


@pytest.fixture
def reentrant():
    made = []

    def extra():
        made.append(ScriptedPlugin("reentrant", "reentrant"))
        return [made[-1]]

    net = DirectModules(extra=extra)
    return net, made[0], made[1]


def channel_on(net, port="reentrant"):
    return net.pair.open(port, Order.UNORDERED, VERSION)


def test_a_packet_cannot_be_received_again_from_inside_its_callback(reentrant):
    net, on_a, on_b = reentrant
    path = channel_on(net)
    until = NEVER
    sender, end = on_a.sender, path.a
    sequence = net.a.inside(lambda ctx: sender.send_packet(ctx, end.port_id, end.channel_id, until, 0, b"x"))
    net.pair.sync()
    ports = {"port_id_on_a": "reentrant", "port_id_on_b": "reentrant"}
    packet = packet_between(sequence, path.a.channel_id, path.b.channel_id, b"x", **ports)
    message = Messages(net.pair, net.b).recv(packet)
    handler, tried = on_b.services.direct, []

    def again(ctx, *_):
        held = handler.channel_capability(ctx, handler.bind_port("reentrant"), "reentrant", path.b.channel_id)
        proof, height = message.proof_commitment_on_a, message.proof_height_on_a
        with pytest.raises(PacketReceived):
            handler.recv_packet(ctx, held, packet, proof, height, b"twice")
        tried.append(True)
        return AppAcknowledgement(success=True, data=acks.success())

    on_b.app.script["on_recv_packet"] = again
    assert net.b.submit(message).code == 0
    assert tried == [True]


def test_a_channel_cannot_be_opened_twice_by_its_own_callback(reentrant):
    net, on_a, _ = reentrant
    handler = on_a.services.direct
    asked = opening("mine-on-a", "mine-on-b", port="reentrant")

    def first(ctx, *_):
        handler.chan_open_init(ctx, handler.bind_port("reentrant"), asked)
        return VERSION

    on_a.app.script["on_chan_open_init"] = first
    message = net.named(net.a).channel_open_init(asked)
    expect_undone(StagedBlock(net.a.chain), message, ChannelExists)


def test_a_channel_that_its_own_callback_closed_does_not_come_back(reentrant):
    """`chanOpenTry` over an own INIT writes TRYOPEN: over a CLOSED it never may."""
    net, on_a, on_b = reentrant
    for plugin, ends in ((on_a, ("x-end-on-a", "x-end-on-b")), (on_b, ("x-end-on-b", "x-end-on-a"))):
        side = net.a if plugin is on_a else net.b
        handler = plugin.services.direct
        asked = opening(*ends, version=VERSION, port="reentrant")
        side.inside(lambda ctx, h=handler, o=asked: h.chan_open_init(ctx, h.bind_port("reentrant"), o))
    net.pair.sync()

    def close_first(ctx, *_):
        on_b.sender.close_channel(ctx, "reentrant", "x-end-on-b")
        return VERSION

    message = net.named(net.b).channel_open_try(
        opening("x-end-on-b", "x-end-on-a", port="reentrant"), VERSION
    )
    assert StagedBlock(net.b.chain).attempt(message).error is None
    on_b.app.script["on_chan_open_try"] = close_first
    expect_undone(StagedBlock(net.b.chain), message, ChannelExists)


# -- middleware, and IBC v2


def test_middleware_acts_for_its_port_alone():
    given = {}

    class Layered(ScriptedPlugin):
        @hookimpl
        def ibc_register_middleware(self):
            def wrap(below, services):
                given["services"] = services
                return PassThroughApp(below)

            def wrap_sender(above):
                given["above"] = above
                return PassThroughSender(above)

            return [Middleware("reentrant", wrap, wrap_sender)]

    net = DirectModules(extra=lambda: [Layered("reentrant", "reentrant")])
    net.open("good-on-a", "good-on-b")
    stage = StagedBlock(net.b.chain)
    for sender in (given["services"].sender, given["above"]):
        expect_call_refused(
            stage,
            lambda ctx, s=sender: s.send_packet(ctx, MODULE_PORT, "good-on-b", NEVER, 0, b"x"),
            NotPortOwner,
            port_id=MODULE_PORT,
        )
    handler = given["services"].direct
    expect_call_refused(
        stage,
        lambda ctx: handler.chan_close_init(ctx, net.calls_on_b.module.capability, MODULE_PORT, "good-on-b"),
        NotPortOwner,
    )


def test_a_channel_in_any_state_but_closed_has_a_capability(net):
    module = net.calls_on_a.module
    for state in ChannelState:
        if state in {ChannelState.UNINITIALIZED, ChannelState.CLOSED}:
            continue
        stage = StagedBlock(net.a.chain)
        end = net.a.keepers.channels.get(stage.ctx, MODULE_PORT, "good-on-a")
        net.a.keepers.channels.set(stage.ctx, MODULE_PORT, "good-on-a", end.in_state(state))
        assert module.handler.channel_capability(stage.ctx, module.capability, MODULE_PORT, "good-on-a")


def test_a_refused_relayer_message_of_a_strangers_port_says_so(net):
    """The router finds no application: nobody's port is nobody's to open."""
    message = Messages(net.pair, net.a).channel_open_init(CONNECTION, port="unbound")
    expect_refusal(StagedBlock(net.a.chain), message, InvalidRoute, port_id="unbound")


def test_a_nodes_restart_makes_new_capabilities_and_the_old_are_worth_nothing():
    """Capabilities are no state: after a start modules ask again, and what another node made is refused."""
    old, new = DirectModules(), DirectModules()
    for each in (old, new):
        each.open("good-on-a", "good-on-b")
    from_before = old.calls_on_a.module.held["good-on-a"]
    call = new.calls_on_a.send(packet_between(1, "good-on-a", "good-on-b"))
    expect_call_refused(StagedBlock(new.a.chain), call.but(channel=from_before), InvalidCapability)
    new.calls_on_a.module.held.clear()
    assert StagedBlock(new.a.chain).call(call).error is None
