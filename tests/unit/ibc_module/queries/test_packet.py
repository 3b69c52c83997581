"""ibc.core.channel.v1.Query: packets."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ibc_module.queries import lookup
from pyibc.core import paths
from pyibc.core.channel.types import Order
from pyibc.core.errors import ChannelNotFound, InvalidRequest, NotFound, SequenceReceiveNotFound
from pyibc.core.packet.types import acknowledgement_commitment, packet_commitment
from pyibc.proto.cosmos.base.query.v1beta1.pagination_pb2 import PageRequest
from pyibc.proto.ibc.core.channel.v1 import query_pb2 as pb
from tests.sampling import rounds

SERVICE = "/ibc.core.channel.v1.Query/"
HERE = {"port_id": "transfer", "channel_id": "channel-0"}
ORDERED = {"port_id": "transfer", "channel_id": "channel-1"}


@pytest.fixture
def ask(call):
    return lambda method, **fields: call(pb, "ibc.core.channel.v1", method, **fields)


def test_one_packet(ask, chain):
    chain.commit(3)
    chain.receive(4)
    chain.acknowledge(5)
    assert ask("PacketCommitment", **HERE, sequence=3).commitment == packet_commitment(chain.packet(3))
    assert ask("PacketReceipt", **HERE, sequence=4).received
    found = ask("PacketAcknowledgement", **HERE, sequence=5)
    assert found.acknowledgement == acknowledgement_commitment(b"ack 5")
    assert found.proof_height.revision_height == 77


def test_no_packet(ask):
    assert not ask("PacketReceipt", **HERE, sequence=1).received
    for method in ("PacketCommitment", "PacketAcknowledgement"):
        with pytest.raises(NotFound):
            ask(method, **HERE, sequence=1)


@pytest.mark.parametrize("method", ["PacketCommitment", "PacketReceipt", "PacketAcknowledgement"])
def test_bad_packet_names(ask, method):
    with pytest.raises(InvalidRequest, match="cannot be 0"):
        ask(method, **HERE)
    with pytest.raises(ChannelNotFound):
        ask(method, port_id="transfer", channel_id="channel-9", sequence=1)
    with pytest.raises(InvalidRequest):
        ask(method, port_id="transfer", channel_id="channel", sequence=1)


@pytest.mark.parametrize(
    ("method", "field", "fill"),
    [
        ("PacketCommitments", "commitments", "commit"),
        ("PacketAcknowledgements", "acknowledgements", "acknowledge"),
    ],
)
def test_lists_keep_to_their_channel(ask, chain, method, field, fill):
    """H12a: a prefix that ends within an identifier would take channel-10 for channel-1."""
    for channel in ("channel-10", "channel-11"):
        chain.add_channel(channel)
        getattr(chain, fill)(7, 8, channel_id=channel)
    getattr(chain, fill)(9, 10, 47, 11, 2**64 - 1, channel_id="channel-1")
    answer = ask(method, **ORDERED)
    found = getattr(answer, field)
    assert [each.sequence for each in found] == [10, 11, 2**64 - 1, 47, 9]
    assert {(each.port_id, each.channel_id) for each in found} == {("transfer", "channel-1")}
    assert all(len(each.data) == 32 for each in found)
    assert (answer.pagination.total, answer.height.revision_height) == (5, 77)


@pytest.mark.parametrize("key", [b"x", b"07", b"1/", b"18446744073709551616", b"\xff", b"-1"])
@pytest.mark.parametrize("method", ["PacketCommitments", "PacketAcknowledgements"])
def test_lists_refuse_other_keys(ask, method, key):
    with pytest.raises(InvalidRequest, match=r"pagination\.key"):
        ask(method, **HERE, pagination=PageRequest(key=key))


@pytest.mark.parametrize("sequence", [0x2F, 0x2F2F, 0x2F00, 2**56 + 0x2F])
def test_h12b_sequences_with_a_slash_in_their_bytes(ask, chain, sequence):
    """H12b."""
    chain.commit(sequence)
    assert [each.sequence for each in ask("PacketCommitments", **HERE).commitments] == [sequence]


def test_acknowledgements_of_some_sequences(ask, chain):
    chain.acknowledge(*range(1, 200))
    asked = [150, 3, 3, 500, 0, 7]
    answer = ask("PacketAcknowledgements", **HERE, packet_commitment_sequences=asked)
    assert [each.sequence for each in answer.acknowledgements] == [150, 3, 3, 7]
    assert not answer.HasField("pagination")
    many = ask("PacketAcknowledgements", **HERE, packet_commitment_sequences=range(1, 200))
    assert len(many.acknowledgements) == 199


def test_unreceived_packets_ordered(ask, chain):
    chain.keepers.channels.set_next_recv(chain.ctx, "transfer", "channel-1", 4)
    answer = ask("UnreceivedPackets", **ORDERED, packet_commitment_sequences=[5, 4, 3, 9])
    assert list(answer.sequences) == [5, 4, 9]
    chain.ctx.ibc.delete(paths.next_sequence_recv_path("transfer", "channel-1"))
    with pytest.raises(SequenceReceiveNotFound):
        ask("UnreceivedPackets", **ORDERED, packet_commitment_sequences=[5])


@pytest.mark.parametrize(
    ("method", "field"),
    [
        ("PacketAcknowledgements", "packet_commitment_sequences"),
        ("UnreceivedPackets", "packet_commitment_sequences"),
        ("UnreceivedAcks", "packet_ack_sequences"),
    ],
)
def test_h75_so_many_sequences_and_no_more(ask, chain, monkeypatch, method, field):
    monkeypatch.setattr(lookup, "MAX_SEQUENCES", 3)
    chain.acknowledge(1, 4)
    reads, path = [], paths.packet_acknowledgement_path
    monkeypatch.setattr(paths, "packet_acknowledgement_path", lambda *name: reads.append(name) or path(*name))
    assert ask(method, **HERE, **{field: [1, 2, 3]})
    few = len(reads)
    assert few == (3 if method == "PacketAcknowledgements" else 0)
    with pytest.raises(InvalidRequest, match="4 packet sequences, at most 3"):
        ask(method, **HERE, **{field: [1, 2, 3, 4]})
    assert len(reads) == few


@pytest.mark.parametrize(
    ("method", "field"),
    [("UnreceivedPackets", "packet_commitment_sequences"), ("UnreceivedAcks", "packet_ack_sequences")],
)
def test_sequence_0_is_refused(ask, method, field):
    for place in (HERE, ORDERED):
        with pytest.raises(InvalidRequest, match="packet sequence 2 cannot be 0"):
            ask(method, **place, **{field: [5, 4, 0]})


@settings(max_examples=rounds(10, 40), deadline=None)
@given(
    sent=st.sets(st.integers(1, 60)),
    received=st.sets(st.integers(1, 60)),
    asked=st.lists(st.integers(1, 60)),
    next_recv=st.integers(1, 61),
    order=st.sampled_from([Order.UNORDERED, Order.ORDERED]),
)
def test_unreceived_is_what_was_asked_less_what_came(make_chain, sent, received, asked, next_recv, order):
    chain = make_chain()
    chain.add_channel("channel-0", order=order)
    chain.commit(*sent)
    chain.receive(*received)
    chain.keepers.channels.set_next_recv(chain.ctx, "transfer", "channel-0", next_recv)
    packets = chain.ask(
        f"{SERVICE}UnreceivedPackets",
        pb.QueryUnreceivedPacketsRequest(**HERE, packet_commitment_sequences=asked),
        pb.QueryUnreceivedPacketsResponse,
    )
    came = received if order is Order.UNORDERED else set(range(next_recv))
    assert list(packets.sequences) == [n for n in asked if n not in came]
    acks = chain.ask(
        f"{SERVICE}UnreceivedAcks",
        pb.QueryUnreceivedAcksRequest(**HERE, packet_ack_sequences=asked),
        pb.QueryUnreceivedAcksResponse,
    )
    assert list(acks.sequences) == [n for n in asked if n in sent]
