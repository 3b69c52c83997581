"""What CometBFT reads, as we write it."""

import json
import shutil
import stat
import tomllib
from base64 import b64decode
from pathlib import Path

import pytest

from abci_server.connection import GRPC
from localnet.comet import homes as binary
from localnet.comet.homes import cometbft, find_executable, restore_lost_homes, validator_homes, write_homes
from localnet.consensus.sign_state import validator_keys
from localnet.errors import LostValidators, NoCometBft, WrongCometBft
from localnet.network import Network, NetworkPlan, with_free_ports
from localnet.settings import read_node
from pyibc.chain.comet.app import open_app
from pyibc.chain.comet.settings import GENESIS_FILE, read_app, read_rules

PLAN = NetworkPlan(chains=2, validators=3, block_time_ms=200, consensus="cometbft")


@pytest.fixture
def network(tmp_path):
    network = Network("n1", tmp_path)
    network.create(PLAN)
    return network


@pytest.fixture
def chain(network):
    return network.folder / "n1-a-1"


def homes(chain):
    return validator_homes(chain, read_node(chain))


def read(home, name):
    return json.loads((home / name).read_text())


def test_validators_listen_at_ports_of_their_own_and_know_each_other(network):
    seen = set()
    for chain_id in network.settings().chain_ids:
        settings = read_node(network.folder / chain_id)
        assert settings.rpc_port == settings.ports[0].rpc
        ids = [read(home, "config/node_key.json") for home in homes(network.folder / chain_id)]
        assert len({each["priv_key"]["value"] for each in ids}) == 3
        for index, home in enumerate(homes(network.folder / chain_id)):
            config = tomllib.loads((home / "config" / "config.toml").read_text())
            ports = settings.ports[index]
            assert config["rpc"]["laddr"] == f"tcp://127.0.0.1:{ports.rpc}"
            assert config["consensus"]["timeout_commit"] == "200ms"
            assert config["tx_index"]["indexer"] == "kv"
            peers = config["p2p"]["persistent_peers"].split(",")
            others = {each.p2p for each in settings.ports} - {ports.p2p}
            assert {int(peer.rpartition(":")[2]) for peer in peers} == others
            assert read_app(home).grpc_port == ports.grpc
            assert not seen & {ports.rpc, ports.p2p, ports.grpc}
            seen |= {ports.rpc, ports.p2p, ports.grpc}
    assert len(seen) == 2 * 3 * 3


@pytest.mark.parametrize(
    ("abci", "address"), [("socket", "unix://app.sock"), ("grpc", "passthrough:unix://app.sock")]
)
def test_both_processes_are_told_how_they_speak(tmp_path, abci, address):
    network = Network("n1", tmp_path)
    network.create(PLAN._replace(abci=abci))
    for home in homes(network.folder / "n1-a-1"):
        config = tomllib.loads((home / "config" / "config.toml").read_text())
        assert (config["abci"], config["proxy_app"]) == (abci, address)
        assert read_app(home).abci == abci


def test_a_chunk_of_a_snapshot_fits_into_what_grpc_carries(chain):
    told = [read_app(home).snapshot_chunk_bytes for home in homes(chain)]
    assert all(GRPC.most * 9 // 10 < size < GRPC.most - 1000 for size in told)


def test_one_genesis_for_all_with_keys_that_are_the_same_always(chain):
    genesis = {(home / GENESIS_FILE).read_text() for home in homes(chain)}
    (document,) = map(json.loads, genesis)
    keys = validator_keys("n1/n1-a-1", 3)
    assert [each["address"] for each in document["validators"]] == [key.address.hex().upper() for key in keys]
    for key, home in zip(keys, homes(chain), strict=True):
        signer = home / "config" / "priv_validator_key.json"
        assert b64decode(json.loads(signer.read_text())["priv_key"]["value"]) == key.seed + key.public_key
        assert stat.S_IMODE(signer.stat().st_mode) == 0o600
    assert document["app_state"]["bank"]["balances"]
    assert read_rules(homes(chain)[0]) == ("n1-a-1", 1, 22_020_096, 500_000_000)


def test_what_a_validator_signed_last_is_never_written_over(chain):
    (home, *_) = homes(chain)
    signed = home / "data" / "priv_validator_state.json"
    assert read(home, "data/priv_validator_state.json") == {"height": "0", "round": 0, "step": 0}
    signed.write_text('{"height": "9", "round": 0, "step": 3}')
    settings = read_node(chain)
    write_homes(chain, with_free_ports(settings, settings.all_ports()))
    assert json.loads(signed.read_text())["height"] == "9"


def test_the_application_opens_from_its_home(chain):
    app = open_app(homes(chain)[0])
    assert app.host.config.chain_id == "n1-a-1"
    assert app.host.info().height == 0
    app.host.store.close()


@pytest.mark.parametrize("folder", [".cache/bin", ".cache/live/bin"])
def test_a_program_is_found_where_make_builds_it(tmp_path, monkeypatch, folder):
    built = tmp_path / folder / "cometbft"
    built.parent.mkdir(parents=True)
    built.write_text("#!/bin/sh\n")
    built.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "nowhere"))
    for variable in ("COMETBFT", "IBC_LIVE_BIN"):
        monkeypatch.delenv(variable, raising=False)
    clone = Path(__file__).parents[4]
    caches = [tmp_path / each.relative_to(clone) for each in binary._CACHES]
    monkeypatch.setattr(binary, "_CACHES", caches)
    assert find_executable("cometbft", "COMETBFT") == built


