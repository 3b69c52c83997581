"""The life of a channel by ICS-4's first text: its tables, chosen names, and what happens when both start."""

import pytest

from conformance.kit.direct_module import (
    CONNECTION,
    MODULE_PORT,
    DirectModules,
    one_connection,
    opening,
    packet_between,
)
from conformance.kit.messages import Messages
from conformance.kit.mutate_state import change_channel
from conformance.kit.pair import Pair
from conformance.kit.paired_chain import PairedChain
from conformance.kit.refusals import expect_call_refused, expect_refusal, expect_undone
from conformance.kit.scenario import attribute
from conformance.kit.scripted_app import PORT, VERSION
from conformance.kit.staged_block import StagedBlock
from pyibc.core import paths
from pyibc.core.channel.types import BOTH_STARTED, ChannelCounterparty, ChannelEnd, ChannelState, Order
from pyibc.core.connection.types import ConnectionState
from pyibc.core.errors import (
    ChannelExists,
    ChannelNotFound,
    ConnectionExists,
    InvalidChannelCounterparty,
    InvalidChannelIdentifier,
    InvalidChannelState,
    InvalidChannelVersion,
    InvalidConnectionCounterparty,
    InvalidConnectionIdentifier,
    InvalidIdentifier,
    InvalidProof,
    UnknownMessage,
)
from pyibc.direct.calls import ProvenEntry
from pyibc.direct.handlers.handler import prove_channel
from pyibc.proto.ibc.core.channel.v1 import query_pb2
from pyibc.relayer.links.link import relay
from pyibc.relayer.paths.path import Path
from pyibc.testing.pair import SHIFTED

A, B = "x-end-on-a", "x-end-on-b"


@pytest.fixture
def net():
    return DirectModules(optimistic_sends=3)


@pytest.fixture(scope="module")
def opened():
    """With an open channel; looked at through stages alone."""
    net = DirectModules()
    net.open(A, B)
    return net


def state(side, channel_id, port=MODULE_PORT):
    """The state of an end after the last block; None: there is none."""
    end = side.keepers.channels
    ctx = StagedBlock(side.chain).ctx
    return end.get(ctx, port, channel_id).state.name if end.has(ctx, port, channel_id) else None


def states(net):
    return state(net.a, A), state(net.b, B)


# -- "Channel lifecycle management": the two tables


def test_the_opening_table(net):
    """(none, none) -> (INIT, none) -> (INIT, TRYOPEN) -> (OPEN, TRYOPEN) -> (OPEN, OPEN)."""
    a, b = net.calls_on_a, net.calls_on_b
    assert states(net) == (None, None)
    net.on_a(a.open_init(opening(A, B)))
    assert states(net) == ("INIT", None)
    net.on_b(b.open_try(opening(B, A)))
    assert states(net) == ("INIT", "TRYOPEN")
    net.on_a(a.open_ack(A, B))
    assert states(net) == ("OPEN", "TRYOPEN")
    net.on_b(b.open_confirm(B, A))
    assert states(net) == ("OPEN", "OPEN")


def test_the_closing_table(net):
    """(OPEN, OPEN) -> (CLOSED, OPEN) -> (CLOSED, CLOSED)."""
    net.open(A, B)
    net.on_a(net.calls_on_a.close_init(A))
    assert states(net) == ("CLOSED", "OPEN")
    net.on_b(net.calls_on_b.close_confirm(B, A))
    assert states(net) == ("CLOSED", "CLOSED")


STEPS = {
    "open_init": lambda c: c.open_init(opening(A, B)),
    "open_try": lambda c: c.open_try(opening(A, B)),
    "open_ack": lambda c: c.open_ack(A, B),
    "open_confirm": lambda c: c.open_confirm(A, B),
    "close_init": lambda c: c.close_init(A),
    "close_confirm": lambda c: c.close_confirm(A, B),
}


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("before", [s for s in ChannelState if s is not ChannelState.UNINITIALIZED])
def test_no_datagram_acts_on_a_state_that_is_not_in_its_row(opened, before, step):
    """Of all (state, datagram) only those of the tables pass; the proof is of whatever the other end is."""
    call = STEPS[step](opened.calls_on_a)
    stage = StagedBlock(opened.a.chain)
    change_channel(stage.ctx, MODULE_PORT, A, state=before)
    attempt = stage.call(call)
    if (before, step) in BOTH_STARTED:
        assert type(attempt.error) in {InvalidProof, type(None)}
    else:
        assert attempt.error is not None
        assert type(attempt.error) is not InvalidProof


