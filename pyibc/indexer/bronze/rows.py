"""Rows of a block: its transactions, messages, and client, connection and channel events."""

from collections.abc import Iterator
from operator import attrgetter
from typing import NamedTuple

from pyibc.core.numbers import MAX_I64
from pyibc.indexer.blocks.block import MAX_NAME, Block, Tx, TxContent
from pyibc.indexer.events.facts import TOLD_BY, Fact, facts_of
from pyibc.indexer.events.messages import RELAYS
from pyibc.indexer.events.packet_facts import ACK, RECV, TIMEOUT_NAMES
from pyibc.indexer.events.packets import signer_of
from pyibc.indexer.events.transactions import content_of_bytes
from pyibc.indexer.sql import arrow_schema, columns_of

TRANSACTIONS, MESSAGES, FACTS = "transactions", "messages", "facts"
"""Names of arrays in the rows of blocks."""

_PLACE = columns_of("tx_index int, tx_hash string")
COLUMNS = {
    # `fee_denom` and `fee_amount` are null unless the fee has exactly one coin; `messages` is null if it is
    # no transaction of the Cosmos SDK, or its bytes are not known. `relays` counts relay messages, and
    # `steps` the packets that the transaction received, acknowledged or timed out.
    TRANSACTIONS: columns_of(
        "code bigint, codespace string, gas_wanted bigint, gas_used bigint, fee_denom string, "
        "fee_amount string, fee string, memo string, signer string, messages bigint, relays bigint, "
        "steps bigint"
    ),
    MESSAGES: columns_of(  # without `type_url`, the message could not be decoded
        "message_index int, type_url string, code bigint, signer string, client string, connection string, "
        "port string, channel string, sequence bigint, other_client string, other_chain string, "
        "other_height string"
    ),
    FACTS: columns_of(  # `place` orders the facts of a chain (`place_of`)
        "place bigint, signer string, type string, event_index int, told_by string, client string, "
        "client_type string, connection string, port string, channel string, other_port string, "
        "other_channel string, ordering string, other_chain string, other_client string, "
        "other_connection string, other_revision bigint, other_height bigint, other_ns bigint, "
        "trusting_ns bigint, account string"
    ),
}
"""Columns of the arrays by name, beside those of the transaction."""
SCHEMAS = {name: arrow_schema((*_PLACE, *columns)) for name, columns in COLUMNS.items()}
"""Schemas of the arrays by name; rows are tuples in this order of columns."""

_MESSAGE = attrgetter(
    *("signer", "client_id", "connection_id", "port", "channel", "sequence", "other_client", "chain_id")
)
_STEPS = frozenset({RECV, ACK, *TIMEOUT_NAMES})
_MAX_FEE_TEXT = 1024
_NO_CONTENT = TxContent()

HANDSHAKES = 1 << 19
"""Offset of handshake facts in `place_of`, so that they override packet facts of the same block."""


def problem_of(block: Block, tx_index: int, reason: str) -> str:
    """Say where in `block` something cannot be read, and why."""
    place = f"transaction {tx_index}" if tx_index >= 0 else "block events"
    return f"height {block.height}, {place}, {reason}"


def place_of(height: int, number: int) -> int:
    """Return a sort key by height, then `number`; heights from 2^43 and numbers from 2^20 are clamped."""
    return min(height, (1 << 43) - 1) << 20 | min(number, (1 << 20) - 1)


class ChainRows(NamedTuple):
    """Rows by role, and the problems found."""

    rows: dict[str, list[tuple[object, ...]]]
    problems: list[str]


def chain_rows(block: Block) -> ChainRows:
    """Build the rows of `block`; malformed parts of successful transactions become problems."""
    found = ChainRows({role: [] for role in SCHEMAS}, [])
    _add_facts(found, block, -1, Tx("", 0, block.block_events), _NO_CONTENT)
    for index, tx in enumerate(block.txs):
        content = tx.content or (content_of_bytes(tx.raw) if tx.raw else None)
        place = _place(index, tx)
        found.rows[TRANSACTIONS].append((*place, *_transaction(tx, content)))
        if content is not None:
            found.rows[MESSAGES].extend((*place, *message) for message in _messages(tx, content))
        if tx.code == 0:
            _add_facts(found, block, index, tx, content or _NO_CONTENT)
    return found


def _transaction(tx: Tx, content: TxContent | None) -> tuple[object, ...]:
    known = content or _NO_CONTENT
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
        len([None for message in known.messages if message.type_url in RELAYS]),
        len([None for kind, _ in tx.events if kind in _STEPS]) if tx.code == 0 else 0,
    )


def _messages(tx: Tx, content: TxContent) -> Iterator[tuple[object, ...]]:
    code = min(tx.code, MAX_I64)
    for number, message in enumerate(content.messages):
        known = [value or None for value in _MESSAGE(message)]
        height = f"{message.revision}-{message.height}" if message.height else None
        yield (number, message.type_url or None, code, *known, height)


def _add_facts(found: ChainRows, block: Block, index: int, tx: Tx, content: TxContent) -> None:
    if not content.problems and not content.messages and TOLD_BY.isdisjoint(kind for kind, _ in tx.events):
        return  # as in most transactions
    reasons, where, signer = list(content.problems), _place(index, tx), None
    facts = found.rows[FACTS]
    for fact in facts_of(tx.events, content.messages):
        if isinstance(fact, Fact):
            signer = signer or (signer_of(tx) or content.signer)[:MAX_NAME] or None
            facts.append((*where, place_of(block.height, HANDSHAKES + len(facts)), signer, *fact))
        else:
            reasons.append(f"event {fact.event_index}: {fact.reason}")
    found.problems.extend(problem_of(block, index, reason) for reason in reasons)


def _place(index: int, tx: Tx) -> tuple[object, ...]:
    return (index, tx.hash[:MAX_NAME] or None)
