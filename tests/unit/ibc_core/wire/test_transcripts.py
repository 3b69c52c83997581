"""Every message that ibc-go was sent, decoded and encoded again."""

import base64

import pytest

from conformance.kit.known import HANDLED, TRANSFER
from ibc_core.channel.open_init import MsgChannelOpenInit
from ibc_core.channel.open_try import MsgChannelOpenTry
from ibc_core.channel.types import Order
from ibc_core.connection.open_ack import MsgConnectionOpenAck
from ibc_core.connection.open_try import MsgConnectionOpenTry
from ibc_core.errors import TxDecode
from ibc_core.wire.encoding import encode
from ibc_core.wire.message import decode_msg, encode_msg
from ibc_core.wire.strict import parse
from ibc_proto.pool import message_class

CODECS = {**HANDLED, **TRANSFER}


def again(type_url, raw):
    """The bytes of a message after strict parsing and encoding, with those of all Anys in it."""
    message = parse(message_class(type_url[1:]), raw)
    for field, child in message.ListFields():
        if field.message_type is not None and field.message_type.full_name == "google.protobuf.Any":
            inner = parse(message_class(child.type_url[1:]), child.value)
            assert encode(inner) == child.value, child.type_url
    return encode(message)


def ibc_messages(tx):
    for message in tx["msgs"]:
        if message["type_url"].startswith("/ibc."):
            yield message["type_url"], base64.b64decode(message["value_b64"])


def test_messages(transcripts):
    refused = counted = 0
    for tx in transcripts.txs():
        if (tx.get("codespace"), tx["code"]) == ("sdk", 2):
            refused += 1
            for type_url, raw in ibc_messages(tx):
                with pytest.raises(TxDecode):
                    parse(message_class(type_url[1:]), raw)
            continue
        for type_url, raw in ibc_messages(tx):
            counted += 1
            assert again(type_url, raw) == raw, (tx["note"], type_url)
            if type_url in CODECS:
                check_codec(type_url, raw)
    assert refused >= 1
    assert counted > 4000


def check_codec(type_url, raw):
    cls = CODECS[type_url]
    value = decode_msg(cls, raw)
    written = encode_msg(value)
    if not loses_something(type_url, value):
        assert written == raw, type_url
    assert decode_msg(cls, written) == value


def loses_something(type_url, value):
    """Deprecated fields of two messages, and an ordering that has no name, are not kept."""
    if type_url in {MsgChannelOpenInit.TYPE_URL, MsgChannelOpenTry.TYPE_URL}:
        return value.channel.ordering is Order.NONE
    return type_url in {MsgConnectionOpenTry.TYPE_URL, MsgConnectionOpenAck.TYPE_URL}
