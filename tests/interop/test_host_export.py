"""One chain's blocks by three ways: told by its application, asked of its RPC, made again in this process."""

import json
import shutil
import time
from contextlib import closing

import pytest
from click.testing import CliRunner

import localnet.network
from ibc_module.plugin import Config
from localnet.chain import LocalChain
from localnet.network import Network
from localnet.settings import Genesis, read_node
from pyibc.cli import main
from pyibc.codec.anys import AnyMessage
from pyibc.default_plugins import plugins
from pyibc.indexer.blocks.plugin import ExportPlugin
from pyibc.proto.ibc.applications.transfer.v1 import tx_pb2
from pyibc.relayer.money.account import GasConfig
from pyibc.relayer.rpc.blocks import RpcBlocks
from pyibc.relayer.rpc.client import HttpRpc, RpcConfig
from pyibc.relayer.rpc.endpoint import RpcEndpoint

pytestmark = pytest.mark.interop
MINUTE_NS = 60 * 10**9


def pyibc(*arguments):
    done = CliRunner().invoke(main, [str(each) for each in arguments])
    assert done.exit_code == 0, (arguments, done.output, done.exception)
    return done.stdout


def transfer(chain, receiver, amount, timeout_ns=60 * MINUTE_NS):
    message = tx_pb2.MsgTransfer(
        source_port="transfer",
        source_channel="channel-0",
        sender=chain.signer,
        receiver=receiver,
        timeout_timestamp=chain.tip().time_ns + timeout_ns,
    )
    message.token.denom, message.token.amount = "stake", str(amount)
    outcome = chain.submit(
        [AnyMessage("/ibc.applications.transfer.v1.MsgTransfer", message.SerializeToString())]
    )
    assert outcome.code == 0


@pytest.fixture
def network(cometbft, tmp_path, monkeypatch):
    """Two chains under CometBFT whose packets were acknowledged, refused, timed out, and are on their way."""
    monkeypatch.setenv("COMETBFT", cometbft)
    monkeypatch.setattr(localnet.network, "default_root", lambda: tmp_path)
    up = ("--chains", 2, "--validators", 1, "--block-time", "300ms", "--consensus", "cometbft", "--export")
    pyibc("localnet", "up", "--name", "told", *up)
    network = Network("told")
    try:
        pyibc("relay", "create", "path", "--network", "told")
        urls = [node.rpc for node in network.status()]
        wallets = [network.wallet(name) for name in ("alice", "bob")]
        ends = [
            RpcEndpoint.connect(*each, GasConfig(), RpcConfig()) for each in zip(urls, wallets, strict=True)
        ]
        with closing(ends[0]), closing(ends[1]):
            for amount in (1, 22, 333):
                transfer(ends[0], ends[1].signer, amount)
            transfer(ends[1], ends[0].signer, 5)
            transfer(ends[1], "nobody", 6)
            transfer(ends[0], ends[1].signer, 7, timeout_ns=2 * 10**9)
            time.sleep(3)
            said = pyibc("relay", "--network", "told")
            assert "delivered 5, acknowledged 5 (1 with an error), timed out 1" in said
            transfer(ends[0], ends[1].signer, 8)
        yield network
    finally:
        network.reset()


@pytest.fixture
def three_ways(network, tmp_path):
    """Folders of exports, which hold a folder a chain each."""
    ways = {name: tmp_path / f"by-{name}" for name in ("application", "rpc", "replay")}
    stops = {node.chain_id: (node.rpc, node.height) for node in network.status()}
    for chain_id, (url, height) in stops.items():
        pyibc("export", url, "--out", ways["rpc"] / chain_id, "--to", height)
        with closing(HttpRpc(url)) as rpc:
            replay(network, chain_id, RpcBlocks(rpc), height, ways["replay"] / chain_id)
    network.stop()
    for chain_id, (_, height) in stops.items():
        told = network.folder / chain_id / "v0" / "app" / "export"
        (ways["application"] / chain_id).mkdir(parents=True)
        for path in told.glob("*.jsonl"):
            kept = path.read_bytes().splitlines(keepends=True)[:height]
            (ways["application"] / chain_id / path.name).write_bytes(b"".join(kept))
    return ways


def replay(network, chain_id, blocks, height, folder):
    """The same transactions at the same times, under our own consensus."""
    settings = read_node(network.folder / chain_id)
    genesis = Genesis(settings.app_state, settings.genesis_time_ns, settings.validators, settings.seed)
    chain = LocalChain(chain_id, plugins=[*plugins(Config()), ExportPlugin(folder)], genesis=genesis)
    with closing(chain):
        assert blocks.block(1).time_ns == chain.tip().time_ns
        for at in range(2, height + 1):
            told = blocks.block(at)
            assert chain.make_block([each.tx for each in told.txs], told.time_ns).app_hash == told.app_hash


def lines(folder):
    return {
        path.name: b"".join(each.read_bytes() for each in sorted(path.glob("*.jsonl"))).splitlines()
        for path in folder.iterdir()
    }


def test_all_three_tell_the_same_bytes(three_ways):
    by_application = lines(three_ways["application"])
    assert sorted(by_application) == ["told-a-1", "told-b-1"]
    assert all(len(told) > 20 for told in by_application.values())
    assert lines(three_ways["rpc"]) == by_application
    assert lines(three_ways["replay"]) == by_application


@pytest.mark.spark
def test_spark_answers_the_same_for_all_three(three_ways, tmp_path):
    if shutil.which("java") is None:
        pytest.skip("no Java runtime")
    answers = []
    for name, folder in three_ways.items():
        said = pyibc("index", folder, "--out", tmp_path / f"answers-{name}")
        assert "7 packets on 2 chains" in said
        answers.append(json.loads((tmp_path / f"answers-{name}" / "summary.json").read_text()))
    assert answers[0]["chains"]["told-a-1"]["acknowledged"] == 3
    assert answers[0]["chains"]["told-a-1"]["timed_out"] == 1
    for answer in answers[1:]:
        assert answer["chains"] == answers[0]["chains"]
        assert {**answer, "inputs": None} == {**answers[0], "inputs": None}
