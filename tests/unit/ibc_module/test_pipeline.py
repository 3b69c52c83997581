"""The pipeline: configured order, and wrong set-ups refused at the start."""

import importlib.metadata
import inspect

import pytest

from ibc_core.host.block import CommittedBlock
from ibc_core.host.routes import MessageRoute
from ibc_module import hookimpl, hookspecs
from ibc_module.pipeline import Pipeline

SPECS = {
    name: function
    for name, function in vars(hookspecs).items()
    if callable(function) and hasattr(function, "pyibc_spec")
}
BLOCK = CommittedBlock("chain-1", 1, 0, b"", (), ())
CALLS = {
    "chain_stores": lambda p: p.stores(),
    "chain_messages": lambda p: p.messages(),
    "chain_queries": lambda p: p.queries(),
    "chain_init_genesis": lambda p: p.init_genesis(None, {}),
    "chain_export_genesis": lambda p: p.export_genesis(None),
    "chain_check_tx": lambda p: p.check_tx(None, [], recheck=False),
    "chain_prepare_proposal": lambda p: p.prepare_proposal(None, [b"tx"]),
    "chain_process_proposal": lambda p: p.process_proposal(None, []),
    "chain_begin_block": lambda p: p.begin_block(None),
    "chain_end_block": lambda p: p.end_block(None),
    "chain_committed": lambda p: p.committed(BLOCK),
    "ibc_register_apps": lambda p: p.apps(lambda plugin: None),
    "ibc_register_apps_v2": lambda p: p.apps_v2(lambda plugin: None),
    "ibc_register_light_clients": lambda p: p.light_clients(),
    "ibc_register_middleware": lambda p: p.middleware(),
    "ibc_register_middleware_v2": lambda p: p.middleware_v2(),
    "ibc_register_queue_apps": lambda p: p.queue_apps(),
}
LISTS = {
    "chain_stores",
    "ibc_register_light_clients",
    "ibc_register_middleware",
    "ibc_register_middleware_v2",
}
MAPPINGS = {
    "chain_messages",
    "chain_queries",
    "chain_export_genesis",
    "ibc_register_apps",
    "ibc_register_apps_v2",
    "ibc_register_queue_apps",
}


def plugin_with(hook, function):
    """A plugin whose one hook calls `function` without arguments."""
    names = inspect.signature(SPECS[hook]).parameters
    scope = {"function": function}
    exec(f"def {hook}(self, {', '.join(names)}):\n    return function()", scope)
    return type("Plugin", (), {hook: hookimpl(scope[hook])})()


def test_every_hook_is_documented_and_typed():
    assert set(CALLS) | {"chain_wired", "ibc_bank", "ibc_account_prefix"} == set(SPECS)
    for function in SPECS.values():
        assert inspect.getdoc(function).endswith(".")
        hints = inspect.signature(function)
        assert hints.return_annotation is not inspect.Signature.empty
        assert all(each.annotation is not inspect.Parameter.empty for each in hints.parameters.values())


@pytest.mark.parametrize("hook", sorted(CALLS))
def test_plugins_are_called_in_the_order_given(hook):
    called = []

    def listener(number):
        def listen():
            called.append(number)
            return {} if hook in MAPPINGS else [] if hook in LISTS else None

        return plugin_with(hook, listen)

    CALLS[hook](Pipeline([listener(number) for number in range(5)]))
    assert called == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("hook", sorted(CALLS))
def test_nobody_need_implement_a_hook(hook):
    CALLS[hook](Pipeline([]))


def test_wired_comes_first_and_once():
    called = []
    first = plugin_with("chain_wired", lambda: called.append("first"))
    second = plugin_with("chain_wired", lambda: called.append("second"))
    pipeline = Pipeline([first, second])
    assert called == ["first", "second"]
    pipeline.begin_block(None)
    assert called == ["first", "second"]


def test_wired_is_given_the_pipeline():
    given = []

    class Plugin:
        @hookimpl
        def chain_wired(self, pipeline):
            given.append(pipeline)

    pipeline = Pipeline([Plugin()])
    assert given == [pipeline]


