"""What a host sets up wrongly is refused at wiring, with the names of the plugins and of what is known."""

import re

import pytest

from conformance.kit.scripted_app import ScriptedApp
from conformance.kit.scripted_app_v2 import ScriptedAppV2
from ibc_module import hookimpl
from ibc_module.hookspecs import Middleware, MiddlewareV2
from ibc_module.pipeline import Pipeline
from ibc_module.plugin import IbcPlugin, LightClientsPlugin
from ibc_module.wiring import wire
from pyibc.apps.callbacks.plugin import CallbacksPlugin
from pyibc.core.application.classic import BoundApp
from pyibc.core.application.middleware import PassThroughApp, PassThroughAppV2
from pyibc.core.application.services import PortPrefix
from pyibc.core.application.v2 import BoundAppV2
from pyibc.core.errors import InvalidRequest
from pyibc.core.host.context import Config
from pyibc.core.setup_error import WiringError, name_of
from pyibc.default_plugins import plugins


class Classic:
    """Registers applications of IBC classic for `keys`."""

    def __init__(self, *keys, make=ScriptedApp):
        self.keys, self.make = keys, make

    @hookimpl
    def ibc_register_apps(self):
        return {key: self.make() for key in self.keys}


class Later:
    """Registers applications of IBC v2 for `keys`."""

    def __init__(self, *keys, make=lambda: ScriptedAppV2([])):
        self.keys, self.make = keys, make

    @hookimpl
    def ibc_register_apps_v2(self):
        return {key: self.make() for key in self.keys}


class Layers:
    def __init__(self, classic=(), v2=()):
        self.classic, self.v2 = classic, v2

    @hookimpl
    def ibc_register_middleware(self):
        return self.classic

    @hookimpl
    def ibc_register_middleware_v2(self):
        return self.v2


class Other(Classic):
    pass


class OtherLater(Later):
    pass


class Clients:
    def __init__(self, *clients):
        self.clients = clients

    @hookimpl
    def ibc_register_light_clients(self):
        return self.clients


class LyingName(str):
    __slots__ = ()


def refused(parts, words, config=None):
    """Every one of `words` is in the refusal, in this order."""
    with pytest.raises(WiringError, match=".*".join(re.escape(word) for word in words)) as caught:
        wire(Pipeline(parts), config or Config())
    assert isinstance(caught.value, ValueError)


ICA, ICA_C = PortPrefix("ica-"), PortPrefix("ica-c")
OVERLAPS = [("mock", "mock"), (ICA, "ica-7"), ("ica-7", ICA), (ICA, ICA), (ICA, ICA_C), (ICA_C, ICA)]


@pytest.mark.parametrize(("one", "two"), [(Classic, Other), (Later, OtherLater)])
@pytest.mark.parametrize(
    ("first", "then"),
    [("mock", "mock"), (ICA, "ica-7"), ("ica-7", ICA), (ICA, ICA), (ICA, ICA_C), (ICA_C, ICA)],
)
def test_ports_of_two_plugins_that_overlap(one, two, first, then):
    names = [f"{__name__.split('.')[-1]}.{each.__name__}" for each in (two, one)]
    refused([one(first), two(then)], [names[0], f"'{then}'", names[1], f"'{first}'"])


def test_one_name_may_be_two_plugins_in_the_two_versions_of_ibc():
    keepers = wire(Pipeline([Classic("mock", ICA), OtherLater("mock", ICA)]), Config())
    assert isinstance(keepers.ports.route("ica-3"), BoundApp)
    assert isinstance(keepers.v2.ports.route("ica-3"), BoundAppV2)


@pytest.mark.parametrize("plugin", [Classic, Later])
@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("a/b", ["malformed", "a/b"]),
        (PortPrefix("i"), ["malformed"]),
        (7, ["names a port by a int"]),
        (LyingName("mock"), ["names a port by a LyingName"]),
        (PortPrefix(LyingName("mock")), ["names a port by a PortPrefix"]),
    ],
)
def test_a_name_that_no_port_has(plugin, key, words):
    refused([plugin(key)], [plugin.__name__, *words])


@pytest.mark.parametrize(("plugin", "callback"), [(Classic, "on_chan_open_init"), (Later, "on_send_packet")])
def test_what_is_no_application(plugin, callback):
    refused([plugin("mock", make=object)], [plugin.__name__, "'mock'", "object", callback])
    refused([plugin("mock", make=lambda: None)], [plugin.__name__, "'mock'", "NoneType", callback])


