"""The six messages of a channel's life: the checks of what a message says, as rows.

Recordings of ibc-go (`handshake_errors.json.gz`, `timeouts.json.gz`) have the steps themselves, states,
clients and proofs.
"""

from dataclasses import replace

import pytest

from conformance.kit import sides
from conformance.kit.encode import to_any
from conformance.kit.mutate_state import change_channel
from conformance.kit.refusal_rows import connected_by, signer_rows
from conformance.kit.refusals import Row, check_row, expect_refusal, expect_undone, mutating, setting
from conformance.kit.scripted_app import ScriptedRefusal
from conformance.kit.sides import CONNECTION_ON_A, CONNECTION_ON_B
from pyibc.core.channel.types import ChannelState, Order
from pyibc.core.connection.types import Version
from pyibc.core.errors import (
    ChannelNotFound,
    ConnectionNotFound,
    InvalidChannelCounterparty,
    InvalidChannelIdentifier,
    InvalidChannelOrdering,
    InvalidChannelState,
    InvalidConnectionVersion,
    InvalidIdentifier,
    InvalidRoute,
    InvalidTransferVersion,
    TooManyConnectionHops,
    TxDecode,
)
from pyibc.proto.ibc.core.channel.v1 import tx_pb2

OPENING = ["open_init", "open_try", "open_ack", "open_confirm"]


class Step:
    """One message of a channel's life: to whom, and about which end."""

    def __init__(self, scene, name):
        self.name = name
        half, closed = scene.channels, scene.closed_unordered
        on_b = name in {"open_try", "open_confirm"}
        self.side = scene.b if on_b else scene.a
        self.here, self.there = (sides.B, sides.A) if on_b else (sides.A, sides.B)
        self.stage = scene.stage(self.side)
        self.channel_id, make = {
            "open_init": ("", lambda: scene.to_a.channel_open_init(CONNECTION_ON_A)),
            "open_try": (
                "",
                lambda: scene.to_b.channel_open_try(CONNECTION_ON_B, half.init_on_a),
            ),
            "open_ack": (half.tried[0], lambda: scene.to_a.channel_open_ack(*half.tried)),
            "open_confirm": (
                half.acked[1],
                lambda: scene.to_b.channel_open_confirm(*half.acked[::-1]),
            ),
            "close_init": (
                scene.unordered.a.channel_id,
                lambda: scene.to_a.channel_close_init(scene.unordered.a.channel_id),
            ),
            "close_confirm": (
                closed.a.channel_id,
                lambda: scene.to_a.channel_close_confirm(closed.a.channel_id, closed.b.channel_id),
            ),
        }[name]
        self.message = make()

    def end(self, channel_id=None):
        return self.side.keepers.channels.get(self.stage.ctx, self.here.port, channel_id or self.channel_id)


@pytest.fixture
def step(scene, request):
    return Step(scene, request.param)


def for_step(*names):
    return pytest.mark.parametrize("step", names, indirect=True)


# -- good cases


@for_step("open_ack")
def test_ack_takes_the_version_that_b_settled_on(scene, step):
    # B's application settled on another version than A proposed: the end on B says so, and A follows.
    change_channel(step.stage.ctx, step.here.port, step.channel_id, version="proposed")
    assert step.stage.attempt(step.message).error is None
    assert step.end().version == "mock-version"


# -- the application's say


@for_step(*OPENING, "close_init", "close_confirm")
def test_an_application_that_refuses_leaves_nothing(step):
    step.side.app.refuse(f"on_chan_{step.name}")
    expect_undone(step.stage, step.message, ScriptedRefusal, callback=f"on_chan_{step.name}")


@for_step("close_init", "close_confirm")
def test_a_close_asks_the_application_first(step):
    step.side.app.refuse(f"on_chan_{step.name}")
    broken = replace(step.message, channel_id="channel-999")
    expect_refusal(step.stage, broken, ScriptedRefusal)


# -- refusals


def channel(**changes):
    return lambda _, message: replace(message, channel=replace(message.channel, **changes))


def far(**changes):
    def applied(_, message):
        counterparty = replace(message.channel.counterparty, **changes)
        return replace(message, channel=replace(message.channel, counterparty=counterparty))

    return applied


def end_rows(state, other):
    return [
        Row("state another", channel(state=other), InvalidChannelState, {"expected": state.name}),
        Row("ordering NONE", channel(ordering=Order.NONE), InvalidChannelOrdering),
        Row("no hop", channel(connection_hops=()), TooManyConnectionHops, {"got": 0}),
        Row("two hops", channel(connection_hops=(CONNECTION_ON_A,) * 2), TooManyConnectionHops, {"got": 2}),
        Row("hop malformed", channel(connection_hops=("c",)), InvalidIdentifier, {"kind": "connection"}),
        Row("connection unknown", channel(connection_hops=("connection-99",)), ConnectionNotFound),
        Row("counterparty port malformed", far(port_id="m"), InvalidIdentifier, {"kind": "port"}),
        Row(
            "ordering not negotiated",
            connected_by(versions=(Version("1", ("ORDER_ORDERED",)),)),
            InvalidConnectionVersion,
            {"reason": "version '1' has no ORDER_UNORDERED channels"},
        ),
        Row("no version negotiated", connected_by(versions=()), InvalidConnectionVersion),
        Row(
            "two versions negotiated",
            connected_by(versions=(Version("1", ("ORDER_UNORDERED",)), Version("2", ("ORDER_UNORDERED",)))),
            InvalidConnectionVersion,
        ),
    ]


