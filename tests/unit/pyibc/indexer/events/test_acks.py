import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyibc.indexer.blocks.block import Tx
from pyibc.indexer.events.acks import acknowledgements, classify, classify_attributes


def field(number, data):
    return bytes([number << 3 | 2, len(data)]) + data


def tx_with(*messages):
    body = b"".join(field(1, field(1, url) + field(2, value)) for url, value in messages)
    return field(1, body) + field(2, b"auth")


MSG = b"/ibc.core.channel.v1.MsgAcknowledgement"
PACKET = b"\x08\x07" + field(2, b"transfer") + field(3, b"channel-0")


def test_the_messages_of_a_transaction_tell_what_they_acknowledge():
    raw = tx_with((b"/other", b"\xff"), (MSG, field(1, PACKET) + field(2, b'{"error":"no"}')))
    assert acknowledgements(Tx("", 0, (), raw=raw)) == {("transfer", "channel-0", 7): ("error", "no")}


@given(st.binary(max_size=60))
def test_any_bytes_for_a_transaction_are_survived(raw):
    assert isinstance(acknowledgements(Tx("", 0, (), raw=raw)), dict)


@given(st.binary(max_size=40) | st.text(max_size=20).map(str.encode))
def test_any_acknowledgement_is_one_of_three(data):
    assert classify(data).status in {"success", "error", "opaque"}


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (b'{"error":""}', "opaque"),
        (b'{"error":1,"result":"x"}', "success"),
        (b'{"result":"x","error":"e"}', "error"),
        (b"[" * 100_000, "opaque"),
        (b"\xef\xbb\xbf{}", "opaque"),
        (rb'{"error":"half \ud83d"}', "error"),
        (b'{"error":"\xff"}', "error"),
        (rb'{"result":"AQ==\ud83d"}', "opaque"),
        (b'{"result":"AQ=="} \xff', "success"),
    ],
)
def test_odd_acknowledgements(data, status):
    assert classify(data).status == status


@pytest.mark.parametrize(
    ("found", "status"),
    [
        ({"acknowledgement": 'result:"\\001" '}, "success"),
        ({"acknowledgement": 'error:"x" '}, "error"),
        ({"acknowledgement": "&Acknowledgement{Response:&Acknowledgement_Error{Error:x,},}"}, "error"),
        ({"acknowledgement": "&Acknowledgement{Response:&Acknowledgement_Result{Result:[1],},}"}, "success"),
        ({"success": "\x01"}, "success"),
        ({"error": "x"}, "error"),
    ],
)
def test_every_age_of_ics20s_events(found, status):
    assert classify_attributes(found).status == status


def test_an_event_that_says_nothing_says_nothing():
    assert classify_attributes({"denom": "x"}) is None


def test_long_errors_are_clipped():
    assert len(classify(b'{"error":"' + b"x" * 5000 + b'"}').detail) == 256
