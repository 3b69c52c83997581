"""Every `abortTransactionUnless` of ICS-4's first text: its error, an unchanged store, and the text's order.

Each function has its checks here in the order in which they are made: the text's, with authenticate where
the text has it, but for two: the ends of an acknowledged or timed-out packet are compared together, and what
only today's handlers check comes where they check it. A call that breaks two rules is refused for the first.
"""

from dataclasses import replace
from itertools import combinations, pairwise

import pytest

from conformance.kit.direct_module import CONNECTION, MODULE_PORT, opening
from conformance.kit.direct_scenario import DirectScenario, end_names
from conformance.kit.mutate_state import change_channel, change_connection, freeze_client
from conformance.kit.refusals import expect_call_refused
from conformance.kit.sides import side_of
from conformance.kit.staged_block import StagedBlock
from pyibc.core import paths
from pyibc.core.channel.types import ChannelCounterparty, ChannelState, Order
from pyibc.core.connection.types import ConnectionState, Version
from pyibc.core.errors import (
    ChannelExists,
    ChannelNotFound,
    ClientNotActive,
    ConnectionNotFound,
    InvalidAcknowledgement,
    InvalidChannelIdentifier,
    InvalidChannelOrdering,
    InvalidChannelState,
    InvalidConnectionState,
    InvalidConnectionVersion,
    InvalidIdentifier,
    InvalidPacket,
    InvalidProof,
    InvalidRequest,
    InvalidSequence,
    PacketCommitmentNotFound,
    PacketReceived,
    PacketSequenceOutOfOrder,
    TimeoutElapsed,
    TimeoutNotReached,
    TooManyConnectionHops,
)
from pyibc.core.height import Height
from pyibc.direct.capability import mint
from pyibc.direct.errors import CapabilityRevoked, InvalidCapability
from tests.sampling import sample

UNORDERED, ORDERED = Order.UNORDERED, Order.ORDERED
FORGED = mint("forged")

# -- changes: (stage, call) -> call


def arguments(**changes):
    return lambda _, call: call.but(**changes)


def asked(**changes):
    return lambda _, call: call.but(opening=call.arguments["opening"]._replace(**changes))


def packet(**changes):
    return lambda _, call: call.but_packet(**changes)


def meddled(change):
    def applied(stage, call):
        change(stage.ctx, call)
        return call

    return applied


def end_of(call):
    """Port and channel of the end that a call is for."""
    given = call.arguments
    if "packet" not in given:
        return given["port_id"], given["channel_id"]
    on_b = call.method == "recv_packet"
    found = given["packet"]
    return (
        (found.port_id_on_b, found.channel_id_on_b) if on_b else (found.port_id_on_a, found.channel_id_on_a)
    )


@meddled
def no_channel(ctx, call):
    ctx.ibc.delete(paths.channel_path(*end_of(call)))


def in_state(state):
    return meddled(lambda ctx, call: change_channel(ctx, *end_of(call), state=state))


@meddled
def no_connection(ctx, _):
    ctx.ibc.delete(paths.connection_path(CONNECTION))


@meddled
def connection_init(ctx, _):
    change_connection(ctx, CONNECTION, state=ConnectionState.INIT)


@meddled
def client_frozen(ctx, _):
    freeze_client(ctx, side_of(ctx).client_id)


@meddled
def no_commitment(ctx, call):
    sent = call.arguments["packet"]
    ctx.ibc.delete(paths.packet_commitment_path(sent.port_id_on_a, sent.channel_id_on_a, sent.sequence))


def cut(proof):
    return lambda _, call: call.but(**{proof: call.arguments[proof][:-1]})


def cut_one(which):
    def applied(_, call):
        proofs = list(call.arguments["proofs"])
        proofs[which] = proofs[which][:-1]
        return call.but(proofs=tuple(proofs))

    return applied


def ahead(ctx, call):
    """The packet came before: B expects the next."""
    ctx.ibc.set(paths.next_sequence_recv_path(*end_of(call)), (99).to_bytes(8, "big"))


def previous(**changes):
    """Our own INIT end is another channel's."""
    both = end_names("both").b

    def applied(stage, call):
        change_channel(stage.ctx, MODULE_PORT, both, **changes)
        return call

    return applied


