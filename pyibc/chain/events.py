"""Events of transactions, accounts and the bank, with the Cosmos SDK's names and attribute order."""

from collections.abc import Iterable, Iterator
from contextlib import suppress

from pyibc.core.host.block import Attribute, Event
from pyibc.core.packet.events import RECV_PACKET, SEND_PACKET, WRITE_ACKNOWLEDGEMENT
from pyibc.proto.ibc.core.client.v1.tx_pb2 import MsgUpdateClient


def coin_spent(spender: str, amount: str) -> Event:
    """Return the event of coins debited from an account."""
    return "coin_spent", (("spender", spender), ("amount", amount))


def coin_received(receiver: str, amount: str) -> Event:
    """Return the event of coins credited to an account."""
    return "coin_received", (("receiver", receiver), ("amount", amount))


def transfer(recipient: str, sender: str, amount: str) -> Event:
    """Return the event of a transfer between two accounts."""
    return "transfer", (("recipient", recipient), ("sender", sender), ("amount", amount))


def message_sender(sender: str) -> Event:
    """Return the event that names the sender of a bank message."""
    return "message", (("sender", sender),)


def coinbase(minter: str, amount: str) -> Event:
    """Return the event of minted coins."""
    return "coinbase", (("minter", minter), ("amount", amount))


def burn(burner: str, amount: str) -> Event:
    """Return the event of burned coins."""
    return "burn", (("burner", burner), ("amount", amount))


def tx_fee(fee: str, payer: str) -> Event:
    """Return the event of a transaction's fee."""
    return "tx", (("fee", fee), ("fee_payer", payer))


def tx_sequence(address: str, sequence: int) -> Event:
    """Return the event of the account sequence that a signer used."""
    return "tx", (("acc_seq", f"{address}/{sequence}"),)


def tx_signature(signature_base64: str) -> Event:
    """Return the event of a verified signature."""
    return "tx", (("signature", signature_base64),)


def message_action(type_url: str, sender: str) -> Event:
    """Return the event of a message's type URL and first signer."""
    return "message", (("action", type_url), ("sender", sender))


def message_events(type_url: str, sender: str, own: tuple[Event, ...], index: int | None) -> list[Event]:
    """Return all events of one message, the `action` event first.

    As in the SDK, the `action` event names the module (second part of the type URL) unless an event of the
    message has the attribute `module`. If `index` is not None, every event gets the attribute `msg_index`.
    """
    kind, attributes = message_action(type_url, sender)
    if not _names_module(own):
        attributes = (*attributes, ("module", type_url.split(".")[1]))
    if index is None:
        return [(kind, attributes), *own]
    tail = (("msg_index", str(index)),)
    return [(kind, attributes + tail), *[(name, pairs + tail) for name, pairs in own]]


def _names_module(events: tuple[Event, ...]) -> bool:
    for name, pairs in events:
        # A `message` event usually has it and is short: checking it first is faster.
        if name == "message" and any([key == "module" for key, _ in pairs]):  # noqa: C419 - faster
            return True
    return any([key == "module" for _, pairs in events for key, _ in pairs])  # noqa: C419 - faster


# -- event attributes of ibc-go before v9 that relayers still read; enabled by `HostConfig.legacy_events`
#
# `packet_data` and `packet_ack` are added before their hex forms, as text; invalid UTF-8 is replaced, so
# only the hex is exact. `header` is appended to `update_client`: the client message's Any in hex, which
# Hermes needs to detect misbehaviour. Block events matter most: in push mode, Hermes does not read
# `packet_ack_hex` there.

UPDATE_CLIENT = "/ibc.core.client.v1.MsgUpdateClient"
_RAW = {"packet_data_hex": "packet_data", "packet_ack_hex": "packet_ack"}
_OF_PACKETS = frozenset((SEND_PACKET, RECV_PACKET, WRITE_ACKNOWLEDGEMENT))


def with_legacy(events: Iterable[Event], header: str = "") -> tuple[Event, ...]:
    """Add the legacy attributes; `header` is the hex of the client message that caused the events."""
    return tuple([_event(event, header) for event in events])


def header_of(type_url: str, message: bytes) -> str:
    """Return the client message (an Any) of a MsgUpdateClient in hex; "" for any other message."""
    if type_url != UPDATE_CLIENT:
        return ""
    return MsgUpdateClient.FromString(message).client_message.SerializeToString(deterministic=True).hex()


def _event(event: Event, header: str) -> Event:
    name, pairs = event
    if name in _OF_PACKETS:
        return name, tuple(_with_raw(pairs))
    if header and name == "update_client":
        return name, (*pairs, ("header", header))
    return event


def _with_raw(pairs: Iterable[Attribute]) -> Iterator[Attribute]:
    for pair in pairs:
        key, text = pair
        if key in _RAW:
            with suppress(ValueError):  # not hex: an application's own event with the name of an IBC event
                yield _RAW[key], bytes.fromhex(text).decode("utf-8", "replace")
        yield pair
