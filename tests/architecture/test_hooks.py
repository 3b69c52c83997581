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


class Everything:
    """Implements every hook, as an extension of a stranger's would, and notes which fire."""

    def __init__(self):
        self.fired = set()
        self.version = 1
        self.app: IbcApp = ScriptedApp()

    def _note(self, name):
        self.fired.add(name)

    @hookimpl
    def chain_wired(self, pipeline):
        self._note("chain_wired")

    @hookimpl
    def chain_stores(self):
        self._note("chain_stores")
        return ("scripted",)

    @hookimpl
    def chain_messages(self):
        self._note("chain_messages")
        nothing = MessageRoute(
            lambda raw: raw, lambda msg: (b"x" * 20,), lambda ctx, msg: b"", "/test.MsgResponse"
        )
        return {"/test.Msg": nothing}

    @hookimpl
    def chain_queries(self):
        self._note("chain_queries")
        return {"/test.Query/Echo": lambda ctx, request: request}

    @hookimpl
    def chain_init_genesis(self, ctx, genesis):
        self._note("chain_init_genesis")
        ctx.store("scripted").set(b"greeting", genesis.get("everything", {}).get("greeting", "none").encode())

    @hookimpl
    def chain_export_genesis(self, ctx):
        self._note("chain_export_genesis")
        return {"everything": {"greeting": ctx.reader("scripted").get(b"greeting").decode()}}

    @hookimpl
    def chain_version(self):
        self._note("chain_version")
        return "everything", self.version

    @hookimpl
    def chain_migrate(self, ctx, from_version):
        self._note("chain_migrate")
        ctx.store("scripted").set(b"greeting", b"from %d" % from_version)

    @hookimpl
    def chain_upgrades(self):
        self._note("chain_upgrades")
        return {"more": Upgrade()}

    @hookimpl
    def chain_check_tx(self, ctx, messages, recheck):
        self._note("chain_check_tx")

    @hookimpl
    def chain_prepare_proposal(self, ctx, txs):
        self._note("chain_prepare_proposal")

    @hookimpl
    def chain_process_proposal(self, ctx, txs):
        self._note("chain_process_proposal")

    @hookimpl
    def chain_begin_block(self, ctx):
        self._note("chain_begin_block")

    @hookimpl
    def chain_end_block(self, ctx):
        self._note("chain_end_block")

    @hookimpl
    def chain_committed(self, block):
        self._note("chain_committed")

    @hookimpl
    def ibc_bank(self):
        self._note("ibc_bank")  # None: the host's is taken

    @hookimpl
    def ibc_account_prefix(self):
        self._note("ibc_account_prefix")  # None: the host's is taken

    @hookimpl
    def ibc_register_apps(self, services):
        self._note("ibc_register_apps")
        return {"mock": self.app}

    @hookimpl
    def ibc_register_light_clients(self):
        self._note("ibc_register_light_clients")
        return ()

    @hookimpl
    def ibc_register_middleware(self):
        self._note("ibc_register_middleware")
        return [Middleware("mock", lambda below, services: below)]

    @hookimpl
    def ibc_register_apps_v2(self, services):
        self._note("ibc_register_apps_v2")
        return {}

    @hookimpl
    def ibc_register_middleware_v2(self):
        self._note("ibc_register_middleware_v2")
        return ()

    @hookimpl
    def chain_hookspecs(self):
        self._note("chain_hookspecs")
        return ()

    @hookimpl
    def ibc_wired(self, pipeline, keepers):
        self._note("ibc_wired")

    @hookimpl
    def ibc_accounts(self):
        self._note("ibc_accounts")  # None: the host's are taken

    @hookimpl
    def ibc_direct_calls(self, keepers, owners):
        self._note("ibc_direct_calls")  # None: this host has none

    @hookimpl(optionalhook=True)
    def ibc_register_queue_apps(self):
        self._note("ibc_register_queue_apps")
        return {}


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
