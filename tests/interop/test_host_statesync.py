"""A fresh node of our application joins by state sync: it never executes the blocks before the snapshot."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.damage import flip_byte

pytestmark = pytest.mark.interop
BOTH = pytest.mark.parametrize("abci", ["socket", "grpc"])
"""However CometBFT speaks with its application."""
ROOT = Path(__file__).resolve().parents[2]


def settings(node, **changes):
    path = node.home / "app.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


def state_sync(node, trusted, servers):
    urls = ",".join(f"http://127.0.0.1:{server.rpc_port}" for server in servers)
    header = trusted.rpc("commit", height="2")["signed_header"]
    node.add_config(
        f"""
[statesync]
enable = true
rpc_servers = "{urls}"
trust_height = 2
trust_hash = "{header["commit"]["block_id"]["hash"]}"
discovery_time = "5s"
"""
    )


@pytest.fixture
def grown(make_host_chain, until):
    """Two validators with 80 accounts in their state, and a home for one who joins."""
    chain = make_host_chain(2, joining=1, wallets=80)
    for node in chain.nodes:
        settings(node, snapshot_every=20, snapshot_chunk_bytes=2048)
    *old, fresh = chain.nodes
    chain.start(old)
    old[0].wait_height(2)
    for wallet in range(40):
        assert old[0].send(chain.bank_send(wallet, 0, 1 + wallet))["code"] == 0
    until(lambda: old[1].balance(chain.wallets[40].address.text) > 10**12, "transactions are in blocks")
    until(lambda: all("snapshot of height" in node.log("app") for node in old), "snapshots")
    return chain, old, fresh


@BOTH
def test_a_fresh_node_joins_by_state_sync_and_signs_nothing_else(grown, until):
    chain, old, fresh = grown
    state_sync(fresh, old[0], old)
    chain.start([fresh])
    target = old[0].height + 8
    fresh.wait_height(target)
    assert fresh.app_hash(target) == old[0].app_hash(target)
    assert int(fresh.rpc("status")["sync_info"]["earliest_block_height"]) > 10
    assert "restored the state of height" in fresh.log("app")
    address = chain.wallets[40].address.text
    until(lambda: fresh.height >= old[0].height - 1, "it keeps up")
    assert fresh.balance(address) == old[0].balance(address) > 10**12
    proofs = [
        node.rpc(
            "abci_query",
            path="/store/acc/key",
            data=b"globalAccountNumber".hex(),
            height=str(target),
            prove=True,
        )
        for node in (fresh, old[0])
    ]
    assert proofs[0]["response"] == proofs[1]["response"]
    # It goes on after a restart, and gives snapshots of its own, which are the same.
    fresh.stop()
    chain.start([fresh])
    fresh.wait_height(old[0].height + 22)
    mine, theirs = [set((node.home / "app" / "snapshots").glob("*/hashes")) for node in (fresh, old[0])]
    common = {path.parent.name for path in mine} & {path.parent.name for path in theirs}
    assert common
    for height in common:
        hashes = [(node.home / "app/snapshots" / height / "hashes").read_bytes() for node in (fresh, old[0])]
        assert hashes[0] == hashes[1]
        assert len(hashes[0]) > 32  # several chunks


@BOTH
def test_chunks_that_one_peer_spoilt_are_fetched_from_the_other(grown, until):
    chain, old, fresh = grown
    liar, honest = old
    for path in (liar.home / "app" / "snapshots").glob("*/[0-9]*"):
        flip_byte(path, -1)
    state_sync(fresh, honest, old)
    chain.start([fresh])
    fresh.wait_height(honest.height + 8, 300)  # whom CometBFT asks is chance, and again after ten seconds
    target = fresh.height
    assert fresh.app_hash(target) == honest.app_hash(target)
    assert "restored the state of height" in fresh.log("app")
    assert "cannot add nil chunk" in fresh.log("comet")  # the liar sees that its file is spoilt


class Joining:
    """A home under `localnet.comet.single_node`, whose processes are killed now and then."""

    def __init__(self, node):
        self.node, self.kills = node, 0
        log = (node.home / "single.log").open("ab")
        environment = {**node.environment, "COMETBFT": str(node.binary)}
        command = [sys.executable, "-m", "localnet.comet.single_node", str(node.home)]
        self.process = subprocess.Popen(command, stdout=log, stderr=log, cwd=ROOT, env=environment)
        log.close()

    def kill(self, name):
        try:
            os.kill(int((self.node.home / f"{name}.pid").read_text()), signal.SIGKILL)
        except (FileNotFoundError, ValueError, ProcessLookupError):
            return  # it is between two lives
        self.kills += 1

    def said(self, name, text):
        return self.node.log(name).count(text)

    def stop(self):
        self.process.terminate()
        return self.process.wait(30)


@pytest.fixture
def joining():
    made = []

    def make(node):
        made.append(Joining(node))
        return made[-1]

    yield make
    for each in made:
        each.stop()


def joins(fresh, old):
    fresh.wait_height(1, 120)
    target = fresh.height + 3
    fresh.wait_height(target)
    assert fresh.app_hash(target) == old.app_hash(target)


DIES_ONCE = """
import os, sys
from pathlib import Path
from localnet.comet import application
from pyibc.chain.comet import state_sync as statesync