NOT_OPEN = [
    ("INIT", in_state(ChannelState.INIT), InvalidChannelState),
    ("TRYOPEN", in_state(ChannelState.TRYOPEN), InvalidChannelState),
    ("CLOSED", in_state(ChannelState.CLOSED), InvalidChannelState),
]
NO_CONNECTION = ("no connection", no_connection, ConnectionNotFound)
CONNECTION_INIT = ("connection not OPEN", connection_init, InvalidConnectionState)
CLIENT = ("client frozen", client_frozen, ClientNotActive)
NOT_PORT = ("authenticate", arguments(port=FORGED), InvalidCapability)
NOT_CHANNEL = ("authenticate", arguments(channel=FORGED), InvalidCapability)
NOT_HELD = ("authenticate", arguments(held=FORGED), InvalidCapability)
NO_CHANNEL = ("no channel", no_channel, ChannelNotFound)
FAR_PORT = ("destination port", packet(port_id_on_b="other"), InvalidPacket)
FAR_CHANNEL = ("destination channel", packet(channel_id_on_b="other-end"), InvalidPacket)
UNSENT = ("cleared out", no_commitment, PacketCommitmentNotFound)
CHANGED = ("changed packet", packet(data=b"changed"), InvalidPacket)
FAR = ChannelCounterparty(MODULE_PORT, "far-end-of-it")

FORM = [
    ("name of the generated form", asked(channel_id="channel-7"), InvalidChannelIdentifier),
    ("name that ICS-24 refuses", asked(channel_id="a/name"), InvalidIdentifier),
]
HOPS = [
    ("no ordering", asked(order=Order.NONE), InvalidChannelOrdering),
    ("no hop", asked(connection_hops=()), TooManyConnectionHops),
    ("two hops", asked(connection_hops=(CONNECTION, CONNECTION)), TooManyConnectionHops),
]


@pytest.fixture(scope="module")
def scene():
    return DirectScenario()


# -- the calls that are good, and their checks in order

CALLS = {
    "chanOpenInit": lambda s: s.on_a.open_init(opening("new-on-a", "new-on-b")),
    "chanOpenTry": lambda s: s.on_b.open_try(opening(end_names("init").b, end_names("init").a)),
    "chanOpenTry over an own INIT": lambda s: s.on_b.open_try(
        opening(end_names("both").b, end_names("both").a)
    ),
    "chanOpenAck": lambda s: s.on_a.open_ack(*end_names("tried")),
    "chanOpenConfirm": lambda s: s.on_b.open_confirm(*end_names("acked")[::-1]),
    "chanCloseInit": lambda s: s.on_a.close_init(end_names("open", UNORDERED).a),
    "chanCloseConfirm": lambda s: s.on_a.close_confirm(*end_names("shut", UNORDERED)),
    "sendPacket": lambda s: s.on_a.send(replace(s.fresh[UNORDERED], sequence=3)),
    "recvPacket": lambda s: s.on_b.recv(s.fresh[UNORDERED]),
    "recvPacket ordered": lambda s: s.on_b.recv(s.fresh[ORDERED]),
    "acknowledgePacket": lambda s: s.on_a.acknowledge(s.received[UNORDERED]),
    "acknowledgePacket ordered": lambda s: s.on_a.acknowledge(s.received[ORDERED]),
    "timeoutPacket": lambda s: s.on_a.timeout(s.expired[UNORDERED]),
    "timeoutPacket ordered": lambda s: s.on_a.timeout(s.expired[ORDERED], ORDERED),
    "timeoutOnClose": lambda s: s.on_a.timeout_on_close(s.stranded[UNORDERED]),
    "timeoutOnClose ordered": lambda s: s.on_a.timeout_on_close(s.stranded[ORDERED], ORDERED),
    "cleanupPacket": lambda s: s.on_a.cleanup(s.received[UNORDERED]),
    "cleanupPacket ordered": lambda s: s.on_a.cleanup(s.received[ORDERED], 2),
}

RECV = [
    NO_CHANNEL,
    *NOT_OPEN,
    NOT_CHANNEL,
    ("source port", packet(port_id_on_a="other"), InvalidPacket),
    ("source channel", packet(channel_id_on_a="other-end"), InvalidPacket),
    NO_CONNECTION,
    CONNECTION_INIT,
    ("timeout height passed", packet(timeout_height_on_b=Height(1, 1)), TimeoutElapsed),
    CLIENT,
    ("proof", cut("proof"), InvalidProof),
]
ACK = [
    NO_CHANNEL,
    *NOT_OPEN,
    NOT_CHANNEL,
    ("no answer", arguments(acknowledgement=b""), InvalidAcknowledgement),
    FAR_PORT,
    FAR_CHANNEL,
    NO_CONNECTION,
    CONNECTION_INIT,
    UNSENT,
    CHANGED,
    CLIENT,
    ("proof", cut("proof"), InvalidProof),
    ("another answer", arguments(acknowledgement=b"other"), InvalidProof),
]
TIMEOUT = [
    NO_CHANNEL,
    NOT_HELD,
    FAR_PORT,
    FAR_CHANNEL,
    NO_CONNECTION,
    ("timeout height not passed", packet(timeout_height_on_b=Height(1, 10**6)), TimeoutNotReached),
    UNSENT,
    CHANGED,
]
ON_CLOSE = [NO_CHANNEL, NOT_HELD, FAR_PORT, FAR_CHANNEL, NO_CONNECTION, UNSENT, CHANGED, CLIENT]
CLEANUP = [NO_CHANNEL, *NOT_OPEN, NOT_CHANNEL]

