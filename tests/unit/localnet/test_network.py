"""Networks of real processes: up, killed, up again, stopped, nothing left."""

import json
import os
import signal
import socket
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from threading import Thread

import msgspec
import pytest
from click.testing import CliRunner

import localnet.network
from ibc_module.hookspecs import Upgrade
from ibc_module.upgrades import UpgradePlugin
from localnet.errors import AlreadyRunning, BadSettings, NetworkExists, NoCometBft, NodeFailed, NoSuchNetwork
from localnet.network import Network, NetworkPlan, networks
from localnet.node import BlockClock, open_chain
from localnet.process.lifecycle import FIRST_PORT, await_answer, free_port, is_free
from localnet.process.startup import HomeLock, owner_pid
from localnet.settings import read_node, write
from pyibc.apps.rate_limit.plugin import RateLimitPlugin
from pyibc.chain.comet.settings import Retention, UpgradeSettings, read_app
from pyibc.cli.localnet import command
from pyibc.queues.messages import MsgQueueSend

FAST = NetworkPlan(chains=1, validators=1, block_time_ms=50)


@pytest.fixture
def network(tmp_path):
    network = Network("n1", tmp_path)
    yield network
    if network.exists:
        network.reset()
    assert not network.folder.exists()


def height_above(network, height):
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        (node,) = network.status()
        if node.height is not None and node.height > height:
            return node
        time.sleep(0.05)
    raise AssertionError("no block came")


def test_a_killed_node_goes_on_and_a_stopped_one_is_gone(network):
    network.create(FAST)
    (node,) = network.up()
    assert node.chain_id == "n1-a-1"
    before = height_above(network, 2)
    os.kill(before.pid, signal.SIGKILL)
    while owner_pid(node.home) is not None:
        time.sleep(0.01)
    assert network.status()[0].height is None
    after = network.up()[0]
    assert after.pid != before.pid
    assert height_above(network, before.height).height > before.height
    with pytest.raises(AlreadyRunning):
        HomeLock(node.home)
    assert network.stop() == ["n1-a-1"]
    assert network.stop() == []
    assert network.status()[0].pid is None
    assert is_free(read_node(node.home).rpc_port)
    assert "stopped at height" in (node.home / "node.log").read_text()


def test_settings_without_a_process(tmp_path):
    network = Network("quiet", tmp_path)
    with pytest.raises(NoSuchNetwork):
        network.status()
    network.create(NetworkPlan(chains=3))
    other = Network("other", tmp_path)
    other.create(NetworkPlan())
    ports = [read_node(n.folder / i).rpc_port for n in (network, other) for i in n.settings().chain_ids]
    assert len(set(ports)) == 5
    assert [each.name for each in networks(tmp_path)] == ["other", "quiet"]
    with pytest.raises(NetworkExists):
        network.create(NetworkPlan())
    assert network.wallet("alice").address.text in json.dumps(
        read_node(network.folder / "quiet-a-1").app_state
    )
    assert [node.chain_id for node in network.status()] == ["quiet-a-1", "quiet-b-1", "quiet-c-1"]


def side_by_side(*calls):
    """Calls from threads of their own; what each gave or raised."""
    with ThreadPoolExecutor(len(calls)) as threads:
        begun = [threads.submit(call) for call in calls]
        return [each.exception() or each.result() for each in begun]


def test_networks_that_are_made_at_once_have_ports_of_their_own(tmp_path):
    plan = NetworkPlan(2, 3, consensus="cometbft")
    made = [Network(f"n{at}", tmp_path) for at in range(4)]
    assert side_by_side(*[partial(each.create, plan) for each in made]) == [None] * 4
    ports = [read_node(each.folder / i).all_ports() for each in made for i in each.settings().chain_ids]
    assert len(set().union(*ports)) == sum(map(len, ports)) == 4 * 2 * 9


def test_one_name_is_made_once(tmp_path):
    told = side_by_side(*[partial(Network("n1", tmp_path).create, NetworkPlan(1, at)) for at in range(1, 5)])
    assert sorted(type(each).__name__ for each in told) == ["NetworkExists"] * 3 + ["NoneType"]


def test_who_comes_second_waits_for_what_the_first_one_starts(network):
    network.create(FAST)
    first, second, third = side_by_side(*[partial(Network("n1", network._root).up) for _ in range(3)])
    assert first[0].pid == second[0].pid == third[0].pid
    assert min(first[0].height, second[0].height, third[0].height) > 0


