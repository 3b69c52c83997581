"""Rows of the calls in a block's packet events, and of their messages."""

from collections.abc import Iterator, Sequence

import pyarrow as pa

from pyibc.indexer.blocks import Block
from pyibc.indexer.calls.carried import PayloadCall
from pyibc.indexer.chain_rows import place_of
from pyibc.indexer.ids import KINDS
from pyibc.indexer.packet_facts import PacketFacts
from pyibc.indexer.packets import PacketEvent
from pyibc.indexer.telling import end_of, events_with
from pyibc.indexer.transactions.content import MAX_MEMO, MAX_NAME

CALLS, CALL_MESSAGES = "calls", "call_messages"
"""Roles of a segment's files."""

MAX_DATA = 512
"""Maximum bytes of a call's data that are stored."""

_TEXT, _LONG, _INT = pa.string(), pa.int64(), pa.int32()
_SOURCE = {
    "end_id": _LONG,
    "sequence": _LONG,
    "payload": _INT,  # index from 0; an IBC v2 packet may have several
    "kind": pa.int8(),  # type of the event with the packet: index in KINDS
    "place": _LONG,
    "event_index": _INT,  # identifies the event together with `kind` and `place`
}
SCHEMAS = {
    CALLS: pa.schema(
        {
            **_SOURCE,
            "src_port": _TEXT,  # the payload's
            "dst_port": _TEXT,
            "application": _TEXT,
            "owner": _TEXT,
            "receiver": _TEXT,
            "salt": _TEXT,
            "account": _TEXT,  # address of a GMP account, hexadecimal
            "encoding": _TEXT,
            "messages": _INT,
            "data_size": _INT,
            "data": _TEXT,
            "memo": _TEXT,
        }
    ),
    CALL_MESSAGES: pa.schema(
        {
            **_SOURCE,
            "message_index": _INT,
            "type_url": _TEXT,  # null: the message could not be decoded
            "signer": _TEXT,
            "client": _TEXT,
            "connection": _TEXT,
            "port": _TEXT,
            "channel": _TEXT,
        }
    ),
}
"""Schemas of the files by role; rows are tuples in this order of columns."""


def call_rows(block: Block, events: Sequence[PacketEvent]) -> dict[str, list[tuple[object, ...]]]:
    """Build the rows of a block's calls and their messages, by role."""
    found: dict[str, list[tuple[object, ...]]] = {role: [] for role in SCHEMAS}
    for event in events_with(events, _calls_in):
        for each in event.facts.calls:
            source = _source(block, event, each.payload)
            found[CALLS].append((*source, *_call(each)))
            found[CALL_MESSAGES].extend((*source, *message) for message in _messages(each))
    return found


def _calls_in(facts: PacketFacts) -> object:
    return facts.calls


def _source(block: Block, event: PacketEvent, payload: int) -> tuple[object, ...]:
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
