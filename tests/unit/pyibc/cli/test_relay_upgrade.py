"""`pyibc relay upgrade`: what is done for each client, or why not."""

import json
from contextlib import nullcontext
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from ibc_module.plugin import Config
from ibc_module.upgrades import UpgradeNeeded
from pyibc.cli import main
from pyibc.cli.relay import upgrade
from pyibc.codec.gotime import GO_ZERO_TIME_NS
from pyibc.core.channel.types import Order
from pyibc.core.client.messages import MsgIbcSoftwareUpgrade
from pyibc.core.client.types import UpgradePlan
from pyibc.core.height import Height
from pyibc.core.wire.message import pack_msg
from pyibc.default_plugins import plugins
from pyibc.relayer.clients.foreign_client import ForeignClient
from pyibc.relayer.clients.tendermint import ClientSettings, client_state
from pyibc.relayer.config.model import PathConfig
from pyibc.relayer.money.wallet import Wallet
from pyibc.testing.pair import two_chains

AUTHORITY = Wallet.from_seed("alice", "cosmos").address.text
OTHER = "chain-b-1 07-tendermint-3: chain-a-1 plans no upgrade"


@pytest.fixture(scope="module")
def net():
    net = two_chains(plugins=lambda: plugins(Config(authority=AUTHORITY)))
    net.path = net.open("transfer", Order.UNORDERED, "ics20-1")
    yield net
    net.close()


@pytest.fixture
def run(net, tmp_path, monkeypatch):
    own = SimpleNamespace(ledger=str(tmp_path / "fees.db"), journal=str(tmp_path / "relayer.db"))
    path = PathConfig(a="chain-a-1", b="chain-b-1", name="ab", channels=(net.path.a.channel_id,))
    lost = PathConfig(a="chain-a-1", b="chain-b-1", name="lost", channels=("channel-9",))
    config = SimpleNamespace(relayer=own, paths=[path, lost])
    chains = {
        party.chain.chain_id: SimpleNamespace(
            endpoint=lambda c=party.endpoint: c, config=SimpleNamespace(quorum=None)
        )
        for party in (net.a, net.b)
    }
    monkeypatch.setattr(upgrade, "read_relayer_config", lambda _: config)
    monkeypatch.setattr(upgrade, "connected", lambda *_: nullcontext(chains))
    return lambda *words: CliRunner().invoke(main, ["relay", "upgrade", *words])


def plan(net, state, height):
    message = MsgIbcSoftwareUpgrade(
        UpgradePlan("v2", GO_ZERO_TIME_NS, height, "", has_client_state=False), state, AUTHORITY
    )
    assert net.b.execute("alice", pack_msg(message)).code == 0


def test_a_client_is_upgraded_once_its_chain_has_halted_and_else_it_is_said_why_not(net, run):
    client = net.path.a.client_id
    done = run("--path", "ab")
    assert (done.exit_code, done.stdout) == (0, f"chain-a-1 {client}: chain-b-1 plans no upgrade\n{OTHER}\n")
    height = net.b.chain.height + 5
    plan(net, client_state("chain-b-2", height + 1, ClientSettings()), height)
    done = run("--client", f"chain-a-1/{client}")
    waits = f"chain-b-1 is at block {net.b.chain.height}, and will halt at block {height}"
    assert (done.exit_code, done.stdout) == (3, f"chain-a-1 {client}: {waits}\n")
    while net.b.chain.height < height - 1:
        net.b.chain.make_block()
    done = run("--path", "ab")
    early = f"chain-b-1 has not committed the upgraded client of block {height} yet"
    assert (done.exit_code, done.stdout) == (3, f"chain-a-1 {client}: {early}\n{OTHER}\n")
    with pytest.raises(UpgradeNeeded):  # header `height` is signed
        net.b.chain.make_block()
    before = ForeignClient(net.a.endpoint, net.b.endpoint, client).view()
    assert before.chain_id == "chain-b-1"
    done = run("--path", "ab", "--json")
    assert done.exit_code == 0
    row = {"chain": "chain-a-1", "client": client, "upgraded": True}
    row["reason"] = f"upgraded: chain-b-1 halted at block {height}"
    assert json.loads(done.stdout.splitlines()[0]) == row
    after = ForeignClient(net.a.endpoint, net.b.endpoint, client).view()
    assert (after.chain_id, after.latest) == ("chain-b-2", Height(2, height + 1))
    done = run("--client", f"chain-a-1/{client}")
    unknown = "tracks 'chain-b-2', which the configuration does not have"
    assert (done.exit_code, done.stdout) == (3, f"chain-a-1 {client}: {unknown}\n")


@pytest.mark.parametrize(
    ("words", "code", "reason"),
    [
        (("--path", "lost"), 3, "lost: "),
        (("--client", "chain-a-1/07-tendermint-9"), 3, "07-tendermint-9: the client does not exist"),
        (("--client", "c-3/07-tendermint-0"), 2, "no chain is called 'c-3': name a client as CHAIN/CLIENT"),
        (("--client", "07-tendermint-0"), 2, "no chain is called ''"),
        (("--path", "other"), 2, "no path is called 'other'"),
        (("--path", "ab", "--client", "chain-a-1/07-tendermint-0"), 2, "give either --path or --client"),
    ],
)
def test_what_cannot_be_examined_is_told(run, words, code, reason):
    done = run(*words)
    assert done.exit_code == code
    assert reason in done.output


def test_a_refused_upgrade_is_left(run, monkeypatch):
    refused = SimpleNamespace(outcome=SimpleNamespace(code=18, codespace="client", log="is not above"))
    monkeypatch.setattr(upgrade, "planned_height", lambda _: 7)
    monkeypatch.setattr(upgrade, "upgrade", lambda *_: refused)
    done = run("--client", "chain-b-1/07-tendermint-3")
    assert (done.exit_code, done.stdout) == (
        3,
        "chain-b-1 07-tendermint-3: refused: client/18 is not above\n",
    )
