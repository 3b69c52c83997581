import json
from hashlib import sha256

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyibc.apps.transfer.coins import escrow_address, has_prefix, voucher, without_first_hop
from pyibc.apps.transfer.denom import (
    Denom,
    Hop,
    decode_denom,
    encode_denom,
    make_denom,
    native,
    parse_denom,
    parse_hash,
    validate_ibc_denom,
)
from pyibc.apps.transfer.packet_data import parse_valid_denom
from pyibc.core.errors import InvalidCoins, InvalidDenomForTransfer, InvalidIdentifier
from tests.sampling import rounds

HASH = "27394FB092D2ECCD56123C74F36E4C1F926001CEADA9CA97EA622B25F41E5EB2"


@pytest.mark.parametrize(
    ("path", "trace", "base"),
    [
        ("uatom", [], "uatom"),
        ("", [], ""),
        ("/", [], "/"),
        ("transfer/channel-0", [], "transfer/channel-0"),
        ("transfer/channel-0/", [("transfer", "channel-0")], ""),
        ("transfer/channel-0/uatom", [("transfer", "channel-0")], "uatom"),
        ("transfer/channel-0/transfer/channel-1", [("transfer", "channel-0"), ("transfer", "channel-1")], ""),
        ("transfer/channel-0/gamm/pool/1", [("transfer", "channel-0")], "gamm/pool/1"),
        ("gamm/pool/1", [], "gamm/pool/1"),
        ("transfer/channel-01/uatom", [("transfer", "channel-01")], "uatom"),
        ("transfer/08-wasm-1369/0xabc", [("transfer", "08-wasm-1369")], "0xabc"),
        ("transfer/09-localhost/uatom", [("transfer", "09-localhost")], "uatom"),
        ("transfer/channel-18446744073709551615/x", [("transfer", "channel-18446744073709551615")], "x"),
        ("transfer/channel-18446744073709551616/x", [], "transfer/channel-18446744073709551616/x"),
        ("transfer/channel-0\n/x", [], "transfer/channel-0\n/x"),
        ("transfer/a--1/x", [], "transfer/a--1/x"),
        ("transfer/-1/x", [], "transfer/-1/x"),
        ("transfer/a-\u0663/x", [], "transfer/a-\u0663/x"),
        ("/channel-0/x", [("", "channel-0")], "x"),
        (f"x/{'a' * 300}-7/y", [("x", f"{'a' * 300}-7")], "y"),
        ("customtransfer/channel-0/x", [("customtransfer", "channel-0")], "x"),
    ],
)
def test_parse_as_ibc_go(path, trace, base):
    found = parse_denom(path)
    assert (list(found.trace), found.base) == ([Hop(*hop) for hop in trace], base)


def test_forms_of_a_voucher():
    found = parse_denom("transfer/channel-0/uatom")
    assert found.coin_denom == f"ibc/{HASH}"
    assert found.hash_text == HASH
    assert found.digest == sha256(b"transfer/channel-0/uatom").digest()
    assert found.path == "transfer/channel-0/uatom"
    assert found.json == '{"base":"uatom","trace":[{"port_id":"transfer","channel_id":"channel-0"}]}'
    assert encode_denom(found).hex() == "0a057561746f6d1a150a087472616e7366657212096368616e6e656c2d30"


def test_forms_of_a_native_coin():
    found = native("stake")
    assert found.coin_denom == found.path == "stake"
    assert found.json == '{"base":"stake","trace":null}'
    assert encode_denom(found) == b"\x0a\x05stake"


def test_native_is_not_parsed():
    """A coin of this chain that is named like a path has no hops here (H49)."""
    odd = native("transfer/channel-0/uatom")
    assert odd.trace == ()
    assert odd.coin_denom == "transfer/channel-0/uatom"
    assert odd != parse_denom("transfer/channel-0/uatom")
    assert not has_prefix(odd, "transfer", "channel-0")


def test_json_is_escaped_as_go_does():
    found = make_denom("<&>\u2028", (Hop("<port>", "channel-0"),))
    assert found.json == (
        '{"base":"\\u003c\\u0026\\u003e\\u2028","trace":[{"port_id":"\\u003cport\\u003e","channel_id":"channel-0"}]}'
    )


