"""Errors at the boundary: an IbcError passes, a bug is one code, an error of the machine stops the node."""

import asyncio
from contextlib import suppress

import pytest

from ibc_module import hookimpl
from ibc_module.pipeline import Pipeline
from light_client.interface import LightClient
from light_client.registry import Registry
from light_client.tendermint.client import TendermintLightClient
from pyibc.chain.queries.historical_store import UntimedContext
from pyibc.codec.budget import Budget
from pyibc.core.application.classic import IbcApp, bind_app
from pyibc.core.application.v2 import IbcAppV2, bind_app_v2
from pyibc.core.client.types import Status
from pyibc.core.errors import ApplicationFault, IbcError, InvalidRequest, InvalidType, OutOfGas, TooLarge
from pyibc.core.host.context import MessageRoute
from pyibc.core.host.gas import AnswerPrices
from pyibc.core.host.overlay import BlockContext
from pyibc.isolation import boundary
from pyibc.isolation.call_depth import MAX_FRAMES, TooDeep, depth_limited
from pyibc.isolation.call_state import SYSTEM_ERRORS, THREAD
from pyibc.isolation.isolate import builtin, isolate
from pyibc.isolation.limits import MAX_EVENT_BYTES, MAX_RESPONSE
from pyibc.isolation.scoped_context import Grant
from pyibc.queues.application import QueueApp, bind_queue_app


class Plain:
    """A store without entries; what it is given to raise it raises."""

    def __init__(self):
        self.error = None

    def get(self, _key):
        if self.error is not None:
            raise self.error

    def iterate(self, _start, _end):
        if self.error is not None:
            raise self.error
        return iter(())


@pytest.fixture
def disk():
    return Plain()


@pytest.fixture
def ctx(disk):
    return BlockContext("a-1", 1, 1, {"ibc": disk, "own": disk})


@pytest.fixture(autouse=True)
def clean():
    yield
    assert THREAD.call.fault is None
    assert THREAD.call.boundaries == 0
    assert not THREAD.call.counting


def deliver(call):
    return isolate(object()).message("/x.Msg", MessageRoute(bytes, lambda _: (), call, "/x.R")).deliver


def raises(error):
    def run(*_):
        raise error

    return run


def came_of(call, ctx):
    """What a call raises, whatever it is."""
    try:
        return call(ctx, None)
    except BaseException as error:
        return error


# -- errors of the application


@pytest.mark.parametrize(
    "error",
    [KeyError(), ValueError(), StopIteration(), GeneratorExit(), asyncio.CancelledError(), Warning(),
     BaseExceptionGroup("x", [KeyError()])],
    ids=lambda each: type(each).__name__,
)  # fmt: skip
def test_d39_an_application_s_error_is_one_code_and_says_nothing(ctx, error):
    fault = came_of(deliver(raises(error)), ctx)
    assert type(fault) is ApplicationFault
    assert (fault.codespace, fault.code) == ("undefined", 111_222)
    assert fault.where == "/x.Msg"
    assert fault.__cause__ is error


def test_d39_decoding_within_a_budget_stands_behind_the_boundary_as_well():
    budget = Budget(0)
    given = MessageRoute(bytes, lambda _: (), lambda *_: b"", "/x.R", lambda raw, spent: (raw, spent))
    assert isolate(object()).message("/x.Msg", given).decode_within(b"x", budget) == (b"x", budget)
    bad = isolate(object()).message("/x.Msg", given._replace(decode_in_tx=raises(KeyError())))
    fault = came_of(lambda *_: bad.decode_within(b"x", budget), None)
    assert type(fault) is ApplicationFault
    assert fault.where == "/x.Msg decode"


@pytest.mark.parametrize(
    "change",
    [{"code": 0}, {"code": -1}, {"code": 2**32}, {"code": True}, {"code": "5"}, {"codespace": ""},
     {"codespace": None}, {"text": "{nothing}"}, {"text": "\ud800"}, {"codespace": "é"}],
    ids=str,
)  # fmt: skip
def test_a_refusal_that_no_result_can_hold_is_a_panic(ctx, change):
    made = type("Made", (IbcError,), {"codespace": "x", "code": 5, "text": "no", **change})
    with pytest.raises(ApplicationFault):
        deliver(raises(made()))(ctx, None)


# -- errors of the machine


