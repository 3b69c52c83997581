"""Accounts of callers: addresses as ibc-go makes them, and what stands in the store."""

import pytest

from pyibc.apps.gmp.packet_data import AccountIdentifier, CallAccount, decode_account, encode_account
from pyibc.core.address import AddressCodec
from pyibc.core.errors import InvalidAddress, InvalidIdentifier

SENDER = "cosmos1wtfsz5s94exrgawtgqanr2qu06vsvrc2qak4ey"
CODEC = AddressCodec("cosmos")
ONE = AccountIdentifier("07-tendermint-0", SENDER, b"")


def test_an_address_that_ibc_go_recorded():
    text = "cosmos1pclkple8dxcffz6af7af76sjs98jygegu054seem383m2dyyqfdsewrdwv"
    assert CODEC.encode(ONE.address).text == text
    assert len(ONE.address) == 32


def test_each_part_makes_another_account():
    others = [
        ONE._replace(client_id="07-tendermint-1"),
        ONE._replace(sender=SENDER + "x"),
        ONE._replace(salt=b"\0"),
        ONE._replace(sender=SENDER[:-1], salt=SENDER[-1:].encode()),
        AccountIdentifier("07-tendermint-0", "\u00e9", b""),
        AccountIdentifier("07-tendermint-0", "\u00e8", b""),
    ]
    assert len({each.address for each in (ONE, *others)}) == 7


def test_no_account():
    with pytest.raises(InvalidIdentifier):
        _ = ONE._replace(client_id="x").address
    with pytest.raises(InvalidAddress):
        _ = ONE._replace(sender=" ").address


def test_in_the_store():
    account = CallAccount("cosmos1a", AccountIdentifier("07-tendermint-0", "s", b"\1"))
    raw = encode_account(account)
    assert raw == b"\x0a\x08cosmos1a\x12\x17\x0a\x0f07-tendermint-0\x12\x01s\x1a\x01\x01"
    assert decode_account(raw) == account
