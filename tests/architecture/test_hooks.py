"""Every hook is documented, has types, and fires."""

import inspect

import pytest

from conformance.kit.scripted_app import ScriptedApp
from ibc_module import hookimpl, hookspecs
from ibc_module.hookspecs import Middleware, Upgrade
from ibc_module.plugin import Config
from ibc_module.upgrades import PlannedUpgrade, Upgrades
from localnet.chain import LocalChain
from localnet.settings import Genesis
from pyibc.core.application.classic import IbcApp
from pyibc.core.channel.types import Order
from pyibc.core.host.context import MessageRoute
from pyibc.core.setup_error import WiringError
from pyibc.default_plugins import plugins
from pyibc.queues import hookspecs as queue_hookspecs
from pyibc.queues.plugin import QueuePlugin
from pyibc.testing.pair import two_chains

HOOKS = {
    name: value
    for name, value in [*vars(hookspecs).items(), *vars(queue_hookspecs).items()]
    if name.startswith(("chain_", "ibc_")) and inspect.isfunction(value)
}


def test_the_hooks_are_found():
    assert len(HOOKS) >= 15


@pytest.mark.parametrize("name", HOOKS)
def test_a_hook_is_documented_and_typed(name):
    hook = HOOKS[name]
    assert len(inspect.getdoc(hook)) > 20
    signature = inspect.signature(hook)
    assert signature.return_annotation is not inspect.Signature.empty
    assert all(each.annotation is not inspect.Parameter.empty for each in signature.parameters.values())


ANSWERS = {
    **dict.fromkeys(("chain_wired", "ibc_wired", "chain_check_tx", "chain_committed")),
    **dict.fromkeys(("chain_prepare_proposal", "chain_process_proposal")),
    **dict.fromkeys(("chain_begin_block", "chain_end_block")),
    "chain_stores": ("scripted",),
    "chain_messages": {
        "/test.Msg": MessageRoute(
            lambda raw: raw, lambda msg: (b"x" * 20,), lambda ctx, msg: b"", "/test.MsgResponse"
        )
    },
    "chain_queries": {"/test.Query/Echo": lambda ctx, request: request},
    "chain_upgrades": {"more": Upgrade()},
    "chain_hookspecs": (),
    "ibc_register_light_clients": (),
    "ibc_register_middleware": [Middleware("mock", lambda below, services: below)],
    "ibc_register_apps_v2": {},
    "ibc_register_middleware_v2": (),
    # None: the host's are taken, and this host has no direct calls.
    **dict.fromkeys(("ibc_bank", "ibc_account_prefix", "ibc_accounts", "ibc_direct_calls")),
}
"""Hook -> what `Everything` answers, where that is always the same."""


class Everything:
    """Implements every hook, as an extension of a stranger's would, and notes which fire."""

    def __init__(self):
        self.fired = set()
        self.version = 1
        self.app: IbcApp = ScriptedApp()

    @hookimpl
    def chain_init_genesis(self, ctx, genesis):
        self.fired.add("chain_init_genesis")
        ctx.store("scripted").set(b"greeting", genesis.get("everything", {}).get("greeting", "none").encode())

    @hookimpl
    def chain_export_genesis(self, ctx):
        self.fired.add("chain_export_genesis")
        return {"everything": {"greeting": ctx.reader("scripted").get(b"greeting").decode()}}

    @hookimpl
    def chain_version(self):
        self.fired.add("chain_version")
        return "everything", self.version

    @hookimpl
    def chain_migrate(self, ctx, from_version):
        self.fired.add("chain_migrate")
        ctx.store("scripted").set(b"greeting", b"from %d" % from_version)

    @hookimpl
    def ibc_register_apps(self):
        self.fired.add("ibc_register_apps")
        return {"mock": self.app}

    @hookimpl(optionalhook=True)
    def ibc_register_queue_apps(self):
        self.fired.add("ibc_register_queue_apps")
        return {}


def answering(name):
    @hookimpl
    def hook(self):
        self.fired.add(name)
        return ANSWERS[name]

    return hook


for _name in ANSWERS:
    setattr(Everything, _name, answering(_name))


def test_every_hook_fires_in_the_life_of_a_chain():
    made = []

    def make():
        made.append(Everything())
        return [made[-1], *plugins(Config()), QueuePlugin()]

    net = two_chains(plugins=make)
    net.open("mock", Order.ORDERED, "mock-version")
    assert net.a.chain.grpc("/test.Query/Echo", b"hello") == b"hello"
    assert net.a.chain.app.process_proposal([], net.clock.now_ns)
    raw = net.a.users["alice"].sign_tx([], chain_id="chain-a-1", account_number=0, sequence=0, gas_limit=1)
    net.a.chain.submit(raw)
    net.a.chain.app.pipeline.prepare_proposal(net.a.chain.app.query_context(), [raw])
    exported = net.a.chain.app.pipeline.export_genesis(net.a.chain.app.query_context())
    assert exported["everything"] == {"greeting": "none"}
    made[0].version = 2  # as software that is started at an upgrade
    app = net.a.chain.app
    app.upgrades = Upgrades(app.pipeline, PlannedUpgrade("more", net.a.chain.height + 1))
    net.a.chain.make_block()
    assert app.query_context().store("scripted").get(b"greeting") == b"from 1"
    unseen = set(HOOKS) - made[0].fired
    assert unseen == set()
    net.close()


def test_a_second_bank_is_refused_with_the_names_of_both():
    class Banker:
        @hookimpl
        def ibc_bank(self):
            return object()

    with pytest.raises(WiringError, match=r"BankPlugin and .*Banker both offer the bank"):
        LocalChain("bank-1", plugins=[Banker(), *plugins(Config())], genesis=Genesis())


def test_a_genesis_entry_reaches_its_plugin():
    plugin = Everything()
    genesis = Genesis({"everything": {"greeting": "hello"}})
    chain = LocalChain("greeting-1", plugins=[plugin, *plugins(Config())], genesis=genesis)
    assert chain.app.query_context().store("scripted").get(b"greeting") == b"hello"
    chain.close()
