"""The mempool's door: who came second is refused, what is new is let in once."""

from dataclasses import fields

import pytest

from handlers import redundancy
from light_client.interface import ProofEffect
from light_client.tendermint.client import TendermintLightClient
from pyibc.codec.anys import AnyMessage
from pyibc.core.channel.types import Order
from pyibc.core.client.messages import MsgUpdateClient
from pyibc.core.client.types import Status
from pyibc.core.errors import (
    ClientNotActive,
    DelayPeriodNotPassed,
    HeaderFromFuture,
    NotEnoughTrust,
    RedundantTx,
)
from pyibc.core.host.context import CheckedMessage
from pyibc.core.packet.messages import MsgRecvPacket
from pyibc.core.packet_v2.messages import MsgRecvPacketV2
from pyibc.core.paths import client_state_path


@pytest.fixture
def door(chain):
    def check(*messages, **options):
        redundancy.check(chain.keepers, chain.ctx, messages, **{"recheck": False, **options})

    return check


@pytest.fixture
def recv(chain, kit):
    def message(proof=kit.GOOD, **changes):
        return CheckedMessage(
            MsgRecvPacketV2.TYPE_URL,
            MsgRecvPacketV2(kit.incoming(**changes), proof, kit.HEIGHT, chain.alice.text),
        )

    return message


@pytest.fixture
def update(chain, kit):
    chain.client.update_state = lambda ctx, client_id, message: ctx.ibc.set(b"updated", b"1")
    chain.client.verify_client_message = lambda ctx, client_id, message: None
    return CheckedMessage(
        MsgUpdateClient.TYPE_URL,
        MsgUpdateClient(kit.OURS, AnyMessage("/believer.Header", b""), chain.alice.text),
    )


def test_an_update_alone_passes_and_is_taken_over(chain, door, recv, update):
    door(update)
    assert chain.state()[0][b"updated"] == b"1"
    door(recv())
    with pytest.raises(RedundantTx):
        door(update, recv())


@pytest.mark.parametrize("recheck", [False, True])
def test_evidence_freezes_the_client_and_is_no_header(chain, door, recv, update, recheck):
    def freeze(ctx, client_id, message):
        ctx.ibc.set(b"frozen", b"1")
        chain.client.current = Status.FROZEN

    chain.client.check_for_misbehaviour = lambda ctx, client_id, message: True
    chain.client.update_state_on_misbehaviour = freeze
    door(update, recheck=recheck)
    after = chain.state()[0]
    assert (after[b"frozen"], after.get(b"updated")) == (b"1", None)
    with pytest.raises(ClientNotActive):
        door(update, recheck=recheck)
    with pytest.raises(ClientNotActive):
        door(recv())
    assert chain.state()[0] == after


def test_a_header_is_verified_once(chain, door, update):
    def refuse(ctx, client_id, message):
        raise NotEnoughTrust(1, 3)

    chain.client.verify_client_message = refuse
    with pytest.raises(NotEnoughTrust):
        door(update)
    door(update, recheck=True)
    chain.client.current = Status.FROZEN
    with pytest.raises(ClientNotActive):
        door(update, recheck=True)


@pytest.mark.parametrize("error", [HeaderFromFuture, DelayPeriodNotPassed])
def test_what_the_next_block_may_see_otherwise_passes(chain, door, recv, update, error):
    def refuse(ctx, client_id, message):
        raise error(*[1] * len(fields(error)))

    chain.client.verify_client_message = refuse
    door(update, recv(proof=b"bad"))
    with pytest.raises(error):
        door(update, strict=True)


def test_a_proof_between_clients_is_used_up_at_the_door_too(chain, kit, door, recv):
    """Else the mempool would let a solo machine's signature in twice."""
    chain.client.effect = ProofEffect(kit.OURS, b"after one")
    door(recv())
    assert chain.state()[0][kit.paths.client_state_path(kit.OURS)] == b"after one"


def test_a_proof_over_a_channel_is_used_up_at_the_door_too(scene, monkeypatch):
    verify = TendermintLightClient.verify_membership_if_active

    def verified(self, ctx, client_id, *arguments):
        verify(self, ctx, client_id, *arguments)
        return ProofEffect(client_id, b"after one")

    monkeypatch.setattr(TendermintLightClient, "verify_membership_if_active", verified)
    stage = scene.stage(scene.b)
    message = CheckedMessage(MsgRecvPacket.TYPE_URL, scene.to_b.recv(scene.packets[Order.UNORDERED].fresh))
    redundancy.check(scene.b.keepers, stage.ctx, [message], recheck=False)
    assert stage.writes()["ibc", client_state_path(scene.b.client_id)] == b"after one"