@pytest.mark.parametrize("kind", SYSTEM_ERRORS, ids=lambda each: each.__name__)
def test_d39_the_machine_s_errors_stop_the_node(ctx, kind):
    error = kind()
    with pytest.raises(kind) as caught:
        deliver(raises(error))(ctx, None)
    assert caught.value is error


def exhausted(kind):
    raise kind


def from_cause():
    try:
        exhausted(MemoryError)
    except MemoryError as error:
        raise ValueError from error


def from_context():
    try:
        exhausted(OSError)
    except OSError:
        raise InvalidRequest("the file is not there")  # noqa: B904 - what it is here for


def hidden():
    try:
        exhausted(RecursionError)
    except RecursionError:
        raise KeyError from None


def in_a_group():
    raise BaseExceptionGroup("many", [KeyError(), ExceptionGroup("more", [OSError()])])


@pytest.mark.parametrize(
    ("run", "kind"),
    [(from_cause, MemoryError), (from_context, OSError), (hidden, RecursionError), (in_a_group, OSError)],
)
def test_d39_the_machine_s_error_stops_the_node_whatever_is_made_of_it(ctx, run, kind):
    with pytest.raises(kind):
        deliver(lambda *_: run())(ctx, None)


@pytest.mark.parametrize(
    "read",
    [
        lambda store: store.get(b"k"),
        lambda store: store.has(b"k"),
        lambda store: list(store.iterate(b"", None)),
    ],
    ids=["get", "has", "iterate"],
)
@pytest.mark.parametrize("after", [lambda: b"", raises(KeyError()), raises(InvalidRequest("no"))])
def test_d39_a_store_that_failed_is_remembered(ctx, disk, read, after):
    class DiskGone(Exception):
        """Of a host's own storage."""

    disk.error = DiskGone()

    def swallow(ctx, _):
        try:
            return read(ctx.store("own"))
        except Exception:
            return after()

    if read.__code__.co_names[0] == "list":
        disk.error = None

        def broken(_start, _end):
            raise DiskGone
            yield

        disk.iterate = broken
        ctx = BlockContext("a-1", 1, 1, {"ibc": disk, "own": disk})
    with pytest.raises(DiskGone):
        deliver(swallow)(ctx, None)


class DiskRots(Exception):
    """What a host's own storage says of a damaged record."""


@pytest.mark.parametrize("boundaries", [1, 2, 3])
@pytest.mark.parametrize("after", [None, lambda: b"", raises(KeyError()), raises(InvalidRequest("no"))])
def test_h226_what_a_store_raised_stops_the_node_behind_any_number_of_boundaries(
    ctx, disk, boundaries, after
):
    """A message's boundary stands within its transaction's: the outer one has to know as well."""
    disk.error = DiskRots()

    def read(ctx, _):
        try:
            return ctx.store("own").get(b"k")
        except DiskRots:
            if after is None:
                raise
            return after()

    call = deliver(read)
    for number in range(boundaries - 1):
        call = boundary.in_block(f"boundary {number}", call)
    with pytest.raises(DiskRots) as caught:
        call(ctx, None)
    assert caught.value is disk.error


def test_h226_the_next_transaction_is_not_blamed_for_it(ctx, disk):
    nested = boundary.in_block(
        "a transaction's messages", deliver(lambda ctx, _: ctx.store("own").get(b"k") or b"")
    )
    disk.error = DiskRots()
    assert came_of(nested, ctx) is disk.error
    left, THREAD.call.fault = THREAD.call.fault, None
    assert left is None
    disk.error = None
    assert nested(ctx, None) == b""


def test_a_refusing_store_is_no_fault(ctx, disk):
    disk.error = InvalidRequest("pruned")

    def swallow(ctx, _):
        with pytest.raises(InvalidRequest):
            ctx.store("own").get(b"k")
        return b"done"

    assert deliver(swallow)(ctx, None) == b"done"


# -- gas and depth


@pytest.mark.parametrize("after", [lambda: b"", raises(KeyError()), raises(InvalidRequest("no"))])
def test_d39_gas_that_ran_out_is_remembered(ctx, after):
    def swallow(ctx, _):
        try:
            ctx.gas.consume(11)
        except OutOfGas:
            return after()

    ctx.gas.reset(10)
    with pytest.raises(OutOfGas) as caught:
        deliver(swallow)(ctx, None)
    assert (caught.value.limit, caught.value.used) == (10, 11)


def down(levels):
    return levels and down(levels - 1)


