"""What goes out of an application passes its port's middleware, innermost first, and nobody else's."""

import pytest

from handlers.keepers_ref import KeepersRef
from handlers.packet.sender import CoreSender, PortGate
from ibc_module import hookimpl
from ibc_module.hookspecs import Middleware
from ibc_module.pipeline import Pipeline
from ibc_module.senders import LayerSender, SenderRouter, stack_senders
from ibc_module.wiring import wire
from pyibc.chain.app import HostApp
from pyibc.chain.config import HostConfig
from pyibc.core.application.classic import AppAcknowledgement, IbcApp, Received
from pyibc.core.application.middleware import PassThroughApp, PassThroughSender
from pyibc.core.application.services import PortPrefix
from pyibc.core.errors import LogicFault
from pyibc.core.height import ZERO_HEIGHT
from pyibc.core.host.context import Config
from pyibc.core.packet.types import Packet
from pyibc.core.setup_error import WiringError
from pyibc.default_plugins import plugins
from pyibc.isolation.scoped_context import Grant

PACKET = Packet(1, "far", "channel-8", "port", "channel-0", b"data", ZERO_HEIGHT, 1)
CALLS = {
    "send_packet": lambda sender, port: sender.send_packet(None, port, "channel-0", ZERO_HEIGHT, 1, b"data"),
    "write_acknowledgement": lambda sender, port: sender.write_acknowledgement(
        None, Packet(1, "far", "channel-8", port, "channel-0", b"data", ZERO_HEIGHT, 1), b"ack"
    ),
    "close_channel": lambda sender, port: sender.close_channel(None, port, "channel-0"),
}


class Recorder:
    def __init__(self):
        self.seen = []

    def __getattr__(self, name):
        return lambda *_: self.seen.append(f"core {name}")


def teller(name, seen):
    class Tell(PassThroughSender):
        def send_packet(self, *args):
            seen.append(name)
            return super().send_packet(*args)

        def write_acknowledgement(self, *args):
            seen.append(name)
            return super().write_acknowledgement(*args)

        def close_channel(self, *args):
            seen.append(name)
            return super().close_channel(*args)

    return Tell


def stacked(core, layers):
    """What applications send through, and what each layer does; nothing is checked on the way."""
    nothing = Grant(frozenset())
    by_port, above = stack_senders([(nothing, each) for each in layers], lambda key: core, LayerSender)
    return SenderRouter(core, by_port), above


@pytest.mark.parametrize("call", CALLS)
def test_layers_of_the_port_and_the_module(call):
    core = Recorder()
    layers = [
        Middleware("port", None, teller("outer", core.seen)),
        Middleware("port", None, None),
        Middleware("port", None, teller("inner", core.seen)),
        Middleware("other", None, teller("stranger", core.seen)),
        Middleware(PortPrefix("below-"), None, teller("prefix", core.seen)),
    ]
    sender, above = stacked(core, layers)
    CALLS[call](sender, "port")
    assert core.seen == ["inner", "outer", f"core {call}"]
    core.seen.clear()
    CALLS[call](sender, "plain")
    assert core.seen == [f"core {call}"]
    core.seen.clear()
    CALLS[call](sender, "below-7")
    assert core.seen == ["prefix", f"core {call}"]
    core.seen.clear()
    for layer, port in zip(above, ["port", "port", "port", "other"], strict=False):
        CALLS[call](layer, port)
    assert core.seen == [f"core {call}", "outer", f"core {call}", "outer", f"core {call}", f"core {call}"]


class Plain:
    """A plugin with an application on `port`, and one layer that does not wrap senders."""

    def __init__(self):
        self.given = []

    @hookimpl
    def ibc_register_apps(self, services):
        self.given.append(services.sender)
        return {"port": IbcApp()}

    @hookimpl
    def ibc_register_middleware(self):
        return [Middleware("port", lambda below, _: below)]


def test_nothing_stands_in_between_where_nobody_asked():
    plugin = Plain()
    wire(Pipeline([plugin]), Config())
    assert isinstance(plugin.given[0], PortGate)
    assert isinstance(plugin.given[0]._above, CoreSender)


class Declares:
    """A plugin with an application on `port` and two layers around it."""

    def __init__(self):
        self.given = {}

    @hookimpl
    def ibc_register_apps(self, services):
        self.given["app"] = services.sender
        return {"port": IbcApp()}

    @hookimpl
    def ibc_register_middleware(self):
        return [
            Middleware(
                "port", lambda below, services: self.layer("outer", below, services), PassThroughSender
            ),
            Middleware("port", lambda below, services: self.layer("inner", below, services)),
        ]

    def layer(self, name, below, services):
        self.given[name] = services.sender
        return Answers(below, name)


class Answers(PassThroughApp):
    def __init__(self, below, name):
        super().__init__(below)
        self.name = name

    def on_recv_packet(self):
        return AppAcknowledgement(success=True, data=self.name.encode())


def test_each_layer_is_given_what_stands_above_it():
    plugin = Declares()
    keepers = wire(Pipeline([plugin]), Config())
    given = {name: sender._above for name, sender in plugin.given.items()}  # each behind a gate of its own
    assert {type(sender) for sender in plugin.given.values()} == {PortGate}
    assert isinstance(given["outer"]._above, CoreSender)
    assert isinstance(given["inner"], LayerSender)
    assert isinstance(given["inner"]._sender._inner, PassThroughSender)
    assert given["inner"]._sender.above is given["outer"]
    assert isinstance(given["app"], SenderRouter)
    assert keepers.ports.route("port").on_recv_packet(None, Received("", PACKET, None)).data == b"outer"


def test_a_layer_around_nothing_is_refused():
    class Stray:
        @hookimpl
        def ibc_register_middleware(self):
            return [Middleware("nowhere", lambda below, _: below)]

    with pytest.raises(WiringError, match=r"Stray declares .* port 'nowhere', .* registered ports: none"):
        wire(Pipeline([Stray()]), Config())


def test_a_packet_before_wiring_is_a_bug():
    with pytest.raises(LogicFault):
        CoreSender(KeepersRef()).send_packet(None, "port", "channel-0", ZERO_HEIGHT, 1, b"data")


class Names:
    def __init__(self, prefix):
        self.prefix = prefix

    @hookimpl
    def ibc_account_prefix(self):
        return self.prefix


def test_addresses_of_another_prefix_than_the_hosts_are_refused_at_wiring():
    """Else every message would be refused, or worse: signers and receivers read by different rules."""
    with pytest.raises(ValueError, match=r"have the prefix 'tiny', but Config\.account_prefix is 'cosmos'"):
        wire(Pipeline([Names(None), Names("tiny")]), Config())
    with pytest.raises(WiringError, match=r"names the account prefix 'tiny', .*Names names 'cosmos'"):
        wire(Pipeline([Names("tiny"), Names("cosmos")]), Config(account_prefix="tiny"))
    for parts in ([], [Names(None)], [Names("tiny"), Names("tiny")]):
        wire(Pipeline(parts), Config(account_prefix="tiny"))


@pytest.mark.parametrize("prefix", ["", "Cosmos", "caf\u00e9", "a" * 84])
def test_a_prefix_that_no_address_has_is_refused_at_wiring(prefix):
    with pytest.raises(WiringError, match="is not a valid address prefix"):
        wire(Pipeline([]), Config(account_prefix=prefix))


def test_the_localnets_host_names_its_prefix():
    with pytest.raises(ValueError, match="have the prefix 'osmo'"):
        HostApp(HostConfig("chain-1", prefix="osmo"), plugins(Config()))
