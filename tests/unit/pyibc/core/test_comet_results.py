"""Events and results in JSON; those of real nodes are in tests/vectors/test_comet_json.py."""

import json
from base64 import b64encode

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyibc.codec import comet_json as fields
from pyibc.codec.gotime import format_rfc3339
from pyibc.core.comet import (
    read_block,
    read_event,
    read_events,
    read_tx_result,
    write_block_results,
    write_events,
    write_tx_result,
)
from pyibc.core.host.block import CommittedBlock, TxOutcome

texts, numbers = st.text(max_size=6), st.integers(0, 2**63 - 1)
pairs = st.lists(st.tuples(texts, texts), max_size=3).map(tuple)
event_lists = st.lists(st.tuples(texts, pairs), max_size=3).map(tuple)
outcomes = st.builds(
    TxOutcome, st.binary(min_size=1, max_size=9), st.integers(0, 2**32 - 1), texts, event_lists,
    numbers, numbers, data=st.binary(max_size=9), log=texts,
)  # fmt: skip


@given(
    st.builds(
        CommittedBlock,
        texts,
        st.integers(1, 2**63 - 1),
        st.integers(0, 2**63 - 1),
        st.binary(max_size=32),
        st.lists(outcomes, max_size=3).map(tuple),
        event_lists,
        st.binary(max_size=32),
        st.binary(max_size=32),
    )
)
def test_what_is_written_is_read_back(block):
    header = {
        "chain_id": block.chain_id,
        "height": str(block.height),
        "time": format_rfc3339(block.time_ns),
        "last_block_id": {"hash": block.parent.hex().upper()} if block.parent else None,
    }
    data = {"txs": [b64encode(each.tx).decode() for each in block.txs] or None}
    answer = {"block_id": {"hash": block.hash.hex()}, "block": {"header": header, "data": data}}
    assert read_block(answer, write_block_results(block)) == block


def test_what_is_zero_or_empty_may_be_null_or_absent():
    none = TxOutcome(b"t", 0, "", (), 0, 0)
    assert read_tx_result(b"t", {}) == none
    assert read_tx_result(b"t", dict.fromkeys(write_tx_result(none))) == none
    assert read_event({}, encoded=False) == ("", ())
    assert read_event({"type": "e", "attributes": [{"key": "k"}]}, encoded=False) == ("e", (("k", ""),))
    assert read_events(None, encoded=True) == ()


def test_older_nodes_print_attributes_in_base64():
    attribute = {"key": b64encode(b"k").decode(), "value": b64encode("é".encode()).decode()}
    event = {"type": "e", "attributes": [attribute]}
    assert read_event(event, encoded=True) == ("e", (("k", "é"),))
    assert read_event(event, encoded=False) == ("e", (("aw==", "w6k="),))
    attribute["value"] = b64encode(b"\xff\x00").decode()
    assert read_event(event, encoded=True) == ("e", (("k", "\\xff\x00"),))
    with pytest.raises(ValueError, match=r"base64|padding"):
        read_event({"type": "e", "attributes": [{"key": "k"}]}, encoded=True)


@pytest.mark.parametrize("key", ["packet_data", "packet_ack"])
def test_bytes_of_an_application_that_are_no_text_stay_as_they_are(key):
    def coded(value):
        return [
            {"type": "e", "attributes": [dict(zip(("key", "value"), map(encode, (key, value)), strict=True))]}
        ]

    def encode(text):
        return b64encode(text.encode() if isinstance(text, str) else text).decode()

    for read in (read_events, lambda events, **how: read_events(msgspec.Raw(json.dumps(events)), **how)):
        assert read(coded(b"a\xff"), encoded=True) == (("e", ((f"{key}_hex", "61ff"),)),)
        assert read(coded("é"), encoded=True) == (("e", ((key, "é"),)),)


def test_events_of_a_block_stand_in_three_fields():
    header = {"chain_id": "c", "height": 1, "time": "1970-01-01T00:00:00Z"}
    names = ("finalize_block_events", "begin_block_events", "end_block_events")
    results = {"txs_results": None, **{name: [{"type": name}] for name in names}}
    block = read_block({"block": {"header": header, "data": {"txs": None}}}, results)
    assert block.block_events == tuple((name, ()) for name in names)