def test_once_closed_channels_cannot_be_reopened(net):
    """Not by anyone, and not under their name: "first-come-first-serve". Nor where the other end was told."""
    net.open(A, B)
    net.on_a(net.calls_on_a.close_init(A))
    net.on_b(net.calls_on_b.close_confirm(B, A))
    assert states(net) == ("CLOSED", "CLOSED")
    for calls, side, ours, theirs in ((net.calls_on_a, net.a, A, B), (net.calls_on_b, net.b, B, A)):
        for call in (
            calls.open_init(opening(ours, theirs)),
            calls.open_try(opening(ours, theirs)),
            calls.open_ack(ours, theirs),
            calls.open_confirm(ours, theirs),
        ):
            attempt = StagedBlock(side.chain).call(call)
            assert type(attempt.error) in {ChannelExists, InvalidChannelState}
            assert attempt.writes == {}


def test_the_module_which_initiates_the_handshake_owns_the_end_and_the_one_it_specifies_the_other(net):
    net.open(A, B)
    ctx = StagedBlock(net.a.chain).ctx
    end = net.a.keepers.channels.get(ctx, MODULE_PORT, A)
    far = ChannelCounterparty(MODULE_PORT, B)
    assert end == ChannelEnd(ChannelState.OPEN, Order.UNORDERED, far, (CONNECTION,), "v1")


def test_optimistic_channel_handshakes_are_allowed(net):
    """The connection exists and is not open yet: chanOpenInit passes, chanOpenTry must wait."""
    made = net.a.submit(net.named(net.a).connection_open_init("slow-conn-on-a", "slow-conn-on-b"))
    assert made.code == 0
    asked = opening(A, B, connection_id="slow-conn-on-a")
    net.on_a(net.calls_on_a.open_init(asked))
    assert state(net.a, A) == "INIT"
    on_b = net.named(net.b).connection_open_try("slow-conn-on-b", "slow-conn-on-a")
    assert net.b.submit(on_b).code == 0
    net.pair.sync()
    tried = net.calls_on_b.open_try(opening(B, A, connection_id="slow-conn-on-b"))
    assert StagedBlock(net.b.chain).call(tried).error.expected == ConnectionState.OPEN.name
    net.a.submit(net.named(net.a).connection_open_ack("slow-conn-on-a", "slow-conn-on-b"))
    net.pair.sync()
    net.b.submit(net.named(net.b).connection_open_confirm("slow-conn-on-b", "slow-conn-on-a"))
    net.pair.sync()
    net.on_b(net.calls_on_b.open_try(opening(B, A, connection_id="slow-conn-on-b")))
    assert states(net) == ("INIT", "TRYOPEN")


def test_version_agreement_is_the_modules_own_affair_and_part_of_what_is_proven(net):
    """Two ends "come to agreement on a version bytestring": B settles, A takes B's over; "" is one too."""
    for on_b in ("v1-of-b", ""):
        a, b = f"a-{on_b or 'none'}-end", f"b-{on_b or 'none'}-end"
        net.on_a(net.calls_on_a.open_init(opening(a, b, version="v1-or-v2")))
        net.on_b(net.calls_on_b.open_try(opening(b, a, version=on_b), "v1-or-v2"))
        net.on_a(net.calls_on_a.open_ack(a, b, on_b))
        net.on_b(net.calls_on_b.open_confirm(b, a))
        for side, name in ((net.a, a), (net.b, b)):
            end = net.a.keepers.channels.get(StagedBlock(side.chain).ctx, MODULE_PORT, name)
            assert (end.state, end.version) == (ChannelState.OPEN, on_b)


