import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyibc.core.errors import InsufficientFunds, InvalidAcknowledgement, InvalidAmount
from pyibc.core.packet import acknowledgement as acks
from pyibc.core.packet.acknowledgement import Acknowledgement
from tests.sampling import rounds

GOOD = b'{"result":"AQ=="}'


def test_success_and_failure_bytes():
    assert acks.success() == GOOD
    assert acks.success(b"success") == b'{"result":"c3VjY2Vzcw=="}'
    expected = b'{"error":"ABCI code: 5: error handling packet: see events for details"}'
    assert acks.failure(InvalidAmount("-1")) == expected


def test_h1_failure_holds_nothing_of_the_error_s_text():
    texts = {acks.failure(InsufficientFunds(who, what)) for who in ("a", "b") for what in ("1x", "\xff")}
    assert len(texts) == 1


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (GOOD, Acknowledgement(b"\x01")),
        (b'{"error":"x"}', Acknowledgement(None, "x")),
        (b"{}", Acknowledgement()),
        (b"null", Acknowledgement()),
        (b"nullx", Acknowledgement()),
        (b'{"response":null}', Acknowledgement()),
        (b'{"response":null,"result":"AQ=="}', Acknowledgement(b"\x01")),
        (b'{"response":{},"response":null,"error":"x"}', Acknowledgement(None, "x")),
        (b'{"result":null}', Acknowledgement(b"", None, result_is_null=True)),
        (b'{"result":""}', Acknowledgement(b"")),
        (b'{"result":[]}', Acknowledgement(b"")),
        (b'{"result":[1,255,null]}', Acknowledgement(b"\x01\xff\x00")),
        (b'{"result":{},"result":"AQ=="}', Acknowledgement(b"\x01")),
        (b'{"error":null}', Acknowledgement(None, "")),
        (b'{"result":"AR=="}', Acknowledgement(b"\x01")),
        (b'{"result":"A\\nQ=="}', Acknowledgement(b"\x01")),
        (b'{"re\\u0073ult":"AQ=="}', Acknowledgement(b"\x01")),
        (b' {"result":"AQ=="}', Acknowledgement(b"\x01")),
        (b'{"result":"AQ=="}{', Acknowledgement(b"\x01")),
        (b'{"error":"\xff"}', Acknowledgement(None, "\ufffd")),
        (b'{"result":"AQ==","error":"x"}', Acknowledgement(None, "x")),
    ],
)
def test_what_ibc_go_reads_as_standard(raw, expected):
    assert acks.parse(raw) == expected
    assert expected.success is (expected.result is not None)


OPAQUE = [
    b"",
    b"\x01",
    b"123",
    b"[]",
    b'"x"',
    b"{",
    b'{"Result":"AQ=="}',
    b'{"result":"AQ==","x":1}',
    b'{"":null}',
    b'{"result":"AQ"}',
    b'{"result":"A Q=="}',
    b'{"result":1}',
    b'{"result":true}',
    b'{"result":{}}',
    b'{"result":[256]}',
    b'{"result":[-1]}',
    b'{"result":[1.0]}',
    b'{"result":["1"]}',
    b'{"result":[[1]]}',
    b'{"result":[1,1000]}',
    b'{"result":[1,true]}',
    b'{"result":[1e1]}',
    b'{"error":1}',
    b'{"error":["x"]}',
    b'{"error":false}',
    b'{"response":{}}',
    b'{"response":"x"}',
    b'\xef\xbb\xbf{"result":"AQ=="}',
    '{"result":"AQ=="}'.encode("utf-16"),
    b'{"result":NaN}',
]


@pytest.mark.parametrize("raw", OPAQUE)
def test_anything_else_is_opaque_and_passes(raw):
    assert acks.parse(raw) is None
    acks.check_canonical(raw)


@pytest.mark.parametrize(
    "raw", [GOOD, b"{}", b'{"result":null}', b'{"result":""}', b'{"error":""}', b'{"error":"\\u003c"}']
)
def test_the_standard_form_passes(raw):
    acks.check_canonical(raw)


@pytest.mark.parametrize(
    "raw",
    [
        b' {"result":"AQ=="}',
        b'{"result":"AQ=="} ',
        b'{"result":"AQ=="}x',
        b'{ "result":"AQ=="}',
        b'{"result":"AR=="}',
        b'{"result":"AQ==","result":"AQ=="}',
        b'{"result":"AQ==","error":"x"}',
        b'{"error":"x","result":"AQ=="}',
        b'{"re\\u0073ult":"AQ=="}',
        b'{"error":"\\u0061"}',
        b'{"error":"<"}',
        b'{"error":"\xff"}',
        b'{"error":null}',
        b'{"result":[1]}',
        b'{"response":null}',
        b"null",
    ],
)
def test_another_form_of_a_standard_one_is_refused(raw):
    with pytest.raises(InvalidAcknowledgement):
        acks.check_canonical(raw)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Acknowledgement(b"\x01"), 'result:"\\001" '),
        (Acknowledgement(b""), 'result:"" '),
        (Acknowledgement(b"\x00\n\r\t\"'\\\x7f\xffa"), 'result:"\\000\\n\\r\\t\\"\'\\\\\\177\\377a" '),
        (Acknowledgement(None, "é<"), 'error:"\\303\\251<" '),
        (Acknowledgement(None, ""), 'error:"" '),
        (Acknowledgement(), ""),
    ],
)
def test_text_format(value, text):
    assert acks.text_format(value) == text


ACKS = st.one_of(
    st.binary().map(Acknowledgement),
    st.text().map(lambda text: Acknowledgement(None, text)),
    st.sampled_from([Acknowledgement(), Acknowledgement(b"", None, result_is_null=True)]),
)


@settings(deadline=None, max_examples=rounds(50, 200))
@given(ACKS)
def test_written_form_is_canonical_and_read_back(value):
    raw = acks.encode(value)
    assert acks.parse(raw) == value
    acks.check_canonical(raw)


@settings(deadline=None, max_examples=rounds(75, 300))
@given(
    st.binary(max_size=30)
    | st.builds(lambda a, b: a + GOOD + b, st.binary(max_size=2), st.binary(max_size=2))
)
def test_any_bytes_are_opaque_or_checked(raw):
    try:
        acks.check_canonical(raw)
    except InvalidAcknowledgement:
        assert acks.parse(raw) is not None
    else:
        parsed = acks.parse(raw)
        assert parsed is None or acks.encode(parsed) == raw
