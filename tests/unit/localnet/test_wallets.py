"""Wallets of a network by command, and the folder of all networks."""

import json
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from localnet import network as networks
from localnet.errors import NoSuchNetwork
from localnet.network import Network, NetworkPlan, default_root
from pyibc.cli.localnet import command, wallets
from pyibc.relayer.money.keys import read_wallet
from pyibc.testing.pair import two_chains


@pytest.fixture
def one_chain(monkeypatch, tmp_path):
    monkeypatch.setenv(networks.ROOT_VARIABLE, str(tmp_path))
    made = Network("solo")
    made.create(NetworkPlan(chains=1, validators=1))
    return made


def run(*words):
    return CliRunner().invoke(command, words)


def test_wallets_are_listed_and_a_key_is_written_for_a_network_of_one_chain(one_chain, tmp_path):
    addresses = {name: one_chain.wallet(name).address.text for name in networks.WALLETS}
    assert json.loads(run("keys", "--name", "solo", "--json").stdout) == [
        {"name": name, "address": address} for name, address in addresses.items()
    ]
    file = tmp_path / "alice.key"
    done = run("keys", "--name", "solo", "--export", "alice", "--out", str(file))
    assert (done.exit_code, done.stdout) == (0, f"{addresses['alice']} in {file}\n")
    assert file.stat().st_mode & 0o777 == 0o600
    assert read_wallet(str(file), "cosmos").address.text == addresses["alice"]
    again = run("keys", "--name", "solo", "--export", "alice", "--out", str(file))
    assert (again.exit_code, "exists already" in again.stderr) == (1, True)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["keys", "--name", "solo", "--export", "carol", "--out", "x"], "it has alice, bob, relayer"),
        (["keys", "--name", "solo", "--export", "alice"], "--export and --out go together"),
        (["fund", "alice", "--node", "http://x"], "only a localnet's chains have test coins"),
    ],
)
def test_wrong_use_writes_nothing(one_chain, words, said):
    done = run(*words)
    assert (done.exit_code, said in done.stderr) == (2, True)


def test_the_faucet_pays_any_address(monkeypatch):
    net = two_chains()
    monkeypatch.setattr(wallets, "submit", lambda chain, _, messages: chain.submit_located(messages))
    paid = []

    class Chain:
        chain_id, signer = "chain-a-1", net.a.address("alice")

        def __enter__(self):
            return self

        def __exit__(self, *_):
            """Nothing is open."""

        def submit_located(self, messages):
            outcome = net.a.execute("alice", *messages)
            paid.append(outcome.code)
            return SimpleNamespace(height=net.a.chain.height, outcome=outcome)

    asked = []
    monkeypatch.setattr(wallets, "endpoint", lambda options: asked.append(options["name"]) or Chain())
    done = run("fund", net.a.address("bob"), "70stake")
    assert (done.exit_code, paid, asked) == (0, [0], ["relayer"]), done.output
    assert net.a.balance("bob", "stake") == 10**12 + 70
    net.close()


# -- the folder of all networks


@pytest.fixture
def installed(monkeypatch, tmp_path):
    """A package that is installed, not a clone, and a home directory."""
    monkeypatch.delenv(networks.ROOT_VARIABLE, raising=False)
    monkeypatch.setattr(networks, "PACKAGE_ROOT", tmp_path / "site-packages")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "work" / "deep").mkdir(parents=True)
    return tmp_path


def test_networks_are_the_same_from_any_folder_unless_one_above_has_its_own(installed, monkeypatch):
    for folder in ("work", "work/deep"):
        monkeypatch.chdir(installed / folder)
        assert default_root() == installed / "home" / ".pyibc" / "localnet"
    state = installed / "work" / ".demo" / "localnet"
    state.mkdir(parents=True)
    assert default_root() == state


def test_a_network_that_is_not_there_is_told_with_the_folder(one_chain, tmp_path):
    with pytest.raises(NoSuchNetwork, match=str(tmp_path)):
        Network("other").settings()
    assert run("list").stderr == f"networks in {tmp_path}\n"
