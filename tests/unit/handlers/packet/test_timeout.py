"""Chain A takes a packet back; refusals are in the recordings `packet_errors` and `timeouts`."""

from dataclasses import replace

import pytest

from conformance.kit.refusal_rows import (
    bit_flips,
    connected_by,
    source_channel,
)
from conformance.kit.refusals import expect_refusal
from conformance.kit.sides import CLIENT_ON_A
from conformance.vectors.synthetic import join_proofs
from iavl import MultiStore
from light_client.tendermint import store
from light_client.tendermint.states import pack_consensus_state
from pyibc.core import paths
from pyibc.core.channel.types import ChannelState, Order
from pyibc.core.connection.types import ConnectionState
from pyibc.core.errors import (
    CommitmentError,
    InvalidProof,
    TimeoutNotReached,
)
from pyibc.core.height import Height
from pyibc.core.packet.types import Packet

BOTH = [Order.UNORDERED, Order.ORDERED]
SUCCESS = b"\x08\x02"


def good(scene, order):
    return scene.to_a.timeout(scene.expired[order], order)


def on_close(scene, order):
    return scene.to_a.timeout_on_close(scene.stranded[order], order)


EITHER = pytest.mark.parametrize("asked", [good, on_close])


def commitment(packet):
    key = paths.packet_commitment_path(packet.port_id_on_a, packet.channel_id_on_a, packet.sequence)
    return ("ibc", key)


def channel(packet):
    return ("ibc", paths.channel_path(packet.port_id_on_a, packet.channel_id_on_a))


@pytest.mark.parametrize("names", ["destination", "own port", "own channel"])
def test_a_receipt_lacks_under_the_destination_s_names(scene, names):
    """B has receipts of this sequence under all other names: an absence is proven for a range of keys."""
    message = good(scene, Order.UNORDERED)
    packet, stage = message.packet, scene.stage(scene.a)
    ports = {packet.port_id_on_a, packet.port_id_on_b}
    channels = {packet.channel_id_on_a, packet.channel_id_on_b}
    receipts = {paths.packet_receipt_path(p, c, packet.sequence) for p in ports for c in channels}
    port = packet.port_id_on_a if names == "own port" else packet.port_id_on_b
    channel_id = packet.channel_id_on_a if names == "own channel" else packet.channel_id_on_b
    absent = paths.packet_receipt_path(port, channel_id, packet.sequence)
    known = store.consensus_state(stage.ctx, CLIENT_ON_A, message.proof_height_on_b)
    tree = MultiStore(None, ["ibc"])
    tree.apply({"ibc": [(key, b"\x01") for key in sorted(receipts - {absent})]})
    _, root = tree.commit()
    at = paths.consensus_state_path(CLIENT_ON_A, message.proof_height_on_b)
    stage.ctx.ibc.set(at, pack_consensus_state(known._replace(root=root)))
    _, proofs = tree.prove("ibc", absent)
    lacking = replace(message, proof_unreceived_on_b=join_proofs(*proofs))
    error = stage.attempt(lacking).error
    assert isinstance(error, InvalidProof) if names != "destination" else error is None


@EITHER
def test_an_ordered_packet_closes_its_channel(scene, asked):
    message, stage = asked(scene, Order.ORDERED), scene.stage(scene.a)
    attempt = stage.attempt(message)
    assert (attempt.error, attempt.response) == (None, SUCCESS)
    assert attempt.writes.keys() == {commitment(message.packet), channel(message.packet)}
    end = scene.a.keepers.channels.get(stage.ctx, "mock", message.packet.channel_id_on_a)
    assert end.state is ChannelState.CLOSED
    assert [kind for kind, _ in attempt.events] == ["channel_close", "message", "timeout_packet", "message"]
    assert dict(attempt.events[0][1])["packet_channel_ordering"] == "ORDER_ORDERED"


@pytest.mark.parametrize("order", BOTH)
def test_h5_the_packet_is_closed_when_the_application_is_told(scene, order):
    seen = []
    scene.a.app.script["on_timeout_packet"] = lambda ctx, version, packet, relayer: seen.append(
        (version, relayer.text, ctx.ibc.get(commitment(packet)[1]))
    )
    scene.stage(scene.a).attempt(good(scene, order))
    assert seen == [("mock-version", scene.a.relayer.signer, None)]


@EITHER
@pytest.mark.parametrize("order", BOTH)
@pytest.mark.parametrize("state", [ChannelState.INIT, ChannelState.TRYOPEN, ChannelState.CLOSED])
def test_a_channel_in_any_state_gives_packets_back(scene, asked, order, state):
    stage, message = scene.stage(scene.a), asked(scene, order)
    source_channel(state=state)(stage, message)
    assert stage.attempt(message).response == SUCCESS


