"""Depth is counted from the boundary, in frames of the application's own, whatever Python's limit is."""

import copy
import gc
import json
import re
import signal
import subprocess
import sys
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from iavl import MultiStore, engine
from ibc_module.plugin import Config
from light_client import registry
from pyibc.apps.callbacks.plugin import CallbacksPlugin
from pyibc.apps.packet_count import PacketCountPlugin
from pyibc.apps.rate_limit.plugin import RateLimitPlugin
from pyibc.codec.gojson_members import MAX_JSON_DEPTH
from pyibc.core.channel.types import Order
from pyibc.default_plugins import plugins
from pyibc.isolation import binding, isolate
from pyibc.isolation import call_depth as depth
from pyibc.isolation.call_depth import MAX_FRAMES, TooDeep, counted
from pyibc.isolation.call_state import THREAD
from pyibc.testing.pair import two_chains
from pyibc.testing.transfers import abroad, transfer


@pytest.fixture(autouse=True)
def clean():
    depth.raise_python_limit()
    THREAD.call.clear()
    yield
    assert not THREAD.call.counting
    THREAD.call.clear()


def down(levels):
    """Calls `levels` frames deep, its own among them."""
    return levels if levels == 1 else down(levels - 1)


def through(levels, call):
    """Runs `call` below so many frames of its own."""
    return call() if levels == 0 else through(levels - 1, call)


def test_d39_the_limit_is_exact_and_remembered():
    enter = counted(down)
    enter(MAX_FRAMES)
    assert THREAD.call.fault is None
    with pytest.raises(TooDeep):
        enter(MAX_FRAMES + 1)
    assert isinstance(THREAD.call.fault, TooDeep)


@pytest.mark.parametrize("is_known", [False, True])
@pytest.mark.parametrize("kind", [engine.PYTHON, engine.CHOSEN], ids=["python", "chosen"])
def test_d39_what_a_tree_calls_does_not_count(monkeypatch, kind, is_known):
    """A read is as deep where the key is known as where it is looked up, by either engine."""
    monkeypatch.setattr(engine, "active", kind)
    store = MultiStore(None, ["s"], remember=1)
    store.apply({"s": [(b"%d" % n, b"v") for n in range(20)]})
    store.commit()
    view = store.store("s")
    if is_known:
        view.get(b"7")
    read = counted(partial(through, MAX_FRAMES - 2, lambda: view.get(b"7")))
    assert read() == b"v"
    assert THREAD.call.fault is None


def test_the_host_may_be_as_deep_as_it_likes():
    enter = counted(down)
    assert through(150, lambda: enter(MAX_FRAMES)) == 1
    with pytest.raises(TooDeep):
        through(150, lambda: enter(MAX_FRAMES + 1))


def test_a_boundary_inside_of_another_goes_on_counting():
    inner = counted(down)
    outer = counted(lambda: through(100, lambda: inner(150)))
    with pytest.raises(TooDeep):
        outer()


def test_frames_that_returned_count_no_more():
    enter = counted(lambda: [down(MAX_FRAMES - 1) for _ in range(3)])
    assert enter() == [1, 1, 1]


def test_d39_an_except_exception_does_not_hold_it():
    def swallow(kind):
        try:
            down(MAX_FRAMES)
        except kind:
            return "swallowed"

    with pytest.raises(TooDeep):
        counted(swallow)(Exception)
    THREAD.call.clear()
    assert counted(swallow)(BaseException) == "swallowed"
    assert isinstance(THREAD.call.fault, TooDeep)


def test_comprehensions_count_alike_in_every_python():
    def nested(levels):
        return [] if levels == 1 else [nested(levels - 1) for _ in range(1)]

    counted(nested)(MAX_FRAMES)
    with pytest.raises(TooDeep):
        counted(nested)(MAX_FRAMES + 1)


def test_generators_count_where_they_run():
    @contextmanager
    def held():
        try:
            yield
        except ValueError:
            down(MAX_FRAMES - 1)

    def generated():
        with held():
            raise ValueError

    def delegated(levels):
        if levels > 1:
            yield from delegated(levels - 1)
        yield levels

    with pytest.raises(TooDeep):  # below the generator that the error was thrown into
        counted(generated)()
    assert len(list(counted(lambda: list(delegated(MAX_FRAMES - 1)))())) == MAX_FRAMES - 1
    THREAD.call.clear()
    with pytest.raises(TooDeep):
        counted(lambda: list(delegated(MAX_FRAMES)))()


def test_what_the_library_does_inside_a_call_does_not_count_until_it_is_too_much():
    nested = []
    for _ in range(150):
        nested = [nested]  # 300 frames of `copy`
    assert counted(copy.deepcopy)(nested) == nested
    for _ in range(400):
        nested = [nested]
    with pytest.raises(TooDeep):
        counted(copy.deepcopy)(nested)


