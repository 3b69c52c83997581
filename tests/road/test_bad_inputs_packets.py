"""Bad inputs of packets, classic and of IBC v2; the numbers are those of `bad_inputs.toml`."""

import tracemalloc
from dataclasses import replace

import pytest

from conformance.kit.refusals import expect_refusal, expect_undone
from conformance.kit.staged_block import StagedBlock
from conformance.model.world import World
from ibc_core.channel.types import Order
from ibc_core.client_v2.register_counterparty import MsgRegisterCounterparty
from ibc_core.errors import (
    ClientCounterpartyNotFound,
    InvalidAcknowledgementV2,
    InvalidClientCounterparty,
    InvalidIdentifier,
    InvalidPayload,
    InvalidProof,
    InvalidRequest,
    InvalidRoute,
    InvalidType,
    Unauthorized,
)
from ibc_core.packet_v2 import types as v2
from ibc_core.packet_v2.acknowledge import MsgAcknowledgementV2
from ibc_core.packet_v2.recv import MsgRecvPacketV2
from ibc_core.packet_v2.send import MsgSendPacket
from ibc_core.packet_v2.types import SENTINEL
from ibc_core.wire.message import decode_msg, pack_msg
from ibc_proto.cosmos.ics23.v1 import proofs_pb2
from ibc_proto.ibc.core.commitment.v1 import commitment_pb2
from ibc_testing.clock import SECOND

# -- classic packets


def deepened(raw, layers):
    """A proof with the last step of its first tree repeated."""
    proof = commitment_pb2.MerkleProof.FromString(raw)
    path = proof.proofs[0].exist.path
    last = proofs_pb2.InnerOp.FromString(path[-1].SerializeToString())
    path.extend([last] * (layers - len(path)))
    return proof.SerializeToString()


