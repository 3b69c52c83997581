"""What packets ask for, as ibc-go reads it (recorded by its test application; types/callbacks.go)."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyibc.apps.callbacks.memo import Side, callback_data
from pyibc.core.application.packet_data import PacketData
from pyibc.core.errors import InvalidCallbackData

MAX_GAS, REMAINING = 1_000_000, 10_000_000
U64 = 2**64


def read(memo, *, side=Side.SOURCE, remaining=REMAINING, port="transfer", **told):
    data = PacketData("me", "you", memo, None, **told)
    return callback_data(data, side, "version", port, remaining, MAX_GAS)


def of(**fields):
    return json.dumps({"src_callback": {"address": "x", **fields}, "dest_callback": {"address": "y"}})


@pytest.mark.parametrize(
    "memo",
    [
        "",
        "not json",
        "null",
        '["src_callback"]',
        '{"other": {"address": "x"}}',
        '{"src_callback": "x"}',
        '{"src_callback": null}',
        '{"src_callback": ["x"]}',
        '{"src_callback": 7}',
        '{"src_callback": {"address": "x"}',
        '{"src_callback": {"address": "x"}, "src_callback": null}',
        '{"src_callback": {"address": "x"}, "more": 1e400}',
    ],
)
def test_who_names_no_object_asks_for_nothing(memo):
    assert read(memo) is None


@pytest.mark.parametrize(
    ("callback", "reason"),
    [
        ("{}", "no address"),
        ('{"address": 7}', "no address"),
        ('{"address": ""}', "no address"),
        ('{"address": null}', "no address"),
        ('{"address": " \\t\\u00a0\\u2003\\u3000"}', "no address"),
        ('{"Address": "x"}', "no address"),
        ('{"address": "x", "address": 7}', "no address"),
        ('{"address": "x", "gas_limit": 50000}', "is not a string"),
        ('{"address": "x", "gas_limit": null}', "is not a string"),
        ('{"address": "x", "gas_limit": ["5"]}', "is not a string"),
        ('{"address": "x", "gas_limit": true}', "is not a string"),
        *((f'{{"address": "x", "gas_limit": "{limit}"}}', "gas limit") for limit in (
            "-1", "+1", " 50000", "50000 ", "5e4", "0x10", "fifty", "1_000", "\u0665", "0_1", "0 1",
            str(U64), "9" * 5000,
        )),
        ('{"address": "x", "calldata": 7}', "is not a string"),
        ('{"address": "x", "calldata": null}', "is not a string"),
        *((f'{{"address": "x", "calldata": "{data}"}}', "hexadecimal") for data in (
            "f", "0xff", "fg", "00 ff", " ff", "ff\\n", "\uff46\uff46"
        )),
    ],
)  # fmt: skip
def test_what_is_malformed_is_refused(callback, reason):
    for side in Side:
        with pytest.raises(InvalidCallbackData) as refused:
            read(f'{{"{side.value}": {callback}}}', side=side)
        assert reason in refused.value.reason
        assert (refused.value.codespace, refused.value.code) == ("ibccallbacks", 8)
        assert len(str(refused.value)) < 200


@pytest.mark.parametrize(
    ("limit", "commit"),
    [
        ("", MAX_GAS),
        ("0", MAX_GAS),
        ("000", MAX_GAS),
        ("1", 1),
        ("0070000", 70_000),
        ("0" * 5000 + "7", 7),
        (str(MAX_GAS - 1), MAX_GAS - 1),
        (str(MAX_GAS), MAX_GAS),
        (str(MAX_GAS + 1), MAX_GAS),
        (str(U64 - 1), MAX_GAS),
    ],
)
def test_gas_limits(limit, commit):
    found = read(of(gas_limit=limit))
    assert (found.execution_gas, found.commit_gas, found.may_retry) == (commit, commit, False)


@pytest.mark.parametrize(
    ("remaining", "execution", "may_retry"),
    [(0, 0, True), (499, 499, True), (500, 500, False), (501, 500, False)],
)
def test_a_contract_gets_what_is_left(remaining, execution, may_retry):
    found = read(of(gas_limit="500"), remaining=remaining)
    assert (found.execution_gas, found.commit_gas, found.may_retry) == (execution, 500, may_retry)


def test_what_is_asked_for():
    memo = of(calldata="00fF", more={"x": 1})
    source, destination = read(memo), read(memo, side=Side.DESTINATION)
    assert (source.address, source.sender, source.calldata, source.version) == (
        "x",
        "me",
        b"\x00\xff",
        "version",
    )
    assert (destination.address, destination.sender, destination.calldata) == ("y", "", b"")
    assert read(of(calldata="")).calldata == b""
    assert read(of(address=" anyone ")).address == " anyone "
    assert read('{"src_callback": {"address": "a"}, "src_callback": {"address": "b"}}').address == "b"


def test_the_sender_of_an_interchain_account_stands_in_its_port():
    assert read(of(), port="controller-owner", sender_prefix="controller-").sender == "owner"
    assert read(of(), port="transfer", sender_prefix="controller-").sender == ""


def test_an_application_may_ask_whatever_the_memo_says():
    own = '{"src_callback": {"address": "me"}}'
    assert read(of(), own=own).address == "me"
    assert read("not json", own=own).address == "me"
    assert read(of(), own=own, side=Side.DESTINATION).address == "y"


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=8),
                    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
                        st.sampled_from(["src_callback", "address", "gas_limit", "calldata"]), inner),
                    max_leaves=12))  # fmt: skip
def test_any_memo_is_read_or_refused(value):
    try:
        found = read(json.dumps(value))
    except InvalidCallbackData:
        return
    assert found is None or (found.address.strip() and 0 < found.commit_gas <= MAX_GAS)
