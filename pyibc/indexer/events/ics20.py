"""Decoder of ICS-20 transfers in packet data and events."""

from typing import NamedTuple

import msgspec
from google.protobuf.message import DecodeError

from pyibc.apps.transfer import packet_data
from pyibc.core.coin import parse_amount
from pyibc.core.errors import InvalidType
from pyibc.core.packet_v2.types import ABI, JSON, PROTOBUF
from pyibc.proto.ibc.applications.transfer.v1.packet_pb2 import FungibleTokenPacketData

ICS20 = "ics20-"
"""Prefix of the ICS-20 versions."""
MAX_PAYLOADS = 64
"""Maximum number of payloads of a packet that are decoded; IBC v2 allows one today."""


class Transfer(NamedTuple):
    """ICS-20 transfer: coin, sender and receiver."""

    denom: str  # as in the packet, with its trace
    amount: str  # decimal digits
    sender: str = ""  # on the sending chain; empty if the event does not have it
    receiver: str = ""  # on the receiving chain
    memo: str = ""


class PayloadTransfer(NamedTuple):
    """Transfer in one payload of a packet."""

    payload: int  # index from 0
    src_port: str
    dst_port: str
    transfer: Transfer


def transfer_of(data: bytes) -> Transfer | None:
    """Decode the JSON of ICS-20 as the transfer module does; None if the data is not a transfer.

    The module replaces invalid UTF-8 and lone surrogates by U+FFFD. JSON that it refuses is read too, for
    chains with another module: the amount may be a number, and there may be further fields.
    """
    try:
        found = packet_data.read_fields(data)
    except InvalidType:
        return _transfer_of_others(data)
    if not found.sender or not found.receiver:
        return _transfer_of_others(data)
    return checked(found.denom, found.amount, found.sender, found.receiver, found.memo)


def _transfer_of_others(data: bytes) -> Transfer | None:
    try:
        found = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    if not isinstance(found, dict) or not {"denom", "amount", "sender", "receiver"} <= found.keys():
        return None
    return checked(found["denom"], found["amount"], found["sender"], found["receiver"], found.get("memo"))


def transfer_of_payload(encoding: str, value: bytes) -> Transfer | None:
    """Decode the transfer in an IBC v2 payload in JSON, protobuf or Solidity ABI encoding; None otherwise."""
    if encoding == JSON:
        return transfer_of(value)
    if encoding not in {ABI, PROTOBUF}:
        return None
    decode = packet_data.decode_abi if encoding == ABI else FungibleTokenPacketData.FromString
    try:
        found = decode(value)
    except (InvalidType, DecodeError):
        return None
    return checked(found.denom, str(found.amount), found.sender, found.receiver, found.memo)


def refund_of(found: dict[str, str]) -> Transfer | None:
    """Return the refunded transfer of an ICS-20 `timeout` event; None if the event does not have it."""
    if "refund_denom" in found:
        return checked(found["refund_denom"], found.get("refund_amount"), _refunded(found))
    try:
        token = msgspec.json.decode(found.get("refund_tokens", ""))
        token = token[0] if isinstance(token, list) and token else token
        hops = token["denom"]["trace"] or ()
        path = "".join(f"{hop['port_id']}/{hop['channel_id']}/" for hop in hops)
        return checked(path + token["denom"]["base"], token["amount"], _refunded(found))
    except (msgspec.DecodeError, RecursionError, KeyError, TypeError):
        return None


def _refunded(found: dict[str, str]) -> str:
    """Return the receiver of the refund, the sender of the transfer."""
    return found.get("refund_receiver") or found.get("receiver", "")


def checked(
    denom: object, amount: object, sender: object = "", receiver: object = "", memo: object = ""
) -> Transfer | None:
    """Build a transfer if the fields are valid in ICS-20: strings, and an amount that ibc-go parses.

    Amounts are strings such as `16` or `0x10`; older senders use numbers. A memo that is not a string is
    dropped.
    """
    text = str(amount) if type(amount) is int else amount
    if not isinstance(denom, str) or not denom or not isinstance(text, str):
        return None
    if not isinstance(sender, str) or not isinstance(receiver, str):
        return None
    number = parse_amount(text)
    if number is None or number < 0:
        return None
    return Transfer(denom, str(number), sender, receiver, memo if isinstance(memo, str) else "")
