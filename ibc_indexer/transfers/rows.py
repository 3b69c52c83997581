"""The transfers that a block's packet events tell of, and which packets were sent on."""

from collections.abc import Iterator, Sequence

import pyarrow as pa

from ibc_indexer.blocks import Block
from ibc_indexer.chain_rows import place_of
from ibc_indexer.ics20 import PayloadTransfer
from ibc_indexer.packet_facts import QUEUE, PacketFacts
from ibc_indexer.packets import PacketEvent
from ibc_indexer.segments.numbers import KINDS
from ibc_indexer.telling import end_of, telling
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
        TRANSFERS: [
            row for event in telling(events, _transfers_in) for row in _transfers(chain, block.height, event)
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
    sent, cause = end_of(chain, forward.sent), end_of(chain, forward.cause)
    return (
        sent.number,
        forward.sent.facts.sequence,
        cause.number,
        forward.cause.facts.sequence,
        0 if forward.retry else 1,
    )