CHECKS = {
    "chanOpenInit": [
        *FORM,
        *HOPS,
        (
            "far name of the generated form",
            asked(counterparty=ChannelCounterparty(MODULE_PORT, "channel-9")),
            InvalidChannelIdentifier,
        ),
        ("name that is taken", asked(channel_id=end_names("open").a), ChannelExists),
        ("name of a closed channel", asked(channel_id=end_names("gone").a), ChannelExists),
        NO_CONNECTION,
        NOT_PORT,
        (
            "ordering that the connection has not",
            meddled(lambda ctx, _: change_connection(ctx, CONNECTION, versions=(Version("1", ("x",)),))),
            InvalidConnectionVersion,
        ),
        CLIENT,
    ],
    "chanOpenTry": [
        *FORM,
        *HOPS,
        ("no far name", asked(counterparty=ChannelCounterparty(MODULE_PORT, "")), InvalidIdentifier),
        ("name that is taken", asked(channel_id=end_names("open").b), ChannelExists),
        NOT_PORT,
        NO_CONNECTION,
        CONNECTION_INIT,
        CLIENT,
        ("proof", cut("proof_init"), InvalidProof),
        ("another version there", arguments(counterparty_version="v2"), InvalidProof),
        ("the other end names us not", arguments(named_by_counterparty=False), InvalidProof),
    ],
    "chanOpenTry over an own INIT": [
        ("previous is beyond INIT", previous(state=ChannelState.TRYOPEN), ChannelExists),
        ("previous is CLOSED", previous(state=ChannelState.CLOSED), ChannelExists),
        ("previous has another order", previous(ordering=Order.ORDERED), ChannelExists),
        (
            "previous names another port",
            previous(counterparty=ChannelCounterparty("other", end_names("both").a)),
            ChannelExists,
        ),
        ("previous names another channel", previous(counterparty=FAR), ChannelExists),
        ("previous has another hop", previous(connection_hops=("connection-7",)), ChannelExists),
        ("previous has another version", previous(version="v2"), ChannelExists),
        NOT_PORT,
        NO_CONNECTION,
        CONNECTION_INIT,
        ("proof", cut("proof_init"), InvalidProof),
    ],
    "chanOpenAck": [
        NO_CHANNEL,
        ("OPEN", in_state(ChannelState.OPEN), InvalidChannelState),
        ("CLOSED", in_state(ChannelState.CLOSED), InvalidChannelState),
        NOT_CHANNEL,
        NO_CONNECTION,
        CONNECTION_INIT,
        ("proof", cut("proof_try"), InvalidProof),
        ("another version there", arguments(counterparty=(end_names("tried").b, "v2")), InvalidProof),
    ],
    "chanOpenConfirm": [
        NO_CHANNEL,
        ("INIT", in_state(ChannelState.INIT), InvalidChannelState),
        ("OPEN", in_state(ChannelState.OPEN), InvalidChannelState),
        ("CLOSED", in_state(ChannelState.CLOSED), InvalidChannelState),
        NOT_CHANNEL,
        NO_CONNECTION,
        CONNECTION_INIT,
        ("proof", cut("proof_ack"), InvalidProof),
    ],
    "chanCloseInit": [
        NOT_CHANNEL,
        NO_CHANNEL,
        ("CLOSED", in_state(ChannelState.CLOSED), CapabilityRevoked),
        NO_CONNECTION,
        CLIENT,
        CONNECTION_INIT,
    ],
    "chanCloseConfirm": [
        NOT_CHANNEL,
        NO_CHANNEL,
        ("CLOSED", in_state(ChannelState.CLOSED), CapabilityRevoked),
        NO_CONNECTION,
        CONNECTION_INIT,
        ("proof", cut("proof_init"), InvalidProof),
    ],
    "sendPacket": [
        NO_CHANNEL,
        ("CLOSED", in_state(ChannelState.CLOSED), InvalidChannelState),
        NOT_CHANNEL,
        FAR_PORT,
        FAR_CHANNEL,
        NO_CONNECTION,
        CLIENT,
        ("timeout height passed", packet(timeout_height_on_b=Height(1, 1)), TimeoutElapsed),
        ("a sequence that was sent", packet(sequence=2), PacketSequenceOutOfOrder),
        ("a sequence ahead", packet(sequence=4), PacketSequenceOutOfOrder),
    ],
    "recvPacket": [
        *RECV,
        ("received before", packet(sequence=1, data=b"received"), InvalidProof),
    ],
    "recvPacket ordered": [*RECV, ("received before", meddled(ahead), PacketReceived)],
    "acknowledgePacket": ACK,
    "acknowledgePacket ordered": ACK,
    "timeoutPacket": [*TIMEOUT, CLIENT, ("proof", cut("proof"), InvalidProof)],
    "timeoutPacket ordered": [
        *TIMEOUT,
        ("received", arguments(next_sequence_recv=2), PacketReceived),
        CLIENT,
        ("proof", cut("proof"), InvalidProof),
        ("no such channel there", arguments(next_sequence_recv=None), InvalidProof),
    ],
    "timeoutOnClose": [
        *ON_CLOSE,
        ("proof of CLOSED", cut_one(1), InvalidProof),
        ("proof of not received", cut_one(0), InvalidProof),
    ],
    "timeoutOnClose ordered": [
        *ON_CLOSE,
        ("proof of CLOSED", cut_one(1), InvalidProof),
        ("received", arguments(next_sequence_recv=2), InvalidPacket),
        ("proof of not received", cut_one(0), InvalidProof),
    ],
    "cleanupPacket": [
        *CLEANUP,
        ("a sequence", arguments(next_sequence_recv_or_acknowledgement=2), InvalidRequest),
        FAR_PORT,
        FAR_CHANNEL,
        NO_CONNECTION,
        ("no answer", arguments(next_sequence_recv_or_acknowledgement=b""), InvalidAcknowledgement),
        UNSENT,
        CHANGED,
        CLIENT,
        ("proof", cut("proof"), InvalidProof),
        ("another answer", arguments(next_sequence_recv_or_acknowledgement=b"other"), InvalidProof),
    ],
    "cleanupPacket ordered": [
        *CLEANUP,
        ("an answer", arguments(next_sequence_recv_or_acknowledgement=b"done"), InvalidRequest),
        FAR_PORT,
        FAR_CHANNEL,
        NO_CONNECTION,
        ("not received", arguments(next_sequence_recv_or_acknowledgement=1), InvalidSequence),
        ("beyond 64 bits", arguments(next_sequence_recv_or_acknowledgement=2**64), InvalidRequest),
        UNSENT,
        CHANGED,
        CLIENT,
        ("proof", cut("proof"), InvalidProof),
        ("another sequence", arguments(next_sequence_recv_or_acknowledgement=3), InvalidProof),
    ],
}

