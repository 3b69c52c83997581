"""Bech32 addresses."""

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyibc.core.address import AddressCodec, decode_bech32, module_address
from pyibc.core.errors import InvalidAddress

COSMOS = AddressCodec("cosmos")
CHARSET = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
TRANSFER = "cosmos1yl6hdjhmkf37639730gffanpzndzdpmhwlkfhr"  # the module account of every Cosmos chain
RAW = st.binary(min_size=1, max_size=64) | st.binary(min_size=65, max_size=255)


def plain_checksum(prefix, symbols):
    """BIP-173's own loop, for comparison with the tables."""
    state = 1
    expanded = [ord(c) >> 5 for c in prefix] + [0] + [ord(c) & 31 for c in prefix]
    for symbol in [*expanded, *symbols, 0, 0, 0, 0, 0, 0]:
        top, state = state >> 25, (state & 0x1FFFFFF) << 5 ^ symbol
        for bit, generator in enumerate((0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)):
            state ^= generator if top >> bit & 1 else 0
    return [(state ^ 1) >> 5 * (5 - place) & 31 for place in range(6)]


def with_checksum(prefix, symbols):
    text = "".join(CHARSET[symbol] for symbol in [*symbols, *plain_checksum(prefix, symbols)])
    return f"{prefix}1{text}"


def test_a_known_address():
    assert COSMOS.encode(module_address("transfer")).text == TRANSFER
    assert COSMOS.decode(TRANSFER, "signer").raw == module_address("transfer")


@settings(deadline=None)
@given(raw=RAW, prefix=st.text("abcdefghijklmnopqrstuvwxyz0123456789", min_size=1, max_size=12))
def test_there_and_back(raw, prefix):
    codec = AddressCodec(prefix)
    address = codec.encode(raw)
    assert codec.decode(address.text, "f") == address
    assert decode_bech32(address.text) == (prefix, raw)


@given(raw=RAW)
def test_the_tables_make_bip_173s_checksum(raw):
    number, size = int.from_bytes(raw, "big"), len(raw) * 8
    pad = -size % 5
    symbols = [(number << pad) >> shift & 31 for shift in range(size + pad - 5, -1, -5)]
    assert COSMOS.encode(raw).text == with_checksum("cosmos", symbols)


@settings(deadline=None)
@given(raw=RAW, data=st.data())
def test_one_wrong_character_is_found(raw, data):
    text = COSMOS.encode(raw).text
    at = data.draw(st.integers(0, len(text) - 1))
    wrong = data.draw(st.sampled_from(CHARSET + "b1i!" + CHARSET.upper()).filter(lambda c: c != text[at]))
    with pytest.raises(InvalidAddress) as refused:
        COSMOS.decode(text[:at] + wrong + text[at + 1 :], "receiver")
    assert refused.value.field == "receiver"


@given(raw=RAW, data=st.data())
def test_two_swapped_characters_are_found(raw, data):
    text = COSMOS.encode(raw).text
    at = data.draw(st.integers(7, len(text) - 2))
    swapped = text[:at] + text[at + 1] + text[at] + text[at + 2 :]
    if swapped != text:
        with pytest.raises(InvalidAddress):
            COSMOS.decode(swapped, "f")


@settings(deadline=None)
@given(st.text(max_size=130) | st.builds("cosmos1{}".format, st.text(CHARSET + "B1é", max_size=130)))
def test_any_text_is_read_or_refused(text):
    for decode in (lambda t: COSMOS.decode(t, "f"), decode_bech32):
        with suppress(InvalidAddress):
            decode(text)


def test_h72_upper_case_is_the_same_address_with_the_same_text():
    address = COSMOS.decode(TRANSFER.upper(), "f")
    assert address == COSMOS.decode(TRANSFER, "f") == (module_address("transfer"), TRANSFER)
    for mixed in (
        TRANSFER.replace("y", "Y", 1),
        TRANSFER.upper().replace("Y", "y", 1),
        "Cosmos" + TRANSFER[6:],
    ):
        with pytest.raises(InvalidAddress):
            COSMOS.decode(mixed, "f")


@pytest.mark.parametrize(
    "text", ["", "cosmos", "cosmos1", "osmo1" + TRANSFER[7:], TRANSFER + "\n", " " + TRANSFER, TRANSFER[:-1]]
)
def test_refused(text):
    with pytest.raises(InvalidAddress):
        COSMOS.decode(text, "f")


def test_length_and_padding():
    assert COSMOS.decode(with_checksum("cosmos", [0, 0]), "f").raw == b"\0"
    for symbols in (
        [],
        [0],
        [0, 1],
        [0, 0, 0],
        [0] * 410,
        [0] * 10_000,
    ):  # none, 5 bits, a padding bit set, 7 spare bits, 256 bytes, any number of them
        with pytest.raises(InvalidAddress):
            COSMOS.decode(with_checksum("cosmos", symbols), "f")
    assert len(COSMOS.decode(with_checksum("cosmos", [0] * 103), "f").raw) == 64


def test_addresses_may_have_255_bytes_as_in_the_sdk():
    for size in (65, 255):
        text = COSMOS.encode(bytes(size)).text
        assert COSMOS.decode(text.upper(), "f") == (bytes(size), text)


def test_bech32_of_any_prefix_keeps_to_the_rules_of_texts():
    assert decode_bech32(with_checksum("a1b", [0, 0])) == ("a1b", b"\0")
    assert decode_bech32(TRANSFER.upper()) == ("cosmos", module_address("transfer"))
    refused = [
        TRANSFER.upper().replace("Y", "y", 1),
        with_checksum("a b", [0, 0]),
        with_checksum("a\x7f", [0, 0]),
        with_checksum("x" * 1100, [0, 0]),
    ]
    for text in refused:
        with pytest.raises(InvalidAddress):
            decode_bech32(text)


def test_bech32m_is_another_encoding():
    with pytest.raises(InvalidAddress):
        decode_bech32("abcdef1l7aum6echk45nj3s0wdvt2fg8x9yrzpqzd3ryx")


@pytest.mark.parametrize(
    "text", ["1qqqqqqqqqqq", "a b1qqqqqqqq", "A1qqqqqqqq", "x" * 1100 + "1qqqqqqqqqq", "\x7f1axkwrx"]
)
def test_bech32_of_another_kind(text):
    with pytest.raises(InvalidAddress):
        decode_bech32(text)
