"""What has broken other chains, tried on the packet layer here; names begin as in docs/security.md."""

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conformance.kit.mutate_state import freeze_client
from conformance.kit.refusals import expect_refusal, expect_undone
from conformance.kit.scenario import ACK, REFUSAL
from conformance.kit.scripted_app import STORE, ScriptedRefusal
from conformance.kit.sides import CLIENT_ON_A
from ibc_module.plugin import IbcPlugin
from pyibc.apps.transfer.plugin import TransferPlugin
from pyibc.core import paths
from pyibc.core.application.classic import AppAcknowledgement
from pyibc.core.channel.types import Order
from pyibc.core.errors import (
    ClientNotActive,
    InvalidAcknowledgement,
    InvalidPacket,
    InvalidProof,
    InvalidRequest,
    OutOfGas,
    TimeoutElapsed,
    TimeoutNotReached,
)
from pyibc.core.height import Height
from pyibc.core.host.context import prefix_end
from pyibc.core.numbers import MAX_U64, be8
from pyibc.core.packet.types import timeout_elapsed
from pyibc.indexer.blocks.block import Block, Tx
from pyibc.indexer.events.packets import packet_events
from pyibc.testing.transfers import transfer
from tests.sampling import rounds

BOTH = [Order.UNORDERED, Order.ORDERED]
NOOP, SUCCESS = b"\x08\x01", b"\x08\x02"


# -- events of what did not happen


def test_h4_the_indexer_counts_no_undone_event(scene):
    """An application that tells of packets and then fails: only what the core says is counted."""
    fresh = scene.packets[Order.UNORDERED].fresh
    told = scene.stage(scene.b).attempt(scene.to_b.recv(fresh)).events

    def boast(ctx, *_):
        for event in told:
            ctx.emit(event)
        return AppAcknowledgement(success=False, data=REFUSAL)

    scene.b.app.script["on_recv_packet"] = boast
    events = scene.stage(scene.b).attempt(scene.to_b.recv(fresh)).events
    counted = list(packet_events(Block("beta-1", 1, 1, (Tx("AA", 0, events),))))
    assert [event.type for event in counted] == ["recv_packet", "write_acknowledgement"]
    assert counted[1].facts.ack.status == "error"


# -- re-entry


def again(stage, message, answers, result=None):
    """A callback that hands the same message in again: twice at most, should it not be stopped."""
    depth = []

    def callback(*_):
        depth.append(message)
        if len(depth) < 3:
            answers.append(stage.run(message))
        return result

    return callback


@pytest.mark.parametrize("order", BOTH)
@pytest.mark.parametrize("kind", ["timeout", "timeout_on_close", "acknowledge"])
def test_h5_reentrant_app_cannot_be_refunded_twice(scene, order, kind):
    stage, answers = scene.stage(scene.a), []
    message = {
        "timeout": lambda: scene.to_a.timeout(scene.expired[order], order),
        "timeout_on_close": lambda: scene.to_a.timeout_on_close(scene.stranded[order], order),
        "acknowledge": lambda: scene.to_a.acknowledge(scene.packets[order].received, ACK),
    }[kind]()
    callback = "on_acknowledgement_packet" if kind == "acknowledge" else "on_timeout_packet"
    scene.a.app.script[callback] = again(stage, message, answers)
    assert stage.attempt(message).response == SUCCESS
    assert answers == [NOOP]
    assert scene.a.app.calls == [callback]


@pytest.mark.parametrize("order", BOTH)
def test_h5_reentrant_app_cannot_receive_twice(scene, order):
    stage, answers = scene.stage(scene.b), []
    message = scene.to_b.recv(scene.packets[order].fresh)

    answer = AppAcknowledgement(success=True, data=ACK)
    scene.b.app.script["on_recv_packet"] = again(stage, message, answers, answer)
    assert stage.attempt(message).response == SUCCESS
    assert answers == [NOOP]


@pytest.mark.parametrize("order", BOTH)
@pytest.mark.parametrize("kind", ["timeout", "acknowledge"])
def test_h5_the_commitment_is_gone_before_the_application_is_told(scene, order, kind):
    stage, seen = scene.stage(scene.a), []
    if kind == "timeout":
        message, callback = scene.to_a.timeout(scene.expired[order], order), "on_timeout_packet"
    else:
        message = scene.to_a.acknowledge(scene.packets[order].received, ACK)
        callback = "on_acknowledgement_packet"
    packet = message.packet
    key = paths.packet_commitment_path(packet.port_id_on_a, packet.channel_id_on_a, packet.sequence)
    scene.a.app.script[callback] = lambda ctx, *_: seen.append(ctx.ibc.get(key))
    stage.attempt(message)
    assert seen == [None]


