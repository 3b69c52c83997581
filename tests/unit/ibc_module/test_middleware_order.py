"""Three middlewares on one port: callbacks go inward in the declared order, what is sent goes outward."""

import inspect
from itertools import permutations

import pytest

from ibc_core.application.classic import IbcApp
from ibc_core.application.middleware import PassThroughApp, PassThroughSender
from ibc_core.application.middleware_v2 import PassThroughAppV2
from ibc_core.application.services import PacketSender
from ibc_core.application.v2 import IbcAppV2
from ibc_core.config import Config
from ibc_core.errors import ChannelNotFound, LogicFault
from ibc_core.height import ZERO_HEIGHT
from ibc_core.packet.types import Packet
from ibc_module import hookimpl
from ibc_module.hookspecs import Middleware, MiddlewareV2
from ibc_module.pipeline import Pipeline
from ibc_module.wiring import wire

PACKET = Packet(1, "far", "channel-8", "port", "channel-0", b"data", ZERO_HEIGHT, 1)


def methods(protocol):
    return {
        name: len(inspect.signature(member).parameters) - 1
        for name, member in vars(protocol).items()
        if inspect.isfunction(member) and not name.startswith("_") and name != "decode_packet_data"
    }


def telling(base, protocol, name, seen):
    """A subclass of `base` that writes its name down at every call, then hands it on."""

    def method(which):
        def call(self, *arguments):
            seen.append(name)
            return getattr(base, which)(self, *arguments)

        return call

    return type(f"Telling{name}", (base,), {which: method(which) for which in methods(protocol)})


VERSIONS = {"on_chan_open_init", "on_chan_open_try"}


def innermost(base, seen):
    """The application: takes every call."""

    def method(which):
        return lambda self: seen.append("app") or ("version" if which in VERSIONS else None)

    return type("Innermost", (base,), {which: method(which) for which in methods(base)})()


class Application:
    def __init__(self, seen):
        self.seen, self.services = seen, None

    @hookimpl
    def ibc_register_apps(self, services):
        self.services = services
        return {"port": innermost(IbcApp, self.seen)}

    @hookimpl
    def ibc_register_apps_v2(self):
        return {"port": innermost(IbcAppV2, self.seen)}


class Layer:
    """A plugin with a layer at every place that there is for one."""

    def __init__(self, name, seen):
        self.app = telling(PassThroughApp, IbcApp, name, seen)
        self.sender = telling(PassThroughSender, PacketSender, name, seen)
        self.app_v2 = telling(PassThroughAppV2, IbcAppV2, name, seen)

    @hookimpl
    def ibc_register_middleware(self):
        return [Middleware("port", lambda below, _: self.app(below), self.sender)]

    @hookimpl
    def ibc_register_middleware_v2(self):
        return [MiddlewareV2("port", lambda below, _: self.app_v2(below))]


@pytest.fixture(params=["".join(names) for names in permutations("abc")])
def stack(request):
    """Three layers in the order of their configuration, the application last or first in it."""
    seen = []
    application = Application(seen)
    layers = [Layer(name, seen) for name in request.param]
    parts = [application, *layers] if request.param[0] == "a" else [*layers, application]
    return request.param, wire(Pipeline(parts), Config()), application, seen


@pytest.mark.parametrize("name", methods(IbcApp))
def test_callbacks_go_inward(stack, name):
    order, keepers, _, seen = stack
    getattr(keepers.ports.route("port"), name)(*range(methods(IbcApp)[name]))
    assert seen == [*order, "app"]


@pytest.mark.parametrize("name", methods(IbcAppV2))
def test_callbacks_of_ibc_v2_go_inward_sending_too(stack, name):
    order, keepers, _, seen = stack
    getattr(keepers.v2.ports.route("port"), name)(*range(methods(IbcAppV2)[name]))
    assert seen == [*order, "app"]


SENDS = {
    "send_packet": (None, "port", "channel-0", ZERO_HEIGHT, 1, b"data"),
    "write_acknowledgement": (None, PACKET, b"ack"),
    "close_channel": (None, "port", "channel-0"),
}


@pytest.mark.parametrize("name", methods(PacketSender))
def test_what_an_application_sends_goes_outward(stack, name):
    """It ends in the module, which has no block here."""
    order, _, application, seen = stack
    with pytest.raises((AttributeError, ChannelNotFound, LogicFault)):
        getattr(application.services.sender, name)(*SENDS[name])
    assert seen == [*reversed(order)]