def test_a_stop_while_it_starts_is_told_so(tmp_path):
    network = Network("n1", tmp_path)
    network.create(FAST)
    home = network.folder / "n1-a-1"
    with subprocess.Popen(["true"]) as stopped:
        for process in (None, stopped):  # it has no log yet either
            with pytest.raises(NodeFailed, match=r"n1-a-1: was stopped while it started$"):
                await_answer(home, process)


def test_the_status_of_many_that_hang_takes_as_long_as_of_one(tmp_path, monkeypatch, run):
    network = Network("n1", tmp_path)
    network.create(NetworkPlan(1, 6, consensus="cometbft"))
    monkeypatch.setattr("localnet.process.startup._TIMEOUT_S", 0.5)
    home = network.folder / "n1-a-1"
    owned = HomeLock(home)
    with ExitStack() as hanging:
        for each in read_node(home).ports:
            hanging.enter_context(socket.create_server(("127.0.0.1", each.rpc)))
        start = time.monotonic()
        (status,) = network.status()
        assert time.monotonic() - start < 1.5
        assert [each.height for each in status.validators] == [None] * 6
        (home / "node.log").write_text("one\ntwo\n")
        (home / "node.json").unlink()
        assert run("status", "--name", "n1")[0] == 1
        assert "the file does not exist: correct it, or remove" in run("status", "--name", "n1")[1]
        assert run("logs", "--name", "n1", "--lines", "1") == (0, f"== {home}/node.log\ntwo\n")  # asks nobody
    owned.release()


def test_settings_that_somebody_broke_are_named_and_stand_in_nobody_s_way(tmp_path, run):
    broken = Network("broken", tmp_path)
    broken.create(NetworkPlan(1, 1))
    node = broken.folder / "broken-a-1" / "node.json"
    node.write_text("{")
    with pytest.raises(BadSettings, match="localnet reset") as caught:
        broken.status()
    assert caught.value.path == str(node)
    Network("n2", tmp_path).create(NetworkPlan(1, 1))
    code, said = run("list")
    assert (code, said.splitlines()[2]) == (1, f"{'n2':<20} 0 of 1 chains running")
    assert str(node) in said.splitlines()[0]
    assert run("reset", "--name", "broken") == (0, "removed broken\n")
    assert run("list") == (0, f"networks in {tmp_path}\n{'n2':<20} 0 of 1 chains running\n")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("rpc_port", -1), ("rpc_port", 65536), ("validators", 0), ("validators", 10**8),
        ("block_time_ms", -5), ("block_time_ms", 9), ("genesis_time_ns", -1), ("genesis_time_ns", 2**63),
        ("consensus", "x"), ("prefix", ""), ("prefix", "é"), ("prefix", "Py"),
    ],
)  # fmt: skip
def test_settings_out_of_their_range_are_named_and_nothing_is_started(tmp_path, run, field, value):
    network = Network("n1", tmp_path)
    network.create(FAST)
    path = network.folder / "n1-a-1" / "node.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {field: value}))
    code, said = run("up", "--name", "n1")
    assert code == 1
    assert said.startswith(f"error: {path}: ")
    assert f"`$.{field}`: correct it" in said
    assert not (path.parent / "node.log").exists()


@pytest.mark.parametrize("name", ["", "../x", "A", "a_b", "-a", "a-", "a" * 33, "a\n", "a/b"])
def test_names_that_are_none(name):
    with pytest.raises(ValueError, match="not a network name"):
        Network(name)


@pytest.mark.parametrize("plan", [{"chains": 0}, {"chains": 27}, {"validators": 0}, {"block_time_ms": 9}])
def test_plans_that_are_refused(tmp_path, plan):
    network = Network("n2", tmp_path)
    with pytest.raises(ValueError, match=r"1 to|10 ms"):
        network.create(NetworkPlan()._replace(**plan))
    assert not network.folder.exists()


def test_the_search_for_ports_begins_where_the_environment_says(monkeypatch):
    monkeypatch.setenv(FIRST_PORT, "41000")
    first = free_port(set(), 3)
    assert (first - 41000) % 10 == 0
    assert 41000 <= first < 42000
    monkeypatch.setenv(FIRST_PORT, "65530")
    with pytest.raises(OSError, match="no free port"):
        free_port(set(), 6)
    monkeypatch.setenv(FIRST_PORT, "soon")
    with pytest.raises(ValueError, match="PYIBC_FIRST_PORT is not a port: 'soon'"):
        free_port(set())


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.setattr(localnet.network, "default_root", lambda: tmp_path)

    def run(*arguments):
        result = CliRunner().invoke(command, arguments)
        return result.exit_code, result.output

    return run