# -- acknowledgements


@pytest.mark.parametrize(
    "raw",
    [
        b'{ "result":"AQ=="}',
        b'{"result":"AQ==","result":"AQ=="}',
        b'{"error":"\\u0061"}',
        b'{"result":"AQ==","error":"x"}',
        b'{"result":"AQ=="}\n',
    ],
)
def test_h8_core_takes_only_the_one_form_of_a_standard_acknowledgement(scene, raw):
    message = replace(
        scene.to_a.acknowledge(scene.packets[Order.UNORDERED].received, ACK), acknowledgement=raw
    )
    expect_refusal(scene.stage(scene.a), message, InvalidAcknowledgement)


@pytest.mark.parametrize("raw", [b"opaque", b"\xff\xfe", b'{"Result":"AQ=="}', b'{"other":1}', b"[]", b"1"])
def test_h8_opaque_acknowledgements_pass_untouched(scene, raw):
    seen = []
    scene.b.app.script["on_recv_packet"] = lambda *_: AppAcknowledgement(success=True, data=raw)
    packet = scene.packets[Order.UNORDERED].fresh
    assert scene.stage(scene.b).attempt(scene.to_b.recv(packet)).error is None
    # On A the check is of form alone: what follows is the proof, which this one has not.
    message = replace(
        scene.to_a.acknowledge(scene.packets[Order.UNORDERED].received, ACK), acknowledgement=raw
    )
    scene.a.app.script["on_acknowledgement_packet"] = lambda *given: seen.append(given)
    expect_refusal(scene.stage(scene.a), message, InvalidProof)
    assert seen == []


# -- names that begin alike


def test_h12a_no_prefix_of_one_channel_or_client_holds_anothers():
    prefixes = {
        name: [make(name) for make in makers]
        for makers, names in (
            (
                (
                    lambda channel: paths.packet_commitment_prefix("mock", channel),
                    lambda channel: paths.packet_acknowledgement_prefix("mock", channel),
                ),
                ("channel-1", "channel-10", "channel-100"),
            ),
            (
                (paths.client_prefix, paths.consensus_states_prefix, paths.iteration_prefix),
                ("07-tendermint-1", "07-tendermint-10", "07-tendermint-100"),
            ),
        )
        for name in names
    }
    every = [(name, prefix) for name, made in prefixes.items() for prefix in made]
    for name, prefix in every:
        others = [other for owner, other in every if owner != name]
        assert not any(other.startswith(prefix) for other in others)


def test_h12a_listing_channel_1_does_not_list_channel_10(scene):
    stage = scene.stage(scene.a)
    for channel in ("channel-1", "channel-10", "channel-1000"):
        stage.ctx.ibc.set(paths.packet_commitment_path("mock", channel, 900), b"c" * 32)
    prefix = paths.packet_commitment_prefix("mock", "channel-1")
    found = [key for key, _ in stage.ctx.ibc.iterate(prefix, prefix_end(prefix))]
    assert found
    assert all(key.startswith(b"commitments/ports/mock/channels/channel-1/") for key in found)


# -- applications that fail


@pytest.mark.parametrize(
    ("callback", "make"),
    [
        ("on_chan_open_init", lambda s: (s.a, s.to_a.channel_open_init(s.connection_a))),
        ("on_chan_open_try", lambda s: (s.b, s.to_b.channel_open_try(s.connection_b, s.channels.init_on_a))),
        ("on_chan_open_ack", lambda s: (s.a, s.to_a.channel_open_ack(*s.channels.tried))),
        (
            "on_chan_open_confirm",
            lambda s: (s.b, s.to_b.channel_open_confirm(*s.channels.acked[::-1])),
        ),
    ],
)
def test_h16_a_failing_handshake_callback_leaves_no_trace(scene, callback, make):
    side, message = make(scene)
    side.app.refuse(callback)
    expect_undone(scene.stage(side), message, ScriptedRefusal)


def write_and_refuse(callback):
    def run(ctx, *_):
        ctx.store(STORE).set(b"half", b"done")
        ctx.emit(("half", ()))
        raise ScriptedRefusal(callback)

    return run