def test_what_stops_the_node_stops_it_after_too_much_depth_too(ctx):
    def swallow(_ctx, _):
        try:
            down(MAX_FRAMES)
        except BaseException:
            raise KeyboardInterrupt from None

    with pytest.raises(KeyboardInterrupt):
        deliver(swallow)(ctx, None)


def callbacks():
    own = frozenset({"own"})
    for base, bind, limited in (
        (IbcApp, bind_app, Grant(own)),
        (IbcAppV2, bind_app_v2, Grant(own)),
        (QueueApp, bind_queue_app, own),
    ):
        for name in vars(base):
            if name.startswith("on_"):
                yield pytest.param(base, bind, limited, name, id=f"{base.__name__}.{name}")


@pytest.mark.parametrize(("base", "bind", "limited", "name"), list(callbacks()))
def test_every_callback_of_every_kind_counts(ctx, base, bind, limited, name):
    def deep(_app, *_):
        return down(MAX_FRAMES)

    made = type("Deep", (base,), {name: deep})
    with pytest.raises(TooDeep):
        getattr(bind(made(), "here", limited), name)(ctx, None)
    ours = type("Ours", (base,), {name: lambda _app, *_: down(MAX_FRAMES) or None})
    THREAD.call.clear()
    with suppress(IbcError):  # whether the answer fits is not asked here
        getattr(bind(ours(), "here", None), name)(ctx, None)
    assert THREAD.call.fault is None
    assert THREAD.call.boundaries == 0


def test_methods_of_plugins_objects_count():
    class Sender:
        limit = 5

        def send_packet(self, levels):
            return down(levels)

    counted = depth_limited(Sender())
    assert (counted.limit, counted.send_packet(3)) == (5, 0)
    with pytest.raises(TooDeep):
        counted.send_packet(MAX_FRAMES)
    THREAD.call.clear()


def test_d39_light_clients_of_plugins_count(ctx):
    class Deep(LightClient):
        client_type = "99-deep"

        def status(self, _ctx, levels, /):
            return down(levels) or Status.ACTIVE

        def latest_height(self, _ctx, _id, /):
            raise KeyError

        def timestamp_at_height(self, _ctx, _id, _height, /):
            raise KeyError

        verify_membership = verify_non_membership = timestamp_at_height

    ours = TendermintLightClient()
    registry = Registry([Deep(), ours])
    assert registry["99-deep"].status(ctx, 5) is Status.ACTIVE
    with pytest.raises(TooDeep):
        registry["99-deep"].status(ctx, MAX_FRAMES)
    THREAD.call.clear()
    assert registry["07-tendermint"] is ours
    with pytest.raises(ApplicationFault):
        deliver(lambda ctx, _: registry["99-deep"].latest_height(ctx, ""))(ctx, None)


# -- what is answered


def test_a_response_is_bytes_and_bounded(ctx):
    with pytest.raises(IbcError) as caught:
        deliver(lambda *_: "text")(ctx, None)
    assert caught.value.code == 3
    with pytest.raises(TooLarge):
        deliver(lambda *_: bytes(1_048_577))(ctx, None)
    assert deliver(lambda *_: bytes(1_048_576))(ctx, None) == bytes(1_048_576)


def test_h246_a_response_is_bounded_whoever_gives_it(ctx):
    """What is shipped may put together answers of which each is small enough."""
    route = MessageRoute(bytes, lambda _: (), lambda *_: bytes(MAX_RESPONSE + 1), "/x.R")
    for plugin in (object(), builtin(type("Ours", (), {}))()):
        with pytest.raises(TooLarge):
            isolate(plugin).message("/x.Msg", route).deliver(ctx, None)


@pytest.mark.parametrize("ours", [False, True])
def test_h246_responses_and_events_cost_gas_by_the_byte(ctx, ours):
    def speak(ctx, _):
        ctx.emit(("said", (("key", "value"), ("k", "ü"))))
        return bytes(10)

    plugin = builtin(type("Ours", (), {}))() if ours else object()
    route = MessageRoute(bytes, lambda _: (), speak, "/x.R")
    ctx.emit(("before", (("not", "counted"),)))
    isolate(plugin).message("/x.Msg", route, prices=AnswerPrices(1_000, 7)).deliver(ctx, None)
    assert ctx.gas.used == 10 * 1_000 + 7 * (4 + 8 + 3)
    ctx.gas.reset(10 * 1_000 + 7 * 15 - 1)
    with pytest.raises(OutOfGas):
        isolate(plugin).message("/x.Msg", route, prices=AnswerPrices(1_000, 7)).deliver(ctx, None)