def test_command_line(run, tmp_path):
    assert run("list") == (0, f"no networks in {tmp_path}\n")
    code, said = run("status")
    assert code == 1
    assert said.startswith(f"error: no network is named 'default' in {tmp_path}: `pyibc localnet list`")
    assert run("up", "--name", "../x")[0] == 2
    assert run("up", "--block-time", "soon")[0] == 2
    try:
        code, said = run(
            "up", "--name", "cli", "--chains", "1", "--validators", "1", "--block-time", "100ms", "--json",
            "--keep-blocks", "50", "--keep-versions", "60", "--map-gib", "2",
        )  # fmt: skip
        assert code == 0
        assert read_node(tmp_path / "cli" / "cli-a-1").retention == Retention(50, 60, 2 << 30)
        assert json.loads(said)[0]["chain_id"] == "cli-a-1"
        assert run("status", "--name", "cli")[0] == 0
        assert run("list") == (0, f"networks in {tmp_path}\n{'cli':<20} 1 of 1 chains running\n")
        assert run("stop", "--name", "cli") == (0, "stopped cli-a-1\n")
        assert run("stop", "--name", "cli") == (0, "nothing was running\n")
        assert run("status", "--name", "cli")[0] == 1
        assert run("list", "--json") == (0, '[{"name": "cli", "chains": 1, "running": 0}]\n')
    finally:
        assert run("reset", "--name", "cli") == (0, "removed cli\n")
    assert [path.name for path in tmp_path.iterdir()] == [".lock"]


@pytest.fixture
def stopped(tmp_path, monkeypatch):
    """A network under CometBFT that `up` only pretends to start."""
    monkeypatch.setattr(Network, "up", lambda _: [])
    Network("n1", tmp_path).create(NetworkPlan(1, 2, consensus="cometbft", plugins=("a:b",)))
    return ("up", "--name", "n1")


def test_a_network_with_the_settings_that_are_asked_for_is_started_again(run, stopped):
    told = "network 'n1' exists: starting those of its chains that do not run\n"
    assert run(*stopped) == (0, told)
    asked = ("--chains", "1", "--validators", "2", "--consensus", "cometbft", "--plugin", "a:b")
    assert run(*stopped, *asked) == (0, told)


@pytest.mark.parametrize(
    ("options", "differs"),
    [
        (
            "--validators 3 --block-time 2s",
            "--validators 2 instead of 3, --block-time 1000ms instead of 2000ms",
        ),
        ("--chains 2", "--chains 1 instead of 2"),
        ("--consensus local", "--consensus cometbft instead of local"),
        ("--abci grpc", "--abci socket instead of grpc"),
        ("--plugin c:d", "--plugin a:b instead of c:d"),
        ("--export", "--export (off) instead of (on)"),
        ("--keep-blocks 50 --map-gib 2", "--keep-blocks (all) instead of 50, --map-gib 256 instead of 2"),
    ],
)
def test_a_setting_that_differs_is_named_and_nothing_is_started(run, stopped, tmp_path, options, differs):
    before = read_node(tmp_path / "n1" / "n1-a-1")
    code, said = run(*stopped, *options.split())
    assert code == 1
    assert said.startswith(
        f"error: network 'n1' exists with other settings, {differs}: leave these options out"
    )
    assert "pyibc localnet reset --name n1" in said
    assert read_node(tmp_path / "n1" / "n1-a-1") == before


def test_a_new_network_that_does_not_start_is_removed(run, tmp_path):
    broken = ("--chains", "1", "--validators", "1", "--plugin", "absent:plugins")
    code, output = run("up", "--name", "n9", *broken)
    assert code == 1
    assert "exited with code 2" in output
    assert "No module named 'absent'" in output
    assert networks(tmp_path) == []


@pytest.mark.parametrize("queues", [False, True])
def test_a_plan_with_queues_makes_chains_with_queues(tmp_path, queues):
    network = Network("n1", tmp_path)
    network.create(FAST._replace(queues=queues))
    settings = read_node(network.folder / "n1-a-1")
    chain = open_chain(tmp_path / "home", settings)
    try:
        routes = chain.app.pipeline.messages()
        assert (MsgQueueSend.TYPE_URL in routes) == queues
        assert ("queue_coins" in chain.app.pipeline.stores()) == queues
    finally:
        chain.close()