def verdict(call):
    try:
        call()
    except TooDeep:
        return "deep"
    return "through"


class Finalized:
    """Garbage that only the collector finds, with a finalizer; `seen` tells that it ran."""

    def __init__(self, seen):
        self.seen, self.itself = seen, self

    def __del__(self):
        self.seen.append(down(3))


def test_d39_what_the_collector_calls_does_not_count(monkeypatch):
    """When it runs is not the application's doing: callbacks of a host, finalizers of anybody's garbage."""
    seen = []
    monkeypatch.setattr(sys, "unraisablehook", lambda error: seen.append(repr(error.exc_value)))

    def callback(phase, _):
        seen.append((phase, down(3)))

    def collects():
        Finalized(seen)
        return gc.collect() and None

    enter, before = counted(through), list(gc.callbacks)
    gc.callbacks.append(callback)
    try:
        enter(MAX_FRAMES - 3, collects)  # `Finalized` is the last frame there may be
        gc.callbacks += [callback]
        gc.callbacks.insert(0, callback)
        enter(MAX_FRAMES - 3, collects)
    finally:
        gc.callbacks[:] = before
    assert seen == [("start", 1), 1, ("stop", 1), *[("start", 1)] * 3, 1, *[("stop", 1)] * 3]
    assert THREAD.call.fault is None


def test_the_collector_s_callbacks_stay_as_few(monkeypatch):
    mine = [lambda *_: None]
    monkeypatch.setattr(gc, "callbacks", mine)
    for _ in range(3):
        counted(down)(1)
        mine.append(lambda *_: None)
    assert len(mine) == 4 + 2


def test_d39_handlers_of_signals_do_not_count():
    """A validator that is told to end within a deep packet comes to the verdict of the others."""
    seen = []
    method = Finalized([]).seen.append  # built in: without frames

    def signals():
        signal.raise_signal(signal.SIGUSR1)

    handlers = [
        lambda *_: seen.append(down(3)),
        partial(lambda seen, *_: seen.append(down(3)), seen),
        Handler(seen),
        Handler(seen).handle,
        lambda *_: method(1),
    ]
    before = signal.getsignal(signal.SIGUSR1)
    try:
        for handler in handlers:
            signal.signal(signal.SIGUSR1, handler)
            assert verdict(lambda: counted(through)(MAX_FRAMES - 2, signals)) == "through"
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert seen == [1, 1, 1, 1]
    assert THREAD.call.fault is None


class Handler:
    """A handler as an object, and as a method."""

    def __init__(self, seen):
        self.seen = seen

    def __call__(self, *_):
        self.handle()

    def handle(self, *_):
        self.seen.append(down(3))


def test_an_import_does_not_count(tmp_path, monkeypatch):
    (tmp_path / "first_and_last.py").write_text("def f(n): return n and f(n - 1)\nDEEP = f(300)\n")
    monkeypatch.syspath_prepend(tmp_path)

    def imports():
        import first_and_last

        return first_and_last.DEEP

    assert counted(imports)() == 0
    assert counted(imports)() == 0
    sys.modules.pop("first_and_last")


@pytest.mark.parametrize(
    "read",
    [json.loads, lambda text: json.loads(text.encode()), lambda text: json.JSONDecoder().raw_decode(text)],
    ids=["loads", "bytes", "raw_decode"],
)
def test_d39_python_s_json_reader_is_stopped_before_it_recurses(read):
    def nested(levels):
        return "[" * levels + "]" * levels

    counted(read)(nested(MAX_JSON_DEPTH))
    assert THREAD.call.fault is None
    with pytest.raises(TooDeep):
        counted(read)(nested(MAX_JSON_DEPTH + 1))
    THREAD.call.clear()
    with pytest.raises(TooDeep):
        counted(read)("[" * 1_000_000)


def test_json_inside_of_json_and_in_utf_16_is_met_too():
    inside = json.dumps({"memo": "[" * 1_000_000})
    with pytest.raises(TooDeep):
        counted(lambda: json.loads(json.loads(inside)["memo"]))()
    THREAD.call.clear()
    with pytest.raises(TooDeep):
        counted(json.loads)(("[" * 1_000_000).encode("utf-16"))
    THREAD.call.clear()
    assert counted(json.loads)('{"memo": "' + "[" * 1_000 + '"}')["memo"] == "[" * 1_000


def test_the_profile_function_of_others_is_back_afterwards():
    def other(*_):
        pass

    sys.setprofile(other)
    try:
        counted(down)(3)
        seen = sys.getprofile()
        with pytest.raises(TooDeep):
            counted(down)(MAX_FRAMES + 1)
        seen_again = sys.getprofile()
    finally:
        sys.setprofile(None)
    assert seen is seen_again is other


