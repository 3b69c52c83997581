"""Messages of interchain accounts: what needs no state, and whose port is whose."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from pyibc.apps.interchain_accounts.execution import read_messages
from pyibc.apps.interchain_accounts.messages import (
    MAX_ALLOW_LIST,
    MAX_OWNER_SIZE,
    MsgModuleQuerySafe,
    MsgRegisterInterchainAccount,
    MsgSendTx,
    MsgUpdateControllerParams,
    MsgUpdateHostParams,
    QueryRequest,
)
from pyibc.apps.interchain_accounts.packet_data import (
    EXECUTE_TX,
    InterchainAccountPacketData,
)
from pyibc.codec.anys import AnyMessage
from pyibc.core.address import AddressCodec
from pyibc.core.channel.types import Order
from pyibc.core.errors import (
    InvalidAddress,
    InvalidAllowList,
    InvalidChannelOrdering,
    InvalidIdentifier,
    InvalidOutgoingData,
    InvalidRequest,
    InvalidType,
    TxDecode,
)
from pyibc.core.wire.message import decode_msg, encode_msg
from pyibc.proto.pool import message_class
from pyibc.relayer.interchain_tx import write_messages

CHAIN = SimpleNamespace(addresses=AddressCodec("ica"))
OWNER = CHAIN.addresses.encode(b"o" * 20).text
DATA = InterchainAccountPacketData(EXECUTE_TX, b"tx", "memo")
REGISTER = MsgRegisterInterchainAccount(OWNER, "connection-5", "{}", Order.ORDERED)
SEND = MsgSendTx(OWNER, "connection-5", DATA, 17)
CONTROLLER = MsgUpdateControllerParams(True, OWNER)
HOST = MsgUpdateHostParams(True, ("/a.Msg", "/b.Msg"), OWNER)
QUERIES = MsgModuleQuerySafe(OWNER, (QueryRequest("/q", b"\x01"),))


@pytest.mark.parametrize(
    ("message", "error"),
    [
        (replace(REGISTER, connection_id="c"), InvalidIdentifier),
        (replace(REGISTER, ordering=Order.NONE), InvalidChannelOrdering),
        (replace(REGISTER, owner=" \t"), InvalidAddress),
        (replace(REGISTER, owner="x" * (MAX_OWNER_SIZE + 1)), InvalidAddress),
        (replace(SEND, connection_id="!"), InvalidIdentifier),
        (replace(SEND, owner=""), InvalidAddress),
        (replace(SEND, packet_data=replace(DATA, data=b"")), InvalidOutgoingData),
        (replace(SEND, relative_timeout=0), InvalidRequest),
        (replace(CONTROLLER, signer="nobody"), InvalidAddress),
        (replace(HOST, signer="nobody"), InvalidAddress),
        (replace(HOST, allow_messages=("*", "/a.Msg")), InvalidAllowList),
        (replace(HOST, allow_messages=("/a.Msg", " ")), InvalidAllowList),
        (replace(HOST, allow_messages=("/a.Msg",) * (MAX_ALLOW_LIST + 1)), InvalidAllowList),
        (replace(QUERIES, signer="nobody"), InvalidAddress),
        (replace(QUERIES, requests=()), InvalidRequest),
    ],
)
def test_what_the_stateless_checks_refuse(message, error):
    with pytest.raises(error):
        message.check(CHAIN)


def test_what_they_let_pass():
    for message in (
        replace(REGISTER, ordering=Order.UNORDERED, owner="x" * MAX_OWNER_SIZE),
        replace(HOST, allow_messages=("*",)),
        replace(HOST, allow_messages=()),
        replace(HOST, allow_messages=("/a.Msg",) * MAX_ALLOW_LIST),
    ):
        message.check(CHAIN)


SENT = AnyMessage("/cosmos.bank.v1beta1.MsgSend", b"\x0a\x01a\x12\x01b")


def wire(type_url):
    return message_class(type_url[1:])


@pytest.mark.parametrize("encoding", ["proto3", "proto3json"])
def test_a_transaction_in_both_encodings(encoding):
    data = write_messages((SENT, SENT), encoding)
    assert read_messages(data, encoding, wire) == [SENT, SENT]
    other = {"proto3": "proto3json", "proto3json": "proto3"}[encoding]
    with pytest.raises(InvalidType):
        read_messages(data, other, wire)


@pytest.mark.parametrize("data", [b"\x0a\xff", b"\x08\x01", b"\x00", b"\x0f"])
def test_h163_what_is_no_transaction(data):
    with pytest.raises(InvalidType):
        read_messages(data, "proto3", wire)


def test_unknown_fields_of_a_transaction_are_let_through():
    assert read_messages(write_messages((SENT,), "proto3") + b"\x7a\x01x", "proto3", wire) == [SENT]


def test_a_message_that_is_no_message():
    with pytest.raises(TxDecode):
        decode_msg(MsgSendTx, encode_msg(SEND) + b"\x7a\x01x")
