"""`pyibc localnet up --consensus cometbft`: chains of real validators, relayed by our relayer."""

import json
import os
import signal
import time
from contextlib import closing

import pytest
from click.testing import CliRunner

import localnet.network
from localnet.network import Network
from localnet.process.lifecycle import is_free
from localnet.process.startup import owner_pid
from localnet.settings import read_node
from pyibc.cli.localnet import command as localnet_command
from pyibc.cli.relay import command as relay_command
from pyibc.codec.anys import AnyMessage
from pyibc.proto.cosmos.bank.v1beta1 import query_pb2 as bank_pb2
from pyibc.proto.ibc.applications.transfer.v1 import tx_pb2
from pyibc.relayer.money.account import GasConfig
from pyibc.relayer.rpc.client import RpcConfig
from pyibc.relayer.rpc.endpoint import RpcEndpoint

pytestmark = pytest.mark.interop


@pytest.fixture
def run(cometbft, tmp_path, monkeypatch):
    monkeypatch.setenv("COMETBFT", cometbft)
    monkeypatch.setattr(localnet.network, "default_root", lambda: tmp_path)

    def invoke(command, *arguments):
        done = CliRunner().invoke(command, arguments)
        assert done.exit_code == 0, (arguments, done.output, done.exception)
        return done.stdout

    yield invoke
    if Network("real").exists:
        Network("real").reset()


@pytest.fixture
def localnet_run(run):
    return lambda *arguments: run(localnet_command, *arguments, "--name", "real")


def endpoint(network, index, name):
    url = network.status()[index].rpc
    return RpcEndpoint.connect(url, network.wallet(name), GasConfig(), RpcConfig())


def transfer(sender, receiver, amount):
    message = tx_pb2.MsgTransfer(
        source_port="transfer",
        source_channel="channel-0",
        sender=sender.signer,
        receiver=receiver,
        timeout_timestamp=sender.tip().time_ns + 3600 * 10**9,
    )
    message.token.denom, message.token.amount = "stake", str(amount)
    return AnyMessage("/ibc.applications.transfer.v1.MsgTransfer", message.SerializeToString())


def balances(chain, address):
    request = bank_pb2.QueryAllBalancesRequest(address=address).SerializeToString()
    raw = chain.grpc("/cosmos.bank.v1beta1.Query/AllBalances", request)
    found = bank_pb2.QueryAllBalancesResponse.FromString(raw).balances
    return {each.denom: int(each.amount) for each in found}


def processes(network):
    return [int(path.read_text()) for path in network.folder.glob("*/v*/*.pid")]


def alive(number):
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    return True


def wait_heights(network, above):
    deadline = time.monotonic() + 60
    while not all(node.height and node.height > above for node in network.status()):
        assert time.monotonic() < deadline, network.status()
        time.sleep(0.1)


def test_two_chains_of_four_real_validators_relay_stop_and_go_on(run, localnet_run, until):
    shape = ("--chains", "2", "--validators", "4", "--block-time", "300ms")
    nodes = json.loads(localnet_run("up", "--consensus", "cometbft", *shape, "--json"))
    assert [node["chain_id"] for node in nodes] == ["real-a-1", "real-b-1"]
    assert all(node["height"] for node in nodes)
    network = Network("real")
    assert len(processes(network)) == 2 * 4 * 2
    assert "channel-0 <-> channel-0" in run(relay_command, "create", "path", "--network", "real")
    with closing(endpoint(network, 0, "alice")) as a, closing(endpoint(network, 1, "bob")) as b:
        outcome = a.submit([transfer(a, b.signer, 77)])
        assert outcome.code == 0
        assert "delivered 1, acknowledged 1" in run(relay_command, "--network", "real")
        (voucher,) = [each for each in balances(b, b.signer).items() if each[0].startswith("ibc/")]
        assert voucher[1] == 77
    heights = [node.height for node in network.status()]
    running = processes(network)
    localnet_run("stop")
    assert not any(map(alive, running))
    assert all(is_free(port) for node in network.status() for port in read_node(node.home).all_ports())
    localnet_run("start")
    wait_heights(network, max(heights))
    with closing(endpoint(network, 0, "bob")) as a, closing(endpoint(network, 1, "alice")) as b:
        assert a.submit([transfer(a, b.signer, 5)]).code == 0
        assert "delivered 1, acknowledged 1" in run(relay_command, "--network", "real")
    running = processes(network)
    localnet_run("reset")
    assert not network.folder.exists()
    assert not any(map(alive, running))


@pytest.mark.parametrize("abci", ["socket", "grpc"])
def test_a_killed_supervisor_takes_its_processes_along(localnet_run, until, abci):
    localnet_run("up", "--consensus", "cometbft", "--abci", abci, "--chains", "1", "--validators", "2")
    network = Network("real")
    (node,) = network.status()
    running = processes(network)
    os.kill(node.pid, signal.SIGKILL)
    until(lambda: not any(map(alive, running)), "all four ended", 30)
    assert owner_pid(node.home) is None
    localnet_run("up")
    wait_heights(network, node.height)


@pytest.mark.parametrize("abci", ["socket", "grpc"])
def test_killed_validators_come_back_by_themselves(localnet_run, until, abci):
    shape = ("--chains", "1", "--validators", "4", "--block-time", "300ms")
    localnet_run("up", "--consensus", "cometbft", "--abci", abci, *shape)
    network = Network("real")
    (node,) = network.status()
    for number in processes(network):  # the whole chain, but for its supervisor
        os.kill(number, signal.SIGKILL)
    wait_heights(network, node.height + 3)
    assert len(processes(network)) == 8
