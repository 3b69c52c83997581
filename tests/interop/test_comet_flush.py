"""CometBFT's socket client with the patch of tools/cometbft/flush.patch (docs/node.md)."""

import base64
import concurrent.futures
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from abci_server.connection import FrameReader
from pyibc.proto.tendermint.abci import types_pb2 as pb

pytestmark = pytest.mark.interop

ROOT = Path(__file__).resolve().parents[2]
PATCHED = "0.38.26+flush"


@pytest.fixture
def patched(cometbft):
    said = subprocess.run([cometbft, "version"], capture_output=True, text=True, check=True).stdout.strip()
    if said != PATCHED:
        pytest.skip(f"{cometbft} is CometBFT {said}, without the patch: `make cometbft` builds one with it")
    return cometbft


def test_gos_own_tests_of_the_client_and_those_of_the_patch():
    source = ROOT / ".cache" / "cometbft" / PATCHED
    go = os.environ.get("GO") or shutil.which("go", path=f"{os.environ['PATH']}:/usr/local/go/bin")
    if go is None or not source.is_dir():
        pytest.skip("no go, or no source of CometBFT: `make cometbft` fetches it where Go is")
    done = subprocess.run(
        [go, "test", "-count=1", "./abci/client"], cwd=source, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"^ok\s+github.com/cometbft/cometbft/abci/client", done.stdout, re.MULTILINE)


def test_the_patched_program_says_so(patched, make_node):
    assert patched
    node = make_node()
    node.start()
    node.wait_height(1)
    assert node.rpc("status")["node_info"]["version"] == PATCHED


def test_what_waits_for_nobody_is_flushed_and_everything_is_answered(patched, make_node, tee, until):
    """One after another, then forty callers at once: CometBFT asks CheckTx without a flush of its own."""
    assert patched
    node = make_node()
    between = tee(node.address)
    node.proxy_app = between.address
    node.start()
    node.wait_height(2)
    for at in range(50):
        assert node.rpc("broadcast_tx_sync", tx=tx(f"one{at}"))["code"] == 0
    with concurrent.futures.ThreadPoolExecutor(40) as callers:
        told = list(callers.map(lambda at: node.rpc("broadcast_tx_sync", tx=tx(f"many{at}")), range(400)))
    assert [each["code"] for each in told] == [0] * 400
    until(lambda: all_is_answered(between.streams), "every request has its answer, the last one is a flush")


def all_is_answered(streams):
    (mempool,) = [kinds for kinds in map(asked_and_answered, streams) if "check_tx" in kinds[0]]
    asked, answered = mempool
    assert asked.count("check_tx") >= 450
    return asked[-1] == "flush" and answered == asked


def asked_and_answered(stream):
    return tuple(
        [message.FromString(raw).WhichOneof("value") for raw in frames_of(said)]
        for said, message in zip(stream, (pb.Request, pb.Response), strict=True)
    )


def frames_of(said):
    reader = FrameReader(2**31)
    reader.feed(bytes(said))
    return list(reader)


def tx(name):
    return base64.b64encode(f"{name}=x".encode()).decode()


def test_nodes_of_every_kind_make_one_chain(patched, make_network):
    """Patched and as released, over the socket and over gRPC."""
    stock = ROOT / ".cache" / "stock" / "cometbft"
    if not stock.exists():
        pytest.skip("no CometBFT as released: `STOCK=1 FOLDER=.cache/stock make cometbft` builds it")
    nodes = make_network(4)
    for node, (binary, abci) in zip(
        nodes,
        [(patched, "socket"), (str(stock), "socket"), (patched, "grpc"), (str(stock), "grpc")],
        strict=True,
    ):
        node.binary, node.abci = binary, abci
        node.proxy_app = node.address if abci == "socket" else f"passthrough:{node.address}"
        node.start()
    nodes[0].wait_height(2)
    for at, node in enumerate(nodes):
        assert node.commit_tx(b"kind%d=x" % at)["tx_result"]["code"] == 0
    height = max(node.height for node in nodes) + 1
    for node in nodes:
        node.wait_height(height)
    for at in range(1, height + 1):
        assert len({node.app_hash(at) for node in nodes}) == 1
    signatures = nodes[0].rpc("commit", height=str(height - 1))["signed_header"]["commit"]["signatures"]
    assert sum(each["block_id_flag"] == 2 for each in signatures) >= 3
