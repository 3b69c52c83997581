"""What a packet of interchain accounts (ICS-27) or of GMP asks another chain to execute.

Only what such a module would read is a call. A packet does not say in which encoding the messages are (the
channel's handshake did, which may not be known): an encoding is told, and messages with it, only if the data
can be read in no other. What nobody can read (a call to a chain without protobuf, say) has no messages here.
"""

import re
from typing import NamedTuple

import msgspec

from ibc_core.errors import IbcError, TxDecode
from ibc_core.gmp import names as gmp
from ibc_core.gmp import packet_data as gmp_data
from ibc_core.gmp.account import AccountIdentifier
from ibc_core.interchain_accounts.metadata import PROTO3, PROTO3_JSON
from ibc_core.interchain_accounts.names import CONTROLLER_PREFIX, HOST_PORT
from ibc_core.interchain_accounts.packet_data import EXECUTE_TX, decode_packet_data
from ibc_core.packet.types import Packet
from ibc_core.packet_v2.types import Payload
from ibc_core.wire.gogo import read_cosmos_tx
from ibc_indexer.transactions.content import MAX_NAME, MessageFacts
from ibc_indexer.transactions.decode import facts_of_any, facts_of_printed

INTERCHAIN_ACCOUNTS, GMP = "interchain-accounts", "gmp"
"""Who executes: values of a row's `application`."""

MAX_MESSAGES = 64
"""Messages of one call that have rows."""

_TYPE_URL = re.compile(r"/[A-Za-z0-9_]+(\.[A-Za-z0-9_]+)*")


class Carried(NamedTuple):
    """Messages as they stand in a call."""

    encoding: str  # `proto3` or `proto3json`
    total: int
    messages: tuple[MessageFacts, ...]  # the first `MAX_MESSAGES`


class Call(NamedTuple):
    """What a payload asks another chain to execute, and for whom."""

    application: str
    owner: str  # on the sending chain: whose account is to act
    data: bytes  # what is to be executed
    memo: str
    carried: Carried | None  # None: the data cannot be read, or in more than one way
    receiver: str = ""  # GMP's
    salt: bytes = b""  # GMP's
    account: bytes = b""  # GMP's, on a chain that has such accounts; b"" where that is not known


class PayloadCall(NamedTuple):
    """The call in one payload of a packet."""

    payload: int  # which, from 0
    src_port: str
    dst_port: str
    call: Call


def account_call(packet: Packet) -> Call | None:
    """The transaction that a controller sends to a host; None if the packet is something else."""
    if packet.port_id_on_b != HOST_PORT or not packet.port_id_on_a.startswith(CONTROLLER_PREFIX):
        return None
    try:
        found = decode_packet_data(packet.data)
    except IbcError:
        return None
    if found.kind != EXECUTE_TX:
        return None
    owner = packet.port_id_on_a.removeprefix(CONTROLLER_PREFIX)
    return Call(INTERCHAIN_ACCOUNTS, owner, found.data, found.memo, _the_one_reading(found.data))


def gmp_call(payload: Payload, client_id_on_b: str) -> Call | None:
    """The call in a payload of IBC v2; None if it is something else."""
    if payload.port_id_on_a != gmp.PORT_ID or payload.port_id_on_b != gmp.PORT_ID:
        return None
    try:
        found = gmp_data.decode(payload.value, payload.version, payload.encoding)
        found.check()
    except IbcError:
        return None
    carried = _the_one_reading(found.payload)
    account = _account(client_id_on_b, found) if carried is not None and carried.total else b""
    return Call(GMP, found.sender, found.payload, found.memo, carried, found.receiver, found.salt, account)


def _account(client_id: str, found: gmp_data.GmpPacketData) -> bytes:
    try:
        return AccountIdentifier(client_id, found.sender, found.salt).address
    except IbcError:
        return b""


def _the_one_reading(data: bytes) -> Carried | None:
    readings = [found for found in (_in_protobuf(data), _in_json(data)) if found is not None]
    # guard: h210-of-two-readings-one-is-taken {len(readings) == 1 => readings}
    #   test_h210_data_that_can_be_read_in_two_ways_is_not_read
    return readings[0] if len(readings) == 1 else None


def _in_protobuf(data: bytes) -> Carried | None:
    try:
        found = read_cosmos_tx(data)
    except TxDecode:
        return None
    if data and not found:  # unknown fields alone: anything may look like that
        return None
    # guard: h211-every-message-has-a-row drop:MAX_MESSAGES test_h211_of_many_messages_the_first_have_rows
    listed = [facts_of_any(each.type_url, each.value) for each in found[:MAX_MESSAGES]]
    return Carried(PROTO3, len(found), tuple(map(_named, listed)))


def _in_json(data: bytes) -> Carried | None:
    try:
        found = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    messages = found.get("messages") if isinstance(found, dict) else None
    if not isinstance(messages, list) or len(found) != 1:
        return None
    listed = [facts_of_printed(each) for each in messages[:MAX_MESSAGES]]
    return Carried(PROTO3_JSON, len(messages), tuple(map(_named, listed)))


def _named(message: MessageFacts) -> MessageFacts:
    """A message whose type is no type's name is as good as unread."""
    fits = len(message.type_url) < MAX_NAME and _TYPE_URL.fullmatch(message.type_url)
    return message if fits else MessageFacts("")
