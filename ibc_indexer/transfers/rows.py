"""The transfers that a block's packet events tell of, and which packets were sent on."""

from collections.abc import Iterable, Iterator, Sequence

import pyarrow as pa

from ibc_indexer.blocks import Block
from ibc_indexer.chain_rows import place_of
from ibc_indexer.ics20 import PayloadTransfer
from ibc_indexer.packet_facts import QUEUE, RECV, WRITE_ACK, PacketFacts
from ibc_indexer.packets import PacketEvent
from ibc_indexer.segments.numbers import KINDS, RECEIVING, End
from ibc_indexer.transactions.content import MAX_MEMO, MAX_NAME
from ibc_indexer.transfers.denoms import Route, coins_of
from ibc_indexer.transfers.forwards import Forward, forwards_of

TRANSFERS, FORWARDS = "transfers", "forwards"
"""Roles of a segment's files."""

_TEXT, _LONG, _SMALL = pa.string(), pa.int64(), pa.int8()
SCHEMAS = {
    TRANSFERS: pa.schema(
        {
            "end_id": _LONG,
            "sequence": _LONG,
            "payload": pa.int32(),  # of IBC v2 several may be in a packet; counted from 0
            "kind": _SMALL,  # of the event that tells of it, a place in KINDS
            "place": _LONG,
            "src_port": _TEXT,  # the payload's
            "dst_port": _TEXT,
            "denom": _TEXT,
            "amount": _TEXT,
            "sender": _TEXT,
            "receiver": _TEXT,
            "memo": _TEXT,
            "base_denom": _TEXT,
            "trace": _TEXT,
            "src_coin": _TEXT,
            "dst_coin": _TEXT,
        }
    ),
    FORWARDS: pa.schema(
        {
            "end_id": _LONG,
            "sequence": _LONG,
            "cause_end_id": _LONG,
            "cause_sequence": _LONG,
            "step": _LONG,  # 1: sent on; 0: sent again
        }
    ),
}
"""Columns of those files; rows here are tuples in this order."""

_NO_COINS = (None, None, None, None)


def transfer_rows(block: Block, events: Sequence[PacketEvent]) -> dict[str, list[tuple[object, ...]]]:
    """Rows by role."""
    chain = block.chain_id
    return {
        TRANSFERS: [row for event in _telling(events) for row in _transfers(chain, block.height, event)],
        FORWARDS: [_forward(chain, forward) for forward in forwards_of(events)],
    }


def _telling(events: Iterable[PacketEvent]) -> Iterator[PacketEvent]:
    """The events with a transfer: a written acknowledgement only where its packet came in another block."""
    received = set[PacketFacts]()
    for event in events:
        packet = event.facts._replace(ack=None, ordering="", connection="")
        if event.type == RECV:
            received.add(packet)
        if event.facts.transfers and (event.type != WRITE_ACK or packet not in received):
            yield event


def _transfers(chain: str, height: int, event: PacketEvent) -> Iterator[tuple[object, ...]]:
    facts, kind = event.facts, KINDS.index(event.type)
    end = _end(chain, event).number
    for each in facts.transfers:
        transfer = each.transfer
        yield (
            end,
            facts.sequence,
            each.payload,
            kind,
            place_of(height, event.tx_index + 1),
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
    if facts.protocol == QUEUE:  # whose coins have names of their own
        return _NO_COINS
    return coins_of(
        each.transfer.denom, Route(each.src_port, facts.src_channel, each.dst_port, facts.dst_channel)
    )


def _forward(chain: str, forward: Forward) -> tuple[object, ...]:
    sent, cause = _end(chain, forward.sent), _end(chain, forward.cause)
    return (
        sent.number,
        forward.sent.facts.sequence,
        cause.number,
        forward.cause.facts.sequence,
        0 if forward.retry else 1,
    )


def _end(chain: str, event: PacketEvent) -> End:
    """The end that `numbers.numbered` gives the event's row."""
    return End(chain, event.type in RECEIVING, *event.facts[:5])
