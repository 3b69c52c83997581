"""A node says one thing of itself to whoever asks: JSON-RPC, gRPC, ABCI."""

import json
from urllib.request import Request, urlopen

import pytest

from light_client.tendermint.types import BLOCK_PROTOCOL
from localnet.chain import LocalChain
from localnet.rpc.server import RpcServer
from pyibc.chain.comet.app import CometApp, host_app
from pyibc.chain.comet.settings import AppSettings, ChainRules
from pyibc.chain.config import NAME, VERSION, HostConfig, Modules
from pyibc.chain.queries.node_queries import GET_NODE_INFO
from pyibc.core.comet import read_node_info, write_node_info
from pyibc.proto.cosmos.base.tendermint.v1beta1 import query_pb2 as pb
from pyibc.proto.tendermint.p2p.types_pb2 import DefaultNodeInfo

COMETBFT = "github.com/cometbft/cometbft"


@pytest.fixture
def chain():
    chain = LocalChain("odd-1", config=HostConfig("odd-1", modules=Modules(cometbft="v0.38.99")))
    chain.make_block()
    yield chain
    chain.close()


@pytest.fixture
def rpc(chain):
    server = RpcServer(chain)
    thread = server.start(0.01)
    yield server
    server.stop()
    thread.join()


def by_rpc(server, method):
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": {}}).encode()
    with urlopen(Request(server.url, body), timeout=10) as answer:
        return json.load(answer)["result"]


def by_abci_query(app):
    return pb.GetNodeInfoResponse.FromString(app.query(GET_NODE_INFO, b"").value)


def versions(said):
    return {each.path: each.version for each in said.application_version.build_deps}


def test_json_rpc_grpc_and_abci_say_the_same(chain, rpc):
    grpc = pytest.importorskip("grpc", reason="grpcio is not installed (extra `node`)")
    from localnet.grpc.server import serve_grpc
    from localnet.grpc.view import LocalView

    view = LocalView(chain, rpc.url.replace("http:", "tcp:"))
    server = serve_grpc(view, chain.app, 0)
    try:
        with grpc.insecure_channel(server.address) as channel:
            said = pb.GetNodeInfoResponse.FromString(channel.unary_unary(GET_NODE_INFO)(b"", timeout=10))
    finally:
        server.stop()
    status = by_rpc(rpc, "status")["node_info"]
    assert status["version"] == "0.38.99"
    assert read_node_info(status) == said.default_node_info
    assert by_abci_query(chain.app) == said
    assert versions(said)[COMETBFT] == "v0.38.99"
    info = by_rpc(rpc, "abci_info")["response"]
    told = said.application_version
    assert (info["data"], info["version"]) == (told.name, told.version) == (NAME, VERSION)
    header = by_rpc(rpc, "header")["header"]
    assert status["protocol_version"] == {"p2p": "8", "block": header["version"]["block"], "app": "0"}
    assert header["version"] == {"block": str(BLOCK_PROTOCOL)}


def test_on_cometbft_its_own_version_counts():
    from abci_server.messages import requests as ask

    rules = ChainRules("odd-1", 1, 22_020_096, -1)
    host = host_app(None, AppSettings("cosmos", ()), rules)
    app = CometApp(host, rules, None)
    told = app.info(ask.RequestInfo("0.38.26", BLOCK_PROTOCOL, 8, "2.0.0"))
    said = by_abci_query(host)
    assert (told.data, told.version, told.app_version) == (NAME, VERSION, 0)
    assert (said.application_version.name, said.application_version.version) == (NAME, VERSION)
    assert (said.default_node_info.network, said.default_node_info.version) == ("odd-1", "0.38.26")
    assert versions(said)[COMETBFT] == "v0.38.26"
    app.info(ask.RequestInfo("", 0, 0, ""))  # as a tool asks that is no CometBFT
    assert by_abci_query(host) == said
    host.store.close()


def test_node_info_is_read_back():
    info = DefaultNodeInfo(
        default_node_id="ab",
        listen_addr="tcp://l:1",
        network="n",
        version="1.2",
        channels=b"\x40",
        moniker="m",
    )
    info.protocol_version.p2p, info.protocol_version.block, info.protocol_version.app = 8, 11, 3
    info.other.tx_index, info.other.rpc_address = "on", "tcp://r:2"
    written = write_node_info(info)
    assert written["protocol_version"] == {"p2p": "8", "block": "11", "app": "3"}
    assert (written["id"], written["channels"]) == ("ab", "40")
    assert read_node_info(written) == info
    del written["other"]
    with pytest.raises(KeyError):
        read_node_info(written)
