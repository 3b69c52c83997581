"""Rows of a block's transactions, their messages, and its client, connection and channel events."""

from collections.abc import Iterator
from typing import NamedTuple

import pyarrow as pa

from pyibc.core.numbers import MAX_I64
from pyibc.indexer.blocks import Block, Tx
from pyibc.indexer.names.facts import Fact, facts_of
from pyibc.indexer.packet_facts import ACK, RECV, TIMEOUT_NAMES
from pyibc.indexer.packets import signer_of
from pyibc.indexer.rows import PROBLEM, Row
from pyibc.indexer.transactions.content import MAX_NAME, TxContent
from pyibc.indexer.transactions.decode import content_of_bytes
from pyibc.indexer.transactions.shapes import RELAYS

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
            "fee_denom": _TEXT,  # null unless the fee has exactly one coin
            "fee_amount": _TEXT,
            "fee": _TEXT,  # all coins, as in `12uatom,3uosmo`
            "memo": _TEXT,
            "signer": _TEXT,
            "messages": _LONG,  # null: not a Cosmos SDK transaction, or its bytes are not known
            "relays": _LONG,  # relay messages: MsgRecvPacket, MsgAcknowledgement, MsgTimeout and the like
            "steps": _LONG,  # packets that the transaction received, acknowledged or timed out
        }
    ),
    MESSAGES: pa.schema(
        {
            **_PLACE,
            "message_index": _INT,
            "type_url": _TEXT,  # null: the message could not be decoded
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
            "place": _LONG,  # orders the facts of a chain (`place_of`)
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
"""Schemas of the files by role; rows are tuples in this order of columns."""

_STEPS = frozenset({RECV, ACK, *TIMEOUT_NAMES})
_MAX_FEE_TEXT = 1024


HANDSHAKES = 1 << 19
"""Offset of handshake facts in `place_of`, so that they override packet facts of the same block."""


def place_of(height: int, number: int) -> int:
    """Return a sort key by height, then `number`; heights from 2^43 and numbers from 2^20 are clamped."""
    return min(height, (1 << 43) - 1) << 20 | min(number, (1 << 20) - 1)


class ChainRows(NamedTuple):
    """Rows by role, the facts among them as objects, and the problems found."""

    rows: dict[str, list[tuple[object, ...]]]
    facts: list[Fact]
    problems: list[Row]


def chain_rows(block: Block, file: str) -> ChainRows:
    """Build the rows of `block`; malformed parts of successful transactions become problems of `file`."""
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
    place = f"transaction {index}" if index >= 0 else "block events"
    text = f"height {block.height}, {place}, {reason}"
    return Row(PROBLEM, block.chain_id, block.height, tx_index=index, detail=text, file=block.origin or file)
