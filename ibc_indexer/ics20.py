"""What a packet's data moves, where it is ICS-20."""

from typing import NamedTuple

import msgspec
from google.protobuf.message import DecodeError

from ibc_proto.ibc.applications.transfer.v1.packet_pb2 import FungibleTokenPacketData

MAX_DIGITS = 78  # of 2^256 - 1


class Transfer(NamedTuple):
    """Denom as the packet names it (with its path), amount in decimal digits."""

    denom: str
    amount: str


def transfer_of(data: bytes) -> Transfer | None:
    """The transfer in ICS-20's JSON, None if the data is something else."""
    try:
        found = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    if not isinstance(found, dict) or not {"denom", "amount", "sender", "receiver"} <= found.keys():
        return None
    return checked(found["denom"], found["amount"])


def transfer_of_payload(encoding: str, value: bytes) -> Transfer | None:
    """The transfer in a payload of IBC v2: in JSON, or in protobuf."""
    if encoding == "application/json":
        return transfer_of(value)
    if encoding != "application/x-protobuf":
        return None
    try:
        found = FungibleTokenPacketData.FromString(value)
    except DecodeError:
        return None
    return checked(found.denom, found.amount)


def refund_of(found: dict[str, str]) -> Transfer | None:
    """The transfer that ICS-20's `timeout` event gives back."""
    if "refund_denom" in found:
        return checked(found["refund_denom"], found.get("refund_amount"))
    try:
        token = msgspec.json.decode(found.get("refund_tokens", ""))
        token = token[0] if isinstance(token, list) and token else token
        hops = token["denom"]["trace"] or ()
        path = "".join(f"{hop['port_id']}/{hop['channel_id']}/" for hop in hops)
        return checked(path + token["denom"]["base"], token["amount"])
    except (msgspec.DecodeError, RecursionError, KeyError, TypeError):
        return None


def checked(denom: object, amount: object) -> Transfer | None:
    """A transfer if both are what ICS-20 allows: a name, and decimal digits (older senders: a number)."""
    digits = str(amount) if type(amount) is int else amount
    if not isinstance(denom, str) or not denom or not isinstance(digits, str):
        return None
    if not digits.isascii() or not digits.isdigit() or len(digits) > MAX_DIGITS:
        return None
    return Transfer(denom, digits.lstrip("0") or "0")
