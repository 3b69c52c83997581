"""Decoder of Cosmos SDK transactions, from bytes or from JSON as the REST gateway prints it."""

from collections.abc import Iterable, Iterator, Sequence

from google.protobuf.message import DecodeError

from pyibc.indexer.blocks.block import (
    MAX_COINS,
    MAX_DIGITS,
    MAX_MEMO,
    MAX_MESSAGES,
    MAX_NAME,
    MessageFacts,
    TxContent,
    first_signer,
)
from pyibc.indexer.errors import MalformedContent
from pyibc.indexer.events.messages import (
    CLAIMING,
    HEADER,
    SHAPES,
    Encoded,
    Printed,
    facts_of_message,
    with_claim,
)
from pyibc.proto.cosmos.tx.v1beta1.tx_pb2 import AuthInfo, TxBody, TxRaw
from pyibc.proto.google.protobuf.any_pb2 import Any as AnyMessage

_Read = MessageFacts | MalformedContent


def content_of_bytes(raw: bytes) -> TxContent | None:
    """Decode the content of an encoded transaction; None if it is not a Cosmos SDK transaction."""
    try:
        outer = TxRaw.FromString(raw)
        body, auth = TxBody.FromString(outer.body_bytes), AuthInfo.FromString(outer.auth_info_bytes)
    except DecodeError:  # another transaction format: only its events can be used
        return None
    messages = map(_encoded, body.messages[: MAX_MESSAGES + 1])
    coins = [(coin.denom, coin.amount) for coin in auth.fee.amount[: MAX_COINS + 1]]
    return _content(messages, body.memo, coins, auth.fee.payer)


def content_of_json(tx: object) -> TxContent | None:
    """Decode the content of a transaction in JSON; None if it is malformed or has another format."""
    body, auth = (tx.get(part) for part in ("body", "auth_info")) if isinstance(tx, dict) else (None, None)
    messages = body.get("messages") if isinstance(body, dict) else None
    if not isinstance(body, dict) or not isinstance(messages, list):
        return None
    fee = auth.get("fee") if isinstance(auth, dict) else None
    fee = fee if isinstance(fee, dict) else {}
    coins = fee.get("amount")
    pairs = [
        (coin.get("denom"), coin.get("amount")) if isinstance(coin, dict) else (None, None)
        for coin in (coins if isinstance(coins, list) else ())[: MAX_COINS + 1]
    ]
    return _content(map(_printed, messages[: MAX_MESSAGES + 1]), body.get("memo"), pairs, fee.get("payer"))


def claim_of_header(encoded: bytes) -> MessageFacts | None:
    """Decode the header in an `Any` of an event; None if it is of another client type.

    Raises:
        MalformedContent: the header cannot be decoded.
    """
    try:
        found = AnyMessage.FromString(encoded)
    except DecodeError:
        raise MalformedContent("a header that is not an Any") from None
    if found.type_url != HEADER:
        return None
    fields = Encoded.of(CLAIMING, CLAIMING[HEADER], found.value)
    return with_claim(MessageFacts(""), HEADER, fields)


def facts_of_any(type_url: str, value: bytes) -> MessageFacts:
    """Decode the message in an `Any`; only its type if it cannot be decoded."""
    read = _encoded(AnyMessage(type_url=type_url, value=value))
    return read if isinstance(read, MessageFacts) else MessageFacts(type_url[:MAX_NAME])


def facts_of_printed(message: object) -> MessageFacts:
    """Decode a message in JSON; only its type, if it has one, if it cannot be decoded."""
    read = _printed(message)
    if isinstance(read, MessageFacts):
        return read
    type_url = message.get("@type") if isinstance(message, dict) else None
    return MessageFacts(type_url[:MAX_NAME] if isinstance(type_url, str) else "")


def _encoded(message: AnyMessage) -> _Read:
    type_url, shape = message.type_url[:MAX_NAME], SHAPES.get(message.type_url)
    if shape is None:
        return MessageFacts(type_url)
    try:
        return facts_of_message(type_url, shape, Encoded.of(CLAIMING, shape.kind, message.value))
    except MalformedContent as error:
        return MalformedContent(f"{type_url}: {error.reason}")


def _printed(message: object) -> _Read:
    type_url = message.get("@type") if isinstance(message, dict) else None
    if not isinstance(message, dict) or not isinstance(type_url, str):
        return MalformedContent("a message without a type")
    shape = SHAPES.get(type_url)
    if shape is None:
        return MessageFacts(type_url[:MAX_NAME])
    if "header" in message:  # the field's name before ibc-go v7
        message = {"client_message": message["header"], **message}
    try:
        return facts_of_message(type_url, shape, Printed(message))
    except MalformedContent as error:
        return MalformedContent(f"{type_url}: {error.reason}")


def _content(
    messages: Iterable[_Read], memo: object, coins: Sequence[tuple[object, object]], payer: object
) -> TxContent:
    read = list(messages)
    problems = [f"message {n}: {each.reason}" for n, each in enumerate(read) if not isinstance(each, tuple)]
    if len(read) > MAX_MESSAGES:
        read.pop()
        problems.append(f"more than {MAX_MESSAGES} messages")
    facts = tuple(each if isinstance(each, tuple) else MessageFacts("") for each in read)
    fee = tuple(_fee(coins))
    if len(fee) != len(coins):
        problems.append("a fee that is not a list of coins")
    if not isinstance(memo, str | None) or not isinstance(payer, str | None) or len(payer or "") > MAX_NAME:
        problems.append("a memo or a payer that is not a valid string")
        memo, payer = "", ""
    return TxContent((memo or "")[:MAX_MEMO], fee, first_signer(payer or "", facts), facts, tuple(problems))


def _fee(coins: Sequence[tuple[object, object]]) -> Iterator[tuple[str, str]]:
    """Yield the valid coins, at most `MAX_COINS`."""
    for denom, amount in coins[:MAX_COINS]:
        if not isinstance(denom, str) or not isinstance(amount, str) or not 0 < len(denom) <= MAX_NAME:
            continue
        if amount.isascii() and amount.isdigit() and len(amount) <= MAX_DIGITS:
            yield denom, amount
