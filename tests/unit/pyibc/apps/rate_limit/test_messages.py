"""The authority's messages: what is refused without state, in ibc-go's order."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from pyibc.apps.rate_limit.messages import (
    MsgAddRateLimit,
    MsgRemoveRateLimit,
    MsgResetRateLimit,
    MsgUpdateRateLimit,
)
from pyibc.core.address import AddressCodec
from pyibc.core.errors import InvalidSdkAddress, InvalidSdkRequest, TxDecode
from pyibc.core.wire.message import decode_msg, encode_msg
from pyibc.proto.ibc.applications.rate_limiting.v1 import tx_pb2

ADDRESSES = AddressCodec("cosmos")
CHAIN = SimpleNamespace(addresses=ADDRESSES)
SIGNER = ADDRESSES.encode(b"a" * 20).text
QUOTAS = [
    MsgAddRateLimit(SIGNER, "stake", "channel-0", 10, 0, 24),
    MsgUpdateRateLimit(SIGNER, "stake", "07-tendermint-3", 0, 100, 1),
]
MESSAGES = [
    *QUOTAS,
    MsgRemoveRateLimit(SIGNER, "ibc/AB", "channel-99999999999999999999999"),
    MsgResetRateLimit(SIGNER, "s", "a-1"),
]


def refuses(message, error, said):
    with pytest.raises(error) as caught:
        message.check(CHAIN)
    assert said in str(caught.value)


@pytest.mark.parametrize("message", MESSAGES)
def test_good_ones_pass_and_are_read_as_they_were_written(message):
    message.check(CHAIN)
    assert decode_msg(type(message), encode_msg(message)) == message


@pytest.mark.parametrize("message", MESSAGES)
def test_who_and_what(message):
    refuses(replace(message, signer=" \t"), InvalidSdkAddress, "missing")
    refuses(replace(message, signer="nobody"), InvalidSdkAddress, "signer")
    refuses(replace(message, denom=""), InvalidSdkRequest, "denomination")
    refuses(replace(message, signer="", denom=""), InvalidSdkAddress, "missing")
    refuses(replace(message, signer="nobody", denom=""), InvalidSdkRequest, "denomination")


@pytest.mark.parametrize("message", MESSAGES)
def test_ends_that_are_neither_channels_nor_clients(message):
    for end in ("", "channel", "channel-", "channel--1", "channel-1x", "channel-٣", "x", "-1", "a/b-1"):
        refuses(replace(message, channel_or_client_id=end), InvalidSdkRequest, "neither")


@pytest.mark.parametrize("message", MESSAGES)
@pytest.mark.parametrize("end", ["channel-007", "07-tendermint-0", "a_b-c-1", "09-localhost"])
def test_ends_that_are_channels_or_clients_as_in_ibc_go(message, end):
    replace(message, channel_or_client_id=end).check(CHAIN)


@pytest.mark.parametrize("message", QUOTAS)
@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"max_percent_send": 101}, "101"),
        ({"max_percent_send": -1}, "-1"),
        ({"max_percent_recv": 101}, "101"),
        ({"max_percent_recv": -1}, "-1"),
        ({"max_percent_send": 0, "max_percent_recv": 0}, "above 0"),
        ({"duration_hours": 0}, "no hours"),
    ],
)
def test_quotas_that_make_no_sense(message, changes, said):
    refuses(replace(message, **changes), InvalidSdkRequest, said)


@pytest.mark.parametrize("message", QUOTAS)
@pytest.mark.parametrize("text", ["ten", "1e2", "9" * 79])
def test_percentages_that_are_no_integers(message, text):
    wire = type(message).TABLE.wire.FromString(encode_msg(message))
    wire.max_percent_send = text
    with pytest.raises(TxDecode):
        decode_msg(type(message), wire.SerializeToString())


@pytest.mark.parametrize("message", QUOTAS)
def test_a_percentage_that_is_absent_is_zero(message):
    """As the SDK has it, once a transaction is decoded."""
    wire = type(message).TABLE.wire.FromString(encode_msg(message))
    wire.ClearField("max_percent_recv")
    assert decode_msg(type(message), wire.SerializeToString()) == replace(message, max_percent_recv=0)


def test_percentages_in_go_s_other_spellings():
    wire = tx_pb2.MsgAddRateLimit.FromString(encode_msg(QUOTAS[0]))
    wire.max_percent_send = "0x1_0"
    assert decode_msg(MsgAddRateLimit, wire.SerializeToString()).max_percent_send == 16


@pytest.mark.parametrize("message", QUOTAS)
@pytest.mark.parametrize("field", [b"\x22", b"\x2a"])  # of both percentages
def test_a_percentage_given_twice_is_a_number_both_times(message, field):
    def twice(first):
        return field + bytes([len(first)]) + first + encode_msg(message)

    assert decode_msg(type(message), twice(b"7")) == message
    with pytest.raises(TxDecode, match="no integer"):
        decode_msg(type(message), twice(b"channel-2"))
