"""`Services.messages`: an application executes the chain's messages by their routes."""

from types import SimpleNamespace

import pytest

from ibc_module import hookimpl
from ibc_module.executor import MAX_EXECUTING
from ibc_module.pipeline import Pipeline
from pyibc.codec.anys import AnyMessage
from pyibc.codec.budget import ELEMENTS_OF_AN_ANY, Budget
from pyibc.core.address import AddressCodec
from pyibc.core.application.services import DecodedMessage, Messages
from pyibc.core.channel.messages import MsgChannelCloseInit
from pyibc.core.errors import (
    ApplicationFault,
    IbcError,
    InvalidAddress,
    InvalidCallbackAnswer,
    InvalidChannelIdentifier,
    InvalidRequest,
    LogicFault,
    OutOfGas,
    TxDecode,
    UnknownMessage,
    UnknownRequest,
)
from pyibc.core.host.context import MessageRoute
from pyibc.core.host.gas import AnswerPrices
from pyibc.core.host.overlay import BlockContext
from pyibc.core.wire.message import encode_msg, route_of
from pyibc.isolation.call_depth import counted
from pyibc.isolation.isolate import builtin, isolate
from pyibc.isolation.scoped_context import Grant, confined

ADDRESSES = AddressCodec("exec")
SIGNER = ADDRESSES.encode(b"s" * 20).text
CLOSE = MsgChannelCloseInit("transfer", "channel-7", SIGNER)


class Empty:
    """A store without entries."""

    def get(self, _key):
        return None

    def iterate(self, _start, _end):
        return iter(())


class Plugin:
    """A message and a query that do what they are told."""

    def __init__(self, name, run=lambda _ctx, _message: b"done"):
        self.name, self.run = name, run

    @hookimpl
    def chain_stores(self):
        return (self.name,)

    @hookimpl
    def chain_messages(self):
        route = MessageRoute(bytes, lambda message: (message,), self._run, f"/{self.name}.Response")
        return {f"/{self.name}.Msg": route}

    @hookimpl
    def chain_queries(self):
        return {f"/{self.name}.Query": self._run}

    def _run(self, ctx, message):
        return self.run(ctx, message)


@builtin
class ShippedPlugin(Plugin):
    """One of this distribution."""


@builtin
class ClosesChannels:
    """MsgChannelCloseInit, with ibc-go's checks."""

    delivered = ()

    @hookimpl
    def chain_messages(self):
        chain = SimpleNamespace(addresses=ADDRESSES)
        return {MsgChannelCloseInit.TYPE_URL: route_of(MsgChannelCloseInit, chain, self._deliver)}

    def _deliver(self, ctx, message):
        self.delivered += (message,)
        return b"closed"


def wired(*plugins):
    pipeline = Pipeline(plugins)
    routes = pipeline.messages()
    pipeline.queries()
    return pipeline.executor, routes


def block(*stores):
    return BlockContext("exec-1", 5, 1, {name: Empty() for name in ("ibc", *stores)})


def executes(executor, packed):
    return executor.decode(packed, Budget(len(packed.value)))


def test_a_message_is_read_asked_for_signers_and_executed():
    plugin = ClosesChannels()
    executor, _ = wired(plugin)
    message = executes(executor, AnyMessage(CLOSE.TYPE_URL, encode_msg(CLOSE)))
    assert executor.signers(message) == (b"s" * 20,)
    answer = executor.deliver(block(), message)
    assert (answer.type_url, answer.value) == ("/ibc.core.channel.v1.MsgChannelCloseInitResponse", b"closed")
    assert plugin.delivered == (CLOSE,)


def test_h162_signers_come_before_the_checks_which_come_before_the_execution():
    plugin = ClosesChannels()
    executor, routes = wired(plugin)
    wrong = AnyMessage(CLOSE.TYPE_URL, encode_msg(CLOSE).replace(b"channel-7", b"channel 7"))
    message = executes(executor, wrong)
    assert executor.signers(message) == (b"s" * 20,)
    with pytest.raises(InvalidChannelIdentifier):
        executor.deliver(block(), message)
    with pytest.raises(InvalidChannelIdentifier):  # as a transaction's own it is refused when it is decoded
        routes[CLOSE.TYPE_URL].decode(wrong.value)
    assert plugin.delivered == ()


def test_what_an_application_made_itself_is_executed_unchecked():
    plugin = ClosesChannels()
    executor, _ = wired(plugin)
    message = DecodedMessage(CLOSE.TYPE_URL, MsgChannelCloseInit("transfer", "channel 7", SIGNER))
    assert executor.execute(block(), message).value == b"closed"
    assert plugin.delivered == (message.content,)


