"""kill -9 of our application and of CometBFT under load: all validators go on with the same app hashes."""

import random
import shutil
import threading
import time

import pytest

pytestmark = pytest.mark.interop
BOTH = pytest.mark.parametrize("abci", ["socket", "grpc"])
"""However CometBFT speaks with its application."""

ROUNDS = 12


class Load:
    """Bank sends of all wallets to whichever validator answers, until told to stop."""

    def __init__(self, chain, pause_s=0.01):
        self.chain, self.pause_s, self.accepted = chain, pause_s, 0
        self._stop = threading.Event()
        self._threads = [
            threading.Thread(target=self._run, args=(wallet,)) for wallet in range(len(chain.wallets))
        ]
        for thread in self._threads:
            thread.start()

    def _run(self, wallet):
        chance, sequence = random.Random(wallet), 0
        while not self._stop.wait(self.pause_s):
            node = chance.choice(self.chain.nodes)
            try:
                told = node.send(self.chain.bank_send(wallet, sequence, chance.randrange(1, 1000)))
            except (OSError, RuntimeError, ValueError):
                self._stop.wait(0.05)  # that one is down, or has the transaction already
                sequence = self._known(wallet, sequence)
                continue
            if told["code"] == 0:
                sequence += 1
                self.accepted += 1
            else:
                sequence = self._known(wallet, sequence)

    def _known(self, wallet, sequence):
        """The sequence that a validator which answers has committed."""
        for node in self.chain.nodes:
            try:
                return node.sequence(self.chain.wallets[wallet].address.text)
            except (OSError, RuntimeError, ValueError):
                continue
        return sequence

    def stop(self):
        self._stop.set()
        for thread in self._threads:
            thread.join()


def same_hashes(nodes, height):
    """App hash before each block, the same on all; raises AssertionError where not."""
    found = {}
    for at in range(1, height + 1):
        hashes = {node.app_hash(at) for node in nodes}
        assert len(hashes) == 1, (at, hashes)
        (found[at],) = hashes
    return found


@BOTH
def test_four_validators_survive_kills_of_both_at_random_moments(make_host_chain, until):
    chance = random.Random(20261121)
    chain = make_host_chain(4)
    chain.start()
    chain.nodes[0].wait_height(2)
    load = Load(chain)
    try:
        for _ in range(ROUNDS):
            time.sleep(chance.uniform(0.05, 1.0))
            node = chance.choice(chain.nodes)
            victims = chance.choice([("app",), ("comet",), ("app", "comet"), ("comet", "app")])
            for victim in victims:
                node.kill(victim)
            if "app" in victims:
                node.comet_ends()
                node.start_app()
            node.start_comet()
            node.wait_height(max(each.height for each in chain.nodes) + 1)
    finally:
        load.stop()
    last = max(node.height for node in chain.nodes)
    for node in chain.nodes:
        node.wait_height(last + 2)
    hashes = same_hashes(chain.nodes, last + 2)
    assert load.accepted > 50
    assert len(set(hashes.values())) > 10
    assert len({node.balance(chain.wallets[0].address.text) for node in chain.nodes}) == 1


@BOTH
def test_one_validator_whose_both_processes_die_at_once_loses_nothing(make_host_chain):
    """Alone, every kill stops the chain: what it says afterwards is what was on its own disk."""
    chance = random.Random(7)
    chain = make_host_chain(1)
    (node,) = chain.nodes
    chain.start()
    node.wait_height(2)
    load, seen = Load(chain), {}
    try:
        for _ in range(ROUNDS):
            time.sleep(chance.uniform(0.05, 0.8))
            seen |= {at: node.app_hash(at) for at in range(1, node.height + 1) if at not in seen}
            node.processes["app"].kill()
            node.stop()
            node.start()
            node.wait_height(max(seen) + 2)
    finally:
        load.stop()
    assert load.accepted > 50
    assert {at: node.app_hash(at) for at in seen} == seen


@BOTH
def test_an_application_that_lost_its_disk_replays_all_blocks(make_host_chain):
    chain = make_host_chain(2)
    lost, other = chain.nodes
    chain.start()
    lost.wait_height(2)
    for sequence in range(5):
        assert other.commit_tx(chain.bank_send(0, sequence, 10))["tx_result"]["code"] == 0
    lost.wait_height(other.height)
    address = chain.wallets[1].address.text
    before = lost.balance(address)
    assert before == 10**12 + 50
    lost.stop()
    height = other.height
    shutil.rmtree(lost.home / "app")
    chain.start([lost])
    lost.wait_height(height + 2)
    assert lost.balance(address) == before
    same_hashes(chain.nodes, height + 2)


DIES = """
import os, signal, sys
from pathlib import Path
from pyibc.chain.comet.app import CometApp
from localnet.comet.application import main
from pyibc.chain.app import HostApp

died = Path(sys.argv[1]) / "died"


def dies(owner, name, when):
    whole = getattr(owner, name)

    def wrapped(self, *given):
        host = self.host if isinstance(self, CometApp) else self
        due = host.store.next_version + (name == "committed") == 5 and not died.exists()
        if due and when == "before":
            die()
        done = whole(self, *given)
        if due and when == "after":
            die()
        return done

    setattr(owner, name, wrapped)


def die():
    died.touch()
    os.kill(os.getpid(), signal.SIGKILL)


dies({owner}, {name!r}, {when!r})
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize(
    ("owner", "name", "when"),
    [
        ("CometApp", "finalize_block", "before"),
        ("CometApp", "finalize_block", "after"),
        ("HostApp", "commit", "before"),
        ("HostApp", "commit", "after"),
        ("CometApp", "commit", "after"),
    ],
)
def test_a_kill_at_any_step_of_block_5(make_host_chain, until, owner, name, when):
    chain = make_host_chain(1, app=("-c", DIES.format(owner=owner, name=name, when=when)))
    (node,) = chain.nodes
    chain.start()
    until((node.home / "died").exists, "block 5", 30, lambda: node.log("app"))
    node.processes.pop("app").wait(20)
    node.processes.pop("comet").wait(20)
    node.start()
    node.wait_height(8)
    first, second = [node.app_hash(at) for at in (5, 6)]
    assert node.commit_tx(chain.bank_send(0, 0))["tx_result"]["code"] == 0
    assert node.app_hash(5) == first
    assert node.app_hash(6) == second