def test_d39_the_verdict_is_the_same_in_other_pythons_and_under_other_limits():
    import os

    program = (
        "import sys; sys.setrecursionlimit(int(sys.argv[1]))\n"
        "from pyibc.isolation.call_depth import *\n"
        "from pyibc.isolation.call_depth import counted\n"
        "def f(n): return n if n == 1 else [f(n - 1) for _ in 'x'][0]\n"
        "def verdict(n):\n"
        "    try: return counted(f)(n)\n"
        "    except TooDeep: return 'deep'\n"
        "print([verdict(n) for n in (199, 200, 201, 202)])\n"
    )
    pythons = [each for each in os.environ.get("IBC_PYTHONS", "").split(os.pathsep) if each]
    for python in (sys.executable, *pythons):
        for limit in (1_500, 50_000):
            done = subprocess.run(
                [python, "-c", program, str(limit)],
                capture_output=True,
                text=True,
                check=True,
                env=os.environ,
            )
            assert done.stdout == "[1, 1, 'deep', 'deep']\n", (python, limit)


def test_a_pipeline_raises_python_s_limit_and_never_lowers_it(monkeypatch):
    before = sys.getrecursionlimit()
    try:
        sys.setrecursionlimit(1_000)
        depth.raise_python_limit()
        assert sys.getrecursionlimit() == 5_000
        sys.setrecursionlimit(6_000)
        depth.raise_python_limit()
        assert sys.getrecursionlimit() == 6_000
    finally:
        sys.setrecursionlimit(before)


# -- what is not counted


SHIPPED = (
    "AccountsPlugin AttestationsLightClient AttestationsPlugin BankPlugin CallbacksApp "
    "CallbacksAppV2 CallbacksPlugin CallbacksSender CallbacksSenderV2 CoinsApp ControllerApp "
    "DirectPlugin FeesPlugin ForwardingApp GmpApp GmpPlugin HostApp IbcPlugin "
    "InterchainAccountsPlugin LightClientsPlugin LimitedApp LimitedAppV2 LimitedSender "
    "LimitedSenderV2 LimitsPlugin LocalhostLightClient NodeQueriesPlugin PacketCountPlugin "
    "PacketForwardPlugin ProofQueriesPlugin QueueCoinsPlugin QueuePlugin RateLimitPlugin "
    "SignaturesPlugin SimulationPlugin SolomachineLightClient TendermintLightClient TransferApp "
    "TransferAppV2 TransferPlugin UpgradePlugin _App _AppV2 _Sender"
)
"""The marked classes; each was read for recursion that input decides.

There is none but of messages that execute messages, and those end (`ibc_module.executor.MAX_EXECUTING`).
"""
SHALLOW = 60


def test_the_marked_classes_are_those_that_were_read():
    root, marked = Path(__file__).resolve().parents[4], []
    for folder in ("pyibc", "ibc_module", "light_client", "handlers", "keepers", "localnet"):
        for path in (root / folder).rglob("*.py"):
            marked += re.findall(r"(?m)^@builtin\n(?:@.*\n)*class (\w+)", path.read_text(encoding="utf-8"))
    assert " ".join(sorted(marked)) == SHIPPED


@pytest.fixture
def all_counted(monkeypatch):
    """Everything counts, with a much lower limit."""
    for place in (isolate, registry):
        monkeypatch.setattr(place, "is_builtin", lambda *_: False)
    for place in (isolate, binding):
        monkeypatch.setattr(place, "confined", lambda call, _: call)  # the block stays theirs
    monkeypatch.setattr(depth, "MAX_FRAMES", SHALLOW)


def hostile_memos():
    deep = '{"a":' * 3_000 + "1" + "}" * 3_000
    return ["", deep, "[" * 10_000, json.dumps({"memo": deep})]


def middleware():
    return PacketCountPlugin("transfer"), RateLimitPlugin(), CallbacksPlugin()


def test_d39_shipped_classes_are_as_shallow_as_they_say(all_counted):
    """Coins there and back, over layers of middleware, with what a stranger may nest in them."""
    net = two_chains(plugins=lambda: [*plugins(Config()), *middleware()])
    path = net.open("transfer", Order.UNORDERED, "ics20-1")
    for memo in hostile_memos():
        message = transfer(net.a, "alice", path.a, "stake", 5, net.b.address("bob"), memo=memo)
        assert net.a.execute("alice", message).code == 0
    net.relay(path)
    there = abroad("stake", path.b).coin_denom
    assert net.b.balance("bob", there) == 5 * len(hostile_memos())
    net.close()