def port_rows(field):
    return [
        Row("port malformed", setting(**{field: "m\n"}), InvalidIdentifier, {"kind": "port"}),
        Row("port of 129 characters", setting(**{field: "m" * 129}), InvalidIdentifier, {"kind": "port"}),
        Row("port unbound", setting(**{field: "nobody"}), InvalidRoute, {"port_id": "nobody"}),
    ]


def own_channel_rows(field, port):
    return [
        Row("channel malformed", setting(**{field: "mockchannel"}), InvalidChannelIdentifier),
        Row("channel number too large", setting(**{field: f"channel-{2**64}"}), InvalidChannelIdentifier),
        Row("no such channel", setting(**{field: "channel-999"}), ChannelNotFound),
    ]


def own_end(field, port_field, **changes):
    return mutating(
        lambda ctx, msg: change_channel(ctx, getattr(msg, port_field), getattr(msg, field), **changes)
    )


INIT_ROWS = [
    *signer_rows(),
    *port_rows("port_id_on_a"),
    *end_rows(ChannelState.INIT, ChannelState.TRYOPEN),
    Row("counterparty named already", far(channel_id="channel-0"), InvalidChannelCounterparty),
]

TRY_ROWS = [
    *signer_rows(),
    *port_rows("port_id_on_b"),
    *end_rows(ChannelState.TRYOPEN, ChannelState.INIT),
    Row("previous channel", setting(previous_channel_id="channel-0"), InvalidChannelIdentifier),
    Row("counterparty unnamed", far(channel_id=""), InvalidIdentifier, {"kind": "channel"}),
]

ACK_ROWS = [
    *signer_rows(),
    *port_rows("port_id_on_a"),
    *own_channel_rows("channel_id_on_a", "port_id_on_a"),
    Row("other end malformed", setting(channel_id_on_b="c"), InvalidIdentifier, {"kind": "channel"}),
    Row(
        "connection lost",
        own_end("channel_id_on_a", "port_id_on_a", connection_hops=("connection-99",)),
        ConnectionNotFound,
    ),
]

CONFIRM_ROWS = [
    *signer_rows(),
    *port_rows("port_id_on_b"),
    *own_channel_rows("channel_id_on_b", "port_id_on_b"),
    Row(
        "connection lost",
        own_end("channel_id_on_b", "port_id_on_b", connection_hops=("connection-99",)),
        ConnectionNotFound,
    ),
]

CLOSE_INIT_ROWS = [
    *signer_rows(),
    *port_rows("port_id"),
    *own_channel_rows("channel_id", "port_id"),
    Row(
        "connection lost",
        own_end("channel_id", "port_id", connection_hops=("connection-99",)),
        ConnectionNotFound,
    ),
]

CLOSE_CONFIRM_ROWS = [
    *signer_rows(),
    *port_rows("port_id"),
    *own_channel_rows("channel_id", "port_id"),
    Row(
        "connection lost",
        own_end("channel_id", "port_id", connection_hops=("connection-99",)),
        ConnectionNotFound,
    ),
]

TABLE = [
    *(("open_init", row) for row in INIT_ROWS),
    *(("open_try", row) for row in TRY_ROWS),
    *(("open_ack", row) for row in ACK_ROWS),
    *(("open_confirm", row) for row in CONFIRM_ROWS),
    *(("close_init", row) for row in CLOSE_INIT_ROWS),
    *(("close_confirm", row) for row in CLOSE_CONFIRM_ROWS),
]


@pytest.mark.parametrize(
    ("step", "row"), TABLE, indirect=["step"], ids=[f"{name}: {row.name}" for name, row in TABLE]
)
def test_refusals(step, row):
    check_row(step.stage, step.message, row)


@pytest.mark.parametrize("name", ["open_init", "open_try"])
def test_an_ordering_that_nobody_knows_is_no_message(scene, name):
    step = Step(scene, name)
    known = to_any(step.message)
    url = type(known)
    wire = {"open_init": tx_pb2.MsgChannelOpenInit, "open_try": tx_pb2.MsgChannelOpenTry}[name]
    raw = wire.FromString(known.value)
    raw.channel.ordering = 99
    expect_refusal(step.stage, url(known.type_url, raw.SerializeToString()), InvalidChannelOrdering)


@pytest.mark.parametrize("name", ["open_init", "open_try"])
def test_d25_a_version_that_is_no_text_is_no_message(scene, name):
    step = Step(scene, name)
    known = to_any(step.message)
    spoilt = known.value.replace(b"mock-version", b"mock-\xff\xfersion", 1)
    assert spoilt != known.value
    expect_refusal(step.stage, type(known)(known.type_url, spoilt), TxDecode)


@pytest.mark.parametrize("version", ["ics20-2", "ics20-1 ", "mock-version", "x" * 10**6])
def test_transfer_speaks_one_version(scene, version):
    message = scene.to_a.channel_open_init(CONNECTION_ON_A, port="transfer", version=version)
    expect_undone(scene.stage(scene.a), message, InvalidTransferVersion, got=version[:64])