@pytest.mark.parametrize("layers", [129, 10_000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_55_a_proof_deeper_than_128(scene, layers):
    message = scene.to_b.recv(scene.packets[Order.UNORDERED].fresh)
    spoilt = replace(message, proof_commitment_on_a=deepened(message.proof_commitment_on_a, layers))
    stage = scene.stage(scene.b)
    tracemalloc.start()
    try:
        refusal = expect_refusal(stage, spoilt, InvalidProof)
        assert tracemalloc.get_traced_memory()[1] < 64_000_000 + 40 * len(spoilt.proof_commitment_on_a)
    finally:
        tracemalloc.stop()
    assert len(str(refusal)) < 300


@pytest.mark.parametrize(
    "raw",
    [b'{"result":"AQ==","extra":1}', b'{"Result":"AQ=="}', b"x" * 1_000_000],
    ids=["unknown key", "key in capitals", "1 MB"],
)
def test_57_what_is_no_standard_acknowledgement(scene, raw):
    """For ibc-go it is the application's own: its proof decides. There is no limit but the transaction's."""
    message = scene.to_a.acknowledge(scene.packets[Order.UNORDERED].received, raw)
    refusal = expect_refusal(scene.stage(scene.a), message, InvalidProof)
    assert len(str(refusal)) < 300


# -- IBC v2


@pytest.fixture(scope="module")
def world():
    """Two chains whose clients know each other; chain b has received packet 1 of chain a, but no other."""
    made = World()
    a, b = made.twins
    for twin, other in ((a, b), (b, a)):
        twin.tell(0, ("register", (twin.model.client, other.model.client)))
        twin.block()
    for _ in range(2):
        a.tell(0, ("send_v2", (a.model.client, until(made), ("mock2", "mock2", "v", "json", b"hello"))))
        a.block()
    b.tell(0, ("receive_v2", (a.packets_v2[0], made.learn(1))))
    b.block()
    made.learn(0)
    yield made
    made.close()


def until(world):
    return world.clock.now_ns // SECOND + 3_600


def payload(**changes):
    return replace(v2.Payload("mock2", "mock2", "v", "json", b"hello"), **changes)


def sending(world, *payloads, client=None):
    a = world.twins[0]
    signer = a.people[0].address.text
    message = MsgSendPacket(client or a.model.client, until(world), payloads, signer)
    return pack_msg(message)


def receiving(world, *payloads):
    """Packet 2, which chain b has not seen, with other payloads."""
    a, b = world.twins
    good = b.datagrams.build(
        b.people[0].address.text, "receive_v2", (a.packets_v2[1], max(b.model.state.seen))
    )
    message = decode_msg(MsgRecvPacketV2, good.value)
    packet = replace(message.packet, payloads=payloads)
    spoilt = MsgRecvPacketV2(packet, message.proof_commitment_on_a, message.proof_height_on_a, message.signer)
    return pack_msg(spoilt)


def stage_of(world, side):
    return StagedBlock(world.twins[side].side.chain)


PAYLOADS = {
    "0 payloads": ((), InvalidPayload),
    "2 payloads": ((payload(), payload()), InvalidPayload),
    "no encoding": ((payload(encoding=""),), InvalidPayload),
    "no version": ((payload(version=" "),), InvalidPayload),
    "no value": ((payload(value=b""),), InvalidPayload),
    "no source port": ((payload(port_id_on_a=""),), InvalidIdentifier),
    "no destination port": ((payload(port_id_on_b=""),), InvalidIdentifier),
}


@pytest.mark.parametrize("name", PAYLOADS)
@pytest.mark.parametrize("make", [sending, receiving], ids=["send", "receive"])
def test_61_payloads(world, make, name):
    payloads, error = PAYLOADS[name]
    expect_refusal(stage_of(world, 0 if make is sending else 1), make(world, *payloads), error)


def test_61_a_packet_that_is_good(world):
    a = stage_of(world, 0)
    assert a.attempt(sending(world, payload())).error is None


def test_61_a_port_of_nobody(world):
    refusal = expect_refusal(stage_of(world, 0), sending(world, payload(port_id_on_a="nobody")), InvalidRoute)
    assert refusal.port_id == "nobody"


def test_61_an_encoding_that_ics20_does_not_know(world):
    spoilt = payload(
        port_id_on_a="transfer", port_id_on_b="transfer", version="ics20-1", encoding="text/plain"
    )
    expect_undone(stage_of(world, 0), sending(world, spoilt), InvalidType)


def test_61_more_than_262_144_bytes(world):
    big = payload(value=b"x" * 262_145)
    refusal = expect_refusal(stage_of(world, 1), receiving(world, big), InvalidPayload)
    assert "262144" in str(refusal)


ANSWERS = {
    "no entry": (),
    "an empty entry": (b"",),
    "two entries": (b"done", b"done"),
    "an error for one of many": (b"done", SENTINEL),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_61_answers(world, name):
    a, _ = world.twins
    good = a.datagrams.build(
        a.people[0].address.text, "acknowledge_v2", (a.packets_v2[0], b"done", max(a.model.state.seen))
    )
    message = decode_msg(MsgAcknowledgementV2, good.value)
    assert stage_of(world, 0).attempt(good).error is None
    spoilt = MsgAcknowledgementV2(
        message.packet, ANSWERS[name], message.proof_ack_on_b, message.proof_height_on_b, message.signer
    )
    told = pack_msg(spoilt)
    expect_refusal(stage_of(world, 0), told, InvalidAcknowledgementV2)


def register(world, person, prefix=(b"ibc", b""), client=None):
    a, b = world.twins
    message = MsgRegisterCounterparty(
        client or a.model.client, prefix, b.model.client, a.people[person].address.text
    )
    return pack_msg(message)


def test_62_unregistered(world):
    message = sending(world, payload(), client="07-tendermint-9")
    refusal = expect_refusal(stage_of(world, 0), message, ClientCounterpartyNotFound)
    assert "07-tendermint-9" in str(refusal)


def test_62_no_prefix(world):
    refusal = expect_refusal(stage_of(world, 0), register(world, 0, prefix=()), InvalidClientCounterparty)
    assert "prefix" in str(refusal)


def test_62_registered_twice(world):
    expect_refusal(stage_of(world, 0), register(world, 0), InvalidRequest)


def test_62_by_somebody_else(world):
    expect_refusal(stage_of(world, 0), register(world, 1), Unauthorized)