def test_results_of_another_block_are_refused():
    header = {"chain_id": "c", "height": 1, "time": "1970-01-01T00:00:00Z"}
    with pytest.raises(ValueError, match="zip"):
        read_block({"block": {"header": header, "data": {"txs": ["AA=="]}}}, {"txs_results": []})


@pytest.mark.parametrize(
    "spoilt",
    [
        {"code": "x"},
        {"code": 1.5},
        {"code": True},
        {"code": -1},
        {"code": 2**32},
        {"codespace": ["sdk"]},
        {"log": {"a": 1}},
        {"gas_used": " 1"},
        {"gas_used": "1_0"},
        {"gas_used": "\u0661"},
        {"data": "A"},
        {"data": 5},
        {"events": [{"type": 5}]},
        {"events": [{"attributes": [{"key": ["k"]}]}]},
        {"events": ["e"]},
    ],
)
def test_what_is_no_result(spoilt):
    with pytest.raises((ValueError, TypeError, AttributeError)):
        read_tx_result(b"", spoilt)


@given(st.binary())
def test_bytes_are_read_back(data):
    assert fields.read_hex(fields.write_hex(data)) == data
    assert fields.read_base64(fields.write_base64(data)) == data
    assert fields.write_hex(data) == fields.write_hex(data).upper()


@pytest.mark.parametrize(
    ("value", "number"), [("-5", -5), (7, 7), ("", 0), (None, 0), (str(2**64 - 1), 2**64 - 1)]
)
def test_numbers(value, number):
    assert fields.read_integer(value) == number


@pytest.mark.parametrize(
    "value", ["1" * 21, "--1", "1.0", "0x1", [], False, 10**30, str(2**64), -(2**63) - 1, float("inf"), 1.0]
)
def test_what_is_no_number(value):
    with pytest.raises(ValueError, match="whole number"):
        fields.read_integer(value)


@pytest.mark.parametrize("value", ["0", "0g", "00 ", " 00", "\u0660\u0660", 0])
def test_what_is_no_hexadecimal(value):
    with pytest.raises((ValueError, TypeError)):
        fields.read_hex(value)


@given(event_lists)
def test_events_that_are_text_are_read_as_those_that_are_decoded(events):
    written = write_events(events)
    text = msgspec.Raw(json.dumps(written).encode())
    assert read_events(text, encoded=False) == read_events(written, encoded=False) == events
    encoded = [
        {"type": kind, "attributes": [{"key": _base64(key), "value": _base64(value)} for key, value in pairs]}
        for kind, pairs in events
    ]
    assert read_events(msgspec.Raw(json.dumps(encoded).encode()), encoded=True) == events


def _base64(text):
    return b64encode(text.encode()).decode()


@given(event_lists, st.sets(texts))
def test_events_that_nobody_reads_are_left_out_and_the_others_are_the_same(events, without):
    text = msgspec.Raw(json.dumps(write_events(events)).encode())
    kept = tuple(event for event in events if event[0] not in without)
    assert read_events(text, encoded=False, without=without) == kept


@pytest.mark.parametrize("without", [(), ("other",)])
@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"{}",
        b"[5]",
        b'[{"type":5}]',
        b'[{"attributes":[5]}]',
        b'[{"attributes":[{"key":5}]}]',
        b'[{"attributes":[{"value":[]}]}]',
        b'[{"type":"a"',
    ],
)
def test_text_that_is_no_events_is_refused(text, without):
    with pytest.raises(ValueError, match=r"."):
        read_events(msgspec.Raw(text), encoded=False, without=without)


def test_text_may_be_null_as_all_that_is_empty():
    nothing = msgspec.Raw(b'[{"type":null},{"attributes":null},{"attributes":[{"key":null}]}]')
    expected = (("", ()), ("", ()), ("", (("", ""),)))
    assert read_events(msgspec.Raw(b"null"), encoded=False) == ()
    assert (
        read_events(nothing, encoded=False) == read_events(nothing, encoded=False, without={"a"}) == expected
    )