finish = statesync.SnapshotRestorer._finish
def finish_and_die(self, *of):
    finish(self, *of)
    if not Path("died").exists():
        Path("died").touch()
        os.kill(os.getpid(), 9)

statesync.SnapshotRestorer._finish = finish_and_die
sys.exit(application.main(sys.argv[1:]))
"""


@pytest.mark.parametrize("later", [False, True])
def test_a_kill_when_the_application_has_the_state_and_cometbft_has_not(grown, until, later):
    """No answer to the last chunk: CometBFT ends, and begins anew with the same snapshot or a later one."""
    chain, old, fresh = grown
    state_sync(fresh, old[0], old)
    fresh.app = ["-c", DIES_ONCE]
    chain.start([fresh])
    until((fresh.home / "died").exists, "it restores", 60)
    assert fresh.kill("comet", signal.SIGTERM) is not None
    if later:
        old[0].wait_height(old[0].height + 45)  # the peers' two snapshots are others now
    fresh.stop()
    chain.start([fresh])
    joins(fresh, old[0])
    assert fresh.log("app").count("restored the state of height") == 2


def frozen(nodes, number):
    for node in nodes:
        for process in node.processes.values():
            process.send_signal(number)


@pytest.mark.parametrize("name", ["app", "comet"])
def test_a_kill_when_cometbft_has_its_state_and_no_block_yet(grown, until, joining, name):
    """CometBFT 0.38.26 panics then at every start; who looks after it lets it begin anew."""
    _, old, fresh = grown
    state_sync(fresh, old[0], old)
    node = joining(fresh)
    until(lambda: node.said("comet", "Snapshot restored"), "it joins", 60)
    frozen(old, signal.SIGSTOP)  # nobody gives it a block
    time.sleep(1)
    node.kill(name)
    frozen(old, signal.SIGCONT)
    joins(fresh, old[0])
    assert node.said("comet", "panic: state (") == 1
    assert "its state sync was interrupted, starting over" in fresh.log("single")


@BOTH
def test_kills_at_random_moments_of_a_sync(grown, until, joining):
    _, old, fresh = grown
    state_sync(fresh, old[0], old)
    node, chance = joining(fresh), random.Random(7)
    for tries in range(1, 6):
        # CometBFT looks around for five seconds first. The pauses between restarts grow to as much.
        until(lambda: node.said("comet", "Discovering snapshots") >= tries or fresh.height, "a try", 60)  # noqa: B023
        time.sleep(4.9 + chance.random() * 1.5)
        node.kill(chance.choice(["app", "comet"]))
    assert node.kills == 5
    joins(fresh, old[0])


def test_who_has_executed_blocks_and_lost_cometbft_s_is_told_what_to_do(grown, until):
    chain, old, fresh = grown
    state_sync(fresh, old[0], old)
    chain.start([fresh])
    joins(fresh, old[0])
    fresh.stop()
    for path in filter(Path.is_dir, (fresh.home / "data").iterdir()):
        shutil.rmtree(path)
    chain.start([fresh])
    until(lambda: "remove the folder app/" in fresh.log("app"), "the reason", 60)
    until(lambda: "State sync failed" in fresh.log("comet"), "CometBFT gives up", 60)
    fresh.stop()
    shutil.rmtree(fresh.home / "app")
    chain.start([fresh])
    joins(fresh, old[0])
