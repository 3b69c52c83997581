"""ICS-20's data in JSON, protobuf and ABI."""

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyibc.apps.transfer import packet_data
from pyibc.apps.transfer.denom import parse_denom
from pyibc.core.errors import (
    InvalidAddress,
    InvalidAmount,
    InvalidDenomForTransfer,
    InvalidTransferVersion,
    InvalidType,
)
from pyibc.core.numbers import MAX_U256
from pyibc.core.packet_v2.types import ABI, JSON, PROTOBUF, PacketV2, Payload, packet_commitment
from tests.sampling import rounds

ALL = [JSON, PROTOBUF, ABI]
DATA = packet_data.make(parse_denom("uatom"), 1_000_000, "sender", "receiver", "memo")


def payload(value, encoding, version="ics20-1"):
    return Payload("transfer", "transfer", version, encoding, value)


def word(number):
    return number.to_bytes(32, "big")


def test_abi_is_as_ibc_go_commits_to_it():
    packet = PacketV2(
        1,
        "07-tendermint-0",
        "07-tendermint-1",
        100,
        (payload(packet_data.encode_payload(DATA, ALL[2]), ALL[2]),),
    )
    assert packet_commitment(packet).hex() == (
        "d408dca5088b9b375edb3c4df6bae0e18084fc0dbd90fcd0d028506553c81b25"
    )


def test_no_encoding_means_json_only_when_sending():
    assert packet_data.encode_payload(DATA, "") == packet_data.encode_payload(DATA, JSON)
    with pytest.raises(InvalidType):
        packet_data.decode_payload(payload(packet_data.encode_payload(DATA, ""), ""))


@settings(deadline=None, max_examples=rounds(15, 60))
@given(
    st.sampled_from(ALL),
    st.sampled_from(["uatom", "transfer/channel-1/uatom", "transfer/07-tendermint-3/ü"]),
    st.integers(1, MAX_U256),
    st.text(min_size=1, max_size=40).filter(str.strip),
    st.text(max_size=70),
)
def test_what_is_written_is_read(encoding, denom, amount, party, memo):
    data = packet_data.make(parse_denom(denom), amount, f"s{party}", f"r{party}", memo)
    assert packet_data.decode_payload(payload(packet_data.encode_payload(data, encoding), encoding)) == data


@pytest.mark.parametrize("encoding", ["text/plain", "application/JSON", "application/x-protobuf "])
def test_unknown_encodings(encoding):
    with pytest.raises(InvalidType):
        packet_data.encode_payload(DATA, encoding)
    with pytest.raises(InvalidType):
        packet_data.decode_payload(payload(b"{}", encoding))


def test_another_version():
    with pytest.raises(InvalidTransferVersion):
        packet_data.decode_payload(payload(packet_data.encode_payload(DATA, ALL[0]), ALL[0], "ics20-2"))


@pytest.mark.parametrize("encoding", ALL)
@pytest.mark.parametrize("other", ALL)
def test_the_value_must_be_in_its_encoding(encoding, other):
    value = packet_data.encode_payload(DATA, other)
    if encoding == other:
        assert packet_data.decode_payload(payload(value, encoding)) == DATA
    else:
        with pytest.raises(InvalidType):
            packet_data.decode_payload(payload(value, encoding))


@pytest.mark.parametrize(
    "raw",
    [
        b"\x08\x01",  # the denomination as a number
        b"\x0a\x05uatom\x32\x01x",  # an unknown field
        b"\xfa\x7f\x01x",  # an unknown field that transactions may have
        b"\x0a\x01\xff",  # not UTF-8
        b"\x0a\x09u",  # cut off
    ],
)
def test_malformed_protobuf(raw):
    with pytest.raises(InvalidType):
        packet_data.decode_payload(payload(raw, PROTOBUF))


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        (("uatom", "s", "r", 0, ""), InvalidAmount),
        (("uatom", " ", "r", 1, ""), InvalidAddress),
        (("uatom", "s", "", 1, ""), InvalidAddress),
        (("", "s", "r", 1, ""), InvalidDenomForTransfer),
    ],
)
def test_what_abi_says_is_checked(fields, error):
    with pytest.raises(error):
        packet_data.decode_payload(payload(packet_data.encode_abi(packet_data.AbiTransfer(*fields)), ABI))


# -- ABI as go-ethereum reads it

TUPLE = packet_data.AbiTransfer("uatom", "sender", "receiver", 7, "")
RAW = packet_data.encode_abi(TUPLE)


def with_word(index, number):
    return RAW[: 32 * index] + word(number) + RAW[32 * (index + 1) :]


def test_the_layout():
    assert RAW[:32] == word(32)
    assert [int.from_bytes(RAW[at : at + 32], "big") for at in range(32, 192, 32)] == [160, 224, 288, 7, 352]
    assert RAW[192:256] == word(5) + b"uatom" + bytes(27)
    assert len(RAW) == 32 + 352 + 32  # the empty memo is its length alone


def test_what_is_not_looked_at():
    assert packet_data.decode_abi(RAW + b"trailing") == TUPLE
    assert (
        packet_data.decode_abi(RAW[:-64] + RAW[-64:].replace(bytes(24), b"\xff" * 24, 1)) == TUPLE
    )  # padding
    assert packet_data.decode_abi(word(64) + bytes(32) + RAW[32:]) == TUPLE  # a gap
    assert packet_data.decode_abi(with_word(5, 160)) == TUPLE._replace(
        memo="uatom"
    )  # two strings in one place


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        bytes(31),
        word(33),
        word(MAX_U256) + RAW[32:],
        RAW[:100],
        with_word(1, len(RAW) - 32 - 31),  # the length would stand across the end
        with_word(1, MAX_U256),
        with_word(6, len(RAW)),  # longer than what is there
        with_word(6, MAX_U256),
        RAW.replace(b"uatom", b"\xffatom"),
    ],
)
def test_malformed_abi(raw):
    with pytest.raises(InvalidType):
        packet_data.decode_abi(raw)


@settings(deadline=None, max_examples=rounds(75, 300))
@given(st.integers(0, len(RAW) - 1), st.integers(0, 255), st.integers(0, len(RAW)))
def test_changed_bytes_are_read_or_refused(at, byte, size):
    raw = (RAW[:at] + bytes([byte]) + RAW[at + 1 :])[:size]
    with suppress(InvalidType):
        assert isinstance(packet_data.decode_abi(raw), packet_data.AbiTransfer)


def test_a_string_ends_with_the_data():
    raw = packet_data.encode_abi(TUPLE._replace(memo="x" * 32))
    assert packet_data.decode_abi(raw).memo == "x" * 32
    with pytest.raises(InvalidType):
        packet_data.decode_abi(raw[:-64] + word(33) + raw[-32:])