def test_a_version_may_be_ignored_or_empty(net):
    """Both leave it empty; or one does not look at what the other proposed, and answers with its own."""
    for number, (proposed, answered) in enumerate((("", ""), ("whatever", ""), ("whatever", "its own"))):
        a, b = f"x-end-{number}-on-a", f"x-end-{number}-on-b"
        net.on_a(net.calls_on_a.open_init(opening(a, b, version=proposed)))
        net.on_b(net.calls_on_b.open_try(opening(b, a, version=answered), proposed))
        net.on_a(net.calls_on_a.open_ack(a, b, answered))
        net.on_b(net.calls_on_b.open_confirm(b, a))
        assert (state(net.a, a), state(net.b, b)) == ("OPEN", "OPEN")
        for side, name in ((net.a, a), (net.b, b)):
            end = side.keepers.channels.get(StagedBlock(side.chain).ctx, MODULE_PORT, name)
            assert end.version == answered


# -- names

NEXT_ON_A = f"channel-{SHIFTED.channel + 1}"


def asked_by_both(net):
    """A channel between the scripted applications, as each of them requests it."""
    on_a, on_b = net.pair.ports
    return (
        opening(A, B, version=VERSION, port=on_a, far_port=on_b),
        opening(B, A, version=VERSION, port=on_b, far_port=on_a),
    )


def test_a_name_is_generated_where_none_is_chosen(net):
    made = net.on_a(net.calls_on_a.open_init(opening("", B)))
    assert made.channel_id == NEXT_ON_A  # after the transfer channel
    ctx = StagedBlock(net.a.chain).ctx
    assert net.a.keepers.channels.get(ctx, MODULE_PORT, NEXT_ON_A).counterparty.channel_id == B


@pytest.mark.parametrize("named", [("", ""), ("", B), (A, ""), (A, B)], ids=str)
def test_each_chain_names_its_end_or_leaves_it_to_the_counter(net, named):
    """Whoever starts may name both ends, one, or none; what A did not name B may still choose."""
    on_a, on_b = named
    a, b = net.calls_on_a, net.calls_on_b
    end_a = net.on_a(a.open_init(opening(on_a, on_b))).channel_id
    end_b = net.on_b(b.open_try(opening(on_b, end_a), named=bool(on_b))).channel_id
    net.on_a(a.open_ack(end_a, end_b))
    net.on_b(b.open_confirm(end_b, end_a))
    assert (state(net.a, end_a), state(net.b, end_b)) == ("OPEN", "OPEN")
    assert (end_a, end_b) == (on_a or NEXT_ON_A, on_b or "channel-1")


def test_b_chooses_a_name_of_its_own_where_a_named_none(net):
    net.on_a(net.calls_on_a.open_init(opening(A, "")))
    net.on_b(net.calls_on_b.open_try(opening(B, A), named=False))
    net.on_a(net.calls_on_a.open_ack(A, B))
    assert states(net) == ("OPEN", "TRYOPEN")


def test_a_generated_name_never_meets_a_chosen_one(net):
    """The whole form is reserved: with leading zeros too, and up to the counter's last number."""
    for name in ("channel-0", "channel-1", "channel-007", f"channel-{2**64 - 1}"):
        call = net.calls_on_a.open_init(opening(name, B))
        expect_call_refused(StagedBlock(net.a.chain), call, InvalidChannelIdentifier, channel_id=name)
    beyond = net.on_a(net.calls_on_a.open_init(opening(f"channel-{2**64}", B)))
    assert beyond.channel_id == f"channel-{2**64}"
    before = net.a.chain.get(paths.NEXT_CHANNEL_SEQUENCE)
    net.on_a(net.calls_on_a.open_init(opening(A, B)))
    assert net.a.chain.get(paths.NEXT_CHANNEL_SEQUENCE) == before  # a chosen name uses no number up


def test_the_combinations_of_port_and_channel_are_first_come_first_serve():
    """The same name on another port is another channel; on the same port it is taken, in whatever state."""
    net = DirectModules((MODULE_PORT, "second-port"))
    net.on_a(net.calls_on_a.open_init(opening(A, B)))
    again = net.calls_on_a.open_init(opening(A, "other-far-end"))
    expect_call_refused(StagedBlock(net.a.chain), again, ChannelExists, port_id=MODULE_PORT, channel_id=A)
    other = net.calls["second-port"][0].open_init(opening(A, B, port="second-port"))
    assert net.on_a(other).channel_id == A


