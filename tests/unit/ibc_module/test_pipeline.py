"""The pipeline: configured order, and wrong set-ups refused at the start."""

import inspect
import types
from unittest.mock import create_autospec

import pytest

from ibc_module import hookimpl, hookspec, hookspecs
from ibc_module.hookspecs import DirectCalls
from ibc_module.pipeline import Pipeline, Registered
from pyibc.core.application.services import Accounts, Bank
from pyibc.core.host.block import CommittedBlock
from pyibc.core.host.context import MessageRoute
from pyibc.core.setup_error import WiringError

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
    "ibc_wired": lambda p: p.wired(None),
    "ibc_register_apps": lambda p: p.apps(lambda plugin: None),
    "ibc_register_apps_v2": lambda p: p.apps_v2(lambda plugin: None),
    "ibc_register_light_clients": lambda p: p.light_clients(),
    "ibc_register_middleware": lambda p: p.middleware(),
    "ibc_register_middleware_v2": lambda p: p.middleware_v2(),
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
}


def plugin_with(hook, function):
    """A plugin whose one hook calls `function` without arguments."""
    names = inspect.signature(SPECS[hook]).parameters
    scope = {"function": function}
    exec(f"def {hook}(self, {', '.join(names)}):\n    return function()", scope)
    return type("Plugin", (), {hook: hookimpl(scope[hook])})()


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


def test_wired_comes_first_and_once():
    called = []
    first = plugin_with("chain_wired", lambda: called.append("first"))
    second = plugin_with("chain_wired", lambda: called.append("second"))
    pipeline = Pipeline([first, second])
    assert called == ["first", "second"]
    pipeline.begin_block(None)
    assert called == ["first", "second"]


@pytest.mark.parametrize(
    ("hook", "interface", "ask"),
    [
        ("ibc_bank", Bank, lambda p: p.bank()),
        ("ibc_accounts", Accounts, lambda p: p.accounts()),
        ("ibc_direct_calls", DirectCalls, lambda p: p.direct_calls(None, None)),
    ],
)
def test_at_most_one_plugin_offers_it(hook, interface, ask):
    offers = [create_autospec(interface, instance=True) for _ in range(2)]
    one, two = (plugin_with(hook, lambda answer=answer: answer) for answer in offers)
    silent = plugin_with(hook, lambda: None)
    assert ask(Pipeline([silent, one])) is offers[0]
    assert ask(Pipeline([silent])) is None
    with pytest.raises(WiringError, match=r"test_pipeline\.Plugin and .*test_pipeline\.Plugin both offer"):
        ask(Pipeline([one, silent, two]))


def test_a_misspelt_hook_is_refused():
    class Plugin:
        @hookimpl
        def chain_begin_blok(self, ctx):
            """Would never be called."""

    with pytest.raises(WiringError, match=r"Plugin .*'chain_begin_blok': did you mean 'chain_begin_block'"):
        Pipeline([Plugin()])


def test_a_hook_of_an_option_that_is_not_listed_is_refused_unless_it_is_optional():
    class Plugin:
        @hookimpl
        def quite_another(self):
            """Would never be called."""

    class Optional:
        @hookimpl(optionalhook=True)
        def quite_another(self):
            """Is called where the option is listed."""

    with pytest.raises(WiringError, match="'quite_another': is its option's plugin listed"):
        Pipeline([Plugin()])
    assert Pipeline([Optional()]).stores() == ()


def test_a_plugin_brings_hooks_of_its_own():
    option = types.ModuleType("option")

    def ibc_register_kites() -> dict:
        """Name -> kite."""

    option.ibc_register_kites = hookspec(ibc_register_kites)

    class Option:
        @hookimpl
        def chain_hookspecs(self):
            return (option,)

    class Kites:
        @hookimpl
        def ibc_register_kites(self):
            return {"red": 1}

    kites = Kites()
    registered = Pipeline([kites, Option()]).registered("ibc_register_kites", "kite")
    assert registered == {"red": Registered(kites, 1)}
    with pytest.raises(WiringError, match="both register the kite 'red'"):
        Pipeline([Kites(), Option(), Kites()]).registered("ibc_register_kites", "kite")


def test_applications_without_the_ibc_plugin_are_refused_when_messages_are_asked_for():
    pipeline = Pipeline([plugin_with("ibc_register_apps_v2", dict)])
    with pytest.raises(WiringError, match="registers applications, and IbcPlugin is not listed"):
        pipeline.messages()


def test_a_misspelt_argument_is_refused():
    class Plugin:
        @hookimpl
        def chain_begin_block(self, context):
            """Would never get it."""

    with pytest.raises(ValueError, match="context"):
        Pipeline([Plugin()])


def test_one_plugin_twice_is_refused():
    plugin = plugin_with("chain_begin_block", lambda: None)
    with pytest.raises(ValueError, match="Plugin is listed twice"):
        Pipeline([plugin, plugin])


ROUTE = MessageRoute(bytes, lambda _: (), lambda _ctx, _msg: b"", "/x")


@pytest.mark.parametrize(
    ("hook", "claim", "what"),
    [
        ("chain_stores", ("same",), "store 'same'"),
        ("chain_messages", {"same": ROUTE}, "message 'same'"),
        ("chain_queries", {"same": None}, "query 'same'"),
        ("chain_export_genesis", {"same": None}, "genesis entry 'same'"),
    ],
)
def test_two_plugins_cannot_claim_one_thing(hook, claim, what):
    pipeline = Pipeline([plugin_with(hook, lambda: claim), plugin_with(hook, lambda: claim)])
    with pytest.raises(ValueError, match=f"Plugin and .*Plugin both register the {what}"):
        CALLS[hook](pipeline)
    CALLS[hook](Pipeline([plugin_with(hook, lambda: claim)]))


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