@EITHER
@pytest.mark.parametrize("order", BOTH)
def test_a_connection_in_any_state_gives_packets_back(scene, asked, order):
    stage, message = scene.stage(scene.a), asked(scene, order)
    connected_by(state=ConnectionState.TRYOPEN)(stage, message)
    assert stage.attempt(message).response == SUCCESS


@pytest.mark.parametrize("order", BOTH)
def test_the_other_chains_time_at_the_proof_decides_and_not_ours(scene, order):
    stage, message = scene.stage(scene.a), good(scene, order)
    stage.ctx.time_ns += 10**9 * 10_000  # our clock is far beyond any timeout
    fresh = replace(message, packet=scene.packets[order].fresh)
    height = message.proof_height_on_b
    time_on_b = store.consensus_state(stage.ctx, CLIENT_ON_A, height).time_ns
    expect_refusal(stage, fresh, TimeoutNotReached, height=str(height), timestamp_ns=time_on_b)


def commit(scene, stage, order, **timeout):
    """Has the stage commit to a packet like the expired one with another timeout; returns its message."""
    message = good(scene, order)
    packet = replace(message.packet, **timeout)
    scene.a.keepers.packets.commit(stage.ctx, packet)
    return replace(message, packet=packet)


@pytest.mark.parametrize("order", BOTH)
@pytest.mark.parametrize(("distance", "elapsed"), [(-1, True), (0, True), (1, False)])
def test_timeout_by_height_at_its_limit(scene, order, distance, elapsed):
    stage = scene.stage(scene.a)
    revision, height = good(scene, order).proof_height_on_b
    limit = Height(revision, height + distance)
    message = commit(scene, stage, order, timeout_height_on_b=limit, timeout_ns_on_b=0)
    if elapsed:
        assert stage.attempt(message).response == SUCCESS
    else:
        expect_refusal(stage, message, TimeoutNotReached)


@pytest.mark.parametrize("order", BOTH)
@pytest.mark.parametrize(("distance", "elapsed"), [(-1, True), (0, True), (1, False)])
def test_timeout_by_time_at_its_limit(scene, order, distance, elapsed):
    stage = scene.stage(scene.a)
    known = store.consensus_state(stage.ctx, CLIENT_ON_A, good(scene, order).proof_height_on_b)
    message = commit(
        scene, stage, order, timeout_height_on_b=Height(0, 0), timeout_ns_on_b=known.time_ns + distance
    )
    if elapsed:
        assert stage.attempt(message).response == SUCCESS
    else:
        expect_refusal(stage, message, TimeoutNotReached)


def test_an_ordered_channels_next_sequence_must_be_the_proven_one(scene):
    # Sequence 5 times out while B waits for 1: any packet not below the next sequence may.
    stage = scene.stage(scene.a)
    message = commit(scene, stage, Order.ORDERED, sequence=5)
    assert stage.attempt(message).response == SUCCESS
    stage = scene.stage(scene.a)
    message = commit(scene, stage, Order.ORDERED, sequence=5)
    expect_refusal(stage, replace(message, next_sequence_recv_on_b=2), InvalidProof)


def test_a_received_packet_has_no_proof_of_absence(scene):
    stage = scene.stage(scene.a)
    received: Packet = replace(scene.packets[Order.UNORDERED].received, timeout_ns_on_b=1)
    scene.a.keepers.packets.commit(stage.ctx, received)
    expect_refusal(stage, scene.to_a.timeout(received), InvalidProof)


@pytest.mark.parametrize("order", BOTH)
def test_h18_a_bit_flipped_anywhere_in_the_proof_is_refused(scene, order):
    """But for the key that a proof of absence names, which nobody reads."""
    message, stage = good(scene, order), scene.stage(scene.a)
    proof, packet = message.proof_unreceived_on_b, message.packet
    key = paths.packet_receipt_path(packet.port_id_on_b, packet.channel_id_on_b, packet.sequence)
    named = proof.find(b"\x0a" + bytes([len(key)]) + key) if order is Order.UNORDERED else len(proof)
    behind = named + 2 + len(key)
    accepted = []
    for spoilt in bit_flips(message, "proof_unreceived_on_b"):
        error = stage.attempt(spoilt).error
        if error is None:
            accepted.append(spoilt.proof_unreceived_on_b)
            stage = scene.stage(scene.a)
        else:
            assert isinstance(error, CommitmentError)
    assert {(each[:named], each[behind:]) for each in accepted} <= {(proof[:named], proof[behind:])}
    assert bool(accepted) is (order is Order.UNORDERED)
    assert stage.writes() == {}