def test_validate_channel_identifier_may_be_provided():
    """By the host, for (port, name); "if not provided, the default function will always return true"."""
    seen = []

    def accepts(port_id, channel_id):
        seen.append((port_id, channel_id))
        return channel_id.startswith("x-end-")

    net = DirectModules(validate_channel_identifier=accepts)
    net.open(A, B)
    refused = net.calls_on_a.open_init(opening("y-end-on-a", ""))
    expect_call_refused(StagedBlock(net.a.chain), refused, InvalidChannelIdentifier, channel_id="y-end-on-a")
    asked = opening("y-end-on-a", "", port=PORT)
    expect_refusal(
        StagedBlock(net.a.chain), net.named(net.a).channel_open_init(asked), InvalidChannelIdentifier
    )
    assert list(dict.fromkeys(seen)) == [
        (MODULE_PORT, A),
        (MODULE_PORT, B),
        (MODULE_PORT, "y-end-on-a"),
        (PORT, "y-end-on-a"),
    ]


def test_what_is_not_used_writes_no_key(net):
    """A channel of today's wire leaves the same keys where all of this is, and where it is not."""

    def entries(side):
        found = StagedBlock(side.chain).ctx.ibc.iterate(b"\x00", None)
        return [entry for entry in found if not entry[0].startswith(b"clients/")]

    def keys(pair):
        path = pair.open(pair.ports, Order.UNORDERED, VERSION)
        packet = pair.a.send(path.a, path.b, b"data")
        pair.sync()
        assert pair.b.submit(Messages(pair, pair.b).recv(packet)).code == 0
        return entries(pair.a), entries(pair.b)

    def without(chain_id, clock, coins, side):
        return PairedChain(chain_id, clock, coins, side=one_connection(side))

    assert keys(net.pair) == keys(Pair.connected(make_chain=without))


def test_a_chain_without_the_plugin_has_no_such_message():
    pair = Pair.connected()
    message = DirectModules().named(pair.a).channel_open_init(opening(A, B, port=PORT))
    expect_refusal(StagedBlock(pair.a.chain), message, UnknownMessage)


def test_the_relayer_and_the_queries_know_chosen_names_too(net):
    """Only the handshake needs messages of its own: packets go over `pyibc relay` like any others."""
    named_a, named_b = net.named(net.a), net.named(net.b)
    asked_a, asked_b = asked_by_both(net)
    for side, make in (
        (net.a, lambda: named_a.channel_open_init(asked_a)),
        (net.b, lambda: named_b.channel_open_try(asked_b, VERSION)),
        (net.a, lambda: named_a.channel_open_ack(A, B, VERSION)),
        (net.b, lambda: named_b.channel_open_confirm(B, A)),
    ):
        assert side.submit(make()).code == 0
        net.pair.sync()
    old = net.pair.transfer
    end_a, end_b = (
        end._replace(port_id=port, channel_id=c)
        for end, port, c in zip((old.a, old.b), net.pair.ports, (A, B), strict=True)
    )
    path = Path(end_a, end_b, Order.UNORDERED, VERSION)
    packet = net.a.send(path.a, path.b, b"over a named channel")
    relay(path, net.a.relayer, net.b.relayer)
    assert net.b.app.calls.count("on_recv_packet") == 1
    assert "on_acknowledgement_packet" in net.a.app.calls  # at the mempool's door, and in a block
    assert net.a.chain.get(paths.packet_commitment_path(PORT, A, packet.sequence)) is None
    request = query_pb2.QueryChannelRequest(port_id=PORT, channel_id=A).SerializeToString()
    raw = net.a.chain.grpc("/ibc.core.channel.v1.Query/Channel", request)
    assert query_pb2.QueryChannelResponse.FromString(raw).channel.counterparty.channel_id == B
    for side, make in (
        (net.a, lambda: named_a.channel_close_init(A)),
        (net.b, lambda: named_b.channel_close_confirm(B, A)),
    ):
        assert side.submit(make()).code == 0
        net.pair.sync()
    assert (state(net.a, A, PORT), state(net.b, B, net.b.port)) == ("CLOSED", "CLOSED")


# -- both start


