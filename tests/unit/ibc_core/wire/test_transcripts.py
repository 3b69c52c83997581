"""Everything that ibc-go wrote or read, decoded and encoded again."""

import base64

import pytest

from conformance.kit.known import HANDLED, TRANSFER
from ibc_core import paths
from ibc_core.any_message import AnyMessage
from ibc_core.channel.open_init import MsgChannelOpenInit
from ibc_core.channel.open_try import MsgChannelOpenTry
from ibc_core.channel.types import Order
from ibc_core.connection.open_ack import MsgConnectionOpenAck
from ibc_core.connection.open_try import MsgConnectionOpenTry
from ibc_core.errors import TxDecode
from ibc_core.packet.recv import MsgRecvPacket
from ibc_core.wire import anys, merkle, states
from ibc_core.wire.encoding import encode
from ibc_core.wire.message import decode_msg, encode_msg
from ibc_core.wire.strict import parse
from ibc_proto.ibc.core.channel.v2 import packet_pb2 as v2_packet
from ibc_proto.ibc.core.client.v2 import config_pb2, counterparty_pb2
from ibc_proto.ibc.lightclients.tendermint.v1 import tendermint_pb2
from ibc_proto.pool import message_class

pytestmark = pytest.mark.vectors

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


def test_responses(transcripts):
    for tx in transcripts.txs():
        for response in tx.get("msg_responses") or ():
            if response["type_url"].startswith("/ibc."):
                raw = base64.b64decode(response["value_b64"])
                assert again(response["type_url"], raw) == raw


def test_headers(transcripts):
    for step in transcripts.steps():
        raw = base64.b64decode(step["header_b64"])
        assert encode(tendermint_pb2.Header.FromString(raw)) == raw


def test_stored_values(transcripts):
    checked = 0
    for key, raw in transcripts.stored():
        written = rewrite(key, raw)
        if written is not None:
            checked += 1
            assert written == raw, key
    assert checked > 2500


def rewrite(key, raw):
    """A stored protobuf value, decoded and encoded; None for values of other kinds."""
    text = key.decode("latin-1")
    if key == paths.CLIENT_PARAMS:
        return states.encode_client_params(states.decode_client_params(raw))
    if key == paths.CONNECTION_PARAMS:
        return states.encode_connection_params(states.decode_connection_params(raw))
    if text.startswith("connections/"):
        return states.encode_connection_end(states.decode_connection_end(raw))
    if text.startswith("channelEnds/"):
        return states.encode_channel_end(states.decode_channel_end(raw))
    if "async_packet" in text:
        return encode(v2_packet.Packet.FromString(raw))
    return rewrite_client(text, raw) if text.startswith("clients/") else None


def rewrite_client(text, raw):
    if text.endswith("/connections"):
        return states.encode_client_paths(states.decode_client_paths(raw))
    if text.endswith("/counterparty"):
        return encode(counterparty_pb2.CounterpartyInfo.FromString(raw))
    if text.endswith("/config"):
        return encode(config_pb2.Config.FromString(raw))
    if text.endswith("/clientState") or ("/consensusStates/" in text and text.count("/") == 3):
        packed = anys.decode_any(raw)
        inner = anys.unpack_any_type(packed)
        return anys.encode_any(AnyMessage(packed.type_url, encode(inner)))
    return None


def test_proofs(transcripts):
    seen = 0
    for tx in transcripts.txs(without="solomachine"):
        if tx["code"] != 0:
            continue
        for type_url, raw in ibc_messages(tx):
            if type_url == MsgRecvPacket.TYPE_URL:
                proof = decode_msg(MsgRecvPacket, raw).proof_commitment_on_a
                seen += 1
                assert merkle.encode_merkle_proof(merkle.decode_merkle_proof(proof)) == proof
    assert seen > 100
