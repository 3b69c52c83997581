"""Rows of what is in a block's packets: transfers, forwarded packets, calls and their messages."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from pyibc.indexer.blocks.block import MAX_MEMO, MAX_NAME, Block
from pyibc.indexer.bronze.rows import place_of
from pyibc.indexer.events.calls import PayloadCall
from pyibc.indexer.events.forwards import Forward, Route, coins_of, forwards_of
from pyibc.indexer.events.ics20 import PayloadTransfer
from pyibc.indexer.events.packet_facts import KINDS, QUEUE, RECEIVING, RECV, WRITE_ACK, End, PacketFacts
from pyibc.indexer.events.packets import PacketEvent
from pyibc.indexer.sql import arrow_schema, columns_of

TRANSFERS, FORWARDS = "transfers", "forwards"
"""Names of arrays in the rows of blocks."""

_SOURCE = "end_id bigint, sequence bigint, payload int, kind tinyint, place bigint, event_index int, "
"""An IBC v2 packet may have several payloads. `kind` (index in `KINDS`), `place` and `event_index` identify
the event with the packet."""
TRANSFER_SCHEMAS = {
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
}
"""Schemas of the arrays by name; rows are tuples in this order of columns."""

_NO_COINS = (None, None, None, None)

CALLS, CALL_MESSAGES = "calls", "call_messages"
"""Names of arrays in the rows of blocks."""

MAX_DATA = 512
"""Maximum bytes of a call's data that are stored."""

CALL_SCHEMAS = {
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


def events_with(
    events: Iterable[PacketEvent], content: Callable[[PacketFacts], object]
) -> Iterator[PacketEvent]:
    """Yield the events whose packet has a `content`.

    A `write_acknowledgement` event is used only if its packet was received in another block.
    """
    received = set[PacketFacts]()
    for event in events:
        packet = event.facts._replace(ack=None, ordering="", connection="")
        if event.type == RECV:
            received.add(packet)
        if content(event.facts) and (event.type != WRITE_ACK or packet not in received):
            yield event


def end_of(chain: str, event: PacketEvent) -> End:
    """Return the path end of an event, the same as `numbers.numbered` assigns to its row."""
    return End(chain, event.type in RECEIVING, *event.facts[:5])


def transfer_rows(block: Block, events: Sequence[PacketEvent]) -> dict[str, list[tuple[object, ...]]]:
    """Build the rows of a block's transfers and forwarded packets, by role."""
    chain = block.chain_id
    return {
        TRANSFERS: [
            row
            for event in events_with(events, _transfers_in)
            for row in _transfers(chain, block.height, event)
        ],
        FORWARDS: [_forward(chain, forward) for forward in forwards_of(events)],
    }


def _transfers_in(facts: PacketFacts) -> object:
    return facts.transfers


def _transfers(chain: str, height: int, event: PacketEvent) -> Iterator[tuple[object, ...]]:
    facts, kind = event.facts, KINDS.index(event.type)
    end = end_of(chain, event).number
    for each in facts.transfers:
        transfer = each.transfer
        yield (
            end,
            facts.sequence,
            each.payload,
            kind,
            place_of(height, event.tx_index + 1),
            event.event_index,
            each.src_port,
            each.dst_port,
            transfer.denom,
            transfer.amount,
            transfer.sender[:MAX_NAME] or None,
            transfer.receiver[:MAX_NAME] or None,
            transfer.memo[:MAX_MEMO] or None,
            *_coins(facts, each),
        )


def _coins(facts: PacketFacts, each: PayloadTransfer) -> tuple[str | None, ...]:
    if facts.protocol == QUEUE:  # coins over queues are named differently
        return _NO_COINS
    return coins_of(
        each.transfer.denom, Route(each.src_port, facts.src_channel, each.dst_port, facts.dst_channel)
    )


def _forward(chain: str, forward: Forward) -> tuple[object, ...]:
    sent, cause = end_of(chain, forward.sent), end_of(chain, forward.cause)
    return (
        sent.number,
        forward.sent.facts.sequence,
        cause.number,
        forward.cause.facts.sequence,
        0 if forward.retry else 1,
    )


def call_rows(block: Block, events: Sequence[PacketEvent]) -> dict[str, list[tuple[object, ...]]]:
    """Build the rows of a block's calls and their messages, by role."""
    found: dict[str, list[tuple[object, ...]]] = {role: [] for role in CALL_SCHEMAS}
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
