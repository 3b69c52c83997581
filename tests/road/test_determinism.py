"""The same blocks give the same state: in every process, beside other chains, whatever CheckTx sees."""

import itertools
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from conformance.kit.paired_chain import PairedChain
from conformance.kit.random_run import RandomRun, random_run
from conformance.kit.scenario import Scenario
from conformance.kit.scripted_app import ScriptedPlugin
from conformance.kit.staged_block import StagedBlock
from ibc_module import hookimpl
from ibc_module.hookspecs import Middleware
from ibc_module.pipeline import Pipeline
from ibc_module.plugin import Config, IbcPlugin
from localnet.chain import LocalChain
from localnet.settings import Genesis, funded
from pyibc.chain.app import HostApp
from pyibc.core.application.classic import Received
from pyibc.core.application.middleware import PassThroughApp
from pyibc.core.coin import coin
from pyibc.core.host.overlay import OverlayStore
from pyibc.core.packet.types import Packet
from pyibc.default_plugins import plugins
from pyibc.relayer.money.wallet import Wallet
from pyibc.testing.pair import ManualClock, two_chains
from pyibc.testing.transfers import FAR, transfer
from tests.sampling import sample

ROOT = Path(__file__).resolve().parents[2]


# -- replicas of a random life

SEED, SHORT, LONG = 7, 120, 1_000
PYTHONS = [path for path in os.environ.get("IBC_PYTHONS", "").split(os.pathsep) if path]


def replica_of(seed, blocks, recursion=1_000, python=sys.executable, flags=(), **environment):
    """The lines of a run in a process of its own, under another recursion limit and environment."""
    code = (
        f"import sys; from conformance.kit.random_run import random_run; sys.setrecursionlimit({recursion});"
        f"print('\\n'.join(random_run({seed}, {blocks})))"
    )
    env = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    done = subprocess.run(
        [python, *flags, "-c", code], capture_output=True, text=True, env=env, check=True, cwd=ROOT
    )
    return done.stdout.splitlines()


@pytest.fixture(scope="module")
def short_life():
    return random_run(SEED, SHORT)


@pytest.fixture(scope="module")
def long_life():
    return random_run(SEED, LONG)


def test_d1_d29_h1_a_random_life_has_everything_in_it():
    """What the replicas compare: packets that arrive, are refused for many reasons, and come back."""
    run = RandomRun(SEED)
    while run.blocks < 350:
        run.step()
    outcomes = [o for chain in run.chains for h in range(1, chain.height + 1) for o in chain.block(h).txs]
    kinds = {kind for outcome in outcomes for kind, _ in outcome.events}
    wanted = {"send_packet", "timeout_packet", "acknowledge_packet", "ibccallbackerror-fungible_token_packet"}
    assert kinds >= wanted
    answers = {
        dict(a)["packet_ack_hex"] for o in outcomes for k, a in o.events if k == "write_acknowledgement"
    }
    assert len(answers) >= 4
    assert len({(outcome.codespace, outcome.code) for outcome in outcomes}) >= 3
    run.close()


REPLICAS = [
    (1_000, {"PYTHONHASHSEED": "0", "TZ": "Pacific/Kiritimati"}),
    (5_000, {"PYTHONHASHSEED": "1", "LC_ALL": "tr_TR.UTF-8", "PYTHONINTMAXSTRDIGITS": "0"}),
    (300, {"PYTHONHASHSEED": "random", "LC_ALL": "C", "PYTHONUTF8": "0"}),
]


@pytest.mark.parametrize(("recursion", "environment"), sample(REPLICAS, 1, "replicas"), ids=str)
def test_h1_d1_d9_d20_d29_d35_replicas_agree(short_life, recursion, environment):
    """Without assertions; bad packets among them: an acknowledgement with an error's text would fork here."""
    assert replica_of(SEED, SHORT, recursion, flags=["-O"], **environment) == short_life


SURROUNDINGS = [
    ("0", 1_000, "Asia/Kolkata"),
    ("1", 5_000, "America/St_Johns"),
    ("random", 1_000, "UTC"),
    ("random", 5_000, "Pacific/Kiritimati"),
]


@pytest.mark.exhaustive
@pytest.mark.parametrize(("seed", "recursion", "zone"), SURROUNDINGS)
def test_h1_d1_d20_d29_replicas_agree_for_a_thousand_blocks(long_life, seed, recursion, zone):
    assert len(long_life) >= LONG
    life = replica_of(SEED, LONG, recursion, PYTHONHASHSEED=seed, TZ=zone, LC_ALL="tr_TR.UTF-8")
    assert life == long_life


@pytest.mark.exhaustive
@pytest.mark.skipif(not PYTHONS, reason="IBC_PYTHONS names no other interpreters")
@pytest.mark.parametrize("python", PYTHONS)
def test_h1_d3_d31_other_versions_of_python_agree(long_life, python):
    """Interpreters with the dependencies: texts in events, too, are the same in every version."""
    assert replica_of(SEED, LONG, python=python) == long_life


