"""What a block tells beside packets: its transactions, their messages, clients, connections and channels."""

from collections.abc import Iterator
from typing import NamedTuple

import pyarrow as pa

from ibc_core.numbers import MAX_I64
from ibc_indexer.blocks import Block, Tx
from ibc_indexer.names.facts import Fact, facts_of
from ibc_indexer.packet_facts import ACK, RECV, TIMEOUT_NAMES
from ibc_indexer.packets import signer_of
from ibc_indexer.rows import PROBLEM, Row
from ibc_indexer.transactions.content import MAX_NAME, TxContent
from ibc_indexer.transactions.decode import content_of_bytes
from ibc_indexer.transactions.shapes import RELAYS

TRANSACTIONS, MESSAGES, FACTS = "transactions", "messages", "facts"
"""Roles of a segment's files."""

_TEXT, _LONG, _INT = pa.string(), pa.int64(), pa.int32()
_PLACE = {"chain": _TEXT, "height": _LONG, "time_ns": _LONG, "tx_index": _INT, "tx_hash": _TEXT}
SCHEMAS = {
    TRANSACTIONS: pa.schema(
        {
            **_PLACE,
            "code": _LONG,
            "codespace": _TEXT,
            "gas_wanted": _LONG,
            "gas_used": _LONG,
            "fee_denom": _TEXT,  # of a fee of one coin
            "fee_amount": _TEXT,
            "fee": _TEXT,  # every coin, `12uatom,3uosmo`
            "memo": _TEXT,
            "signer": _TEXT,
            "messages": _LONG,  # null: not a transaction of the Cosmos SDK, or its bytes are not known
            "relays": _LONG,  # messages that carry a packet's next step
            "steps": _LONG,  # packets that it received, acknowledged or timed out
        }
    ),
    MESSAGES: pa.schema(
        {
            **_PLACE,
            "message_index": _INT,
            "type_url": _TEXT,  # null: it could not be read
            "code": _LONG,
            "signer": _TEXT,
            "client": _TEXT,
            "connection": _TEXT,
            "port": _TEXT,
            "channel": _TEXT,
            "sequence": _LONG,
            "other_client": _TEXT,
            "other_chain": _TEXT,
            "other_height": _TEXT,
        }
    ),
    FACTS: pa.schema(
        {
            **_PLACE,
            "place": _LONG,  # orders what a chain tells
            "signer": _TEXT,
            "type": _TEXT,
            "event_index": _INT,
            "told_by": _TEXT,
            "client": _TEXT,
            "client_type": _TEXT,
            "connection": _TEXT,
            "port": _TEXT,
            "channel": _TEXT,
            "other_port": _TEXT,
            "other_channel": _TEXT,
            "ordering": _TEXT,
            "other_chain": _TEXT,
            "other_client": _TEXT,
            "other_connection": _TEXT,
            "other_revision": _LONG,
            "other_height": _LONG,
            "other_ns": _LONG,
            "trusting_ns": _LONG,
            "account": _TEXT,
        }
    ),
}
"""Columns of those files; rows here are tuples in this order."""

_STEPS = frozenset({RECV, ACK, *TIMEOUT_NAMES})
_MAX_FEE_TEXT = 1024


HANDSHAKES = 1 << 19
"""In one block what handshakes tell counts as later, and so for more, than what packets do."""


def place_of(height: int, number: int) -> int:
    """Orders what a chain tells: by height, then by `number`; beyond 2^43 and 2^20 that blurs, no more."""
    return min(height, (1 << 43) - 1) << 20 | min(number, (1 << 20) - 1)


class ChainRows(NamedTuple):
    """Rows by role, the facts of them as they are, and what is malformed."""

    rows: dict[str, list[tuple[object, ...]]]
    facts: list[Fact]
    problems: list[Row]


def chain_rows(block: Block, file: str) -> ChainRows:
    """What `block` tells; a malformed part of a successful transaction is a problem of `file`."""
    found = ChainRows({role: [] for role in SCHEMAS}, [], [])
    _add_facts(found, block, -1, Tx("", 0, block.block_events), TxContent(), file)
    for index, tx in enumerate(block.txs):
        content = tx.content or (content_of_bytes(tx.raw) if tx.raw else None)
        place = _place(block, index, tx)
        found.rows[TRANSACTIONS].append((*place, *_transaction(tx, content)))
        if content is not None:
            found.rows[MESSAGES].extend((*place, *message) for message in _messages(tx, content))
        if tx.code == 0:
            _add_facts(found, block, index, tx, content or TxContent(), file)
    return found


def _transaction(tx: Tx, content: TxContent | None) -> tuple[object, ...]:
    known = content or TxContent()
    denom, amount = known.fee[0] if len(known.fee) == 1 else (None, None)
    return (
        min(tx.code, MAX_I64),
        tx.codespace[:MAX_NAME] or None,
        min(tx.gas_wanted, MAX_I64),
        min(tx.gas_used, MAX_I64),
        denom,
        amount,
        ",".join(amount + denom for denom, amount in known.fee)[:_MAX_FEE_TEXT] or None,
        known.memo or None,
        (signer_of(tx) or known.signer)[:MAX_NAME] or None,
        len(content.messages) if content else None,
        sum(message.type_url in RELAYS for message in known.messages),
        sum(kind in _STEPS for kind, _ in tx.events) if tx.code == 0 else 0,
    )


def _messages(tx: Tx, content: TxContent) -> Iterator[tuple[object, ...]]:
    for number, message in enumerate(content.messages):
        yield (
            number,
            message.type_url or None,
            min(tx.code, MAX_I64),
            message.signer or None,
            message.client_id or None,
            message.connection_id or None,
            message.port or None,
            message.channel or None,
            message.sequence or None,
            message.other_client or None,
            message.chain_id or None,
            f"{message.revision}-{message.height}" if message.height else None,
        )


def _add_facts(found: ChainRows, block: Block, index: int, tx: Tx, content: TxContent, file: str) -> None:
    reasons, where, signer = list(content.problems), _place(block, index, tx), None
    for fact in facts_of(tx.events, content.messages):
        if isinstance(fact, Fact):
            signer = signer or (signer_of(tx) or content.signer)[:MAX_NAME] or None
            place = place_of(block.height, HANDSHAKES + len(found.facts))
            found.rows[FACTS].append((*where, place, signer, *fact))
            found.facts.append(fact)
        else:
            reasons.append(f"event {fact.event_index}: {fact.reason}")
    found.problems.extend(_problem(block, index, reason, file) for reason in reasons)


def _place(block: Block, index: int, tx: Tx) -> tuple[object, ...]:
    return (block.chain_id, block.height, block.time_ns, index, tx.hash[:MAX_NAME] or None)


def _problem(block: Block, index: int, reason: str, file: str) -> Row:
    place = f"transaction {index}" if index >= 0 else "the block's own events"
    told = f"height {block.height}, {place}, {reason}"
    return Row(PROBLEM, block.chain_id, block.height, tx_index=index, detail=told, file=block.origin or file)