@pytest.mark.parametrize("callback", ["on_acknowledgement_packet", "on_timeout_packet"])
def test_h41_what_a_failing_callback_wrote_is_undone_with_the_message(scene, callback):
    scene.a.app.script[callback] = write_and_refuse(callback)
    order = Order.UNORDERED
    message = (
        scene.to_a.acknowledge(scene.packets[order].received, ACK)
        if callback == "on_acknowledgement_packet"
        else scene.to_a.timeout(scene.expired[order])
    )
    expect_undone(scene.stage(scene.a), message, ScriptedRefusal)


def test_h36_a_receipt_and_the_applications_writes_stand_or_fall_together(scene):
    scene.b.app.script["on_recv_packet"] = write_and_refuse("on_recv_packet")
    message = scene.to_b.recv(scene.packets[Order.UNORDERED].fresh)
    expect_undone(scene.stage(scene.b), message, ScriptedRefusal)


def test_h36_an_error_answer_keeps_the_receipt_and_none_of_the_applications_writes(scene):
    def run(ctx, *_):
        ctx.store(STORE).set(b"half", b"done")
        return AppAcknowledgement(success=False, data=REFUSAL)

    scene.b.app.script["on_recv_packet"] = run
    packet = scene.packets[Order.UNORDERED].fresh
    attempt = scene.stage(scene.b).attempt(scene.to_b.recv(packet))
    assert {store for store, _ in attempt.writes} == {"ibc"}
    assert len(attempt.writes) == 2


def test_h17_a_transaction_is_all_of_its_messages_or_none(net):
    good = transfer(net.a, "alice", net.path.a, "uatom", 5, net.b.address("bob"))
    bad = transfer(net.a, "alice", net.path.a, "uatom", 10**15, net.b.address("bob"))
    root = net.a.chain.app.store.root("ibc"), net.a.chain.app.store.root("transfer")
    outcome = net.a.execute("alice", good, good, bad)
    assert (outcome.codespace, outcome.code) == ("sdk", 5)
    assert {kind for kind, _ in outcome.events} == {"tx"}
    assert net.a.balance("alice", "uatom") == 10**12
    assert (net.a.chain.app.store.root("ibc"), net.a.chain.app.store.root("transfer")) == root


@pytest.mark.parametrize("limit", range(0, 60_000, 1_500))
def test_h15_running_out_of_gas_fails_the_transaction_and_never_answers_an_error(scene, limit):
    packet = scene.packets[Order.UNORDERED].fresh

    def hungry(ctx, *_):
        ctx.gas.consume(5_000)
        return AppAcknowledgement(success=True, data=ACK)

    scene.b.app.script["on_recv_packet"] = hungry
    stage = scene.stage(scene.b)
    stage.ctx.gas.reset(limit)
    try:
        response = stage.run(scene.to_b.recv(packet))
    except OutOfGas:
        stage.ctx.gas.reset(2**60)
        assert stage.writes() == {}
    else:
        assert response == SUCCESS


# -- channels of others: a packet's commitment names neither end, so the checks must


def test_h40_a_packet_comes_from_the_other_end_of_its_channel(scene):
    """A packet of one channel, shown to another over the same connection: its proof is good."""
    message = scene.to_b.recv(scene.packets[Order.UNORDERED].received)
    elsewhere = replace(message.packet, channel_id_on_b=scene.late_unordered.b.channel_id)
    expect_refusal(scene.stage(scene.b), replace(message, packet=elsewhere), InvalidPacket)
    assert scene.b.app.calls == []


def test_h40_an_answer_comes_from_the_other_end_of_its_channel(scene):
    """The answer to the packet of the same number on another channel: its proof is good."""
    wanted = scene.expired[Order.UNORDERED]
    answered = replace(wanted, channel_id_on_b=scene.unordered.b.channel_id)
    assert answered.sequence == scene.packets[Order.UNORDERED].done.sequence
    expect_refusal(scene.stage(scene.a), scene.to_a.acknowledge(answered, ACK), InvalidPacket)
    assert scene.a.app.calls == []


@pytest.mark.parametrize("order", BOTH)
def test_h40_a_receipt_that_another_channel_lacks_refunds_nothing(scene, order):
    late = replace(scene.expired[order], channel_id_on_b=scene.closed_unordered.b.channel_id)
    expect_refusal(scene.stage(scene.a), scene.to_a.timeout(late, order), InvalidPacket)
    closed = {Order.UNORDERED: scene.closed_ordered, Order.ORDERED: scene.closed_unordered}[order]
    stranded = replace(scene.stranded[order], channel_id_on_b=closed.b.channel_id)
    expect_refusal(scene.stage(scene.a), scene.to_a.timeout_on_close(stranded, order), InvalidPacket)


