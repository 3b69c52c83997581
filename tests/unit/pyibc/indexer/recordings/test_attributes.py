from base64 import b64encode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyibc.indexer.errors import MalformedRecording
from pyibc.indexer.recordings import fields as attributes
from pyibc.indexer.recordings.fields import split_joined
from tests.sampling import rounds


def decode_events(groups):
    """Decode event lists whose attributes are all text."""
    found = attributes.decode_events(groups)
    assert found.left_out == 0
    return found.groups


def raw(kind, *pairs):
    return {"type": kind, "attributes": [{"key": k, "value": v, "index": True} for k, v in pairs]}


def packed(kind, *pairs):
    return raw(kind, *((b64encode(k.encode()).decode(), b64encode(v.encode()).decode()) for k, v in pairs))


_keys = st.sampled_from(
    ["sender", "receiver", "packet_src_channel", "module", "amount", "data", "memo", "fee"]
)


@settings(deadline=None, max_examples=rounds(15, 60))
@given(st.lists(st.tuples(_keys, st.text(max_size=9)), min_size=1, max_size=6))
def test_plain_and_base64_give_the_same(pairs):
    for make in (raw, packed):
        assert decode_events([[make("message", *pairs)]]) == [(("message", tuple(pairs)),)]


def test_all_lists_of_a_document_are_judged_together():
    short = packed("m", ("sender", "x"))
    plain_like = raw("odd", ("not base64!", "v"))
    begin, txs = decode_events([[short, packed("m", ("module", "y"))], [plain_like]])
    assert begin == (("m", (("sender", "x"),)), ("m", (("module", "y"),)))
    assert txs == (("odd", (("not base64!", "v"),)),)


def test_a_plain_key_that_is_base64_by_chance_does_not_turn_a_document():
    chance = b64encode(b"abcdef").decode()
    events = [raw("m", (chance, "dg==")), raw("n", ("packet_sequence", "1"), ("msg_index", "0"))]
    assert decode_events([events])[0][0] == ("m", ((chance, "dg=="),))


def test_bytes_that_are_no_text_are_escaped_not_lost():
    event = packed("m", ("sender", "x"))
    event["attributes"][0]["value"] = b64encode(b"a\xff").decode()
    assert decode_events([[event]])[0][0][1] == (("sender", "a\\xff"),)


def test_null_lists_attributes_keys_and_values_are_empty():
    event = {"type": "m", "attributes": [{"key": None, "value": None}, {"key": "sender"}]}
    assert decode_events([None, [event, {"type": "n", "attributes": None}, {"type": "o"}]]) == [
        (),
        (("m", (("", ""), ("sender", ""))), ("n", ()), ("o", ())),
    ]


@pytest.mark.parametrize(
    "group",
    [
        "text",
        {},
        [1],
        [{"type": 1}],
        [{"type": None}],
        [{"type": "m", "attributes": {}}],
    ],
)
def test_odd_shapes_are_a_typed_error(group):
    with pytest.raises(MalformedRecording):
        decode_events([group])


@pytest.mark.parametrize("make", [raw, packed])
@pytest.mark.parametrize(
    "odd", [1, {"key": 1}, {"key": "header", "value": {"@type": "/x"}}, {"key": "a", "value": 5}]
)
def test_an_attribute_that_is_not_text_is_left_out_and_counted(make, odd):
    event = make("update_client", ("client_id", "07-tendermint-3"), ("msg_index", "0"))
    event["attributes"].insert(1, odd)
    found = attributes.decode_events([None, [event, make("m", ("sender", "x")), event]])
    read = ("update_client", (("client_id", "07-tendermint-3"), ("msg_index", "0")))
    assert found == ([(), (read, ("m", (("sender", "x"),)), read)], 2)


def test_an_event_may_have_no_type():
    """Some nodes omit empty fields."""
    assert decode_events([[{"attributes": [{"key": "a", "value": "b"}]}, {}]]) == [
        (("", (("a", "b"),)), ("", ())),
    ]


def test_a_value_that_is_no_base64_where_the_keys_are_is_a_typed_error():
    event = packed("m", ("sender", "x"))
    event["attributes"][0]["value"] = "!"
    with pytest.raises(MalformedRecording, match="not base64"):
        decode_events([[event]])


def test_joined_attributes_are_parted_where_a_key_comes_again():
    joined = ("m", (("a", "1"), ("b", "2"), ("a", "3"), ("a", "4"), ("b", "5")))
    assert split_joined(joined) == [
        ("m", (("a", "1"), ("b", "2"))),
        ("m", (("a", "3"),)),
        ("m", (("a", "4"), ("b", "5"))),
    ]
    assert split_joined(("m", ())) == [("m", ())]
