from hashlib import sha256

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyibc.codec.anys import AnyMessage
from pyibc.core.coin import coin
from pyibc.core.errors import TxDecode
from pyibc.core.numbers import MAX_U64
from pyibc.core.wire import tx
from pyibc.proto.cosmos.tx.v1beta1 import tx_pb2
from tests.sampling import rounds

KEY = AnyMessage("/cosmos.crypto.secp256k1.PubKey", b"\x0a\x21" + bytes(33))
INFO = tx.SignerInfo(KEY, tx.DIRECT, 7)
FEE = tx.Fee((coin("stake", 12),), 200_000)
MESSAGE = AnyMessage("/ibc.core.channel.v1.MsgRecvPacket", b"whatever: read by its own decoder")
BODY = tx.encode_body([MESSAGE], "memo", 9)
AUTH = tx.encode_auth_info([INFO], FEE)
RAW = tx.encode_tx(BODY, AUTH, [b"s" * 64])


@given(
    st.lists(st.builds(AnyMessage, st.text(max_size=9), st.binary(max_size=20)), max_size=3),
    st.text(max_size=9),
    st.integers(0, MAX_U64),
    st.lists(
        st.builds(
            tx.SignerInfo,
            st.sampled_from([None, KEY]),
            st.sampled_from([None, 1, 127, 5]),
            st.integers(0, MAX_U64),
        ),
        max_size=2,
    ),
    st.lists(st.binary(max_size=5), max_size=2),
)
@settings(max_examples=rounds(15, 60), deadline=None)
def test_what_is_encoded_is_decoded(messages, memo, timeout, signers, signatures):
    body = tx.encode_body(messages, memo, timeout)
    found = tx.decode_tx(tx.encode_tx(body, tx.encode_auth_info(signers, FEE), signatures))
    assert (found.messages, found.memo, found.timeout_height) == (tuple(messages), memo, timeout)
    assert (found.signer_infos, found.fee, found.signatures) == (tuple(signers), FEE, tuple(signatures))


def test_sign_bytes_are_a_sign_doc():
    doc = tx.sign_bytes(b"B", b"A", "chain-1", 3)
    assert doc == b"\x0a\x01B\x12\x01A\x1a\x07chain-1\x20\x03"
    assert tx.sign_bytes(b"B", b"A", "chain-1", 0) == doc[:-2]


def wrap(body=BODY, auth=AUTH):
    return tx.encode_tx(body, auth, [b"s"])


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"\x0a", "malformed cosmos.tx.v1beta1.TxRaw"),
        (RAW + b"\x22\x00", "TxRaw has no field 4"),
        (RAW + b"\x82\x40\x00", "TxRaw has no field 1024"),
        (wrap(body=b"\x0a\x03\x1a\x01x"), "google.protobuf.Any has no field 3"),
        (wrap(body=BODY + b"\x38\x01"), "TxBody has no field 7"),
        (wrap(auth=AUTH + b"\x20\x01"), "AuthInfo has no field 4"),
        (wrap(auth=AUTH + b"\x82\x40\x00"), "AuthInfo has no field 1024"),
        (wrap(auth=b"\x0a\x02\x20\x01"), "SignerInfo has no field 4"),
        (
            wrap(auth=tx.encode_auth_info([tx.SignerInfo(AnyMessage("/x.PubKey", b""), 1, 0)], FEE)),
            "no known public key",
        ),
        (
            wrap(auth=tx.encode_auth_info([tx.SignerInfo(AnyMessage(KEY.type_url, b"\x10\x01"), 1, 0)], FEE)),
            "no field 2",
        ),
        (wrap(auth=b"\x12\x06\x0a\x04\x12\x02-x"), "fee amount"),
        (wrap(body=b"\xff"), "malformed cosmos.tx.v1beta1.TxBody"),
        (wrap(body=b"\x12\x01\xff"), "malformed cosmos.tx.v1beta1.TxBody"),
    ],
)
def test_what_the_sdk_refuses_is_refused(raw, reason):
    with pytest.raises(TxDecode, match=reason):
        tx.decode_tx(raw)


YEAR_1, YEAR_10000 = -62_135_596_800, 253_402_300_800