# -- timeouts


NEVER, DISTANCES = None, (-1, 0, 1)


@pytest.mark.parametrize("order", BOTH)
@pytest.mark.parametrize("by_time", [NEVER, *DISTANCES])
@pytest.mark.parametrize("by_height", [NEVER, *DISTANCES])
def test_h35_a_packet_is_received_or_refunded_never_both(scene, order, by_height, by_time):
    """At the limit of each dimension, alone and mixed: receiving is late exactly where a timeout is due."""
    if by_height is by_time is NEVER:
        return
    stage = scene.stage(scene.b)
    revision, height = stage.ctx.height
    limit = Height(0, 0) if by_height is NEVER else Height(revision, height + by_height)
    time_ns = 0 if by_time is NEVER else stage.ctx.time_ns + by_time
    message = scene.to_b.recv(scene.packets[order].fresh)
    packet = replace(message.packet, timeout_height_on_b=limit, timeout_ns_on_b=time_ns)
    late = any(distance is not NEVER and distance <= 0 for distance in (by_height, by_time))
    assert timeout_elapsed(limit, time_ns, stage.ctx.height, stage.ctx.time_ns) is late  # what a refund asks
    # In time the changed packet fails at its proof, which comes after the timeout.
    expect_refusal(stage, replace(message, packet=packet), TimeoutElapsed if late else InvalidProof)


@pytest.mark.parametrize("order", BOTH)
@pytest.mark.parametrize("by_time", [NEVER, *DISTANCES])
@pytest.mark.parametrize("by_height", [NEVER, *DISTANCES])
def test_h35_a_packet_is_refunded_where_it_is_late_and_nowhere_else(scene, order, by_height, by_time):
    """The other side of it, by B's clock at the height of the proof: that B has not received it is true."""
    if by_height is by_time is NEVER:
        return
    stage, fresh = scene.stage(scene.a), scene.packets[order].fresh
    message = scene.to_a.timeout(fresh, order, fresh.sequence)
    revision, height = message.proof_height_on_b
    time_ns = scene.a.keepers.clients.timestamp_at(stage.ctx, CLIENT_ON_A, message.proof_height_on_b)
    packet = replace(
        fresh,
        timeout_height_on_b=Height(0, 0) if by_height is NEVER else Height(revision, height + by_height),
        timeout_ns_on_b=0 if by_time is NEVER else time_ns + by_time,
    )
    scene.a.keepers.packets.commit(stage.ctx, packet)
    changed = replace(message, packet=packet)
    if any(distance is not NEVER and distance <= 0 for distance in (by_height, by_time)):
        assert stage.attempt(changed).response == SUCCESS
    else:
        expect_refusal(stage, changed, TimeoutNotReached)


def test_h39_a_packet_without_a_timeout_is_neither_sent_nor_received(scene):
    message = scene.to_b.recv(scene.packets[Order.UNORDERED].fresh)
    endless = replace(message.packet, timeout_height_on_b=Height(0, 0), timeout_ns_on_b=0)
    expect_refusal(scene.stage(scene.b), replace(message, packet=endless), InvalidPacket)
    stage = scene.stage(scene.a)
    with pytest.raises(InvalidPacket):
        scene.a.scripted.sender.send_packet(
            stage.ctx, "mock", scene.unordered.a.channel_id, Height(0, 0), 0, b"x"
        )
    assert stage.writes() == {}


def test_h39_an_answer_to_a_handshake_proves_its_own_connection(scene):
    """The other end's TRYOPEN of one connection does not open another."""
    ours, _ = scene.connections.tried
    message = scene.to_a.connection_open_ack(ours, scene.connections.acked[1])
    expect_refusal(scene.stage(scene.a), message, InvalidProof)
    channel, _ = scene.channels.tried
    message = scene.to_a.channel_open_ack(channel, scene.channels.acked[1])
    expect_refusal(scene.stage(scene.a), message, InvalidProof)


