"""What is written for Hermes: a file that TOML reads, with our ports, and the keys of our wallets."""

import json
import tomllib

import pytest

from localnet.network import Network, NetworkPlan
from localnet.relayers import HermesConfig, of_network, relayer_key, write_hermes
from localnet.settings import COMETBFT, read_node
from pyibc.relayer.money.wallet import Wallet, seed_key


@pytest.fixture
def network(tmp_path):
    network = Network("net", tmp_path)
    network.create(NetworkPlan(2, 1, consensus=COMETBFT, prefix="mine"))
    return network


def read(network, tmp_path, **terms):
    path = write_hermes(tmp_path / "hermes", of_network(network), relayer_key(network), HermesConfig(**terms))
    return tomllib.loads(path.read_text())


def test_every_chain_with_its_own_addresses(network, tmp_path):
    chains = read(network, tmp_path)["chains"]
    assert [chain["id"] for chain in chains] == ["net-a-1", "net-b-1"]
    for chain in chains:
        ports = read_node(network.folder / chain["id"]).ports[0]
        assert chain["rpc_addr"] == f"http://127.0.0.1:{ports.rpc}"
        assert chain["grpc_addr"] == f"http://127.0.0.1:{ports.grpc}"
        assert chain["event_source"]["url"] == f"ws://127.0.0.1:{ports.rpc}/websocket"
        assert chain["account_prefix"] == "mine"


def test_the_relayers_terms(network, tmp_path):
    config = read(network, tmp_path, pull=True, misbehaviour=False, clear_interval=7)
    assert config["chains"][0]["event_source"]["mode"] == "pull"
    assert config["mode"]["clients"]["misbehaviour"] is False
    assert config["mode"]["packets"]["clear_interval"] == 7


def test_the_key_is_the_wallets_and_nobody_elses_to_read(network, tmp_path):
    chain = read(network, tmp_path)["chains"][0]
    path = tmp_path / "hermes" / "keys" / chain["id"] / "keyring-test" / f"{chain['key_name']}.json"
    assert chain["key_store_folder"] == str(tmp_path / "hermes" / "keys")
    assert path.stat().st_mode & 0o077 == 0
    key, wallet = json.loads(path.read_text()), network.wallet("relayer")
    assert (key["account"], bytes(key["address"])) == (wallet.address.text, wallet.address.raw)
    assert bytes.fromhex(key["public_key"]) == wallet.public_key
    assert Wallet(bytes.fromhex(key["private_key"]), "mine").address == wallet.address
    assert key["private_key"] == seed_key("net/relayer").hex()


def test_a_network_without_grpc_is_refused(tmp_path):
    network = Network("net", tmp_path)
    network.create(NetworkPlan(1, 1))
    with pytest.raises(ValueError, match="--consensus cometbft"):
        of_network(network)
