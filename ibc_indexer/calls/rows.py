"""The calls that a block's packet events tell of, and the messages in them."""

from collections.abc import Iterator, Sequence

import pyarrow as pa

from ibc_indexer.blocks import Block
from ibc_indexer.calls.carried import PayloadCall
from ibc_indexer.chain_rows import place_of
from ibc_indexer.packet_facts import PacketFacts
from ibc_indexer.packets import PacketEvent
from ibc_indexer.segments.numbers import KINDS
from ibc_indexer.telling import end_of, telling
from ibc_indexer.transactions.content import MAX_MEMO, MAX_NAME

CALLS, CALL_MESSAGES = "calls", "call_messages"
"""Roles of a segment's files."""

MAX_DATA = 512
"""Bytes of what is to be executed that are kept."""

_TEXT, _LONG, _INT = pa.string(), pa.int64(), pa.int32()
_TOLD = {
    "end_id": _LONG,
    "sequence": _LONG,
    "payload": _INT,  # of IBC v2 several may be in a packet; counted from 0
    "kind": pa.int8(),  # of the event that tells of it, a place in KINDS
    "place": _LONG,
    "event_index": _INT,  # with the two before it: which event
}
SCHEMAS = {
    CALLS: pa.schema(
        {
            **_TOLD,
            "src_port": _TEXT,  # the payload's
            "dst_port": _TEXT,
            "application": _TEXT,
            "owner": _TEXT,
            "receiver": _TEXT,
            "salt": _TEXT,
            "account": _TEXT,  # a GMP account's bytes
            "encoding": _TEXT,
            "messages": _INT,
            "data_size": _INT,
            "data": _TEXT,
            "memo": _TEXT,
        }
    ),
    CALL_MESSAGES: pa.schema(
        {
            **_TOLD,
            "message_index": _INT,
            "type_url": _TEXT,  # null: it could not be read
            "signer": _TEXT,
            "client": _TEXT,
            "connection": _TEXT,
            "port": _TEXT,
            "channel": _TEXT,
        }
    ),
}
"""What the files have, column by column, as the rows below."""


def call_rows(block: Block, events: Sequence[PacketEvent]) -> dict[str, list[tuple[object, ...]]]:
    """Rows by role."""
    found: dict[str, list[tuple[object, ...]]] = {role: [] for role in SCHEMAS}
    for event in telling(events, _calls_in):
        for each in event.facts.calls:
            told = _told(block, event, each.payload)
            found[CALLS].append((*told, *_call(each)))
            found[CALL_MESSAGES].extend((*told, *message) for message in _messages(each))
    return found


def _calls_in(facts: PacketFacts) -> object:
    return facts.calls


def _told(block: Block, event: PacketEvent, payload: int) -> tuple[object, ...]:
    return (
        end_of(block.chain_id, event).number,
        event.facts.sequence,
        payload,
        KINDS.index(event.type),
        place_of(block.height, event.tx_index + 1),
        event.event_index,
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
        yield (
            number,
            message.type_url or None,
            message.signer or None,
            message.client_id or None,
            message.connection_id or None,
            message.port or None,
            message.channel or None,
        )
