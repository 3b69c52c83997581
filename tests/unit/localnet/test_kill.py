"""`kill -9` of a real process at chosen and at random moments: the chain goes on, with the same hashes."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
TARGET = 8

CHILD = """
import os, signal, sys
from pathlib import Path
from pyibc.core.coin import coin
from pyibc.codec.anys import AnyMessage
from pyibc.relayer.money.wallet import Wallet
from localnet.storage.block_store import BlockStore
from localnet.chain import LocalChain
from localnet.settings import Genesis, funded
from pyibc.chain.app import HostApp
from pyibc.chain.bank.send import MSG_SEND, encode_send

home, target, point, wanted = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3], int(sys.argv[4])
START = 10**18
calls = 0


def die_at(owner, name, when):
    whole = getattr(owner, name)

    def wrapped(self, *args, **kwargs):
        global calls
        calls += 1
        if when == "before" and calls == wanted:
            os.kill(os.getpid(), signal.SIGKILL)
        result = whole(self, *args, **kwargs)
        if when == "after" and calls == wanted:
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    setattr(owner, name, wrapped)


OWNERS = {"finalize_block": HostApp, "save": BlockStore, "begin": BlockStore, "commit": HostApp}
if point != "none":
    when, _, name = point.partition("-")
    die_at(OWNERS[name], name, when)

alice, bob = Wallet.from_seed("a", "cosmos"), Wallet.from_seed("b", "cosmos")
genesis = Genesis(funded([(alice.address.text, [coin("stake", 10**9)])]), START)
chain = LocalChain("kill-1", home, genesis=genesis)
while chain.height < target:
    n = chain.height - 1
    message = AnyMessage(MSG_SEND, encode_send(alice.address.text, bob.address.text, (coin("stake", n + 1),)))
    tx = alice.sign_tx([message], chain_id="kill-1", account_number=0, sequence=n, gas_limit=10**6)
    chain.make_block([tx], START + chain.height * 10**9)
    print("committed", chain.height, flush=True)
last = chain.record(chain.height)
print("done", last.result.app_hash.hex(), last.block_id.hash.hex(), [t.code for t in last.result.txs])
chain.close()
"""


def start(home, point="none", wanted=0, target=TARGET):
    return subprocess.Popen(
        [sys.executable, "-c", CHILD, str(home), str(target), point, str(wanted)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
    )


def finish(child):
    output, _ = child.communicate(timeout=60)
    return child.returncode, output.splitlines()


@pytest.fixture(scope="module")
def straight(tmp_path_factory):
    code, lines = finish(start(tmp_path_factory.mktemp("straight") / "c"))
    assert code == 0
    return lines[-1]


POINTS = [
    ("after-begin", 1),
    ("after-save", 1),
    ("before-save", 4),
    ("before-commit", 4),
    ("after-commit", 4),
]
"""Where a process is killed, and at which call of it."""


@pytest.mark.exhaustive
@pytest.mark.parametrize(("point", "wanted"), POINTS)
def test_killed_at_a_chosen_point(tmp_path, straight, point, wanted):
    code, lines = finish(start(tmp_path / "c", point, wanted))
    assert code == -signal.SIGKILL
    assert not lines or lines[-1].startswith("committed")
    code, lines = finish(start(tmp_path / "c"))
    assert code == 0
    assert lines[-1] == straight


def test_killed_again_while_it_recovers(tmp_path, straight):
    finish(start(tmp_path / "c", "before-commit", 3))
    for point in ("after-finalize_block", "before-commit"):
        assert finish(start(tmp_path / "c", point, 1))[0] == -signal.SIGKILL
    assert finish(start(tmp_path / "c"))[1][-1] == straight


@pytest.mark.exhaustive
def test_killed_at_random_moments(tmp_path):
    target, kills = 400, 0
    reference = finish(start(tmp_path / "straight", target=target))[1][-1]
    chance = random.Random(7)
    while True:
        child = start(tmp_path / "c", target=target)
        for _ in range(chance.randrange(1, 60)):
            if not child.stdout.readline():
                break
        time.sleep(chance.random() / 500)
        if child.poll() is None:
            child.kill()
        code, _ = finish(child)
        if code == 0:
            break
        assert code == -signal.SIGKILL
        kills += 1
    assert kills >= 5
    assert finish(start(tmp_path / "c", target=target))[1][-1] == reference