def both_started(net, version_on_a="v1", version_on_b="v1"):
    net.on_a(net.calls_on_a.open_init(opening(A, B, version=version_on_a)))
    net.on_b(net.calls_on_b.open_init(opening(B, A, version=version_on_b)))
    assert states(net) == ("INIT", "INIT")


def test_chan_open_try_over_an_own_init_by_one_side(net):
    both_started(net)
    net.on_b(net.calls_on_b.open_try(opening(B, A)))
    net.on_a(net.calls_on_a.open_ack(A, B))
    net.on_b(net.calls_on_b.open_confirm(B, A))
    assert states(net) == ("OPEN", "OPEN")


def crossing(net, version_on_a="v1", version_on_b="v1"):
    """Both answer the other's INIT before they see its answer."""
    both_started(net, version_on_a, version_on_b)
    on_a = net.calls_on_a.open_try(opening(A, B, version=version_on_a), version_on_b)
    on_b = net.calls_on_b.open_try(opening(B, A, version=version_on_b), version_on_a)
    net.on_b(on_b)
    net.on_a(on_a)
    assert states(net) == ("TRYOPEN", "TRYOPEN")


def test_chan_open_try_over_an_own_init_by_both_sides(net):
    crossing(net)
    net.on_a(net.calls_on_a.open_ack(A, B))
    net.on_b(net.calls_on_b.open_confirm(B, A))
    assert states(net) == ("OPEN", "OPEN")


def test_two_acks_that_cross_open_both_ends(net):
    crossing(net)
    on_a, on_b = net.calls_on_a.open_ack(A, B), net.calls_on_b.open_ack(B, A)
    net.on_a(on_a)
    net.on_b(on_b)
    assert states(net) == ("OPEN", "OPEN")


def test_ends_that_would_swap_their_versions_do_not_open(net):
    """In the text each would take the other's version over, and they would end with different ones."""
    crossing(net, "v1", "v2")
    for call, side in (
        (net.calls_on_a.open_ack(A, B, "v2"), net.a),
        (net.calls_on_b.open_ack(B, A, "v1"), net.b),
    ):
        expect_call_refused(StagedBlock(side.chain), call, InvalidChannelVersion)
    net.on_a(net.calls_on_a.close_init(A))
    assert states(net) == ("CLOSED", "TRYOPEN")


def test_todays_messages_know_no_two_starts(net):
    """On today's wire a TRYOPEN end takes no MsgChannelOpenAck, whatever it came from."""
    asked_a, asked_b = asked_by_both(net)
    named_a, named_b = net.named(net.a), net.named(net.b)
    assert net.a.submit(named_a.channel_open_init(asked_a)).code == 0
    assert net.b.submit(named_b.channel_open_init(asked_b)).code == 0
    net.pair.sync()
    tries = (named_a.channel_open_try(asked_a, VERSION), named_b.channel_open_try(asked_b, VERSION))
    assert net.a.submit(tries[0]).code == 0
    assert net.b.submit(tries[1]).code == 0
    net.pair.sync()
    todays = Messages(net.pair, net.a).channel_open_ack(A, B)
    expect_refusal(StagedBlock(net.a.chain), todays, InvalidChannelIdentifier, channel_id=A)
    named = named_a.channel_open_ack(A, B, VERSION)
    assert net.a.submit(named).code == 0
    net.pair.sync()
    assert net.b.submit(named_b.channel_open_confirm(B, A)).code == 0
    assert (state(net.a, A, PORT), state(net.b, B, net.b.port)) == ("OPEN", "OPEN")


def test_an_application_that_settles_on_another_version_than_it_proposed_is_refused(net):
    asked_a, asked_b = asked_by_both(net)
    net.a.submit(net.named(net.a).channel_open_init(asked_a))
    net.b.submit(net.named(net.b).channel_open_init(asked_b))
    net.pair.sync()
    net.b.app.script["on_chan_open_try"] = lambda *_: "another"
    message = net.named(net.b).channel_open_try(asked_b, VERSION)
    expect_undone(StagedBlock(net.b.chain), message, InvalidChannelVersion, expected=VERSION, got="another")