def test_a_strangers_own_message_is_checked():
    plugin = ClosesChannels()
    gate = isolate(object()).messages(wired(plugin)[0])
    raw = encode_msg(CLOSE).replace(b"channel-7", b"channel 7")
    message = executes(gate, AnyMessage(CLOSE.TYPE_URL, raw))
    with pytest.raises(InvalidChannelIdentifier):
        gate.execute(block(), message)
    assert plugin.delivered == ()


@pytest.mark.parametrize(
    ("raised", "seen"),
    [(InvalidRequest("odd").as_panic(), LogicFault), (InvalidRequest("odd"), InvalidRequest)],
)
def test_where_ibc_go_panics_an_executed_message_is_a_fault(raised, seen):
    """In its checks as well as in its execution; else it keeps its code."""

    def fails(*_):
        raise raised

    executor, _ = wired(ShippedPlugin("mine", fails))
    message = executes(executor, AnyMessage("/mine.Msg", b"x"))
    with pytest.raises(seen) as found:
        executor.deliver(block("mine"), message)
    assert type(found.value) is seen
    closes, _ = wired(ClosesChannels())
    route = closes._routes[CLOSE.TYPE_URL]
    closes._routes = {CLOSE.TYPE_URL: route._replace(check=fails)}
    with pytest.raises(seen) as found:
        closes.deliver(block(), DecodedMessage(CLOSE.TYPE_URL, CLOSE))
    assert type(found.value) is seen


def test_who_signs_is_no_address():
    executor, _ = wired(ClosesChannels())
    raw = encode_msg(CLOSE).replace(SIGNER.encode(), b"x" * len(SIGNER))
    message = executes(executor, AnyMessage(CLOSE.TYPE_URL, raw))
    with pytest.raises(InvalidAddress):
        executor.signers(message)


def test_unknown_fields_are_dropped_as_go_unpacks_an_any():
    plugin = ClosesChannels()
    executor, routes = wired(plugin)
    raw = encode_msg(CLOSE) + b"\x7a\x01x"
    with pytest.raises(TxDecode):
        routes[CLOSE.TYPE_URL].decode(raw)
    executor.deliver(block(), executes(executor, AnyMessage(CLOSE.TYPE_URL, raw)))
    assert plugin.delivered == (CLOSE,)


@pytest.mark.parametrize(
    "raw", [b"\xff", b"\x0a\x05ab", b"\x0a\x02\xff\xfe", encode_msg(CLOSE) + b"\x18\x01"]
)
def test_malformed_bytes(raw):
    executor, _ = wired(ClosesChannels())
    with pytest.raises(TxDecode):
        executes(executor, AnyMessage(CLOSE.TYPE_URL, raw))