def test_the_first_bank_is_taken():
    banks = [
        plugin_with("ibc_bank", lambda: None),
        plugin_with("ibc_bank", lambda: "one"),
        plugin_with("ibc_bank", lambda: "two"),
    ]
    assert Pipeline(banks).bank() == "one"
    assert Pipeline([]).bank() is None


def test_a_misspelt_hook_is_refused():
    class Plugin:
        @hookimpl
        def chain_begin_blok(self, ctx):
            """Would never be called."""

    with pytest.raises(ValueError, match="chain_begin_blok"):
        Pipeline([Plugin()])


def test_a_misspelt_argument_is_refused():
    class Plugin:
        @hookimpl
        def chain_begin_block(self, context):
            """Would never get it."""

    with pytest.raises(ValueError, match="context"):
        Pipeline([Plugin()])


def test_one_plugin_twice_is_refused():
    plugin = plugin_with("chain_begin_block", lambda: None)
    with pytest.raises(ValueError, match="already registered"):
        Pipeline([plugin, plugin])


ROUTE = MessageRoute(bytes, lambda _: (), lambda _ctx, _msg: b"", "/x")


@pytest.mark.parametrize(
    ("hook", "claim", "what"),
    [
        ("chain_stores", ("same",), "store 'same'"),
        ("chain_messages", {"same": ROUTE}, "message 'same'"),
        ("chain_queries", {"same": None}, "query 'same'"),
        ("ibc_register_apps", {"same": None}, "port 'same'"),
        ("chain_export_genesis", {"same": None}, "genesis entry 'same'"),
    ],
)
def test_two_plugins_cannot_claim_one_thing(hook, claim, what):
    pipeline = Pipeline([plugin_with(hook, lambda: claim), plugin_with(hook, lambda: claim)])
    with pytest.raises(ValueError, match=f"two plugins register the {what}"):
        CALLS[hook](pipeline)
    CALLS[hook](Pipeline([plugin_with(hook, lambda: claim)]))


def test_what_plugins_declare_is_put_together():
    pipeline = Pipeline(
        [
            plugin_with("chain_stores", lambda: ("ibc", "acc")),
            plugin_with("chain_stores", lambda: ("bank",)),
            plugin_with("ibc_register_light_clients", lambda: ["a"]),
            plugin_with("ibc_register_light_clients", lambda: ["b", "c"]),
            plugin_with("ibc_register_middleware", lambda: ["outer"]),
            plugin_with("ibc_register_middleware", lambda: ["inner"]),
        ]
    )
    assert pipeline.stores() == ("acc", "bank", "ibc")
    assert pipeline.light_clients() == ["a", "b", "c"]
    assert pipeline.middleware() == ["outer", "inner"]


def test_the_last_plugin_that_answers_decides_a_proposal():
    answers = [lambda: [b"one"], lambda: [b"two"], lambda: None]
    pipeline = Pipeline([plugin_with("chain_prepare_proposal", answer) for answer in answers])
    assert pipeline.prepare_proposal(None, [b"tx"]) == [b"two"]
    assert Pipeline([]).prepare_proposal(None, [b"tx"]) == [b"tx"]


@pytest.mark.parametrize(
    ("answers", "accepted"), [([], True), ([True, None], True), ([None], True), ([True, False, None], False)]
)
def test_one_plugin_can_refuse_a_proposal(answers, accepted):
    pipeline = Pipeline([plugin_with("chain_process_proposal", lambda a=a: a) for a in answers])
    assert pipeline.process_proposal(None, []) is accepted


def test_arguments_arrive():
    seen = []

    class Plugin:
        @hookimpl
        def chain_check_tx(self, ctx, messages, recheck):
            seen.append((ctx, messages, recheck))

    Pipeline([Plugin()]).check_tx("ctx", ["m"], recheck=True)
    assert seen == [("ctx", ["m"], True)]


def test_installed_distributions_are_not_asked(monkeypatch):
    """Entry points come in the order of installation, which two validators may not share."""

    def fail(*_, **__):
        raise AssertionError("entry points were read")

    monkeypatch.setattr(importlib.metadata, "entry_points", fail)
    monkeypatch.setattr(importlib.metadata, "distributions", fail)
    Pipeline([plugin_with("chain_begin_block", lambda: None)]).begin_block(None)