def test_both_ends_over_an_own_init_keep_what_they_sent(net):
    """`chanOpenTry` must not set the send sequence back: its numbers are taken."""
    both_started(net)
    sent = [packet_between(n, B, A, b"early") for n in (1, 2)]
    for packet in sent:
        net.on_b(net.calls_on_b.send(packet))
    net.on_b(net.calls_on_b.open_try(opening(B, A)))
    assert net.b.chain.get(paths.next_sequence_send_path(MODULE_PORT, B)) == (3).to_bytes(8, "big")
    net.on_a(net.calls_on_a.open_ack(A, B))
    net.on_b(net.calls_on_b.open_confirm(B, A))
    for packet in sent:
        assert net.on_a(net.calls_on_a.recv(packet)) == packet


# -- connections


def test_connections_are_named_by_who_opens_them(net):
    named_a, named_b = net.named(net.a), net.named(net.b)
    assert net.a.submit(named_a.connection_open_init("conn-end-on-a", "conn-end-on-b")).code == 0
    net.pair.sync()
    assert net.b.submit(named_b.connection_open_try("conn-end-on-b", "conn-end-on-a")).code == 0
    net.pair.sync()
    assert net.a.submit(named_a.connection_open_ack("conn-end-on-a", "conn-end-on-b")).code == 0
    net.pair.sync()
    assert net.b.submit(named_b.connection_open_confirm("conn-end-on-b", "conn-end-on-a")).code == 0
    net.pair.sync()
    asked = opening(A, B, connection_id="conn-end-on-a")
    net.on_a(net.calls_on_a.open_init(asked))
    net.on_b(net.calls_on_b.open_try(opening(B, A, connection_id="conn-end-on-b")))
    assert states(net) == ("INIT", "TRYOPEN")


def test_a_connection_that_one_side_names_and_the_other_does_not(net):
    made = net.a.submit(net.named(net.a).connection_open_init("conn-end-on-a"))
    assert attribute(made, "connection_id") == "conn-end-on-a"
    net.pair.sync()
    tried = net.b.submit(net.named(net.b).connection_open_try("", "conn-end-on-a", named=False))
    far = attribute(tried, "connection_id")
    assert far == "connection-1"
    net.pair.sync()
    assert net.a.submit(net.named(net.a).connection_open_ack("conn-end-on-a", far)).code == 0


CONNECTION_NAMES = {
    "taken": ("conn-end-on-a", "", ConnectionExists),
    "generated": ("connection-9", "", InvalidConnectionIdentifier),
    "localhost": ("connection-localhost", "", InvalidConnectionIdentifier),
    "malformed": ("a/connection", "", InvalidIdentifier),
    "short": ("conn-end", "", InvalidIdentifier),
    "far generated": ("conn-end-new", "connection-9", InvalidConnectionIdentifier),
    "far malformed": ("conn-end-new", "a/connection", InvalidIdentifier),
}


def test_a_connection_name_that_cannot_be_had(net):
    net.a.submit(net.named(net.a).connection_open_init("conn-end-on-a"))
    for ours, far, error in CONNECTION_NAMES.values():
        expect_refusal(StagedBlock(net.a.chain), net.named(net.a).connection_open_init(ours, far), error)


def test_a_connection_end_that_names_another_is_not_acknowledged(net):
    net.a.submit(net.named(net.a).connection_open_init("conn-end-on-a", "conn-end-on-b"))
    net.pair.sync()
    wrong = net.named(net.b).connection_open_try("conn-other-b", "conn-end-on-a", named=False)
    assert type(StagedBlock(net.b.chain).attempt(wrong).error) is InvalidProof
    right = net.named(net.b).connection_open_try("conn-end-on-b", "conn-end-on-a")
    assert net.b.submit(right).code == 0
    net.pair.sync()
    ack = net.named(net.a).connection_open_ack("conn-end-on-a", "conn-end-on-b")
    assert StagedBlock(net.a.chain).attempt(ack).error is None
    other = net.named(net.a).connection_open_ack("conn-end-on-a", "conn-other-b")
    expect_refusal(StagedBlock(net.a.chain), other, InvalidConnectionCounterparty)


