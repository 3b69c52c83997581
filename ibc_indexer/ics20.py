"""What a packet's data moves, where it is ICS-20."""

from typing import NamedTuple

import msgspec
from google.protobuf.message import DecodeError

from ibc_core.coin import parse_amount
from ibc_core.errors import InvalidType
from ibc_core.transfer import abi
from ibc_core.transfer.encodings import ABI, JSON, PROTOBUF
from ibc_proto.ibc.applications.transfer.v1.packet_pb2 import FungibleTokenPacketData

ICS20 = "ics20-"
"""What the versions of its payloads begin with."""

MAX_DIGITS = 78  # of 2^256 - 1
MAX_PAYLOADS = 64
"""Payloads of one packet that are read; IBC v2 allows one today."""


class Transfer(NamedTuple):
    """What a packet's data moves, and between whom."""

    denom: str  # as the packet names it, with its path
    amount: str  # decimal digits
    sender: str = ""  # on the sending chain; empty where an event does not tell it
    receiver: str = ""  # on the receiving chain
    memo: str = ""


class PayloadTransfer(NamedTuple):
    """The transfer in one payload of a packet."""

    payload: int  # which, from 0
    src_port: str
    dst_port: str
    transfer: Transfer


def transfer_of(data: bytes) -> Transfer | None:
    """The transfer in ICS-20's JSON, None if the data is something else."""
    try:
        found = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    if not isinstance(found, dict) or not {"denom", "amount", "sender", "receiver"} <= found.keys():
        return None
    return checked(found["denom"], found["amount"], found["sender"], found["receiver"], found.get("memo"))


def transfer_of_payload(encoding: str, value: bytes) -> Transfer | None:
    """The transfer in a payload of IBC v2: in JSON, in protobuf, or in the ABI of Solidity."""
    if encoding == JSON:
        return transfer_of(value)
    if encoding == ABI:
        return _transfer_in_abi(value)
    if encoding != PROTOBUF:
        return None
    try:
        found = FungibleTokenPacketData.FromString(value)
    except DecodeError:
        return None
    return checked(found.denom, found.amount, found.sender, found.receiver, found.memo)


def _transfer_in_abi(value: bytes) -> Transfer | None:
    try:
        found = abi.decode(value)
    except InvalidType:
        return None
    return checked(found.denom, str(found.amount), found.sender, found.receiver, found.memo)


def refund_of(found: dict[str, str]) -> Transfer | None:
    """The transfer that ICS-20's `timeout` event gives back."""
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
    """Who gets back what a timeout returns: its sender."""
    return found.get("refund_receiver") or found.get("receiver", "")


def checked(
    denom: object, amount: object, sender: object = "", receiver: object = "", memo: object = ""
) -> Transfer | None:
    """A transfer if its parts are what ICS-20 allows: texts, and an amount as ibc-go reads it.

    Amounts are numbers as text, `16` or `0x10` (older senders: numbers); a memo that is no text is dropped.
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
