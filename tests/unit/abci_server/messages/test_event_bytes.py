"""Events joined from bytes are protobuf's, byte for byte."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abci_server.messages import encode
from abci_server.messages import encode as event_bytes
from abci_server.messages.requests import (
    Event,
    EventAttribute,
    ExecTxResult,
    ResponseCheckTx,
    ResponseFinalizeBlock,
)
from pyibc.proto.tendermint.abci import types_pb2 as pb

# Lengths around those at which a varint takes another byte, in characters of one byte and of more.
LENGTHS = st.sampled_from([0, 1, 55, 56, 60, 61, 62, 113, 121, 122, 127, 128, 16_383, 16_384])
TEXTS = st.text(max_size=8) | st.builds(lambda unit, count: unit * count, st.sampled_from("aé€😀"), LENGTHS)
ATTRIBUTES = st.tuples(TEXTS, TEXTS) | st.builds(EventAttribute, TEXTS, TEXTS, st.booleans())
EVENTS = st.lists(st.tuples(TEXTS, st.lists(ATTRIBUTES, max_size=4)) | st.builds(Event, TEXTS), max_size=4)


def of_protobuf(events):
    """The events as protobuf's runtime builds them."""
    made = []
    for kind, attributes in events:
        fields = [(*each, True)[:3] for each in attributes]
        made.append(
            pb.Event(
                type=kind,
                attributes=[pb.EventAttribute(key=k, value=v, index=indexed) for k, v, indexed in fields],
            )
        )
    return made


@given(EVENTS)
def test_bytes_are_protobufs(events):
    wanted = of_protobuf(events)
    for _ in range(2):  # encoded, then remembered
        assert event_bytes.encode(events, event_bytes.OF_TX) == pb.ExecTxResult(
            events=wanted
        ).SerializeToString(deterministic=True)
        assert event_bytes.encode(events, event_bytes.OF_BLOCK) == pb.ResponseFinalizeBlock(
            events=wanted
        ).SerializeToString(deterministic=True)


@given(EVENTS, EVENTS)
def test_answers_are_protobufs(of_tx, of_block):
    result = ExecTxResult(3, b"data", "log", "info", 5, 7, of_tx, "space")
    block, check = pb.ResponseFinalizeBlock(), pb.ResponseCheckTx()
    encode.finalize_block(ResponseFinalizeBlock([result], b"hash", of_block), 1, block)
    encode.tx_result(ResponseCheckTx(*result), check)
    fields = {"code": 3, "data": b"data", "log": "log", "info": "info"}
    fields |= {"gas_wanted": 5, "gas_used": 7, "codespace": "space", "events": of_protobuf(of_tx)}
    wanted = pb.ResponseFinalizeBlock(
        tx_results=[pb.ExecTxResult(**fields)], app_hash=b"hash", events=of_protobuf(of_block)
    )
    assert block.SerializeToString() == wanted.SerializeToString()
    assert check.SerializeToString() == pb.ResponseCheckTx(**fields).SerializeToString()


@pytest.mark.parametrize(
    "event",
    [
        ("kind", [("key", "\udc80")]),
        ("kind", [("\udc80" * 200, "value")]),
        ("\udc80", [("key", "value")]),
        ("kind", [("key",)]),
        ("kind", [EventAttribute("key", "value", "yes")]),
        ("kind", [("key", 5)]),
    ],
)
def test_what_is_no_event_is_refused(event):
    before = dict(event_bytes.known)
    with pytest.raises((TypeError, ValueError)):
        event_bytes.encode([event], event_bytes.OF_TX)
    assert event_bytes.known == before


def test_h202_what_is_remembered_of_events_is_bounded():
    """H202: whoever has attributes of his own with each transaction fills no memory with them."""
    for start in range(0, 3 * event_bytes.REMEMBERED, 100):
        pairs = [("key", str(number)) for number in range(start, start + 100)]
        event_bytes.encode([("kind", pairs)], event_bytes.OF_TX)
        assert len(event_bytes.known) <= event_bytes.REMEMBERED
    event_bytes.encode([("kind", [("long key", "v" * 200), ("key", "v" * 10_000)])], event_bytes.OF_TX)
    assert max(map(len, event_bytes.known.values())) < 130
