"""A chain whose validator signs two histories: the evidence freezes its client, on ibc-go and on ours."""

import json
import shutil
import subprocess
import sys
from contextlib import ExitStack, closing, contextmanager

import pytest

from conformance.peers.chain import SEED, LiveChain, key_text
from conformance.peers.hermes import Hermes
from conformance.peers.live_chains import python_chains, simd_chain, simd_node
from conformance.peers.process import PeerFailed, until
from localnet.network import Network
from localnet.relayers import HermesChain
from localnet.settings import COMETBFT
from pyibc.core.channel.types import Order
from pyibc.relayer.clients.foreign_client import ForeignClient
from pyibc.relayer.errors import ClientUnusable
from pyibc.relayer.links.link import Link
from pyibc.relayer.paths.open_path import make_path

pytestmark = pytest.mark.interop


@contextmanager
def forked_simd(folder):
    """An ibc-go chain, and what makes it two."""
    with simd_node("forked-1", folder) as node, ExitStack() as stack:

        def fork():
            node.stop()
            twin = node.fork(folder / "twin")
            stack.callback(twin.stop)
            node.start()
            twin.start()
            return stack.enter_context(closing(LiveChain(twin.rpc)))

        yield stack.enter_context(closing(LiveChain(node.rpc, node.grpc))), fork


@contextmanager
def forked_ours(folder):
    """A chain of ours under CometBFT, and what makes it two."""
    kept = folder / "forked"
    with python_chains(kept, 1, consensus="cometbft", validators=1) as (chain,), ExitStack() as stack:

        def fork():
            network, twin = Network(SEED, kept), Network(SEED, folder / "twin")
            network.stop()
            shutil.copytree(kept, folder / "twin")
            stack.callback(twin.stop)
            network.up()
            (node,) = twin.up()
            return stack.enter_context(closing(LiveChain(node.rpc)))

        yield chain, fork


@contextmanager
def host_simd(folder):
    with simd_chain("host-1", folder) as chain:
        yield chain


@contextmanager
def host_ours(folder):
    with python_chains(folder / "host", 2) as chains:
        yield chains[1]  # the first has the name of the forked one


CASES = {
    "simd forks, ours hosts": (forked_simd, host_ours, "simd"),
    "simd forks, simd hosts": (forked_simd, host_simd, "simd"),
    "ours forks, simd hosts": (forked_ours, host_simd, "simd"),
}


def watch(key, host, target):
    command = [sys.executable, "-m", "pyibc", "watch", "--a", host.url, "--b", target.url, "--key", key]
    return subprocess.run([*command, "--json"], check=False, capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize("case", CASES)
def test_the_client_of_a_forked_chain_freezes(case, peer, tmp_path):
    forks, hosts, program = CASES[case]
    peer(program)
    peer("cometbft")
    key = tmp_path / "key"
    key.write_text(key_text("relayer"))
    key.chmod(0o600)
    with forks(tmp_path) as (chain, fork), hosts(tmp_path) as host:
        ends = chain.as_user("relayer"), host.as_user("relayer")
        path = make_path(*ends, "transfer", Order.UNORDERED, "ics20-1")
        assert watch(key, host, chain).returncode == 0
        liar = fork().as_user("bob")
        height = liar.tip().height + 3  # the next block may be one that was signed before the fork
        for each in (liar, ends[0]):
            each.wait(height)
        ForeignClient(host.as_user("bob"), liar, path.b.client_id).update_to(height)
        ends[0].wait(liar.tip().height)
        done = watch(key, host, chain)
        assert done.returncode == 3, done.stderr
        (told,) = [json.loads(line) for line in done.stdout.splitlines()]
        assert told["clients"] == {path.b.client_id: "frozen"}
        assert told["height"] == height
        assert ForeignClient(ends[1], ends[0], path.b.client_id).view().frozen
        with pytest.raises(ClientUnusable, match="frozen"):
            Link([path], *ends)
        assert watch(key, host, chain).returncode == 3  # the lie is still there, and nothing left to freeze


def test_hermes_finds_a_fork_by_the_older_events_and_freezes_our_client(peer, tmp_path):
    peer("hermes")
    peer("simd")
    ours = {"consensus": COMETBFT, "validators": 1, "legacy_events": True}
    with forked_simd(tmp_path) as (chain, fork), python_chains(tmp_path / "host", 1, **ours) as (host,):
        ends = chain.as_user("relayer"), host.as_user("relayer")
        path = make_path(*ends, "transfer", Order.UNORDERED, "ics20-1")
        liar = fork().as_user("bob")
        chains = [HermesChain(each.chain_id, each.url, each.grpc) for each in (chain, host)]
        hermes = Hermes(tmp_path / "hermes", chains)
        client = ForeignClient(ends[1], ends[0], path.b.client_id)
        try:
            hermes.start()
            height = liar.tip().height + 3
            for each in (liar, ends[0]):
                each.wait(height)
            ForeignClient(host.as_user("bob"), liar, path.b.client_id).update_to(height)
            until(lambda: client.view().frozen, "Hermes submits evidence", 60)
        except PeerFailed as error:
            raise AssertionError(f"{error}\n{hermes.words()[-5000:]}") from error
        finally:
            hermes.stop()
