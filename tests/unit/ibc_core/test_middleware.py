"""The bases for middleware hand on every call of the protocols, unchanged."""

import inspect

import pytest

from ibc_core.application.classic import IbcApp
from ibc_core.application.middleware import PassThroughApp, PassThroughSender
from ibc_core.application.middleware_v2 import PassThroughAppV2
from ibc_core.application.services import PacketSender
from ibc_core.application.v2 import IbcAppV2


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
        )
        for method in methods(protocol)
    ],
)
def test_every_call_goes_on(base, name, count):
    recorder = Recorder()
    answer = getattr(base(recorder), name)(*range(count))
    assert recorder.calls == [(name, tuple(range(count)))]
    returns = inspect.signature(getattr(base, name)).return_annotation
    assert answer == (None if returns is None else f"answer of {name}")
