"""Proofs of other things than they are said to prove, tried on packets; names as in docs/security.md."""

from dataclasses import replace

from conformance.kit.refusals import expect_refusal
from conformance.kit.scenario import ACK, Scenario
from conformance.kit.scripted_app import STORE
from pyibc.core import paths
from pyibc.core.channel.types import Order
from pyibc.core.errors import InvalidMerkleProof, InvalidProof
from pyibc.core.wire.merkle import encode_merkle_proof
from pyibc.relayer.chain.values import Proven


def parts(scene, prover, store, key):
    """Value and the single proofs of a key in any store, at the height that the other chain knows."""
    height = scene.pair.known(scene.pair.other(prover)).revision_height - 1
    return prover.chain.app.store.prove(store, key, height)


def commitment_key(packet):
    return paths.packet_commitment_path(packet.port_id_on_a, packet.channel_id_on_a, packet.sequence)


def test_h22_absence_below_is_no_presence(scene):
    """A chain [absence, existence], or [absence, absence], proves no packet."""
    message = scene.to_b.recv(scene.packets[Order.UNORDERED].fresh)
    _, absent = parts(scene, scene.a, "ibc", b"commitments/ports/mock/channels/channel-1/sequences/77")
    for proofs in (absent, [absent[0], absent[0]], [absent[0]]):
        spoilt = replace(message, proof_commitment_on_a=encode_merkle_proof(proofs))
        error = InvalidMerkleProof if len(proofs) == 1 else InvalidProof
        expect_refusal(scene.stage(scene.b), spoilt, error)


def test_h22_presence_is_no_absence(scene):
    message = scene.to_a.timeout(scene.expired[Order.UNORDERED])
    _, present = parts(scene, scene.b, "ibc", paths.channel_path("mock", "channel-1"))
    for proofs in (present, [present[1], present[0]]):
        spoilt = replace(message, proof_unreceived_on_b=encode_merkle_proof(proofs))
        expect_refusal(scene.stage(scene.a), spoilt, InvalidProof)


def test_h22_one_step_more_or_less_is_refused(scene):
    message = scene.to_b.recv(scene.packets[Order.UNORDERED].fresh)
    _, proofs = parts(scene, scene.a, "ibc", commitment_key(message.packet))
    for wrong in ([*proofs, proofs[1]], [proofs[0]], [proofs[1]]):
        spoilt = replace(message, proof_commitment_on_a=encode_merkle_proof(wrong))
        expect_refusal(scene.stage(scene.b), spoilt, InvalidMerkleProof)
    swapped = replace(message, proof_commitment_on_a=encode_merkle_proof(proofs[::-1]))
    expect_refusal(scene.stage(scene.b), swapped, InvalidProof)


def test_h22_a_right_proof_under_another_key_is_refused(scene):
    fresh = scene.to_b.recv(scene.packets[Order.UNORDERED].fresh)
    other = scene.to_b.recv(scene.packets[Order.UNORDERED].beyond)
    spoilt = replace(fresh, proof_commitment_on_a=other.proof_commitment_on_a)
    expect_refusal(scene.stage(scene.b), spoilt, InvalidProof)


def test_h22_the_answer_to_another_packet_is_no_answer(scene):
    """Both were answered alike: only the key in the proof tells them apart."""
    packets = scene.packets[Order.UNORDERED]
    message = scene.to_a.acknowledge(packets.received, ACK)
    other = scene.to_a.acknowledge(packets.done, ACK)
    expect_refusal(scene.stage(scene.a), replace(message, proof_ack_on_b=other.proof_ack_on_b), InvalidProof)


def test_h23_a_proof_from_another_store_is_refused(scene):
    """The same key and value in a store of the attacker's choice: the path names the store."""
    packet = scene.packets[Order.UNORDERED].fresh
    key = commitment_key(packet)
    planted = scene.a.chain.get(key)
    other = Scenario()
    other.a.inside(lambda ctx: ctx.store(STORE).set(key, planted))
    other.pair.sync()
    proven: Proven = other.to_b.proof(key)
    _, proofs = parts(other, other.a, STORE, key)
    good = other.to_b.recv(packet)
    assert other.stage(other.b).attempt(good).error is None
    spoilt = replace(good, proof_commitment_on_a=encode_merkle_proof(proofs), proof_height_on_a=proven.height)
    expect_refusal(other.stage(other.b), spoilt, InvalidProof)


def test_h23_an_absence_in_another_store_is_refused(scene):
    message = scene.to_a.timeout(scene.expired[Order.UNORDERED])
    packet = message.packet
    key = paths.packet_receipt_path(packet.port_id_on_b, packet.channel_id_on_b, packet.sequence)
    for store in (STORE, "bank", "transfer"):
        _, proofs = parts(scene, scene.b, store, key)
        spoilt = replace(message, proof_unreceived_on_b=encode_merkle_proof(proofs))
        expect_refusal(scene.stage(scene.a), spoilt, InvalidProof)