def test_a_layer_that_makes_no_application():
    refused(
        [Classic("mock"), Layers([Middleware("mock", lambda *_: None)])], ["Layers", "'mock'", "NoneType"]
    )
    refused([Later("mock"), Layers((), [MiddlewareV2("mock", lambda *_: None)])], ["Layers", "NoneType"])


def test_a_layer_where_no_application_is():
    wrap = lambda below, _: below  # noqa: E731
    known = ["Layers", "'mcok'", "no application has", "mock, ica-*"]
    refused([Classic("mock", ICA), Layers([Middleware("mcok", wrap)])], known)
    refused([Later("mock", ICA), Layers((), [MiddlewareV2("mcok", wrap)])], known)
    refused([Classic(ICA), Layers([Middleware("ica-7", wrap)])], ["'ica-7'", "ica-*"])
    refused([Classic("ica-7"), Layers([Middleware(ICA, wrap)])], ["'ica-*'", "ica-7"])


class Telling(ScriptedApp):
    def decode_packet_data(self, data, channel_version):
        raise InvalidRequest("nothing")


class TellingLater(ScriptedAppV2):
    def decode_packet_data(self, payload):
        raise InvalidRequest("nothing")


@pytest.mark.parametrize("needed", ["decode_packet_data", "on_cleanup_packet", "on_anything"])
def test_a_layer_that_needs_what_the_application_leaves_out(needed):
    """As ibc-go's middlewares refuse an application that is no PacketDataUnmarshaler."""
    wrap = lambda below, _: below  # noqa: E731
    words = ["Layers", "'mock'", f"needs the callback {needed}, which the application below"]
    refused([Classic("mock"), Layers([Middleware("mock", wrap, needs=(needed,))])], words)
    refused([Later("mock"), Layers((), [MiddlewareV2("mock", wrap, needs=(needed,))])], words)


def test_a_layer_in_between_hands_on_what_another_needs():
    """In any order: what hands on what it is asked has what is below."""
    asks = Middleware("mock", lambda below, _: PassThroughApp(below), needs=("decode_packet_data",))
    asks_v2 = MiddlewareV2("mock", lambda below, _: PassThroughAppV2(below), needs=("decode_packet_data",))
    layers = Layers([asks, asks], [asks_v2, asks_v2])
    parts = [Classic("mock", make=Telling), Later("mock", make=lambda: TellingLater([])), layers]
    assert wire(Pipeline(parts), Config()).ports.find("mock") is not None
    words = ["Layers", "needs the callback decode_packet_data"]
    refused([Classic("mock"), Layers([asks, Middleware("mock", asks.wrap)])], words)
    refused([Later("mock"), Layers((), [asks_v2, MiddlewareV2("mock", asks_v2.wrap)])], words)


@pytest.mark.parametrize("plugin", [CallbacksPlugin(("mock",), ()), CallbacksPlugin((), ("mock",))])
def test_callbacks_need_packet_data(plugin):
    refused([Classic("mock"), Later("mock"), plugin], ["CallbacksPlugin", "'mock'", "decode_packet_data"])


def test_light_clients():
    refused([Clients(object())], ["Clients", "is no", "LightClient"])
    words = ["LightClientsPlugin", "LightClientsPlugin", "both register the light client '07-tendermint'"]
    refused([LightClientsPlugin(), LightClientsPlugin()], words)


@pytest.mark.parametrize(
    ("config", "words"),
    [
        (Config(authority="nobody"), ["Config.authority", "nobody"]),
        (Config(authority="osmo1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqmcn030"), ["Config.authority"]),
        (Config(max_expected_time_per_block_ns=0), ["Config.max_expected_time_per_block_ns"]),
        (Config(allowed_clients=("07-tendermnt",)), ["'07-tendermnt'", "07-tendermint", "06-solomachine"]),
    ],
)
def test_a_config_that_cannot_be(config, words):
    refused([LightClientsPlugin()], words, config)


def test_one_plugin_serves_one_chain():
    parts = plugins(Config(), transfer=False)
    Pipeline(parts)
    with pytest.raises(WiringError, match="IbcPlugin is listed in two pipelines"):
        Pipeline(parts)
    with pytest.raises(WiringError, match="IbcPlugin is listed twice"):
        Pipeline([parts[0], *parts])
    with pytest.raises(WiringError, match="registered once: is IbcPlugin listed twice"):
        Pipeline([IbcPlugin(Config()), IbcPlugin(Config())])


def test_names_of_plugins():
    assert name_of(Classic("mock")) == f"{__name__}.Classic"
    assert name_of(Classic) == f"{__name__}.Classic"
    assert name_of(pytest) == "pytest"