def test_a_simultaneous_start_of_connections_with_the_same_names_fails_on_both_sides(net):
    named_a, named_b = net.named(net.a), net.named(net.b)
    net.a.submit(named_a.connection_open_init("conn-end-one", "conn-end-two"))
    net.b.submit(named_b.connection_open_init("conn-end-two", "conn-end-one"))
    net.pair.sync()
    on_a = named_a.connection_open_try("conn-end-one", "conn-end-two")
    on_b = named_b.connection_open_try("conn-end-two", "conn-end-one")
    expect_refusal(StagedBlock(net.a.chain), on_a, ConnectionExists, connection_id="conn-end-one")
    expect_refusal(StagedBlock(net.b.chain), on_b, ConnectionExists, connection_id="conn-end-two")


# -- who is at the other end


def test_an_end_that_names_another_is_not_acknowledged(net):
    """A names B's end: whoever opens another one of B's port towards A's end cannot take its place."""
    net.on_a(net.calls_on_a.open_init(opening(A, B)))
    wrong = net.calls_on_b.open_try(opening("x-other-end-b", A), named=False)
    expect_call_refused(StagedBlock(net.b.chain), wrong, InvalidProof)
    call = net.calls_on_a.open_ack(A, B).but(counterparty=("x-other-end-b", "v1"))
    expect_call_refused(StagedBlock(net.a.chain), call, InvalidChannelCounterparty)


# -- queryChannel


def test_query_channel(opened):
    net = opened
    module = net.calls_on_a.module
    ctx = StagedBlock(net.a.chain).ctx
    assert module.handler.query_channel(ctx, MODULE_PORT, A).state is ChannelState.OPEN
    assert module.handler.query_channel(ctx, MODULE_PORT, "not-there-on-a") is None
    assert net.calls_on_b.module.handler.query_channel(ctx, MODULE_PORT, A).state is ChannelState.OPEN


@pytest.mark.parametrize("name", [A, "not-there-on-a"])
def test_query_channel_with_proof(opened, name):
    """The proof leads to a header that the other chain's client knows: it convinces that client."""
    net = opened
    proven = prove_channel(lambda key: ProvenEntry(*net.pair.prove(net.a, key)), MODULE_PORT, name)
    assert (proven.end is None) == (name != A)
    stage, keepers = StagedBlock(net.b.chain), net.b.keepers
    connection = keepers.connections.get(stage.ctx, CONNECTION)
    path = paths.channel_path(MODULE_PORT, name)
    if proven.end is None:
        keepers.connections.verify_packet_absent(stage.ctx, connection, proven.height, proven.proof, path)
        return
    value = net.a.chain.get(path)
    keepers.connections.verify(stage.ctx, connection, proven.height, proven.proof, path, value)
    with pytest.raises(InvalidProof):
        keepers.connections.verify(stage.ctx, connection, proven.height, proven.proof, path, value + b"\x00")


COUNTERS = {
    "nextSequenceSend": (paths.next_sequence_send_path, 3),
    "nextSequenceRecv": (paths.next_sequence_recv_path, 1),
    "nextSequenceAck": (paths.next_sequence_ack_path, 2),
}


def test_sequences_are_stored_separately_so_they_can_be_proved_individually(net):
    net.open(A, B, Order.ORDERED)
    for number in (1, 2):
        net.on_a(net.calls_on_a.send(packet_between(number, A, B)))
    net.on_b(net.calls_on_b.recv(packet_between(1, A, B)))
    net.on_a(net.calls_on_a.acknowledge(packet_between(1, A, B)))
    stage, keepers = StagedBlock(net.b.chain), net.b.keepers
    connection = keepers.connections.get(stage.ctx, CONNECTION)
    found = {path_of: net.pair.prove(net.a, path_of(MODULE_PORT, A)) for path_of, _ in COUNTERS.values()}
    for path_of, value in COUNTERS.values():
        raw = value.to_bytes(8, "big")
        assert found[path_of].value == raw
        for other, proven in found.items():
            arguments = (stage.ctx, connection, proven.height, proven.proof, path_of(MODULE_PORT, A), raw)
            if other is path_of:
                keepers.connections.verify(*arguments)
            else:
                with pytest.raises(InvalidProof):
                    keepers.connections.verify(*arguments)


def test_a_channel_that_is_not_there_is_not_found(net):
    call = net.calls_on_a.open_ack("nowhere-on-a", B).but(channel=None)
    expect_call_refused(StagedBlock(net.a.chain), call, ChannelNotFound)
