"""Any message with a flipped bit, any garbage: refused by an error of the tree, which changes nothing."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conformance.kit.encode import to_any
from conformance.kit.known import HANDLED
from conformance.kit.scenario import ACK, Scenario
from conformance.kit.sides import CONNECTION_ON_A, CONNECTION_ON_B
from pyibc.apps.transfer.messages import MsgTransfer
from pyibc.codec.anys import AnyMessage
from pyibc.core.channel.types import Order
from pyibc.core.client.messages import MsgSubmitMisbehaviour
from tests.missing import nothing_missing
from tests.sampling import rounds, sample

ORDERS = (Order.UNORDERED, Order.ORDERED)


@pytest.fixture(scope="module")
def scene():
    made = Scenario()
    made.b.chain.make_block([])  # so that a's client has a header to learn
    return made


@pytest.fixture(scope="module")
def good(scene):
    """Chain and good message, of every type that this module handles."""
    to_a, to_b, connections, channels = scene.to_a, scene.to_b, scene.connections, scene.channels
    closed = scene.closed_unordered
    messages = [
        (scene.a, to_a.create_client()),
        (scene.a, to_a.update_client()),
        (scene.a, to_a.connection_open_init()),
        (scene.b, to_b.connection_open_try(connections.init_on_a)),
        (scene.a, to_a.connection_open_ack(*connections.tried)),
        (scene.b, to_b.connection_open_confirm(*connections.acked[::-1])),
        (scene.a, to_a.channel_open_init(CONNECTION_ON_A)),
        (scene.b, to_b.channel_open_try(CONNECTION_ON_B, channels.init_on_a)),
        (scene.a, to_a.channel_open_ack(*channels.tried)),
        (scene.b, to_b.channel_open_confirm(*channels.acked[::-1])),
        (scene.a, to_a.channel_close_init(scene.unordered.a.channel_id)),
        (scene.a, to_a.channel_close_confirm(closed.a.channel_id, closed.b.channel_id)),
    ]
    for order in ORDERS:
        packets = scene.packets[order]
        messages += [
            (scene.b, to_b.recv(packets.fresh)),
            (scene.a, to_a.acknowledge(packets.received, ACK)),
            (scene.a, to_a.timeout(scene.expired[order], order)),
            (scene.a, to_a.timeout_on_close(scene.stranded[order], order)),
        ]
    update = to_a.update_client()
    older = MsgSubmitMisbehaviour(update.client_id, update.client_message, update.signer)
    return [(side, to_any(message)) for side, message in (*messages, (scene.a, older))]


ELSEWHERE = ("/ibc.core.client.v2.", "/ibc.core.channel.v2.")
"""IBC v2: garbage comes to it below; its real messages are spoilt in test_transcripts_spoilt."""

BY_AUTHORITY = {
    f"/ibc.core.{kind}"
    for kind in (
        "client.v1.MsgDeleteClientCreator",
        "client.v1.MsgIBCSoftwareUpgrade",
        "client.v1.MsgRecoverClient",
        "client.v1.MsgUpdateParams",
        "client.v1.MsgUpgradeClient",
        "connection.v1.MsgUpdateParams",
    )
}
"""Governance, creators and chain upgrades: as above."""


@pytest.mark.registry
def test_every_type_is_there(good):
    handled = {kind for kind in HANDLED if not kind.startswith(ELSEWHERE)}
    there = {message.type_url for _, message in good}
    nothing_missing(
        f"{url}: add a good one to the fixture `good` in tests/properties/test_packets_spoilt.py; if it "
        "needs an authority, add the type to BY_AUTHORITY"
        for url in sorted(handled - BY_AUTHORITY - there)
    )
    assert there == handled - BY_AUTHORITY
    assert handled >= BY_AUTHORITY


def check(scene, side, message):
    """Runs a message; whatever leaves here that is no IbcError would have stopped the node."""
    attempt = scene.stage(side).attempt(message)
    if attempt.error is not None:
        assert (attempt.writes, attempt.events) == ({}, ())


def test_a_flipped_bit_is_refused_by_name(scene, good):
    for side, message in good:
        size = len(message.value)
        for at in sample(range(size), size // 48, message.type_url):
            raw = bytearray(message.value)
            raw[at] ^= 1 << at * 5 % 8
            check(scene, side, AnyMessage(message.type_url, bytes(raw)))


def test_a_message_cut_anywhere_is_refused_by_name(scene, good):
    for side, message in good:
        for size in sample(range(len(message.value)), len(message.value) // 96, f"cut {message.type_url}"):
            check(scene, side, AnyMessage(message.type_url, message.value[:size]))


@settings(max_examples=rounds(60, 200), deadline=None, suppress_health_check=list(HealthCheck))
@given(st.sampled_from([*HANDLED, MsgTransfer.TYPE_URL, "/nobody.Msg", ""]), st.binary(max_size=120))
def test_garbage_is_refused_by_name(scene, type_url, raw):
    check(scene, scene.a, AnyMessage(type_url, raw))


@settings(max_examples=rounds(50, 150), deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_one_messages_bytes_under_anothers_type_are_refused_by_name(scene, good, data):
    side, message = data.draw(st.sampled_from(good))
    type_url = data.draw(st.sampled_from(sorted(HANDLED)))
    if type_url != message.type_url:
        check(scene, side, AnyMessage(type_url, message.value))
