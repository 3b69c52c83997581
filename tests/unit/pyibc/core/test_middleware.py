"""The bases for middleware hand on every call, unchanged; a callback that is not spelled costs nothing."""

import inspect

import pytest

from pyibc.core.application.classic import BoundApp, IbcApp, bind_app
from pyibc.core.application.middleware import (
    PassThroughApp,
    PassThroughAppV2,
    PassThroughSender,
    PassThroughSenderV2,
)
from pyibc.core.application.services import PacketSender
from pyibc.core.application.v2 import BoundAppV2, IbcAppV2, PacketSenderV2, bind_app_v2


class Recorder:
    def __init__(self):
        self.calls = []

    def __getattr__(self, name):
        return lambda *args: self.calls.append((name, args)) or f"answer of {name}"


def methods(protocol):
    return [
        (name, len(inspect.signature(member).parameters) - 1)
        for name, member in vars(protocol).items()
        if inspect.isfunction(member) and not name.startswith("_")
    ]


@pytest.mark.parametrize(
    ("base", "name", "count"),
    [
        (base, *method)
        for base, protocol in (
            (PassThroughApp, IbcApp),
            (PassThroughSender, PacketSender),
            (PassThroughAppV2, IbcAppV2),
            (PassThroughSenderV2, PacketSenderV2),
        )
        for method in methods(protocol)
    ],
)
def test_every_call_goes_on(base, name, count):
    recorder = Recorder()
    answer = getattr(base(recorder), name)(*range(count))
    assert recorder.calls == [(name, tuple(range(count)))]
    returns = inspect.signature(getattr(base, name)).return_annotation
    assert answer == f"answer of {name}" or (answer is None and returns is None)


@pytest.mark.parametrize(
    ("bound", "base", "bind"),
    [(BoundApp, PassThroughApp, bind_app), (BoundAppV2, PassThroughAppV2, bind_app_v2)],
)
def test_a_layer_that_changes_nothing_is_not_there(bound, base, bind):
    names = [name for name in bound._fields if name != "on_cleanup_packet"]
    below = bound(**{name: lambda *_, name=name: name for name in names})
    layer = bind(base(below), "port")
    assert [getattr(layer, name) is getattr(below, name) for name in names] == [True] * len(names)


def test_who_stands_above_does_not_agree_that_a_packet_is_forgotten():
    below = bind_app(type("Below", (IbcApp,), {"on_cleanup_packet": lambda self: None})(), "port")
    assert below.on_cleanup_packet is not None
    assert bind_app(PassThroughApp(below), "port").on_cleanup_packet is None