@pytest.mark.parametrize("number", [2**63 - 1, 2**63, 2**64 - 1])
def test_d5_timeouts_of_64_bits_are_compared_as_numbers(scene, number):
    message = scene.to_b.recv(scene.packets[Order.UNORDERED].fresh)
    for limits in (
        {"timeout_ns_on_b": number, "timeout_height_on_b": Height(0, 0)},
        {"timeout_ns_on_b": 0, "timeout_height_on_b": Height(1, number)},
        {"timeout_ns_on_b": 0, "timeout_height_on_b": Height(number, 1)},
    ):
        packet = replace(message.packet, **limits)
        expect_refusal(scene.stage(scene.b), replace(message, packet=packet), InvalidProof)
    for past in (
        {"timeout_ns_on_b": 9, "timeout_height_on_b": Height(0, 0)},  # as a text it would be the future
        {"timeout_ns_on_b": 0, "timeout_height_on_b": Height(0, number)},
    ):
        packet = replace(message.packet, **past)
        expect_refusal(scene.stage(scene.b), replace(message, packet=packet), TimeoutElapsed)
    for past in (
        {"timeout_ns_on_b": 9, "timeout_height_on_b": Height(0, 0)},  # as a text it would be the future
        {"timeout_ns_on_b": 0, "timeout_height_on_b": Height(0, number)},
    ):
        packet = replace(message.packet, **past)
        expect_refusal(scene.stage(scene.b), replace(message, packet=packet), TimeoutElapsed)


def test_d5_a_sequence_does_not_pass_64_bits(scene):
    """Go would wrap to 0, and every packet would find its receipt."""
    stage, channel = scene.stage(scene.a), scene.unordered.a.channel_id
    scene.a.keepers.channels.set_next_send(stage.ctx, "mock", channel, MAX_U64)
    before = stage.writes()
    with pytest.raises(InvalidRequest), stage.ctx.branch():
        scene.a.scripted.sender.send_packet(stage.ctx, "mock", channel, Height(9, 9), 0, b"x")
    assert stage.writes() == before


def test_h37_any_ordered_packet_not_yet_received_can_time_out(scene):
    for sequence in (1, 2, 5):
        stage = scene.stage(scene.a)
        message = scene.to_a.timeout(replace(scene.expired[Order.ORDERED], sequence=sequence), Order.ORDERED)
        scene.a.keepers.packets.commit(stage.ctx, message.packet)
        assert stage.attempt(message).response == SUCCESS


@pytest.mark.parametrize("how", ["frozen", "expired"])
def test_h37_sending_needs_an_active_client(scene, how):
    stage = scene.stage(scene.a)
    if how == "frozen":
        freeze_client(stage.ctx, CLIENT_ON_A)
    else:
        stage.ctx.time_ns += 15 * 86_400 * 10**9
    before = stage.writes()
    with pytest.raises(ClientNotActive):
        scene.a.scripted.sender.send_packet(
            stage.ctx, "mock", scene.unordered.a.channel_id, Height(9, 9), 0, b"x"
        )
    assert stage.writes() == before


@pytest.mark.parametrize("order", BOTH)
def test_h38_a_second_timeout_on_close_does_nothing(scene, order):
    stage = scene.stage(scene.a)
    message = scene.to_a.timeout_on_close(scene.stranded[order], order)
    assert [stage.attempt(message).response for _ in range(3)] == [SUCCESS, NOOP, NOOP]
    assert scene.a.app.calls == ["on_timeout_packet"]
    late = scene.to_a.timeout(replace(message.packet), order)
    assert stage.attempt(replace(late, packet=replace(message.packet, timeout_ns_on_b=1))).writes == {}


# -- blocks


def test_h47_the_module_does_one_thing_at_a_blocks_ends():
    hooks = {"chain_begin_block", "chain_end_block"}
    assert hooks & set(dir(IbcPlugin)) == {"chain_begin_block"}  # a planned upgrade: below
    assert hooks & set(dir(TransferPlugin)) == set()


RUBBISH = [b"clients/x/clientState", b"channelEnds/ports/x/channels/y", b"connections/z", be8(7)]


@settings(max_examples=rounds(10, 40), deadline=None, suppress_health_check=list(HealthCheck))
@given(
    entries=st.dictionaries(
        st.sampled_from(RUBBISH) | st.binary(min_size=1, max_size=40), st.binary(max_size=60)
    ),
    plan=st.binary(max_size=60),
)
def test_h47_a_store_full_of_rubbish_does_not_stop_a_block(scene, entries, plan):
    app = scene.b.chain.app
    ctx = app.query_context()
    for key, value in entries.items():
        ctx.ibc.set(key, value)
        ctx.store("upgrade").set(key, value)
    ctx.store("upgrade").set(paths.UPGRADE_PLAN, plan)
    app.pipeline.begin_block(ctx)
    app.pipeline.end_block(ctx)