def test_h246_a_block_whose_time_is_unknown_charges_as_any_other(disk):
    """Simulations run over such a context after state sync."""
    ctx = UntimedContext("a-1", 1, 0, {"ibc": disk, "own": disk})
    call = deliver(lambda ctx, _: ctx.emit(("said", (("k", "v" * 95),))) or b"")
    call(ctx, None)
    assert ctx.gas.used == AnswerPrices().event_byte * 100
    endless = deliver(lambda ctx, _: ctx.emit(("said", (("k", "v" * MAX_EVENT_BYTES),))) or b"")
    with pytest.raises(TooLarge):
        endless(ctx, None)


def test_a_version_is_bounded(ctx):
    class Long(IbcApp):
        size = 65_536

        def on_chan_open_init(self):
            return "v" * self.size

    app = Long()
    assert len(bind_app(app, "here").on_chan_open_init(ctx, None)) == 65_536
    app.size += 1
    with pytest.raises(TooLarge):
        bind_app(app, "here").on_chan_open_init(ctx, None)
    THREAD.call.clear()


# -- outside of blocks


class Hooked:
    """A plugin whose hooks do what they are told."""

    def __init__(self, run):
        self.run = run

    @hookimpl
    def chain_check_tx(self, ctx):
        return self.run(ctx)

    @hookimpl
    def chain_prepare_proposal(self, ctx):
        return self.run(ctx)

    @hookimpl
    def chain_process_proposal(self, ctx):
        return self.run(ctx)

    @hookimpl
    def chain_queries(self):
        return {"/x.Query/Ask": lambda ctx, _: self.run(ctx)}


@pytest.mark.parametrize("kind", [KeyError, GeneratorExit, MemoryError, OSError, RecursionError])
def test_d39_outside_of_blocks_every_error_is_answered(ctx, kind):
    pipeline = Pipeline([Hooked(raises(kind()))])
    with pytest.raises(ApplicationFault):
        pipeline.check_tx(ctx, [], recheck=False)
    with pytest.raises(ApplicationFault):
        pipeline.queries()["/x.Query/Ask"](ctx, b"")
    assert pipeline.prepare_proposal(ctx, [b"a", b"b"]) == [b"a", b"b"]
    assert pipeline.process_proposal(ctx, [b"a"]) is False


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit])
def test_who_stops_the_node_is_obeyed_there_too(ctx, kind):
    pipeline = Pipeline([Hooked(raises(kind()))])
    with pytest.raises(kind):
        pipeline.check_tx(ctx, [], recheck=False)
    with pytest.raises(kind):
        pipeline.process_proposal(ctx, [])


@pytest.mark.parametrize("answer", ["text", [1], b"bytes", {b"a": 1}])
def test_what_is_no_proposal_is_not_proposed(ctx, answer):
    assert Pipeline([Hooked(lambda _: answer)]).prepare_proposal(ctx, [b"a"]) == [b"a"]


def test_a_query_answers_bytes(ctx):
    with pytest.raises(IbcError) as caught:
        Pipeline([Hooked(lambda _: "text")]).queries()["/x.Query/Ask"](ctx, b"")
    assert caught.value.code == 3


def test_checktx_remembers_gas_and_looks_at_events(ctx):
    def swallow(ctx):
        with pytest.raises(OutOfGas):
            ctx.gas.consume(11)

    ctx.gas.reset(10)
    with pytest.raises(OutOfGas):
        Pipeline([Hooked(swallow)]).check_tx(ctx, [], recheck=False)
    ctx.gas.reset(100)
    with pytest.raises(IbcError):
        Pipeline([Hooked(lambda ctx: ctx.emit("no event"))]).check_tx(ctx, [], recheck=False)


def test_proposals_are_lists():
    from ibc_module.hook_results import checked_txs

    with pytest.raises(InvalidType):
        checked_txs(iter([b"a"]))
    assert checked_txs((b"a",)) == [b"a"]


def test_a_flood_of_errors_is_not_logged_whole(ctx, caplog):
    run = deliver(raises(KeyError()))
    for _ in range(100):
        with pytest.raises(ApplicationFault):
            run(ctx, None)
    assert len(caplog.records) == 8 + 3  # and the 16th, the 32nd, the 64th
