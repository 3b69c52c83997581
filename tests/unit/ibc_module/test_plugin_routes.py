"""A plugin's own messages, queries and exports: what they may touch of the block."""

import pytest

from ibc_module import hookimpl
from ibc_module.pipeline import Pipeline
from pyibc.core.errors import IbcError, LogicFault
from pyibc.core.host.context import MessageRoute
from pyibc.core.host.overlay import BlockContext
from pyibc.isolation.call_depth import counted
from pyibc.isolation.isolate import builtin
from pyibc.isolation.scoped_context import Grant, confined

STORES = ("ibc", "theirs", "own")


class Empty:
    """A store without entries."""

    def get(self, _key):
        return None

    def iterate(self, _start, _end):
        return iter(())


class Plugin:
    """Its message, query and export do what they are told."""

    def __init__(self, name, store):
        self.name, self.store, self.run, self.kept = name, store, None, []

    @hookimpl
    def chain_stores(self):
        return (self.store,)

    @hookimpl
    def chain_messages(self):
        return {f"/{self.name}.Msg": MessageRoute(bytes, lambda _: (), self._run, "/x.R")}

    @hookimpl
    def chain_queries(self):
        return {f"/{self.name}.Query": self._run}

    @hookimpl
    def chain_export_genesis(self, ctx):
        return {self.name: self._run(ctx, b"")}

    def _run(self, ctx, _):
        self.kept.append(ctx)
        return self.run(ctx) or b"done" if self.run else b"done"


@builtin
class ShippedPlugin(Plugin):
    """One of this distribution."""


@pytest.fixture
def chain():
    """The plugin under test, a pipeline with two others, and a block."""
    plugin = Plugin("plugin", "own")
    pipeline = Pipeline([ShippedPlugin("core", "ibc"), Plugin("other", "theirs"), plugin])
    return plugin, pipeline, BlockContext("a-1", 5, 1, {name: Empty() for name in STORES})


def ways(pipeline, ctx):
    """Every way into the plugin."""
    return {
        "message": lambda: pipeline.messages()["/plugin.Msg"].deliver(ctx, b""),
        "query": lambda: pipeline.queries()["/plugin.Query"](ctx, b""),
        "export": lambda: pipeline.export_genesis(ctx),
    }


def written(ctx):
    return {name: ctx.writes(name) for name in STORES if ctx.writes(name)}


def writes(store):
    return lambda ctx: ctx.store(store).set(b"key", b"value")


def test_h84_a_message_writes_the_stores_of_the_chain_s_own_plugins(chain):
    plugin, pipeline, ctx = chain
    for plugin.run in (writes("own"), writes("theirs")):
        assert ways(pipeline, ctx)["message"]() == b"done"
    assert written(ctx) == {name: [(b"key", b"value")] for name in ("own", "theirs")}


ATTACKS = {
    "writes the core's store": writes("ibc"),
    "deletes from the core's store": lambda ctx: ctx.store("ibc").delete(b"key"),
    "gives gas back": lambda ctx: ctx.gas.consume(-1),
    "undoes a branch that it is not in": lambda ctx: ctx.branch().discard(),
    "keeps what can change": lambda ctx: ctx.store("own").set(b"key", bytearray(b"value")),
}


@pytest.mark.parametrize("way", ["message", "query", "export"])
@pytest.mark.parametrize("name", ATTACKS)
def test_h84_a_plugin_is_refused_when_it(chain, way, name):
    plugin, pipeline, ctx = chain
    plugin.run = ATTACKS[name]
    with pytest.raises(LogicFault):
        ways(pipeline, ctx)[way]()
    assert written(ctx) == {}


@pytest.mark.parametrize("way", ["query", "export"])
@pytest.mark.parametrize("store", STORES)
def test_h84_who_is_asked_writes_nothing(chain, way, store):
    plugin, pipeline, ctx = chain
    for plugin.run in (writes(store), lambda ctx: ctx.reader(store).delete(b"key")):
        with pytest.raises(LogicFault):
            ways(pipeline, ctx)[way]()
    assert written(ctx) == {}


@pytest.mark.parametrize("way", ["message", "query", "export"])
def test_h84_a_context_is_over_with_the_call(chain, way):
    plugin, pipeline, ctx = chain
    ways(pipeline, ctx)[way]()
    [kept] = plugin.kept
    for late in (writes("own"), lambda ctx: ctx.height, lambda ctx: ctx.gas):
        with pytest.raises(LogicFault):
            late(kept)
    assert written(ctx) == {}


def test_h84_a_shipped_plugin_has_the_block_itself(chain):
    _, pipeline, ctx = chain
    core = ShippedPlugin("core", "ibc")
    pipeline = Pipeline([core])
    pipeline.messages()["/core.Msg"].deliver(ctx, b"")
    pipeline.queries()["/core.Query"](ctx, b"")
    pipeline.export_genesis(ctx)
    assert core.kept == [ctx, ctx, ctx]


def test_h84_a_message_executes_messages_of_others(chain):
    """As a chain's governance does: those write what is theirs, and what they write is undone with it."""
    plugin, pipeline, ctx = chain
    core = ShippedPlugin("core", "ibc")
    core.run = writes("ibc")
    pipeline = Pipeline([core, plugin])
    routes = pipeline.messages()
    plugin.run = lambda own: routes["/core.Msg"].deliver(own, b"")
    assert routes["/plugin.Msg"].deliver(ctx, b"") == b"done"
    assert written(ctx) == {"ibc": [(b"key", b"value")]}


def test_h84_a_callback_and_a_query_execute_no_message(chain):
    plugin, pipeline, ctx = chain
    core = ShippedPlugin("core", "ibc")
    core.run = writes("ibc")
    pipeline = Pipeline([core, plugin])
    route = pipeline.messages()["/core.Msg"]
    plugin.run = lambda own: route.deliver(own, b"")
    callback = confined(counted(lambda own, _: plugin.run(own)), Grant(frozenset({"own"})))
    for call in (callback, pipeline.queries()["/plugin.Query"]):
        with pytest.raises(LogicFault):
            call(ctx, b"")
    assert written(ctx) == {}


def test_h84_only_what_is_shipped_decodes_what_lasts(chain):
    _, pipeline, _ = chain
    lasting = {url: route.is_lasting for url, route in pipeline.messages().items()}
    assert lasting == {"/core.Msg": True, "/other.Msg": False, "/plugin.Msg": False}


def test_h84_the_host_s_own_lists_are_nobodys_to_change():
    """A plugin that empties what it is given empties nothing of the mempool's."""

    class Emptying:
        @hookimpl
        def chain_prepare_proposal(self, txs):
            txs.clear()

        @hookimpl
        def chain_process_proposal(self, txs):
            txs.clear()

        @hookimpl
        def chain_check_tx(self, messages):
            messages.clear()

    pipeline, waiting = Pipeline([Emptying()]), [b"one", b"two"]
    assert pipeline.prepare_proposal(None, waiting) == [b"one", b"two"]
    assert pipeline.process_proposal(None, waiting) is False
    with pytest.raises(IbcError):
        pipeline.check_tx(None, waiting, recheck=False)
    assert waiting == [b"one", b"two"]
