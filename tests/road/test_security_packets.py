"""What has broken other chains, tried on the packet layer here; names begin as in docs/security.md."""

from dataclasses import replace

import pytest

from ibc_module.apps.transfer.plugin import TransferPlugin
from ibc_module.core import paths
from ibc_module.core.application import AppAcknowledgement
from ibc_module.core.channel import Order
from ibc_module.core.height import Height
from ibc_module.core.numbers import be8
from ibc_module.errors import (
    ClientNotActive,
    InvalidAcknowledgement,
    InvalidMerkleProof,
    InvalidPacket,
    InvalidProof,
    OutOfGas,
    TimeoutElapsed,
)
from ibc_module.indexer.blocks import Block, Tx
from ibc_module.indexer.packets import packet_events
from ibc_module.plugin import IbcPlugin
from ibc_module.relayer.endpoint import Proven
from ibc_module.wire.merkle import encode_merkle_proof
from localnet.testkit.app import STORE, ScriptedRefusal
from localnet.testkit.meddle import freeze_client
from localnet.testkit.refusals import expect_refusal, expect_undone
from localnet.testkit.rows import CLIENT
from localnet.testkit.scene import ACK, REFUSAL, Scene
from localnet.testkit.transfers import transfer

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
    found = [key for key, _ in stage.ctx.ibc.iterate(prefix, paths.prefix_end(prefix))]
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


# -- proofs


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
    other = Scene()
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


@pytest.mark.parametrize("order", BOTH)
@pytest.mark.parametrize("by", ["height", "time", "both"])
@pytest.mark.parametrize(("distance", "late"), [(-1, True), (0, True), (1, False)])
def test_h35_a_packet_is_received_or_refunded_never_both(scene, order, by, distance, late):
    """At the limit of each dimension, alone and mixed: `receive` is late exactly where a timeout is due."""
    stage = scene.stage(scene.b)
    revision, height = stage.ctx.height
    limit = {
        "height": (Height(revision, height + distance), 0),
        "time": (Height(0, 0), stage.ctx.time_ns + distance),
        "both": (Height(revision, height + distance), stage.ctx.time_ns + distance),
    }[by]
    message = scene.to_b.recv(scene.packets[order].fresh)
    packet = replace(message.packet, timeout_height_on_b=limit[0], timeout_ns_on_b=limit[1])
    # In time the changed packet fails at its proof, which comes after the timeout.
    error = TimeoutElapsed if late else InvalidProof
    expect_refusal(stage, replace(message, packet=packet), error)


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
        freeze_client(stage.ctx, CLIENT)
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


def test_h47_a_store_full_of_rubbish_does_not_stop_a_block(make_net):
    net = make_net()
    rubbish = [b"clients/x/clientState", b"channelEnds/ports/x/channels/y", b"connections/z", be8(7)]
    store = net.b.chain.app.store
    ctx = net.b.chain.app.query_context()
    assert store.version == ctx.height.revision_height
    for key in rubbish:
        ctx.ibc.set(key, b"\xff\xfe rubbish")
    ctx.store("upgrade").set(b"\x00", b"\xff\xfe rubbish")
    net.b.chain.app.pipeline.begin_block(ctx)
    net.b.chain.app.pipeline.end_block(ctx)
