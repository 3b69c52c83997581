import json

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pyibc.apps.transfer import packet_data
from pyibc.apps.transfer.denom import Hop, native, parse_denom
from pyibc.apps.transfer.messages import MAX_MEMO_SIZE, check_memo
from pyibc.apps.transfer.packet_data import decode, decode_jsonpb, encode, make
from pyibc.core.errors import (
    IbcError,
    InvalidAddress,
    InvalidAmount,
    InvalidDenomForTransfer,
    InvalidIdentifier,
    InvalidMemo,
    InvalidType,
)
from tests.sampling import rounds


def data(**fields: str) -> bytes:
    return json.dumps({"denom": "uatom", "amount": "1", "sender": "s", "receiver": "r", **fields}).encode()


PLAIN = b'{"denom":"uatom","amount":"1","sender":"s","receiver":"r"}'


def test_decode():
    found = decode(
        b'{"denom":"transfer/channel-0/uatom","amount":"0x10","sender":"s","receiver":"r","memo":"m"}'
    )
    assert found.denom.base == "uatom"
    assert found.denom.trace == (Hop("transfer", "channel-0"),)
    assert (found.amount, found.amount_text) == (16, "0x10")
    assert (found.sender, found.receiver, found.memo) == ("s", "r", "m")


@pytest.mark.parametrize(
    ("raw", "sender"),
    [
        (b' {"denom":"uatom","amount":"1","sender":"s","receiver":"r"} \n', "s"),
        (b'{"Denom":"uatom","AMOUNT":"1","\xc5\xbfender":"s","receiver":"r"}', "s"),
        (b'{"denom":"uatom","amount":"1","sender":"s","receiver":"r","sender":"t"}', "t"),
        (b'{"denom":"uatom","amount":"1","sender":"s","receiver":"r","Sender":"t"}', "t"),
        (b'{"denom":"uatom","amount":"1","sender":"s","receiver":"r","sender":null,"memo":null}', "s"),
        (b'{"denom":"uatom","amount":"1","sender":"\xff","receiver":"r"}', "\ufffd"),
        (b'{"denom":"uatom","amount":"1","sender":"\\ud800","receiver":"r"}', "\ufffd"),
        (b'{"denom":"uatom","amount":"1","s\\u0065nder":"s","receiver":"r"}', "s"),
    ],
)
def test_what_ibc_go_forgives(raw, sender):
    found = decode(raw)
    assert (found.sender, found.amount, found.denom.path, found.receiver) == (sender, 1, "uatom", "r")


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"null",
        b"[]",
        b'"x"',
        b"NaN",
        PLAIN + b"x",
        PLAIN + b"{}",
        b"\xef\xbb\xbf" + PLAIN,
        PLAIN.decode().encode("utf-16"),
        b'{"denom":"uatom","amount":1,"sender":"s","receiver":"r"}',
        b'{"denom":"uatom","amount":"1","sender":["s"],"receiver":"r"}',
        b'{"denom":"uatom","amount":"1","sender":"s","receiver":"r","new_field":"v"}',
        b'{"denom":"uatom","amount":"1","sender":"s","receiver":"r","\xff":"v"}',
        b'{"denom":"uatom","amount":"1","sender":"s","receiver":"r","memo":{}}',
        b'{"denom":"uatom","amount":"1","sender":"s","receiver":"r",}',
        b'{"denom":"uatom","amount":"1","sender":"\n","receiver":"r"}',
        b'{"memo":' + b"[" * 100_000,
        b"[" * 100_000,
    ],
)
def test_what_is_no_transfer(raw):
    with pytest.raises(InvalidType):
        decode(raw)


@pytest.mark.parametrize(
    "amount", ["", "0", "-1", "1.0", "1e3", " 1", "08", "\u0661", "9" * 79, "0x", "1" * 5000, "-0"]
)
def test_amounts_that_are_none(amount):
    with pytest.raises(InvalidAmount):
        decode(data(amount=amount))


def test_missing_and_null_fields_are_empty():
    with pytest.raises(InvalidAmount):
        decode(b"{}")
    with pytest.raises(InvalidAmount):
        decode(b'{"denom":"uatom","amount":null,"sender":"s","receiver":"r"}')


@pytest.mark.parametrize("blank", ["", " ", "\t\n\v\f\r", "\x85\xa0", "\u2003\u3000"])
def test_blank_parties(blank):
    with pytest.raises(InvalidAddress, match="sender"):
        decode(data(sender=blank))
    with pytest.raises(InvalidAddress, match="receiver"):
        decode(data(receiver=blank))
    with pytest.raises(InvalidDenomForTransfer):
        decode(data(denom=blank))


def test_d14_what_python_alone_calls_blank_is_not():
    assert decode(data(sender="\x1c", receiver="\x1f\u200b")).sender == "\x1c"


def test_checks_come_in_ibc_go_s_order():
    with pytest.raises(InvalidAmount):
        decode(b'{"amount":"x"}')
    with pytest.raises(InvalidAddress, match="sender"):
        decode(b'{"amount":"1"}')
    with pytest.raises(InvalidAddress, match="receiver"):
        decode(b'{"amount":"1","sender":"s"}')
    with pytest.raises(InvalidDenomForTransfer):
        decode(b'{"amount":"1","sender":"s","receiver":"r"}')


@pytest.mark.parametrize(
    "denom", ["x/channel-0/uatom", "tra nsfer/channel-0/uatom", f"transfer/{'a' * 70}-1/uatom"]
)
def test_malformed_hops(denom):
    with pytest.raises(InvalidIdentifier):
        decode(data(denom=denom))