def test_the_program_is_where_the_environment_says(tmp_path, monkeypatch):
    program = tmp_path / "cometbft"
    monkeypatch.setattr("localnet.comet.homes._CACHES", (tmp_path / ".cache/bin",))
    monkeypatch.setenv("PATH", str(tmp_path / "nowhere"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("COMETBFT", raising=False)
    monkeypatch.delenv("IBC_LIVE_BIN", raising=False)
    with pytest.raises(NoCometBft, match="pyibc cometbft install"):
        cometbft()
    program.write_text("#!/bin/sh\necho ${SAYS:-0.38.26}\n")
    program.chmod(0o755)
    for said in ("0.37.9", "1.0.1", "0.380.1", "CometBFT 0.38.1", "0.38.1 0.38.2"):
        monkeypatch.setenv("SAYS", said)
        monkeypatch.setenv("COMETBFT", str(program))
        with pytest.raises(WrongCometBft, match="pyibc cometbft install") as wrong:
            cometbft()
        assert wrong.value.version == said
    monkeypatch.delenv("SAYS")
    monkeypatch.delenv("COMETBFT")
    monkeypatch.setenv("IBC_LIVE_BIN", str(tmp_path))
    assert cometbft() == program
    monkeypatch.delenv("IBC_LIVE_BIN")
    monkeypatch.setenv("COMETBFT", str(program))
    assert cometbft() == program
    monkeypatch.setenv("COMETBFT", str(tmp_path / "absent"))
    monkeypatch.setenv("IBC_LIVE_BIN", str(tmp_path))
    with pytest.raises(NoCometBft, match=r"absent'.*set it to CometBFT's path"):
        cometbft()  # not another one than what was told
    program.write_text("not a program")
    monkeypatch.delenv("COMETBFT")
    with pytest.raises(WrongCometBft, match="Exec format"):
        cometbft()


def files(home):
    return {path.relative_to(home): path.read_bytes() for path in home.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    "lost", ["", "data", "data/priv_validator_state.json", "config", "config/genesis.json", "app.json"]
)
def test_a_lost_home_is_made_again_and_the_others_are_left_alone(tmp_path, lost):
    network = Network("n1", tmp_path)
    network.create(PLAN._replace(chains=1, validators=4))
    chain = network.folder / "n1-a-1"
    settings, members = read_node(chain), homes(chain)
    before = [files(each) for each in members]
    (members[0] / "config" / "config.toml").write_text("mine")
    (members[2] / "app").mkdir()
    shutil.rmtree(members[2] / lost) if (members[2] / lost).is_dir() else (members[2] / lost).unlink()
    restore_lost_homes(chain, settings)
    assert files(members[2]) == before[2]
    assert (members[0] / "config" / "config.toml").read_text() == "mine"
    keeps_state = lost in {"config", "config/genesis.json", "app.json"}
    assert (members[2] / "app").exists() == keeps_state  # a state without its blocks is of no use


@pytest.mark.parametrize(("validators", "lost"), [(1, 1), (3, 1), (4, 2), (6, 2)])
def test_a_third_of_the_homes_lost_is_too_much_and_said(tmp_path, validators, lost):
    network = Network("n1", tmp_path)
    network.create(PLAN._replace(chains=1, validators=validators))
    chain = network.folder / "n1-a-1"
    for each in homes(chain)[:lost]:
        shutil.rmtree(each)
    with pytest.raises(LostValidators, match="localnet reset") as caught:
        restore_lost_homes(chain, read_node(chain))
    assert caught.value.names == ", ".join(f"v{at}" for at in range(lost))
    assert not any(each.exists() for each in homes(chain)[:lost])