def test_h162_the_budget_counts_what_is_read():
    executor, _ = wired(ClosesChannels())
    budget = Budget(0)
    packed = AnyMessage(CLOSE.TYPE_URL, encode_msg(CLOSE))
    for _ in range(budget.max_bytes // len(packed.value)):
        executor.decode(packed, budget)
    with pytest.raises(TxDecode):
        executor.decode(packed, budget)


def test_an_unknown_message_and_query():
    executor, _ = wired(Plugin("own"))
    with pytest.raises(UnknownMessage):
        executes(executor, AnyMessage("/nobody.Msg", b""))
    with pytest.raises(UnknownRequest):
        executor.query(block(), "/nobody.Query", b"")


def test_before_the_chain_is_wired():
    executor = Pipeline([Plugin("own")]).executor
    with pytest.raises(LogicFault):
        executes(executor, AnyMessage("/own.Msg", b""))
    with pytest.raises(LogicFault):
        executor.query(block(), "/own.Query", b"")


def test_h162_messages_of_strangers_are_confined_whoever_executes_them():
    stranger = Plugin("own", lambda ctx, _: ctx.store("core").set(b"k", b"v") or b"")
    executor, _ = wired(ShippedPlugin("core"), stranger)
    ctx = block("core", "own")
    with pytest.raises(LogicFault):
        executor.deliver(ctx, executes(executor, AnyMessage("/own.Msg", b"")))
    with pytest.raises(LogicFault):
        executor.query(ctx, "/own.Query", b"")
    assert not ctx.writes("core")


def test_h162_a_stranger_s_callback_executes_nothing_that_writes_elsewhere():
    core = ShippedPlugin("core", lambda ctx, _: ctx.store("core").set(b"k", b"v") or b"")
    executor, _ = wired(core, Plugin("own"))
    ctx, gate = block("core", "own"), isolate(object()).messages(executor)
    message = gate.decode(AnyMessage("/core.Msg", b""), Budget(0))
    callback = confined(counted(lambda own, _: gate.deliver(own, message)), Grant(frozenset({"own"})))
    with pytest.raises(LogicFault):
        callback(ctx, None)
    assert not ctx.writes("core")
    of_message = confined(counted(lambda own, _: gate.deliver(own, message)), Grant(frozenset(), routes=True))
    assert of_message(ctx, None) == AnyMessage("/core.Response", b"")
    assert ctx.writes("core") == [(b"k", b"v")]


class OddBytes(bytes):
    """Compares as it likes."""


@pytest.mark.parametrize(
    "call",
    [
        lambda gate: gate.decode(AnyMessage("/core.Msg", OddBytes()), Budget(0)),
        lambda gate: gate.decode(AnyMessage("/core.Msg", b""), None),
        lambda gate: gate.signers(("/core.Msg", b"")),
        lambda gate: gate.deliver(block(), ("/core.Msg", b"")),
        lambda gate: gate.query(block(), "/core.Query", bytearray()),
    ],
)
def test_h162_strangers_hand_over_exact_types(call):
    reached = []

    class Recorder(Messages):
        pass

    for name in [each for each in vars(Messages) if not each.startswith("_")]:
        setattr(Recorder, name, lambda _, *given: reached.append(given))
    with pytest.raises(LogicFault):
        call(isolate(object()).messages(Recorder()))
    assert reached == []


def test_h162_recursion_ends():
    core = ShippedPlugin("core")
    executor, routes = wired(core)
    depths = []

    def again(ctx, message):
        depths.append(len(depths))
        if len(depths) > 100:  # where nothing ends it
            return b"deep"
        return executor.deliver(ctx, executes(executor, AnyMessage("/core.Msg", message))).value

    core.run = again
    for _ in range(2):  # the first leaves nothing behind
        depths.clear()
        with pytest.raises(InvalidRequest):
            routes["/core.Msg"].deliver(block(), b"")
        assert len(depths) == 1 + MAX_EXECUTING


def test_what_is_no_response_and_what_is_no_error():
    core = ShippedPlugin("core", lambda _ctx, _message: "text")
    executor, routes = wired(core, outer := ShippedPlugin("outer"))
    message = executes(executor, AnyMessage("/core.Msg", b""))
    with pytest.raises(InvalidCallbackAnswer):
        executor.deliver(block(), message)

    def broken(_ctx, _message):
        raise KeyError

    core.run = broken
    outer.run = lambda ctx, _: executor.deliver(ctx, message).value
    with pytest.raises(ApplicationFault):
        routes["/outer.Msg"].deliver(block(), b"")


def test_h162_gas_that_ran_out_inside_is_not_swallowed():
    core = ShippedPlugin("core", lambda ctx, _: ctx.gas.consume(100) or b"")
    executor, routes = wired(core, outer := ShippedPlugin("outer"))

    def swallows(ctx, _):
        with pytest.raises(OutOfGas):
            executor.deliver(ctx, executes(executor, AnyMessage("/core.Msg", b"")))
        return b""

    outer.run, ctx = swallows, block()
    ctx.gas.reset(50)
    with pytest.raises(OutOfGas):
        routes["/outer.Msg"].deliver(ctx, b"")


def test_h246_what_a_message_asks_and_executes_is_paid_for():
    core = ShippedPlugin("core", lambda _ctx, _message: bytes(300))
    executor, _ = wired(core)
    message, ctx = executes(executor, AnyMessage("/core.Msg", b"")), block()
    executor.deliver(ctx, message)
    assert ctx.gas.used == 300 * AnswerPrices().event_byte
    ctx.gas.reset(10_000)
    answer = executor.query(ctx, "/core.Query", b"")
    assert len(answer) > 0
    assert ctx.gas.used == len(answer) * AnswerPrices().event_byte


class OddError(IbcError):
    """Has a code that no result can hold."""

    code = "seven"


class DeafError(IbcError):
    """Has no text."""

    code = 7

    def __str__(self):
        raise KeyError


@pytest.mark.parametrize("error", [OddError, DeafError])
def test_h162_an_error_that_no_acknowledgement_holds_is_a_fault(error):
    def fails(_ctx, _message):
        raise error

    executor, _ = wired(Plugin("own", fails))
    message = executes(executor, AnyMessage("/own.Msg", b""))
    with pytest.raises(ApplicationFault):
        executor.deliver(block("own"), message)
    with pytest.raises(ApplicationFault):
        executor.query(block("own"), "/own.Query", b"")


def test_h162_many_small_messages_are_counted():
    executor, _ = wired(Plugin("own"))
    budget = Budget(1600)
    for _ in range(budget.max_elements // ELEMENTS_OF_AN_ANY):
        executor.decode(AnyMessage("/own.Msg", b""), budget)
    with pytest.raises(TxDecode):
        executor.decode(AnyMessage("/own.Msg", b""), budget)