# -- input in another order


def test_d2_the_order_of_a_packets_fields_does_not_matter(net):
    members = {"denom": "uevil", "amount": "5", "sender": "x", "receiver": net.b.address("bob"), "memo": "m"}
    effects = set()
    for order in itertools.permutations(members):
        stage = StagedBlock(net.b.chain)
        data = json.dumps({name: members[name] for name in order}).encode()
        packet = Packet(1, "transfer", "channel-0", "transfer", "channel-0", data, FAR, 0)
        answer = transfer_app(net.b.chain).on_recv_packet(
            stage.ctx, Received("ics20-1", packet, net.b.users["relayer"].address)
        )
        effects.add((answer.data, str(stage.writes()), str(stage.ctx.events)))
    assert len(effects) == 1


def transfer_app(chain):
    plugins_of = chain.app.pipeline._manager.get_plugins()
    return next(each for each in plugins_of if isinstance(each, IbcPlugin)).keepers.ports.route("transfer")


def test_d2_the_order_of_a_genesis_does_not_matter():
    state = funded(
        (Wallet.from_seed(str(n), "cosmos").address.text, [coin("stake", n + 1)]) for n in range(3)
    )
    state = {"bank": state["bank"], "ibc": {}, "transfer": {}}
    turned = {name: dict(reversed(part.items())) for name, part in reversed(state.items())}
    hashes = set()
    for app_state in (state, turned):
        chain = LocalChain(
            "genesis-1", plugins=plugins(Config()), genesis=Genesis(app_state), clock=ManualClock()
        )
        hashes.add(chain.block(1).app_hash)
        chain.close()
    assert len(hashes) == 1


# -- a fall at any step


class Fall:
    """Raises at the k-th write of a store."""

    def __init__(self, monkeypatch, error):
        self.left, self.error = None, error
        for name in ("set", "delete"):
            monkeypatch.setattr(OverlayStore, name, self.falling(getattr(OverlayStore, name)))

    def falling(self, method):
        def run(store, *arguments):
            if self.left is not None:
                self.left -= 1
                if self.left < 0:
                    raise self.error
            return method(store, *arguments)

        return run


@pytest.mark.parametrize("error", [MemoryError, RecursionError, KeyboardInterrupt])
def test_d31_a_fall_at_any_write_of_a_message_leaves_nothing(net, monkeypatch, error):
    """What a host sees then is the state before; the same message later does the same as ever."""
    message = transfer(net.a, "alice", net.path.a, "uatom", 5, net.b.address("bob"))
    whole = StagedBlock(net.a.chain)
    whole.run(message)
    fall, falls = Fall(monkeypatch, error), 0
    stage = StagedBlock(net.a.chain)
    while True:
        fall.left = falls
        try:
            stage.run(message)
        except error:
            falls += 1
            assert stage.writes() == {}
            assert stage.ctx.events == []
        else:
            break
    assert falls > 5
    assert stage.writes() == whole.writes()
    assert stage.ctx.events == whole.ctx.events


def test_d30_a_query_reads_the_last_block_while_another_is_under_way(net):
    """Blocks are executed apart: what they write is seen when they are committed."""
    app, alice = net.a.chain.app, net.a.users["alice"].address.raw
    asked = []
    plain = app.bank.send

    def ask(*arguments):
        plain(*arguments)
        asked.append(app.bank.balance(app.query_context(), alice, "uatom"))

    app.bank.send = ask
    net.a.execute("alice", transfer(net.a, "alice", net.path.a, "uatom", 5, net.b.address("bob")))
    assert asked
    assert set(asked) == {10**12}
    assert net.a.balance("alice", "uatom") == 10**12 - 5


# -- several chains in one process


def test_d33_a_chain_does_not_notice_another_in_its_process():
    alone = Scenario()
    hashes = [alone.a.chain.block(height).app_hash for height in range(1, alone.a.chain.height + 1)]
    crowd = [Scenario(), two_chains()]
    again = Scenario()
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


class Layer(PassThroughApp):
    """Middleware that writes its name down when a packet comes in."""

    def __init__(self, below, name, seen):
        super().__init__(below)
        self._name, self._seen = name, seen

    def on_recv_packet(self, ctx, received):
        self._seen.append(self._name)
        return self.below.on_recv_packet(ctx, received)


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
    app.on_recv_packet(
        StagedBlock(scene_side.chain).ctx, Received("v", packet, scene_side.relayer.wallet.address)
    )
    assert seen == ["outer", "inner"]


@pytest.fixture
def make_scene_with():
    made = []

    def make(extra):
        made.append(PairedChain("order-2", ManualClock(), [coin("uatom", 1)], extra=extra))
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
