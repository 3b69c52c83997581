"""Chain A learns the answer: the good case, and every check as a row."""

import pytest

from conformance.kit.refusal_rows import (
    CHANNEL_STATES,
    bit_flips,
    client_rows,
    connected_by,
    delay_row,
    packet_rows,
    proof_rows,
    signer_rows,
    source_channel,
)
from conformance.kit.refusals import (
    Row,
    check_row,
    mutating,
    packet_setting,
    setting,
)
from conformance.kit.scenario import ACK, REFUSAL
from pyibc.core import paths
from pyibc.core.channel.types import Order
from pyibc.core.connection.types import ConnectionState
from pyibc.core.errors import (
    ChannelNotFound,
    CommitmentError,
    ConnectionNotFound,
    InvalidAcknowledgement,
    InvalidChannelState,
    InvalidConnectionState,
    InvalidPacket,
    InvalidProof,
    InvalidRoute,
    SequenceAckNotFound,
)
from pyibc.core.height import Height

BOTH = [Order.UNORDERED, Order.ORDERED]


def good(scene, order):
    return scene.to_a.acknowledge(scene.packets[order].received, ACK)


def commitment(packet):
    key = paths.packet_commitment_path(packet.port_id_on_a, packet.channel_id_on_a, packet.sequence)
    return ("ibc", key)


def next_ack(packet):
    return ("ibc", paths.next_sequence_ack_path(packet.port_id_on_a, packet.channel_id_on_a))


def test_h5_the_application_gets_the_answer_when_the_packet_is_closed_already(scene):
    seen = []

    def look(ctx, version, packet, acknowledgement, relayer):
        seen.append((version, acknowledgement, relayer.text, ctx.ibc.get(commitment(packet)[1])))

    scene.a.app.script["on_acknowledgement_packet"] = look
    scene.stage(scene.a).attempt(scene.to_a.acknowledge(scene.refused, REFUSAL))
    assert seen == [("mock-version", REFUSAL, scene.a.relayer.signer, None)]


ROWS = [
    *signer_rows(),
    *packet_rows(),
    *proof_rows("proof_ack_on_b", "proof_height_on_b", "acknowledgement"),
    *client_rows(),
    delay_row(),
    Row(
        "no acknowledgement", setting(acknowledgement=b""), InvalidAcknowledgement, {"reason": "it is empty"}
    ),
    Row(
        "acknowledgement with a space", setting(acknowledgement=b'{"result": "AQ=="}'), InvalidAcknowledgement
    ),
    Row("another acknowledgement", setting(acknowledgement=REFUSAL), InvalidProof),
    Row("an opaque acknowledgement", setting(acknowledgement=b"\xff\x00opaque"), InvalidProof),
    Row("UTF-16", setting(acknowledgement='{"result":"AQ=="}'.encode("utf-16")), InvalidProof),
    Row("port unbound", packet_setting(port_id_on_a="nobody"), InvalidRoute, {"port_id": "nobody"}),
    Row("no such channel", packet_setting(channel_id_on_a="channel-999"), ChannelNotFound),
    *(
        Row(
            f"channel {state.name}",
            source_channel(state=state),
            InvalidChannelState,
            {"expected": "OPEN", "got": state.name},
        )
        for state in CHANNEL_STATES
    ),
    Row(
        "destination port another",
        packet_setting(port_id_on_b="transfer"),
        InvalidPacket,
        {"reason": "destination port transfer is not mirror"},
    ),
    Row("destination channel another", packet_setting(channel_id_on_b="channel-999"), InvalidPacket),
    Row(
        "connection lost",
        source_channel(connection_hops=("connection-999",)),
        ConnectionNotFound,
        {"connection_id": "connection-999"},
    ),
    *(
        Row(
            f"connection {state.name}", connected_by(state=state), InvalidConnectionState, {"got": state.name}
        )
        for state in (ConnectionState.INIT, ConnectionState.TRYOPEN)
    ),
    Row("data changed", packet_setting(data=b"changed"), InvalidPacket),
    Row("timeout height changed", packet_setting(timeout_height_on_b=Height(1, 9)), InvalidPacket),
    Row("timeout time changed", packet_setting(timeout_ns_on_b=1), InvalidPacket),
]


@pytest.mark.parametrize("order", BOTH)
@pytest.mark.parametrize("row", ROWS, ids=repr)
def test_refusals(scene, row, order):
    check_row(scene.stage(scene.a), good(scene, order), row)


def test_an_ordered_channel_without_its_sequence_is_refused(scene):
    gone = mutating(lambda ctx, msg: ctx.ibc.delete(next_ack(msg.packet)[1]))
    check_row(scene.stage(scene.a), good(scene, Order.ORDERED), Row("", gone, SequenceAckNotFound))


@pytest.mark.parametrize("order", BOTH)
def test_h18_a_bit_flipped_anywhere_in_the_proof_is_refused(scene, order):
    message, stage = good(scene, order), scene.stage(scene.a)
    errors = [stage.attempt(spoilt).error for spoilt in bit_flips(message, "proof_ack_on_b")]
    assert [error for error in errors if not isinstance(error, CommitmentError)] == []
    assert stage.writes() == {}