EACH = [
    pytest.param(function, change, error, id=f"{function}: {name}")
    for function, checks in CHECKS.items()
    for name, change, error in checks
]


def stage_for(scene, call):
    return StagedBlock((scene.net.a if call.module is scene.on_a.module else scene.net.b).chain)


@pytest.mark.parametrize("function", CALLS)
def test_the_call_is_good_as_it_is(scene, function):
    call = CALLS[function](scene)
    attempt = stage_for(scene, call).call(call)
    assert attempt.error is None
    assert attempt.writes
    assert {store for store, _ in attempt.writes} == {"ibc"}


@pytest.mark.parametrize(("function", "change", "error"), EACH)
def test_abort_transaction_unless(scene, function, change, error):
    call = CALLS[function](scene)
    stage = stage_for(scene, call)
    expect_call_refused(stage, change(stage, call), error)


EXCLUSIVE = ("chanOpenTry over an own INIT",)
"""Its checks of what was there before are one condition of the text."""


@pytest.mark.parametrize("function", [name for name in CHECKS if name not in EXCLUSIVE])
def test_checks_are_made_in_the_order_of_the_text(scene, function):
    """Of two broken rules the first one is reported, whichever of them was broken first."""
    wrong = []
    checks = CHECKS[function]
    near = list(pairwise(checks))  # two that are made in another order turn some of these around
    far = [pair for pair in combinations(checks, 2) if pair not in near]
    for (first, change, error), (second, later, _) in near + sample(far, 5, f"order: {function}"):
        call = CALLS[function](scene)
        stage = stage_for(scene, call)
        got = stage.call(change(stage, later(stage, call))).error
        if type(got) is not error:
            wrong.append(f"{first} + {second}: {type(got).__name__}, not {error.__name__}")
    assert wrong == []
