"""Decoder of calls in packets of interchain accounts (ICS-27) and GMP.

Packet data is a call only if the receiving module would accept it. The packet does not contain the encoding
of its messages: the channel version does, which may not be known. The encoding and the messages are set only
if the data is valid in exactly one encoding. Data in another format, such as a call to a chain without
protobuf, has no messages here.
"""

import re
from typing import NamedTuple

import msgspec

from pyibc.apps.gmp import packet_data as gmp
from pyibc.apps.gmp.packet_data import AccountIdentifier
from pyibc.apps.interchain_accounts.packet_data import (
    CONTROLLER_PREFIX,
    EXECUTE_TX,
    HOST_PORT,
    PROTO3,
    PROTO3_JSON,
    decode_packet_data,
)
from pyibc.codec.gogoproto import read_cosmos_tx
from pyibc.core.errors import IbcError, TxDecode
from pyibc.core.packet.types import Packet
from pyibc.core.packet_v2.types import Payload
from pyibc.indexer.blocks.block import MAX_NAME, MessageFacts
from pyibc.indexer.events.transactions import facts_of_any, facts_of_printed

INTERCHAIN_ACCOUNTS, GMP = "interchain-accounts", "gmp"
"""Applications that execute calls: values of the column `application`."""

MAX_MESSAGES = 64
"""Maximum number of messages per call with rows of their own."""

_TYPE_URL = re.compile(r"/[A-Za-z0-9_]+(\.[A-Za-z0-9_]+)*")


class CallMessages(NamedTuple):
    """Messages of a call in their order."""

    encoding: str  # `proto3` or `proto3json`
    total: int  # number of messages in the call
    messages: tuple[MessageFacts, ...]  # the first `MAX_MESSAGES`


class Call(NamedTuple):
    """Request in a payload to execute messages on the counterparty chain."""

    application: str
    owner: str  # address on the sending chain of the account's owner
    data: bytes  # encoded messages or other content to execute
    memo: str
    carried: CallMessages | None  # None: the data is not decodable, or ambiguous
    receiver: str = ""  # GMP only
    salt: bytes = b""  # GMP only
    account: bytes = b""  # GMP account on a chain that has such accounts; b"" if not known


class PayloadCall(NamedTuple):
    """Call in one payload of a packet."""

    payload: int  # index from 0
    src_port: str
    dst_port: str
    call: Call


def account_call(packet: Packet) -> Call | None:
    """Decode the call in an ICS-27 packet from a controller to a host; None if the packet is not one."""
    if packet.port_id_on_b != HOST_PORT or not packet.port_id_on_a.startswith(CONTROLLER_PREFIX):
        return None
    try:
        found = decode_packet_data(packet.data)
    except IbcError:
        return None
    if found.kind != EXECUTE_TX:
        return None
    owner = packet.port_id_on_a.removeprefix(CONTROLLER_PREFIX)
    return Call(INTERCHAIN_ACCOUNTS, owner, found.data, found.memo, _unambiguous(found.data))


def gmp_call(payload: Payload, client_id_on_b: str) -> Call | None:
    """Decode the GMP call in an IBC v2 payload; None if the payload is not one."""
    if payload.port_id_on_a != gmp.PORT_ID or payload.port_id_on_b != gmp.PORT_ID:
        return None
    try:
        found = gmp.decode(payload.value, payload.version, payload.encoding)
        found.check()
    except IbcError:
        return None
    carried = _unambiguous(found.payload)
    account = _account(client_id_on_b, found) if carried is not None and carried.total else b""
    return Call(GMP, found.sender, found.payload, found.memo, carried, found.receiver, found.salt, account)


def _account(client_id: str, found: gmp.GmpPacketData) -> bytes:
    try:
        return AccountIdentifier(client_id, found.sender, found.salt).address
    except IbcError:
        return b""


def _unambiguous(data: bytes) -> CallMessages | None:
    readings = [found for found in (_in_protobuf(data), _in_json(data)) if found is not None]
    # guard: h210-of-two-readings-one-is-taken {len(readings) == 1 => readings}
    #   test_h210_data_that_can_be_read_in_two_ways_is_not_read
    return readings[0] if len(readings) == 1 else None


def _in_protobuf(data: bytes) -> CallMessages | None:
    try:
        found = read_cosmos_tx(data)
    except TxDecode:
        return None
    if data and not found:  # only unknown fields: arbitrary data can decode like that
        return None
    # guard: h211-every-message-has-a-row drop:MAX_MESSAGES test_h211_of_many_messages_the_first_have_rows
    listed = [facts_of_any(each.type_url, each.value) for each in found[:MAX_MESSAGES]]
    return CallMessages(PROTO3, len(found), tuple(map(_named, listed)))


def _in_json(data: bytes) -> CallMessages | None:
    try:
        found = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    messages = found.get("messages") if isinstance(found, dict) else None
    if not isinstance(messages, list) or len(found) != 1:
        return None
    listed = [facts_of_printed(each) for each in messages[:MAX_MESSAGES]]
    return CallMessages(PROTO3_JSON, len(messages), tuple(map(_named, listed)))


def _named(message: MessageFacts) -> MessageFacts:
    """Return `message`, or an empty one if its type URL is not a valid name."""
    fits = len(message.type_url) < MAX_NAME and _TYPE_URL.fullmatch(message.type_url)
    return message if fits else MessageFacts("")
