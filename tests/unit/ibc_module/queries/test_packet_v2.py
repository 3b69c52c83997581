"""ibc.core.channel.v2.Query."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ibc_module.queries import lookup
from pyibc.core import paths
from pyibc.core.errors import InvalidRequest, NotFound, SequenceSendNotFoundV2
from pyibc.core.numbers import be8
from pyibc.core.packet_v2.types import acknowledgement_commitment, packet_commitment
from pyibc.proto.cosmos.base.query.v1beta1.pagination_pb2 import PageRequest
from pyibc.proto.ibc.core.channel.v2 import query_pb2 as pb
from tests.sampling import rounds

CLIENT = "99-dictionary-0"
SERVICE = "/ibc.core.channel.v2.Query/"
LISTS = [
    ("PacketCommitments", "commitments", "commit_v2"),
    ("PacketAcknowledgements", "acknowledgements", "acknowledge_v2"),
]


@pytest.fixture
def ask(call):
    return lambda method, **fields: call(pb, "ibc.core.channel.v2", method, **fields)


def test_one_packet(ask, chain):
    chain.commit_v2(3)
    chain.receive_v2(4)
    chain.acknowledge_v2(5)
    found = ask("PacketCommitment", client_id=CLIENT, sequence=3)
    assert found.commitment == packet_commitment(chain.packet_v2(3))
    assert ask("PacketReceipt", client_id=CLIENT, sequence=4).received
    found = ask("PacketAcknowledgement", client_id=CLIENT, sequence=5)
    assert found.acknowledgement == acknowledgement_commitment((b"ack 5",))
    assert (found.proof_height.revision_number, found.proof_height.revision_height) == (1, 77)
    assert found.proof == b""


def test_no_packet(ask, chain):
    chain.commit_v2(3)
    chain.acknowledge_v2(5)
    assert not ask("PacketReceipt", client_id=CLIENT, sequence=3).received
    with pytest.raises(NotFound, match="packet commitment hash"):
        ask("PacketCommitment", client_id=CLIENT, sequence=5)
    with pytest.raises(NotFound, match="packet acknowledgement hash"):
        ask("PacketAcknowledgement", client_id=CLIENT, sequence=3)


@pytest.mark.parametrize("method", ["PacketCommitment", "PacketReceipt", "PacketAcknowledgement"])
def test_bad_packet_names(ask, method):
    with pytest.raises(InvalidRequest, match="cannot be 0"):
        ask(method, client_id=CLIENT)
    with pytest.raises(InvalidRequest, match="'x'"):
        ask(method, client_id="x", sequence=1)


def test_the_next_sequence(ask, chain):
    with pytest.raises(SequenceSendNotFoundV2):
        ask("NextSequenceSend", client_id=CLIENT)
    chain.keepers.v2.packets.set_next_send(chain.ctx, CLIENT, 6)
    found = ask("NextSequenceSend", client_id=CLIENT)
    assert (found.next_sequence_send, found.proof_height.revision_height) == (6, 77)


@pytest.mark.parametrize(
    "method",
    [
        "NextSequenceSend",
        "PacketCommitments",
        "PacketAcknowledgements",
        "UnreceivedPackets",
        "UnreceivedAcks",
    ],
)
def test_malformed_clients(ask, method):
    with pytest.raises(InvalidRequest, match="'a/b'"):
        ask(method, client_id="a/b")


@pytest.mark.parametrize(("method", "field", "fill"), LISTS)
def test_lists_keep_to_their_client_and_go_by_number(ask, chain, method, field, fill):
    """H12a. Sequences with a slash or a low byte in them are no separators: the keys are binary."""
    for other in ("99-dictionary-00", "99-dictionary-01"):
        getattr(chain, fill)(7, 8, client_id=other)
    numbers = [1, 0x2F, 0x2F2F, 0x0102030405060708, 10, 9, 2**64 - 1]
    getattr(chain, fill)(*numbers)
    answer = ask(method, client_id=CLIENT)
    found = getattr(answer, field)
    assert [each.sequence for each in found] == sorted(numbers)
    assert {each.client_id for each in found} == {CLIENT}
    assert all(len(each.data) == 32 for each in found)
    assert (answer.pagination.total, answer.height.revision_height) == (7, 77)


@pytest.mark.parametrize("key", [b"x", be8(1)[:7], be8(1) + b"\0", be8(0)])
@pytest.mark.parametrize("method", ["PacketCommitments", "PacketAcknowledgements"])
def test_lists_refuse_other_keys(ask, method, key):
    with pytest.raises(InvalidRequest, match=r"pagination\.key"):
        ask(method, client_id=CLIENT, pagination=PageRequest(key=key))


@pytest.mark.parametrize(
    ("method", "field"),
    [
        ("PacketAcknowledgements", "packet_commitment_sequences"),
        ("UnreceivedPackets", "sequences"),
        ("UnreceivedAcks", "packet_ack_sequences"),
    ],
)
def test_h75_so_many_sequences_and_no_more(ask, chain, monkeypatch, method, field):
    monkeypatch.setattr(lookup, "MAX_SEQUENCES", 3)
    chain.acknowledge_v2(1, 4)
    reads, path = [], paths.packet_acknowledgement_v2_path
    monkeypatch.setattr(
        paths, "packet_acknowledgement_v2_path", lambda *name: reads.append(name) or path(*name)
    )
    assert ask(method, client_id=CLIENT, **{field: [1, 2, 3]})
    few = len(reads)
    assert few == (3 if method == "PacketAcknowledgements" else 0)
    with pytest.raises(InvalidRequest, match="4 packet sequences, at most 3"):
        ask(method, client_id=CLIENT, **{field: [1, 2, 3, 4]})
    assert len(reads) == few


def test_acknowledgements_that_are_asked_for_by_number(ask, chain):
    """In the order asked, those that there are, without a page."""
    chain.acknowledge_v2(1, 2, 3)
    answer = ask("PacketAcknowledgements", client_id=CLIENT, packet_commitment_sequences=[3, 9, 1, 0])
    assert [each.sequence for each in answer.acknowledgements] == [3, 1]
    assert not answer.HasField("pagination")


@settings(max_examples=rounds(10, 40), deadline=None)
@given(
    there=st.sets(st.integers(1, 12)),
    asked=st.lists(st.integers(1, 12), max_size=8),
)
def test_what_is_not_received_yet(make_chain, there, asked):
    chain = make_chain()
    chain.receive_v2(*there)
    request = pb.QueryUnreceivedPacketsRequest(client_id=CLIENT, sequences=asked)
    answer = chain.ask(f"{SERVICE}UnreceivedPackets", request, pb.QueryUnreceivedPacketsResponse)
    assert list(answer.sequences) == [n for n in asked if n not in there]
    assert answer.height.revision_height == 77


@settings(max_examples=rounds(10, 40), deadline=None)
@given(
    there=st.sets(st.integers(1, 12)),
    asked=st.lists(st.integers(1, 12), max_size=8),
)
def test_what_is_not_acknowledged_yet(make_chain, there, asked):
    chain = make_chain()
    chain.commit_v2(*there)
    request = pb.QueryUnreceivedAcksRequest(client_id=CLIENT, packet_ack_sequences=asked)
    answer = chain.ask(f"{SERVICE}UnreceivedAcks", request, pb.QueryUnreceivedAcksResponse)
    assert list(answer.sequences) == [n for n in asked if n in there]


def test_sequences_that_are_zero(ask):
    with pytest.raises(InvalidRequest, match="packet sequence 1 cannot be 0"):
        ask("UnreceivedPackets", client_id=CLIENT, sequences=[4, 0])
    with pytest.raises(InvalidRequest, match="cannot be 0"):
        ask("UnreceivedAcks", client_id=CLIENT, packet_ack_sequences=[0])