def test_ports_come_in_rows_that_are_free(tmp_path):
    with socket.create_server(("127.0.0.1", free_port(()) + 1)) as taken:
        port = taken.getsockname()[1]
        first = free_port((), 3)
        assert port not in range(first, first + 3)
    network = Network("n1", tmp_path)
    network.create(FAST._replace(validators=3, consensus="cometbft"))
    settings = read_node(network.folder / "n1-a-1")
    assert len(settings.all_ports()) == 9
    with pytest.raises(ValueError, match="consensus is 'raft'"):
        Network("n2", tmp_path).create(FAST._replace(consensus="raft"))
    with pytest.raises(ValueError, match="abci 'grpc' is for chains under CometBFT"):
        Network("n2", tmp_path).create(FAST._replace(abci="grpc"))
    assert not Network("n2", tmp_path).exists


def test_a_stopped_network_moves_away_from_ports_that_others_took(tmp_path, monkeypatch):
    network = Network("n1", tmp_path)
    network.create(FAST._replace(validators=2, consensus="cometbft"))
    home = network.folder / "n1-a-1"
    before = read_node(home)
    with socket.create_server(("127.0.0.1", before.ports[1].p2p)):
        network._move_from_taken_port(home)
    after = read_node(home)
    assert not after.all_ports() & before.all_ports()
    for validator in ("v0", "v1"):
        config = (home / validator / "config" / "config.toml").read_text()
        assert not any(str(port) in config for port in before.all_ports())
    network._move_from_taken_port(home)
    assert read_node(home) == after


def test_without_cometbft_no_process_is_started(tmp_path, monkeypatch):
    monkeypatch.setenv("COMETBFT", str(tmp_path / "absent"))
    monkeypatch.setattr(localnet.network, "spawn", None)
    network = Network("n1", tmp_path)
    network.create(FAST._replace(consensus="cometbft"))
    with pytest.raises(NoCometBft, match="absent"):
        network.up()
    assert owner_pid(network.folder / "n1-a-1") is None


def test_h107_what_a_chain_keeps_is_a_setting_of_its_network(tmp_path, run):
    network = Network("n1", tmp_path)
    network.create(FAST._replace(keep_blocks=20, keep_versions=30, map_bytes=1 << 30))
    settings = read_node(network.folder / "n1-a-1")
    chain = open_chain(tmp_path / "home", settings)
    try:
        assert chain.retention == settings.retention == Retention(20, 30, 1 << 30)
    finally:
        chain.close()
    other = Network("n2", tmp_path)
    other.create(FAST._replace(consensus="cometbft", keep_blocks=20, keep_versions=30, map_bytes=1 << 30))
    home = other.folder / "n2-a-1" / "v0"
    assert read_app(home).retention == settings.retention
    genesis = json.loads((home / "config" / "genesis.json").read_text())
    assert genesis["consensus_params"]["evidence"]["max_age_num_blocks"] == "20"
    for plan in ({"keep_blocks": 9}, {"keep_versions": 0}, {"map_bytes": 1}):
        with pytest.raises(ValueError, match="at least"):
            Network("n3", tmp_path).create(FAST._replace(**plan))
    assert run("up", "--name", "n4", "--keep-blocks", "9")[0] == 2
    assert [each.name for each in networks(tmp_path)] == ["n1", "n2"]


def test_h278_a_node_waits_at_the_upgrade_of_its_settings(tmp_path, caplog):
    network = Network("n1", tmp_path)
    network.create(FAST)
    settings = msgspec.structs.replace(
        read_node(network.folder / "n1-a-1"), upgrade=UpgradeSettings("more", 3)
    )
    write(tmp_path / "home" / "node.json", settings)
    settings = read_node(tmp_path / "home")
    for _ in range(2):  # the second time it is opened with that block signed
        chain = open_chain(tmp_path / "home", settings)
        clock = BlockClock(chain, 0.001)
        running = Thread(target=clock.run, daemon=True)
        running.start()
        while not caplog.records:
            running.join(0.01)
        running.join(0.05)
        assert running.is_alive()
        assert chain.height == 2
        clock.stopping.set()
        running.join()
        chain.close()
        said = [each for each in caplog.messages if "NEEDED" in each]
        assert [each.split(":")[0] for each in said] == ["n1-a-1"]
        caplog.clear()
    added = msgspec.structs.replace(settings, plugins=(f"{__name__}:more",))
    chain = open_chain(tmp_path / "home", added)
    assert chain.height == 3
    chain.close()


def more():
    return [RateLimitPlugin(), UpgradePlugin({"more": Upgrade()})]
