"""Bad inputs of connections and channels; the numbers are those of `bad_inputs.toml`."""

from dataclasses import replace

import pytest

from conformance.kit.encode import to_any
from conformance.kit.ends import CONNECTION_ON_A
from conformance.kit.refusals import expect_refusal, expect_undone
from ibc_core.any_message import AnyMessage
from ibc_core.application.classic import Opened
from ibc_core.channel.types import ChannelCounterparty
from ibc_core.errors import (
    InvalidChannelOrdering,
    InvalidChannelState,
    InvalidConnectionState,
    InvalidIdentifier,
    InvalidProof,
    InvalidTransferVersion,
    TxDecode,
)
from ibc_proto.ibc.core.channel.v1 import tx_pb2

MAX_U64 = 2**64 - 1


def test_33_a_replay_after_open(scene):
    stage, message = scene.stage(scene.a), scene.to_a.connection_open_ack(*scene.connections.tried)
    assert stage.attempt(message).error is None
    refusal = expect_refusal(stage, message, InvalidConnectionState)
    assert scene.connections.tried[0] in str(refusal)


def test_34_a_delay_of_2_64_minus_1_is_taken_as_it_is(scene):
    """As in ibc-go: nothing will ever be proven over the connection (packets: 'a delay of 2^64-1')."""
    stage = scene.stage(scene.a)
    attempt = stage.attempt(replace(scene.to_a.connection_open_init(), delay_period_ns=MAX_U64))
    assert attempt.error is None
    (new,) = [key for _, key in attempt.writes if key.startswith(b"connections/")]
    end = scene.a.keepers.connections.get(stage.ctx, new.decode().removeprefix("connections/"))
    assert end.delay_period_ns == MAX_U64


def init(scene, **changes):
    return replace(scene.to_a.channel_open_init(CONNECTION_ON_A), **changes)


def wire_init(scene, edit):
    """MsgChannelOpenInit as bytes that no value of ours would give."""
    good = to_any(init(scene))
    wire = tx_pb2.MsgChannelOpenInit.FromString(good.value)
    edit(wire)
    return AnyMessage(good.type_url, wire.SerializeToString())


def test_36_ordering_99(scene):
    message = wire_init(scene, lambda wire: setattr(wire.channel, "ordering", 99))
    refusal = expect_refusal(scene.stage(scene.a), message, InvalidChannelOrdering)
    assert "ordering" in str(refusal).lower() or "ORDER" in str(refusal)


@pytest.mark.parametrize("port", ["m", "transfer\n"], ids=["1 character", "newline"])
def test_37_port(scene, port):
    refusal = expect_refusal(scene.stage(scene.a), init(scene, port_id_on_a=port), InvalidIdentifier)
    assert refusal.kind == "port"


def transfer_init(scene, version):
    return scene.to_a.channel_open_init(CONNECTION_ON_A, port="transfer", version=version)


@pytest.mark.parametrize("version", ["ics20-9", "v" * 1_000_000], ids=["ics20-9", "1 MB"])
def test_38_version(scene, version):
    refusal = expect_undone(scene.stage(scene.a), transfer_init(scene, version), InvalidTransferVersion)
    assert len(str(refusal)) < 300  # the value is clipped


def test_38_version_that_is_not_utf_8(scene):
    raw = to_any(transfer_init(scene, "ics20-x")).value.replace(b"ics20-x", b"ics20-\xff")
    message = AnyMessage("/ibc.core.channel.v1.MsgChannelOpenInit", raw)
    expect_refusal(scene.stage(scene.a), message, TxDecode)


@pytest.mark.parametrize("step", ["ack", "confirm"])
def test_40_a_replay(scene, step):
    half = scene.channels
    side, message = (
        (scene.a, scene.to_a.channel_open_ack(*half.tried))
        if step == "ack"
        else (scene.b, scene.to_b.channel_open_confirm(*half.acked[::-1]))
    )
    stage = scene.stage(side)
    assert stage.attempt(message).error is None
    expect_refusal(stage, message, InvalidChannelState)


def test_40_ics20_refuses_the_other_chains_version(scene):
    """Whatever chain B settled on: it is asked after the proof, which is left out here."""
    app, stage = scene.a.keepers.ports.route("transfer"), scene.stage(scene.a)
    opened = Opened("transfer", "channel-0", ChannelCounterparty("transfer", "channel-9"), "ics20-9")
    with pytest.raises(InvalidTransferVersion) as refusal:
        app.on_chan_open_ack(stage.ctx, opened)
    assert "ics20-9" in str(refusal.value)
    assert stage.writes() == {}


def test_41_the_other_end_is_open(scene):
    path = scene.unordered
    message = scene.to_a.channel_close_confirm(path.a.channel_id, path.b.channel_id)
    expect_undone(scene.stage(scene.a), message, InvalidProof)
