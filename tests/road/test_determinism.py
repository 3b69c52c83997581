"""The same blocks give the same state: in every process, beside other chains, whatever CheckTx sees."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ibc_module import hookimpl
from ibc_module.core.coin import coin
from ibc_module.core.packet import Packet
from ibc_module.hookspecs import Middleware
from ibc_module.pipeline import Pipeline
from ibc_module.plugin import Config, plugins
from localnet.chain import LocalChain
from localnet.genesis import Genesis, funded
from localnet.host.app import HostApp
from localnet.testkit.app import ScriptedPlugin
from localnet.testkit.clock import ManualClock
from localnet.testkit.fingerprint import fingerprint
from localnet.testkit.scene import Scene
from localnet.testkit.side import Side
from localnet.testkit.stage import Stage
from localnet.testkit.transfers import FAR, transfer
from localnet.testkit.two_chains import two_chains

ROOT = Path(__file__).resolve().parents[2]


def fresh_fingerprint(flags=(), **environment):
    code = "from localnet.testkit.fingerprint import fingerprint; print(fingerprint())"
    env = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    done = subprocess.run(
        [sys.executable, *flags, "-c", code], capture_output=True, text=True, env=env, check=True, cwd=ROOT
    )
    return done.stdout.strip()


@pytest.fixture(scope="module")
def here():
    return fingerprint()


def test_twice_in_one_process(here):
    assert fingerprint() == here


@pytest.mark.parametrize("seed", ["0", "1"])
def test_d1_under_another_hash_seed(here, seed):
    assert fresh_fingerprint(PYTHONHASHSEED=seed) == here


def test_d35_without_assertions(here):
    assert fresh_fingerprint(["-O"]) == here


@pytest.mark.slow
@pytest.mark.parametrize(
    "environment",
    [
        {"TZ": "Pacific/Kiritimati"},
        {"LC_ALL": "tr_TR.UTF-8"},
        {"LC_ALL": "C"},
        {"PYTHONINTMAXSTRDIGITS": "0"},
        {"PYIBC_FROZEN_VALUES": "1"},
        {"PYTHONHASHSEED": "random"},
    ],
    ids=str,
)
def test_d29_in_another_environment(here, environment):
    assert fresh_fingerprint(**environment) == here


# -- several chains in one process


def test_d33_a_chain_does_not_notice_another_in_its_process():
    alone = Scene()
    hashes = [alone.a.chain.block(height).app_hash for height in range(1, alone.a.chain.height + 1)]
    crowd = [Scene(), two_chains()]
    again = Scene()
    assert hashes == [again.a.chain.block(height).app_hash for height in range(1, again.a.chain.height + 1)]
    crowd[1].close()


def test_d33_a_flood_at_the_mempools_door_does_not_change_the_state(net):
    """Checked, refused and rechecked transactions leave no trace in what blocks compute."""

    def signed(sequence, amount=1):
        account = net.a.chain.app.pending_account(net.a.users["alice"].address.raw)
        message = transfer(net.a, "alice", net.path.a, "uatom", amount, net.b.address("bob"))
        return net.a.users["alice"].sign_tx(
            [message],
            chain_id=net.a.chain.chain_id,
            account_number=account.number,
            sequence=sequence,
            gas_limit=2_000_000,
        )

    quiet, flooded = (replica(net.a.chain) for _ in range(2))
    start = net.a.chain.app.pending_account(net.a.users["alice"].address.raw).sequence
    for step in range(3):
        for number in range(30):
            flooded.check_tx(signed(start + step + number))
            flooded.check_tx(signed(start + step + number, 10**15), recheck=True)
            flooded.check_tx(bytes([number]) * 40)
        when = net.a.chain.tip().time_ns + (step + 1) * 10**9
        txs = [signed(start + step)]
        one, other = quiet.finalize_block(when, txs), flooded.finalize_block(when, txs)
        assert one.outcomes[0].code == 0
        assert one == other
        assert quiet.commit() == flooded.commit()


def replica(chain):
    """A new node that executed all blocks of a chain."""
    app = HostApp(chain.app.config, plugins(Config()))
    first = chain.block(1)
    app.init_chain(first.time_ns, GENESIS[chain.chain_id])
    for height in range(1, chain.height + 1):
        block = chain.block(height)
        final = app.finalize_block(block.time_ns, [outcome.tx for outcome in block.txs])
        assert final.app_hash == block.app_hash
        app.commit()
    return app


GENESIS = {}


@pytest.fixture(autouse=True)
def remember_genesis(monkeypatch):
    """What each chain of a test starts from."""
    init = HostApp.init_chain

    def remembering(self, time_ns, genesis):
        GENESIS[self.config.chain_id] = genesis
        return init(self, time_ns, genesis)

    monkeypatch.setattr(HostApp, "init_chain", remembering)


# -- hooks


class Layer:
    """Middleware that writes its name down when a packet comes in."""

    def __init__(self, below, name, seen):
        self._below, self._name, self._seen = below, name, seen

    def __getattr__(self, attribute):
        return getattr(self._below, attribute)

    def on_recv_packet(self, *arguments):
        self._seen.append(self._name)
        return self._below.on_recv_packet(*arguments)


class Named:
    """A plugin with a name, which notes when its hooks are called."""

    def __init__(self, name, seen):
        self.name, self.seen = name, seen

    @hookimpl
    def chain_begin_block(self, ctx):
        self.seen.append(("begin", self.name))

    @hookimpl
    def chain_end_block(self, ctx):
        self.seen.append(("end", self.name))

    @hookimpl
    def chain_check_tx(self, ctx, messages, recheck):
        self.seen.append(("check", self.name))

    @hookimpl
    def chain_prepare_proposal(self, ctx, txs):
        self.seen.append(("prepare", self.name))

    @hookimpl
    def chain_process_proposal(self, ctx, txs):
        self.seen.append(("process", self.name))

    @hookimpl
    def chain_committed(self, block):
        self.seen.append(("committed", self.name))

    @hookimpl
    def ibc_register_middleware(self):
        return [Middleware("mock", lambda below, services: Layer(below, self.name, self.seen))]


@pytest.mark.parametrize("order", [("first", "second", "third"), ("third", "first", "second")])
def test_d34_hooks_run_in_the_configured_order(order):
    seen = []
    scripted = ScriptedPlugin()
    extra = [Named(name, seen) for name in order]
    chain = LocalChain("order-1", plugins=[*plugins(Config()), scripted, *extra], genesis=Genesis(funded([])))
    assert chain.app.process_proposal([], chain.tip().time_ns + 1)
    chain.app.prepare_proposal([], 1_000, chain.tip().time_ns + 1)
    for hook in ("begin", "end", "committed", "process", "prepare"):
        assert [name for kind, name in seen if kind == hook][: len(order)] == list(order)
    chain.close()


def test_d34_the_first_declared_middleware_is_outermost(make_scene_with):
    seen = []
    scene_side = make_scene_with([Named("outer", seen), Named("inner", seen)])
    app = scene_side.keepers.ports.route("mock")
    packet = Packet(1, "mock", "channel-0", "mock", "channel-0", b"x", FAR, 0)
    seen.clear()
    app.on_recv_packet(Stage(scene_side.chain).ctx, "v", packet, scene_side.relayer.wallet.address)
    assert seen == ["outer", "inner"]


@pytest.fixture
def make_scene_with():
    made = []

    def make(extra):
        made.append(Side("order-2", ManualClock(), [coin("uatom", 1)], extra=extra))
        return made[-1]

    yield make
    for side in made:
        side.chain.close()


def test_d34_a_hook_that_does_not_exist_stops_the_start():
    class Wrong:
        @hookimpl
        def chain_beginn_block(self, ctx):
            """Misspelt."""

    with pytest.raises(ValueError, match="chain_beginn_block"):
        Pipeline([Wrong()])
