"""Rows of what is in a block's packets: transfers, forwarded packets, calls and their messages."""

from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter

from pyibc.indexer.blocks.block import MAX_MEMO, MAX_NAME, Block
from pyibc.indexer.bronze.rows import place_of
from pyibc.indexer.events.calls import PayloadCall
from pyibc.indexer.events.forwards import Route, coins_of, forwards_of
from pyibc.indexer.events.ics20 import PayloadTransfer
from pyibc.indexer.events.packet_facts import KINDS, QUEUE, RECEIVING, RECV, WRITE_ACK, PacketFacts, ids_of
from pyibc.indexer.events.packets import PacketEvent
from pyibc.indexer.sql import arrow_schema, columns_of

TRANSFERS, FORWARDS = "transfers", "forwards"
CALLS, CALL_MESSAGES = "calls", "call_messages"
"""Names of arrays in the rows of blocks."""

_SOURCE = "end_id bigint, sequence bigint, payload int, kind tinyint, place bigint, event_index int, "
"""An IBC v2 packet may have several payloads. `kind` (index in `KINDS`), `place` and `event_index` identify
the event with the packet."""
SCHEMAS = {
    TRANSFERS: arrow_schema(
        columns_of(  # the ports are the payload's
            f"{_SOURCE}src_port string, dst_port string, denom string, amount string, sender string, "
            "receiver string, memo string, base_denom string, trace string, src_coin string, dst_coin string"
        )
    ),
    FORWARDS: arrow_schema(
        columns_of(  # `step` is 1 for forwarded and 0 for retried packets
            "end_id bigint, sequence bigint, cause_end_id bigint, cause_sequence bigint, step bigint"
        )
    ),
    CALLS: arrow_schema(
        columns_of(  # the ports are the payload's; `account` is that of GMP in hexadecimal
            f"{_SOURCE}src_port string, dst_port string, application string, owner string, receiver string, "
            "salt string, account string, encoding string, messages int, data_size int, data string, "
            "memo string"
        )
    ),
    CALL_MESSAGES: arrow_schema(
        columns_of(  # without `type_url`, the message could not be decoded
            f"{_SOURCE}message_index int, type_url string, signer string, client string, connection string, "
            "port string, channel string"
        )
    ),
}
"""Schemas of the arrays by name; rows are tuples in this order of columns."""

_MESSAGE = attrgetter("type_url", "signer", "client_id", "connection_id", "port", "channel")

_IDENTITY = PacketFacts._fields.index("data_digest") + 1  # what comes before tells a packet from others

MAX_DATA = 512
"""Maximum bytes of a call's data that are stored."""


def events_with(events: Iterable[PacketEvent], content: str) -> Iterator[PacketEvent]:
    """Yield the events whose packet has a `content`, `transfers` or `calls`.

    A `write_acknowledgement` event is used only if its packet was received in another block.
    """
    received = set[tuple[object, ...]]()
    for event in events:
        if not getattr(event.facts, content):
            continue
        if event.type == RECV:
            received.add(event.facts[:_IDENTITY])
        if event.type != WRITE_ACK or event.facts[:_IDENTITY] not in received:
            yield event


def content_rows(block: Block, events: Sequence[PacketEvent]) -> dict[str, list[tuple[object, ...]]]:
    """Build the rows of what is in a block's packets, by role."""
    found: dict[str, list[tuple[object, ...]]] = {role: [] for role in SCHEMAS}
    for event in events_with(events, "transfers"):
        for transfer in event.facts.transfers:
            source = _source(block, event, transfer.payload)
            found[TRANSFERS].append((*source, *_transfer(event.facts, transfer)))
    for sent, cause, is_retry in forwards_of(events):
        one, other = ((_end_of(block, each), each.facts.sequence) for each in (sent, cause))
        found[FORWARDS].append((*one, *other, 0 if is_retry else 1))
    for event in events_with(events, "calls"):
        for call in event.facts.calls:
            source = _source(block, event, call.payload)
            found[CALLS].append((*source, *_call(call)))
            found[CALL_MESSAGES].extend((*source, *message) for message in _messages(call))
    return found


def _end_of(block: Block, event: PacketEvent) -> int:
    _, end = ids_of(block.chain_id, event.type in RECEIVING, event.facts[:5])
    return end


def _source(block: Block, event: PacketEvent, payload: int) -> tuple[object, ...]:
    return (
        _end_of(block, event),
        event.facts.sequence,
        payload,
        KINDS.index(event.type),
        place_of(block.height, event.tx_index + 1),
        event.event_index,
    )


def _transfer(facts: PacketFacts, each: PayloadTransfer) -> tuple[object, ...]:
    transfer = each.transfer
    coins: tuple[str | None, ...] = (None,) * 4
    if facts.protocol != QUEUE:  # coins over queues are named differently
        route = Route(each.src_port, facts.src_channel, each.dst_port, facts.dst_channel)
        coins = coins_of(transfer.denom, route)
    return (
        each.src_port,
        each.dst_port,
        transfer.denom,
        transfer.amount,
        transfer.sender[:MAX_NAME] or None,
        transfer.receiver[:MAX_NAME] or None,
        transfer.memo[:MAX_MEMO] or None,
        *coins,
    )


def _call(each: PayloadCall) -> tuple[object, ...]:
    call = each.call
    return (
        each.src_port,
        each.dst_port,
        call.application,
        call.owner[:MAX_NAME] or None,
        call.receiver[:MAX_NAME] or None,
        call.salt.hex() or None,
        call.account.hex() or None,
        call.carried.encoding if call.carried else None,
        call.carried.total if call.carried else None,
        len(call.data),
        call.data[:MAX_DATA].hex() or None,
        call.memo[:MAX_MEMO] or None,
    )


def _messages(each: PayloadCall) -> Iterator[tuple[object, ...]]:
    for number, message in enumerate(each.call.carried.messages if each.call.carried else ()):
        yield (number, *(value or None for value in _MESSAGE(message)))