def test_voucher_and_way_home():
    home = parse_denom("uatom")
    there = voucher(home, "transfer", "channel-3")
    assert there == parse_denom("transfer/channel-3/uatom")
    assert has_prefix(there, "transfer", "channel-3")
    assert not has_prefix(there, "transfer", "channel-4")
    assert not has_prefix(home, "transfer", "channel-3")
    assert without_first_hop(there) == home
    assert voucher(home, "transfer", "channel-3") is there  # remembered


@pytest.mark.parametrize(
    ("denom", "error"),
    [
        (native(""), InvalidDenomForTransfer),
        (native(" \u2003"), InvalidDenomForTransfer),
        (parse_denom("transfer/channel-0/"), InvalidDenomForTransfer),
        (parse_denom("/channel-0/x"), InvalidIdentifier),
        (parse_denom("x/channel-0/y"), InvalidIdentifier),
        (parse_denom("transfer/a-0/y"), InvalidIdentifier),
        (parse_denom(f"transfer/{'a' * 300}-0/y"), InvalidIdentifier),
    ],
)
def test_validate(denom, error):
    with pytest.raises(error):
        denom.validate()
    for _ in range(2):  # an error is not remembered as anything else
        with pytest.raises(error):
            parse_valid_denom(denom.path)


@pytest.mark.parametrize(
    "text", ["uatom", "gamm/pool/1", "IBC/abc", f"ibc/{HASH}", f"ibc/{HASH.lower()}", "ibcx/y"]
)
def test_coins_that_can_be_sent(text):
    validate_ibc_denom(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ab",
        "1abc",
        "a b",
        "a" * 129,
        "ibc",
        "ibc/",
        "ibc/xyz",
        f"ibc/{HASH[:-1]}",
        f"ibc/{HASH}/x",
        f"ibc/{HASH}\n",
    ],
)
def test_coins_that_cannot(text):
    with pytest.raises(InvalidCoins):
        validate_ibc_denom(text)


def test_parse_hash():
    assert parse_hash(HASH) == parse_hash(HASH.lower()) == bytes.fromhex(HASH)
    assert parse_hash(HASH[:-1]) is None
    assert parse_hash(HASH + "\n") is None
    assert parse_hash("\uff11" * 64) is None


def test_escrow_address():
    assert escrow_address("transfer", "channel-0") == sha256(b"ics20-1\x00transfer/channel-0").digest()[:20]
    assert escrow_address("transfer", "channel-0") != escrow_address("transfer", "channel-00")


PART = st.sampled_from(
    ["transfer", "channel-0", "channel-77", "07-tendermint-3", "gamm", "1", "", "é", "a--1", "x" * 200]
)


@settings(deadline=None, max_examples=rounds(75, 300))
@given(st.lists(PART, min_size=1, max_size=9).map("/".join))
def test_path_is_kept(path):
    found = parse_denom(path)
    assert found.path in (path, f"{path}/")  # with an empty base the last slash is added
    assert found.path == path or not found.base
    assert decode_denom(encode_denom(found)) == found
    shown = json.loads(found.json)
    assert shown.get("base", "") == found.base
    assert [(hop.get("port_id", ""), hop["channel_id"]) for hop in shown["trace"] or []] == list(found.trace)


@settings(deadline=None, max_examples=rounds(50, 200))
@given(st.lists(PART, min_size=1, max_size=9).map("/".join), st.sampled_from(["channel-0", "channel-9"]))
def test_a_hop_there_and_back_changes_nothing(path, channel_id):
    found = parse_denom(path)
    assert without_first_hop(voucher(found, "transfer", channel_id)) == found


def test_long_paths_are_not_remembered():
    path = "transfer/channel-0/" * 100 + "x"
    assert parse_denom(path) == parse_denom(path)
    assert parse_denom(path) is not parse_denom(path)


def test_repr_and_comparison():
    assert repr(native("x")) == "Denom('x', ())"
    assert native("x") != "x"
    assert len({Denom.of("x", ()), native("x")}) == 1
