"""The six messages of a channel's life: each good case, and every check as a row."""

from dataclasses import replace

import pytest

from conformance.kit import sides
from conformance.kit.encode import to_any
from conformance.kit.mutate_state import change_channel
from conformance.kit.refusal_rows import client_rows, connected_by, proof_rows, signer_rows
from conformance.kit.refusals import Row, check_row, expect_refusal, expect_undone, mutating, setting
from conformance.kit.scripted_app import ScriptedRefusal
from conformance.kit.sides import CONNECTION_ON_A, CONNECTION_ON_B
from pyibc.core import paths
from pyibc.core.channel.types import ALLOWED, ChannelState, Order
from pyibc.core.connection.types import ConnectionState, Version
from pyibc.core.errors import (
    ChannelNotFound,
    ClientNotActive,
    ConnectionNotFound,
    InvalidChannelCounterparty,
    InvalidChannelIdentifier,
    InvalidChannelOrdering,
    InvalidChannelState,
    InvalidConnectionState,
    InvalidConnectionVersion,
    InvalidIdentifier,
    InvalidProof,
    InvalidRequest,
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
        self.channel_id, self.far_id, make = {
            "open_init": ("", "", lambda: scene.to_a.channel_open_init(CONNECTION_ON_A)),
            "open_try": (
                "",
                half.init_on_a,
                lambda: scene.to_b.channel_open_try(CONNECTION_ON_B, half.init_on_a),
            ),
            "open_ack": (*half.tried, lambda: scene.to_a.channel_open_ack(*half.tried)),
            "open_confirm": (
                *half.acked[::-1],
                lambda: scene.to_b.channel_open_confirm(*half.acked[::-1]),
            ),
            "close_init": (
                scene.unordered.a.channel_id,
                scene.unordered.b.channel_id,
                lambda: scene.to_a.channel_close_init(scene.unordered.a.channel_id),
            ),
            "close_confirm": (
                closed.a.channel_id,
                closed.b.channel_id,
                lambda: scene.to_a.channel_close_confirm(closed.a.channel_id, closed.b.channel_id),
            ),
        }[name]
        self.message = make()

    def end(self, channel_id=None):
        return self.side.keepers.channels.get(self.stage.ctx, self.here.port, channel_id or self.channel_id)

    def next_id(self):
        raw = self.side.chain.get(paths.NEXT_CHANNEL_SEQUENCE)
        return f"channel-{int.from_bytes(raw, 'big')}"


@pytest.fixture
def step(scene, request):
    return Step(scene, request.param)


def for_step(*names):
    return pytest.mark.parametrize("step", names, indirect=True)


# -- good cases


@for_step("open_init")
def test_init_over_a_connection_that_is_not_open_yet(scene, step):
    message = scene.to_a.channel_open_init(scene.connections.init_on_a)
    assert step.stage.attempt(message).error is None


def names(step, ours, theirs):
    return (
        ("port_id", step.here.port),
        ("channel_id", ours),
        ("counterparty_port_id", step.there.port),
        ("counterparty_channel_id", theirs),
        ("connection_id", step.here.connection_id),
    )


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


def connection_rows():
    return [
        Row(
            f"connection {state.name}",
            connected_by(state=state),
            InvalidConnectionState,
            {"expected": "OPEN", "got": state.name},
        )
        for state in (ConnectionState.INIT, ConnectionState.TRYOPEN)
    ]


def own_end(field, port_field, **changes):
    return mutating(
        lambda ctx, msg: change_channel(ctx, getattr(msg, port_field), getattr(msg, field), **changes)
    )


def not_active(row):
    """OpenInit and CloseInit ask for the client's status alone, of whatever type."""
    statuses = {
        "client type not allowed": "Unauthorized",
        "client type not registered": "Unauthorized",
        "client id malformed": "Unauthorized",
    }
    if row.name not in statuses:
        return row
    return row._replace(error=ClientNotActive, fields={"status": statuses[row.name]})


INIT_ROWS = [
    *signer_rows(),
    *port_rows("port_id_on_a"),
    *end_rows(ChannelState.INIT, ChannelState.TRYOPEN),
    *(not_active(row) for row in client_rows()),
    Row("counterparty named already", far(channel_id="channel-0"), InvalidChannelCounterparty),
]

TRY_ROWS = [
    *signer_rows(),
    *port_rows("port_id_on_b"),
    *end_rows(ChannelState.TRYOPEN, ChannelState.INIT),
    *proof_rows("proof_init", "proof_height", "init"),
    *client_rows(),
    *connection_rows(),
    Row("previous channel", setting(previous_channel_id="channel-0"), InvalidChannelIdentifier),
    Row("counterparty unnamed", far(channel_id=""), InvalidIdentifier, {"kind": "channel"}),
    Row("counterparty another", far(channel_id="channel-0"), InvalidProof),
    Row("counterparty port another", far(port_id="transfer"), InvalidProof),
    Row("ordering other than A's", channel(ordering=Order.ORDERED), InvalidProof),
    Row("version other than A's", setting(version_on_a="other"), InvalidProof),
]

ACK_ROWS = [
    *signer_rows(),
    *port_rows("port_id_on_a"),
    *own_channel_rows("channel_id_on_a", "port_id_on_a"),
    *proof_rows("proof_try", "proof_height", "try"),
    *client_rows(),
    *connection_rows(),
    Row("other end malformed", setting(channel_id_on_b="c"), InvalidIdentifier, {"kind": "channel"}),
    Row("other end another", setting(channel_id_on_b="channel-0"), InvalidProof),
    Row("version other than B's", setting(version_on_b="other"), InvalidProof),
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
    *proof_rows("proof_ack", "proof_height", "ack"),
    *client_rows(),
    *connection_rows(),
    Row("our version another", own_end("channel_id_on_b", "port_id_on_b", version="other"), InvalidProof),
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
    *(not_active(row) for row in client_rows()),
    *connection_rows(),
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
    *proof_rows("proof_init", "proof_height", "init"),
    *client_rows(),
    *connection_rows(),
    Row(
        "connection lost",
        own_end("channel_id", "port_id", connection_hops=("connection-99",)),
        ConnectionNotFound,
    ),
    Row("our ordering another", own_end("channel_id", "port_id", ordering=Order.ORDERED), InvalidProof),
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


def test_a_channel_that_is_open_is_no_proof_of_a_close(scene):
    path = scene.unordered
    message = scene.to_a.channel_close_confirm(path.a.channel_id, path.b.channel_id)
    expect_refusal(scene.stage(scene.a), message, InvalidProof)


@pytest.mark.parametrize("version", ["ics20-2", "ics20-1 ", "mock-version", "x" * 10**6])
def test_transfer_speaks_one_version(scene, version):
    message = scene.to_a.channel_open_init(CONNECTION_ON_A, port="transfer", version=version)
    expect_undone(scene.stage(scene.a), message, InvalidTransferVersion, got=version[:64])


def test_transfer_is_unordered(scene):
    message = scene.to_a.channel_open_init(CONNECTION_ON_A, Order.ORDERED, "transfer", "ics20-1")
    expect_undone(scene.stage(scene.a), message, InvalidChannelOrdering)


def test_a_transfer_channel_is_closed_by_nobody(scene):
    message = scene.to_a.channel_close_init(scene.pair.transfer.a.channel_id, "transfer")
    expect_refusal(scene.stage(scene.a), message, InvalidRequest)


# -- the table


"""Written out once more, so that a slip in the table itself shows."""


@for_step("open_ack", "open_confirm", "close_init", "close_confirm")
@pytest.mark.parametrize("state", ChannelState)
def test_every_state_is_tried_and_only_the_tables_succeeds(step, state):
    change_channel(step.stage.ctx, step.here.port, step.channel_id, state=state)
    after = ALLOWED.get((state, step.name))
    if after is None:
        expect_refusal(step.stage, step.message, InvalidChannelState, got=state.name)
    else:
        assert step.stage.attempt(step.message).error is None
        assert step.end().state is after
