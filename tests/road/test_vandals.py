"""What the core keeps, remembers or hands out cannot be changed by the application that receives it."""

import os
import pickle
import subprocess
import sys

import pytest

from conformance.kit.queue.pair import QueuePair
from conformance.kit.replica import CACHES, HISTORIES, Replica
from conformance.kit.staged_block import StagedBlock
from conformance.kit.tampering import Tamperer
from conformance.kit.tampering_run import TrafficRun, job
from tests.sampling import rounds, sample

ROUNDS = rounds(3, 6)
LONG = int(os.environ.get("IBC_VANDAL_BLOCKS", "0"))
"""Blocks of the long run; 0: it is left out."""
BLOCKS = 500
"""Of each life in it: what was stopped goes on with `pytest --stepwise`, and `-n` takes several at once."""


def lived(*, is_active, seed=0, blocks=0):
    life, number = TrafficRun(is_active=is_active, seed=seed), 0
    life.round(0, ways=9)
    while number < ROUNDS or life.height < blocks:
        number += 1
        life.round(number)
    life.end()
    return life


MET = {
    *("Opening", "Opened", "Closing", "Received", "Acknowledged", "TimedOut", "Packet", "Height", "Address"),
    *("SendingV2", "ReceivedV2", "AcknowledgedV2", "Payload", "PayloadAnswer", "AppAcknowledgement"),
    *(
        "Services",
        "PortGate",
        "PortGateV2",
        "GuardedBank",
        "GuardedAccounts",
        "AddressCodec",
        "DirectHandler",
    ),
    *("ScopedContext", "ScopedStore", "ScopedReader", "ScopedGas", "ScopedBranch"),
    *("PacketData", "TransferData", "Denom", "ChannelCounterparty", "BoundApp", "BoundAppV2"),
    *("QueueSending", "QueueReceived", "QueueCommitted", "QueueRolledBack", "QueuePacket", "QueueServices"),
    *("End", "TypeSender", "CheckedMessage", "MsgTransfer", "MsgRecvPacket", "MsgReceive", "MsgSend"),
    *("CommittedBlock", "TxOutcome", "tuple"),
}
"""What the vandals must have had in their hands."""


@pytest.fixture(scope="module")
def wild_life():
    return lived(is_active=True)


def test_h80_vandals_change_nothing_and_are_refused(wild_life):
    """Blocks, events, codes and gas are those of chains whose applications are innocent."""
    tame = lived(is_active=False)
    assert [each.changed for each in wild_life.tamperers] == [[], []]
    assert MET - set().union(*[each.met for each in wild_life.tamperers]) == set()
    assert [each.met for each in tame.tamperers] == [set(), set()]
    codes = [outcome.code for _, txs, _ in wild_life.blocks() for outcome in txs]
    assert (len(codes) > 10 * ROUNDS, sum(map(bool, codes))) == (True, ROUNDS + 1)
    assert wild_life.blocks() == tame.blocks()


# -- replicas


@pytest.mark.parametrize("history", sample(HISTORIES, 1, "histories"))
def test_h80_replicas_of_vandals_agree_whatever_they_lived_through(wild_life, history, tmp_path):
    for chain in wild_life.chains:
        assert Replica(job(chain), history, tmp_path / chain.chain_id).differs_at() is None


def relived_elsewhere(chain, history, size, folder):
    """What a process of its own says, whose caches have that size."""
    path = folder / f"{chain.chain_id}.job"
    path.write_bytes(pickle.dumps(job(chain)))
    command = [sys.executable, "-m", "conformance.kit.replica", path, history, size]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    return ran.returncode, ran.stdout, ran.stderr[-2000:]


@pytest.mark.parametrize("size", sample(CACHES, 1, "caches"))
def test_h80_replicas_of_vandals_agree_whatever_they_remember(wild_life, size, tmp_path):
    for chain in wild_life.chains:
        told = relived_elsewhere(chain, "at random", size, tmp_path)
        assert told == (0, f"{chain.height} blocks\n", "")


@pytest.mark.exhaustive
@pytest.mark.skipif(not LONG, reason="IBC_VANDAL_BLOCKS says how many blocks")
@pytest.mark.parametrize("seed", range(1, 1 + -(-LONG // BLOCKS)))
def test_h80_replicas_of_vandals_agree_for_many_blocks(seed, tmp_path):
    life = lived(is_active=True, seed=seed, blocks=BLOCKS)
    history = HISTORIES[seed % (len(HISTORIES) - 1)]  # the last is "at random"
    for way, size in ((history, "full"), *(("at random", size) for size in CACHES)):
        for chain in life.chains:
            assert relived_elsewhere(chain, way, size, tmp_path) == (0, f"{chain.height} blocks\n", "")


# -- queues


@pytest.fixture(scope="module")
def pair():
    return QueuePair.registered(channels=1)


def test_h80_vandals_on_queues_change_nothing(pair):
    tamperer = Tamperer(is_active=True, store="scripted_queue")
    app = pair.a.mock.app
    message = pair.send_message(pair.path, b"x")
    app.script["on_send"] = lambda *_: None
    wanted = StagedBlock(pair.a.chain).attempt(message)
    app.script["on_send"] = lambda ctx, *told: tamperer.attack(ctx, *told, app.sender)
    got = StagedBlock(pair.a.chain).attempt(message)
    app.script.clear()
    assert tamperer.changed == []
    assert {"QueuePacket", "End", "Address", "TypeSender"} <= tamperer.met
    assert got == wanted == StagedBlock(pair.a.chain).attempt(message)
