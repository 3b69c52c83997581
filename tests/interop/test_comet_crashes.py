"""An application that fails in a block, and an end of either process: what the other does."""

import base64
import signal

import pytest

from pyibc.examples.kvchain.app import app_hash

pytestmark = pytest.mark.interop
BOTH = pytest.mark.parametrize("abci", ["socket", "grpc"])
"""However CometBFT speaks with its application."""


def replayed(node, height):
    """App hash before each block up to `height`, computed here from the blocks' transactions."""
    state, hashes = {}, {}
    for at in range(1, height + 1):
        block = node.rpc("block", height=str(at))["block"]
        hashes[at] = app_hash(state).hex().upper() if at > 1 else ""
        for tx in block["data"]["txs"]:
            key, _, value = base64.b64decode(tx).partition(b"=")
            state[key] = value
    return hashes


def hashes(node, height):
    return {at: node.app_hash(at) for at in range(1, height + 1)}


@BOTH
def test_an_application_that_fails_in_a_block_stops_and_comes_back_mended(make_node, tmp_path, until, abci):
    """The block in which it failed is executed again by the patched one."""
    trap = tmp_path / "trap"
    node = make_node(app=("-c", BROKEN.format(trap=str(trap))))
    node.start()
    node.wait_height(2)
    trap.touch()
    process = node.processes.pop("app")
    assert process.wait(20) == 70
    assert node.log("app").count("CRITICAL") == 1
    assert "ZeroDivisionError" in node.log("app")
    if abci == "socket":
        until(lambda: node.processes["comet"].poll() is not None, "CometBFT stops")
    until(lambda: FAILED[abci] in node.log("comet"), "CometBFT says so")
    node.kill("comet")
    height = int(node.log("comet").rpartition(" height=")[2].split()[0])
    trap.unlink()
    node.start()
    node.wait_height(height + 2)


FAILED = {
    "socket": "the application failed in finalize_block",
    "grpc": "code = Internal desc = the application failed in finalize_block",
}
BROKEN = """
import logging, sys
from pathlib import Path
from pyibc.examples.kvchain import KvApp
from abci_server import run

class Broken(KvApp):
    def finalize_block(self, request):
        if Path({trap!r}).exists():
            1 // 0
        return super().finalize_block(request)

logging.basicConfig()
sys.exit(run(Broken(Path(sys.argv[1])), sys.argv[2], transport=sys.argv[3]))
"""


@pytest.mark.parametrize("abci", ["grpc"])
def test_h208_a_cometbft_that_outlived_its_application_does_no_block(make_node, until):
    """It does not notice over gRPC; the application that started since executes nothing for it."""
    node = make_node()
    node.start()
    node.wait_height(3)
    node.kill("app")
    (node.home / "app.sock").unlink()
    node.start_app()
    until(lambda: "the application has restarted" in node.log("comet"), "CometBFT is told")
    height = node.height
    node.kill("comet")
    node.start_comet()
    node.wait_height(height + 2)
    assert hashes(node, node.height) == replayed(node, node.height)


@BOTH
def test_a_polite_end_of_cometbft_leaves_the_application_serving(make_node):
    node = make_node()
    node.start()
    node.wait_height(2)
    node.kill("comet", signal.SIGTERM)
    node.start_comet()
    node.wait_height(4)
    assert node.processes["app"].poll() is None