def until(seconds, nanos):
    body = tx_pb2.TxBody.FromString(BODY)
    body.timeout_timestamp.seconds, body.timeout_timestamp.nanos = seconds, nanos
    return wrap(body=body.SerializeToString())


@pytest.mark.parametrize(
    ("seconds", "nanos", "expected"),
    [
        (1, 5, 10**9 + 5),
        (-1, 10**9 - 1, -1),
        (YEAR_10000 - 1, 10**9 - 1, YEAR_10000 * 10**9 - 1),
        (YEAR_1, 1, YEAR_1 * 10**9 + 1),
        (0, 0, 0),
        (0, 7, 0),  # the SDK looks at whole seconds
        (YEAR_1, 0, 0),  # Go's zero time
    ],
)
def test_a_timeout_in_time(seconds, nanos, expected):
    assert tx.decode_tx(until(seconds, nanos)).timeout_ns == expected


@pytest.mark.parametrize(("seconds", "nanos"), [(1, -1), (1, 10**9), (YEAR_1 - 1, 0), (YEAR_10000, 0)])
def test_a_timeout_that_is_no_time(seconds, nanos):
    with pytest.raises(TxDecode, match="timeout timestamp"):
        tx.decode_tx(until(seconds, nanos))


def test_a_fee_without_digits_is_nothing():
    assert tx.decode_tx(wrap(auth=b"\x12\x04\x0a\x02\x0a\x00")).fee.amount == (coin("", 0),)


def test_a_non_critical_field_of_the_body_passes():
    assert tx.decode_tx(wrap(body=BODY + b"\x82\x40\x01x")).memo == "memo"


def test_fields_of_tx_raw_must_ascend():
    parts = (
        tx_pb2.TxRaw(signatures=[b"s"]).SerializeToString()
        + tx_pb2.TxRaw(body_bytes=BODY).SerializeToString()
    )
    with pytest.raises(TxDecode, match="out of order"):
        tx.decode_tx(parts)


def test_lengths_in_tx_raw_must_be_short():
    with pytest.raises(TxDecode, match="shortest form"):
        tx.decode_tx(b"\x1a\x81\x00s")
    assert tx.decode_tx(b"\x0a\x00\x1a\x01s").signatures == (b"s",)


def test_the_last_body_counts_as_in_go():
    raw = tx_pb2.TxRaw(body_bytes=b"\x12\x01a").SerializeToString() * 2
    assert tx.decode_tx(raw).memo == "a"


def test_extensions_are_listed_and_their_types_known():
    body = tx_pb2.TxBody()
    body.extension_options.add(type_url="/ibc.core.client.v1.Height", value=b"\x10\x05")
    assert tx.decode_tx(wrap(body=body.SerializeToString())).extension_options == (
        "/ibc.core.client.v1.Height",
    )
    for field in ("extension_options", "non_critical_extension_options"):
        unknown = tx_pb2.TxBody()
        getattr(unknown, field).add(type_url="/of.nobody.Option")
        with pytest.raises(TxDecode, match="no known type"):
            tx.decode_tx(wrap(body=unknown.SerializeToString()))


def test_tips_unordered_and_multisignatures_are_told():
    auth = tx_pb2.AuthInfo(tip=tx_pb2.Tip(tipper="x"), signer_infos=[tx_pb2.SignerInfo()])
    auth.signer_infos[0].mode_info.multi.SetInParent()
    body = tx_pb2.TxBody(unordered=True)
    found = tx.decode_tx(wrap(body.SerializeToString(), auth.SerializeToString()))
    assert (found.has_tip, found.unordered, found.signer_infos[0]) == (
        True,
        True,
        tx.SignerInfo(None, None, 0),
    )


def test_an_encoding_of_today_stays():
    assert sha256(RAW).hexdigest() == sha256(tx.encode_tx(BODY, AUTH, [b"s" * 64])).hexdigest()
    assert AUTH.hex() == (
        "0a500a460a1f2f636f736d6f732e63727970746f2e736563703235366b312e5075624b657912230a21"
        + "00" * 33
        + "12040a0208011807"
        "12110a0b0a057374616b6512023132"
        "10c09a0c"
    )
