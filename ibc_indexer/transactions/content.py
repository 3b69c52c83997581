"""The parts of a transaction that tables and names are made of."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import msgspec

from ibc_core.numbers import MAX_I64

MAX_MEMO = 1024
"""Characters of a memo that are kept, of a transaction's and of a transfer's."""

MAX_MESSAGES = 4096
"""Messages of one transaction that are read; relayers put some hundreds into one."""

MAX_COINS = 64
"""Coins of a fee that are read."""

MAX_NAME = 256
"""Characters of an identifier or address; longer ones are malformed."""


class MessageFacts(NamedTuple):
    """One message, as far as an index of IBC asks. What a message does not have is empty or 0."""

    type_url: str  # empty: the message could not be read
    signer: str = ""
    client_id: str = ""
    connection_id: str = ""
    port: str = ""  # the end on the chain that executes the message
    channel: str = ""
    sequence: int = 0  # of the packet
    ordering: str = ""  # ORDER_ORDERED, ORDER_UNORDERED, of a new channel
    other_client: str = ""  # the counterparty that is registered
    chain_id: str = ""  # what a client state or a header says its chain is
    revision: int = 0  # of the height below
    height: int = 0  # a client state's latest, a header's, or the height that a packet is proved at
    time_ns: int = 0  # of the header or the first consensus state, unix nanoseconds
    trusting_ns: int = 0  # the trusting period


class TxContent(NamedTuple):
    """What stands in a transaction of the Cosmos SDK."""

    memo: str = ""  # at most `MAX_MEMO` characters
    fee: tuple[tuple[str, str], ...] = ()  # denom, amount in digits
    signer: str = ""  # the fee's payer, or the first signer that a message of IBC names
    messages: tuple[MessageFacts, ...] = ()
    problems: tuple[str, ...] = ()  # of messages that could not be read


def first_signer(payer: str, messages: Iterable[MessageFacts]) -> str:
    """Who stands for a transaction: its fee's payer if it names one, else the first signer of a message."""
    return payer or next((message.signer for message in messages if message.signer), "")


class Document(msgspec.Struct, forbid_unknown_fields=True):
    """The form in a block line: of a message only the fields that it has."""

    memo: str = ""
    fee: list[tuple[str, str]] = []
    signer: str = ""
    messages: list[dict[str, str | int]] = []
    problems: list[str] = []


_TYPES = MessageFacts.__annotations__


def to_document(content: TxContent) -> dict[str, Any]:
    """The JSON object that a block line carries."""
    messages = [
        {name: found for name, found in zip(MessageFacts._fields, message, strict=True) if found}
        for message in content.messages
    ]
    return {**content._asdict(), "messages": messages}


def from_document(found: Document) -> TxContent:
    """The content that a block line carries.

    Raises:
        ValueError: it is not what `to_document` makes, or exceeds the limits of this module.
    """
    messages = tuple(_message(each) for each in found.messages)
    if len(messages) > MAX_MESSAGES or len(found.fee) > MAX_COINS or len(found.memo) > MAX_MEMO:
        raise ValueError("a transaction's content is too large")
    return TxContent(found.memo, tuple(found.fee), found.signer, messages, tuple(found.problems))


def _message(found: dict[str, str | int]) -> MessageFacts:
    for name, value in found.items():
        if name not in _TYPES or type(value) is not _TYPES[name]:
            raise ValueError(f"a message with an odd {name[:32]!r}")
        if isinstance(value, int) and not 0 <= value <= MAX_I64:
            raise ValueError(f"a message whose {name} is outside 0..2^63-1")
    return MessageFacts(**{"type_url": "", **found})  # type: ignore[arg-type]
