"""Rows of the transfers in a block's packet events, and of forwarded packets."""

from collections.abc import Iterator, Sequence

import pyarrow as pa

from pyibc.indexer.blocks import Block
from pyibc.indexer.chain_rows import place_of
from pyibc.indexer.ics20 import PayloadTransfer
from pyibc.indexer.ids import KINDS
from pyibc.indexer.packet_facts import QUEUE, PacketFacts
from pyibc.indexer.packets import PacketEvent
from pyibc.indexer.telling import end_of, events_with
from pyibc.indexer.transactions.content import MAX_MEMO, MAX_NAME
from pyibc.indexer.transfers.denoms import Route, coins_of
from pyibc.indexer.transfers.forwards import Forward, forwards_of

TRANSFERS, FORWARDS = "transfers", "forwards"
"""Roles of a segment's files."""

_TEXT, _LONG, _SMALL = pa.string(), pa.int64(), pa.int8()
SCHEMAS = {
    TRANSFERS: pa.schema(
        {
            "end_id": _LONG,
            "sequence": _LONG,
            "payload": pa.int32(),  # index from 0; an IBC v2 packet may have several
            "kind": _SMALL,  # type of the event with the packet: index in KINDS
            "place": _LONG,
            "event_index": pa.int32(),
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
            "step": _LONG,  # 1: forwarded; 0: retried
        }
    ),
}
"""Schemas of the files by role; rows are tuples in this order of columns."""

_NO_COINS = (None, None, None, None)


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
