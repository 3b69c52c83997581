"""Register: who may, whose ends, which client; first come, first served."""

from dataclasses import replace

import pytest

from conformance.kit.mutate_state import freeze_client
from conformance.kit.queue.pair import QueueChain
from conformance.kit.refusals import expect_refusal
from conformance.kit.staged_block import StagedBlock
from ibc_module.plugin import Config
from pyibc.core.errors import ClientNotActive, InvalidIdentifier, InvalidRequest, UnauthorizedTx
from pyibc.core.numbers import be8
from pyibc.queues.errors import (
    AlreadyRegistered,
    ClientOfAnotherChain,
    ConnectionBoundElsewhere,
    InvalidEnd,
    UnnamedChain,
)
from pyibc.queues.messages import MsgRegister
from pyibc.queues.packet import Binding, QueueConfig
from pyibc.queues.types import End
from pyibc.relayer.money.wallet import Wallet
from pyibc.testing.pair import ManualClock

LOCAL, REMOTE = End("alpha-1", "connection-5", "channel-5"), End("beta-1", "connection-6", "channel-6")


def message(pair, **changes):
    return replace(MsgRegister(pair.a.client_id, LOCAL, REMOTE, b"", pair.a.relayer.signer), **changes)


@pytest.fixture
def stage(pair):
    return StagedBlock(pair.a.chain)


def test_queues_are_made_and_the_connection_is_bound(pair, stage):
    attempt = stage.attempt(message(pair, remote_store=b"elsewhere"))
    assert attempt.error is None
    name = "ibc:beta-1/connection-6/channel-6/connection-5/channel-5"
    bounds = {key: value for (_, key), value in attempt.writes.items() if key.startswith(b"ibc:")}
    assert bounds == {
        f"{name}:{word}\0{place}".encode(): be8(0)
        for word in ("outgoing", "incoming")
        for place in ("head", "tail")
    }
    found = pair.a.queues.registrations.get(stage.ctx, REMOTE)
    assert (found.client_id, found.local, found.remote, found.remote_store) == (
        pair.a.client_id,
        LOCAL,
        REMOTE,
        b"elsewhere",
    )
    bound = pair.a.queues.registrations.binding(stage.ctx, "connection-5")
    assert bound == Binding(pair.a.client_id, "beta-1", "connection-6")
    assert attempt.events == (
        (
            "queue_register",
            (("local", LOCAL.text), ("remote", REMOTE.text), ("client_id", pair.a.client_id)),
        ),
    )


def test_the_store_is_called_queue_unless_told_otherwise(pair, stage):
    stage.run(message(pair))
    assert pair.a.queues.registrations.get(stage.ctx, REMOTE).remote_store == b"queue"


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"local": End("beta-1", "connection-5", "channel-5")}, InvalidEnd),
        ({"local": End("gamma-1"), "remote": End("beta-1")}, InvalidEnd),
        ({"remote": End("alpha-1", "connection-6", "channel-6")}, InvalidEnd),
        ({"remote": End("beta-1")}, InvalidEnd),  # another level
        ({"local": End("alpha-1")}, InvalidEnd),
        ({"local": End("alpha-1", "connection-5", "")}, InvalidEnd),
        ({"local": End("alpha-1"), "remote": End("beta-1")}, AlreadyRegistered),
        ({"remote": End("beta-1", "connection-7", "channel-10")}, AlreadyRegistered),
        ({"local": End("alpha-1", "connection-0", "channel-0")}, AlreadyRegistered),
        (
            {"local": LOCAL._replace(connection="connection-0"), "remote": REMOTE},
            ConnectionBoundElsewhere,
        ),
        ({"remote": REMOTE._replace(chain="gamma-1")}, ClientOfAnotherChain),
        ({"client_id": "07-tendermint-9"}, ClientNotActive),
        ({"client_id": "x"}, InvalidIdentifier),
        ({"client_id": "tendermint"}, InvalidIdentifier),
        ({"client_id": "09-localhost"}, UnnamedChain),
        ({"remote_store": b"x" * 65}, InvalidRequest),
    ],
)
def test_a_refused_registration_leaves_nothing(pair, stage, changes, error):
    expect_refusal(stage, message(pair, **changes), error)


def test_a_frozen_client_cannot_vouch(pair, stage):
    freeze_client(stage.ctx, pair.a.client_id)
    expect_refusal(stage, message(pair), ClientNotActive, status="Frozen")


def test_a_second_registration_is_refused(pair, stage):
    stage.run(message(pair))
    expect_refusal(stage, message(pair), AlreadyRegistered, end=REMOTE.text)
    other = REMOTE._replace(channel="channel-66")
    expect_refusal(stage, message(pair, remote=other), AlreadyRegistered, end=LOCAL.text)
    further = message(pair, local=LOCAL._replace(channel="channel-55"), remote=other)
    assert stage.attempt(further).error is None


def test_only_the_authority_registers_unless_the_host_says_otherwise():
    """A name is a chain id: the first to claim it with a client of his own would own it."""
    governor = Wallet.from_seed("governor", "cosmos").address.text
    side = QueueChain("alpha-1", ManualClock(), queue=QueueConfig(), config=Config(authority=governor))
    anybody = MsgRegister("07-tendermint-0", LOCAL, REMOTE, b"", side.relayer.signer)
    expect_refusal(StagedBlock(side.chain), anybody, UnauthorizedTx)
    expect_refusal(StagedBlock(side.chain), replace(anybody, signer=governor), ClientNotActive)
    side.chain.close()
