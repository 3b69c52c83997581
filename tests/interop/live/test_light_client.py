"""CometBFT's own light client follows our node and verifies what it says: `cometbft light` as it is
released, and the same client with the Cosmos SDK's proof operations (`lightquery`), which it lacks."""

import json
import subprocess
from base64 import b64encode

import pytest

from conformance.peers.chain import SEED
from conformance.peers.live_chains import python_chains
from conformance.peers.process import PeerProcess, free_ports, until
from localnet.settings import COMETBFT, read_node
from pyibc.core import paths
from pyibc.core.channel.types import Order
from pyibc.core.coin import coin
from pyibc.relayer.errors import EndpointRefused, EndpointUnavailable
from pyibc.relayer.paths.open_path import make_path
from pyibc.relayer.rpc.client import HttpRpc

pytestmark = pytest.mark.interop


class Followed:
    """A chain of ours with two validators, a channel and a transfer, and whom a light client asks."""

    def __init__(self, folder, chain, other):
        self.chain, self.primary = chain, chain.url
        self.witness = f"http://127.0.0.1:{read_node(folder / SEED / chain.chain_id).ports[1].rpc}"
        self.path = make_path(
            chain.as_user("relayer"), other.as_user("relayer"), "transfer", Order.UNORDERED, "ics20-1"
        )
        sent = chain.submit(
            "alice", [chain.transfer("alice", self.path.a, coin("stake", 7), other.address("bob"))]
        )
        assert sent.code == 0, sent.log
        self.height = self.chain.as_user("relayer").tip().height
        self.wait(self.height + 2)
        commit = self.rpc("commit", height="2")["signed_header"]["commit"]
        self.trusted = commit["height"], commit["block_id"]["hash"]

    def wait(self, height):
        self.chain.as_user("relayer").wait(height)

    def rpc(self, method, **params):
        rpc = HttpRpc(self.primary)
        try:
            return rpc.call(method, **params)
        finally:
            rpc.close()


@pytest.fixture(scope="module")
def followed(peer, tmp_path_factory):
    peer("cometbft")
    folder = tmp_path_factory.mktemp("light")
    with python_chains(folder, 2, consensus=COMETBFT, validators=2) as chains:
        yield Followed(folder, *chains)


@pytest.fixture
def proxy(followed, peer, tmp_path):
    """The RPC of `cometbft light` before our node."""
    (port,) = free_ports(1)
    height, digest = followed.trusted
    options = ["--primary", followed.primary, "--witnesses", followed.witness]
    options += ["--height", height, "--hash", digest, "--home-dir", tmp_path]
    options += ["--laddr", f"tcp://127.0.0.1:{port}"]
    command = [peer("cometbft"), "light", followed.chain.chain_id, *options]
    process = PeerProcess(command, tmp_path / "light.log")
    proxy = HttpRpc(f"http://127.0.0.1:{port}")

    def answers():
        assert process.runs, process.words()
        try:
            return proxy.call("health") == {}
        except EndpointUnavailable:
            return False

    try:
        until(answers, "the light client answers", 30)
        yield proxy
    finally:
        proxy.close()
        process.stop()


def test_the_proxy_follows_our_node(followed, proxy):
    for height in (followed.height, followed.height + 2):
        followed.wait(height + 1)
        assert proxy.call("commit", height=str(height)) == followed.rpc("commit", height=str(height))
    assert proxy.call("validators", height=str(height))["total"] == "2"
    assert (
        proxy.call("block", height=str(height))["block_id"]
        == followed.rpc("block", height=str(height))["block_id"]
    )


def test_the_proxy_verifies_our_results_and_transactions(followed, proxy):
    """Results hash into the next header, transactions into their own."""
    heights = range(2, followed.height + 1)
    results = {height: proxy.call("block_results", height=str(height)) for height in heights}
    assert sum(len(each["txs_results"] or []) for each in results.values()) >= 5
    found = followed.rpc("tx_search", query="transfer.sender EXISTS", per_page="1")["txs"][0]
    told = proxy.call("tx", hash=b64encode(bytes.fromhex(found["hash"])).decode(), prove=True)
    assert told["height"] == found["height"]
    assert told["proof"]["root_hash"]


def test_the_released_command_knows_no_proof_of_any_cosmos_chain(followed, proxy):
    """Its proof runtime has no ICS-23 operations, whoever made them."""
    key = paths.channel_path(followed.path.a.port_id, followed.path.a.channel_id)
    with pytest.raises(EndpointRefused, match="ics23:iavl"):
        proxy.call(
            "abci_query", path="/store/ibc/key", data=key.hex(), height=str(followed.height), prove=True
        )


def lightquery(followed, binary, path, key, trusted=None):
    height, digest = trusted or followed.trusted
    command = [
        binary,
        followed.chain.chain_id,
        followed.primary,
        followed.witness,
        height,
        digest,
        path,
        key.hex(),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    return done, json.loads(done.stdout or "null")


def test_a_query_is_verified_from_a_trusted_block_on(followed, peer):
    end = followed.path.a
    packet = paths.packet_commitment_path(end.port_id, end.channel_id, 1)
    for key in (
        paths.channel_path(end.port_id, end.channel_id),
        packet,
        paths.client_state_path(end.client_id),
    ):
        done, told = lightquery(followed, peer("lightquery"), "/store/ibc/key", key)
        assert done.returncode == 0, done.stderr
        assert bytes.fromhex(told["value"]) == followed.chain.as_user("relayer").get(key)
        assert told["height"] > followed.height


def test_who_begins_with_another_block_believes_nothing(followed, peer):
    key = paths.channel_path("transfer", "channel-0")
    done, told = lightquery(followed, peer("lightquery"), "/store/ibc/key", key, ("2", "AB" * 32))
    assert (done.returncode, told) == (1, None)
    assert "hash" in done.stderr