@pytest.mark.parametrize("denom", ["/", "transfer/channel-0", "a/b", "gamm/pool/1"])
def test_bases_may_hold_slashes(denom):
    assert decode(data(denom=denom)).denom.trace == ()


def test_empty_base_after_hops():
    with pytest.raises(InvalidDenomForTransfer):
        decode(data(denom="transfer/channel-0/"))


def test_d13_memo_is_measured_in_bytes_and_only_on_receipt():
    for memo in ("m" * MAX_MEMO_SIZE, "é" * (MAX_MEMO_SIZE // 2)):
        check_memo(decode(data(memo=memo)).memo)
        with pytest.raises(InvalidMemo) as caught:
            check_memo(decode(data(memo=memo + "m")).memo)
        assert (caught.value.size, caught.value.limit) == (MAX_MEMO_SIZE + 1, MAX_MEMO_SIZE)


def test_encode_in_ibc_go_s_order():
    made = make(native("uatom"), 7, "s", "r", "")
    assert encode(made) == b'{"denom":"uatom","amount":"7","sender":"s","receiver":"r"}'
    made = make(parse_denom("transfer/channel-0/a"), 7, "<s>", "r", '"\u2028\b')
    assert encode(made) == (
        b'{"denom":"transfer/channel-0/a","amount":"7","sender":"\\u003cs\\u003e","receiver":"r"'
        b',"memo":"\\"\\u2028\\b"}'
    )


TEXT = st.text(max_size=20)
NOT_BLANK = TEXT.map(lambda text: f"x{text}")


@settings(deadline=None, max_examples=rounds(50, 200))
@given(NOT_BLANK, st.integers(1, 2**256 - 1), NOT_BLANK, NOT_BLANK, TEXT)
def test_what_is_written_is_read_back(base, amount, sender, receiver, memo):
    made = make(parse_denom(f"transfer/channel-7/{base}"), amount, sender, receiver, memo)
    assert decode(encode(made)) == made


KEYS = st.sampled_from(
    ["denom", "amount", "sender", "receiver", "memo", "Memo", "\u017fender", "extra", "d\\u0065nom"]
)
VALUES = st.sampled_from(
    [
        '"1"',
        '"uatom"',
        "null",
        "1",
        "{}",
        "[]",
        '"\\ud800"',
        '"\\ud83d\\ude00"',
        '"\\n"',
        '"\\x"',
        '"\n"',
        '"\u00e9"',
    ]
)


def outcome(read, raw):
    try:
        return read(raw)
    except IbcError as error:
        return type(error)


@settings(deadline=None, max_examples=rounds(125, 500))
@given(st.lists(st.tuples(KEYS, VALUES), max_size=8), st.sampled_from(["", " ", "\n", "x", "\x0b"]))
def test_both_readers_agree_on_all_that_msgspec_takes(members, around):
    text = "{" + ",".join(f'"{key}"{around}:{value}' for key, value in members) + "}" + around
    compare_readers(text.encode())


@pytest.mark.parametrize(
    ("raw", "memo"),
    [
        (PLAIN, ""),
        (PLAIN + b" and more", ""),
        (PLAIN[:-1] + b',"memo":"m","memo":null}', ""),  # other than `decode`, which leaves "m"
        (PLAIN[:-1] + b',"memo":7,"memo":"\\u006d"}', "m"),
        (PLAIN[:-1] + b',"memo":"\xff"}', "\ufffd"),
    ],
)
def test_as_jsonpb_reads_it(raw, memo):
    assert decode_jsonpb(raw) == make(native("uatom"), 1, "s", "r", memo)


@pytest.mark.parametrize(
    ("raw", "error"),
    [
        (b"null", InvalidAmount),
        (b"[]", InvalidType),
        (PLAIN[:-1], InvalidType),
        (PLAIN[:-1] + b',"Memo":"m"}', InvalidType),
        (PLAIN[:-1] + b',"memo":7}', InvalidType),
        (data(sender=" "), InvalidAddress),
        (data(denom=""), InvalidDenomForTransfer),
    ],
)
def test_what_jsonpb_refuses(raw, error):
    with pytest.raises(error):
        decode_jsonpb(raw)


@settings(deadline=None, max_examples=rounds(125, 500))
@given(st.integers(0, len(PLAIN)), st.integers(0, 4), st.binary(max_size=4))
@example(1, 1, b'"\xff')
@example(0, 0, b"\xef\xbb\xbf")
def test_both_readers_agree_on_damaged_packets(at, cut, put):
    compare_readers(PLAIN[:at] + put + PLAIN[at + cut :])


def compare_readers(raw: bytes) -> None:
    fast, slow = packet_data._decoder.decode, packet_data._decode_slowly
    try:
        found = fast(raw)
    except Exception:
        found = None
    if found is not None:
        assert slow(raw) == found
    outcome(decode, raw)  # ends in a value or an error of the tree


def test_d37_hostile_packets_cost_little():
    import time

    size = 262_000
    hostile = [
        data(denom="/" * size),
        data(denom="transfer/channel-0/" * (size // 19) + "x"),
        data(denom="a" + "-" * size),
        data(denom=f"x/{'a' * size}-1/y"),
        data(denom=f"x/{'a-' * (size // 2)}/y"),
        data(amount="1" * size),
        data(amount="_" * size),
        data(sender=" " * size),
        data(memo="\\" * (size // 2)),
        b'{"memo":"' + b"\\ud800" * (size // 6) + b'"}',
        b"{" + b'"memo":"",' * (size // 10) + b'"x":""}',
    ]
    for raw in hostile:
        start = time.process_time()
        outcome(decode, raw)
        assert time.process_time() - start < 1.5
