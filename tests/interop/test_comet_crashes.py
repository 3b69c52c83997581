"""kill -9 of the application and of CometBFT under load: the chain goes on with the same app hashes."""

import base64
import random
import shutil
import signal
import threading
import time
from itertools import count

import pytest

from pyibc.examples.kvchain.app import app_hash

pytestmark = pytest.mark.interop
BOTH = pytest.mark.parametrize("abci", ["socket", "grpc"])
"""However CometBFT speaks with its application."""

ROUNDS = 10


class Load:
    """Sends transactions until it is told to stop, whether somebody listens or not."""

    def __init__(self, node):
        self.node, self.sent, self._stop = node, 0, threading.Event()
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        for number in count():
            if self._stop.wait(0.003):
                return
            tx = f"key{number % 97}=value{number}".encode()
            try:
                self.node.rpc("broadcast_tx_sync", tx=base64.b64encode(tx).decode())
                self.sent += 1
            except (OSError, RuntimeError, ValueError):
                time.sleep(0.05)

    def stop(self):
        self._stop.set()
        self.thread.join()


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
def test_a_chain_survives_kills_of_both_at_random_moments(make_node):
    chance = random.Random(20251121)
    node = make_node()
    node.start()
    node.wait_height(2)
    load = Load(node)
    seen = {}
    try:
        for _ in range(ROUNDS):
            time.sleep(chance.uniform(0.05, 1.5))
            seen |= hashes(node, node.height)
            victims = chance.choice([("app",), ("comet",), ("app", "comet"), ("comet", "app")])
            for victim in victims:
                node.kill(victim)
            if "app" in victims:
                node.comet_ends()
                node.start_app()
            node.start_comet()
            node.wait_height(max(seen) + 2)
    finally:
        load.stop()
    node.wait_height(node.height + 2)
    last = node.height
    assert load.sent > 100
    assert hashes(node, last).items() >= seen.items()
    assert hashes(node, last) == replayed(node, last)


@BOTH
def test_an_application_that_lost_its_disk_replays_all_blocks(make_node):
    node = make_node()
    node.start()
    node.wait_height(2)
    for number in range(5):
        node.commit_tx(b"k%d=v%d" % (number, number))
    height = node.height
    before = hashes(node, height)
    node.stop()
    shutil.rmtree(node.home / "app")
    node.start()
    node.wait_height(height + 2)
    assert hashes(node, height) == before
    assert node.value(b"k4") == b"v4"


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
