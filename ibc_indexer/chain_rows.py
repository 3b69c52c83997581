"""Rows of what blocks tell beside packets: transactions, their messages, clients, connections, channels."""

from collections.abc import Iterator

from ibc_core.numbers import MAX_I64
from ibc_indexer.blocks import Block, Tx
from ibc_indexer.names.facts import Fact, facts_of
from ibc_indexer.packet_facts import ACK, RECV, TIMEOUT_NAMES
from ibc_indexer.packets import signer_of
from ibc_indexer.rows import MESSAGE, PROBLEM, TRANSACTION, Row
from ibc_indexer.transactions.content import MAX_NAME, TxContent
from ibc_indexer.transactions.decode import content_of_bytes
from ibc_indexer.transactions.shapes import RELAYS

_STEPS = frozenset({RECV, ACK, *TIMEOUT_NAMES})
_MAX_FEE_TEXT = 1024


def chain_rows(block: Block, file: str) -> Iterator[Row]:
    """The rows of `block` that are about no packet; a malformed part becomes a problem of `file`."""
    yield from _fact_rows(block, -1, Tx("", 0, block.block_events), TxContent(), file)
    for index, tx in enumerate(block.txs):
        content = tx.content or (content_of_bytes(tx.raw) if tx.raw else None)
        yield _tx_row(block, index, tx, content)
        if content is None:
            content = TxContent()
        yield from _message_rows(block, index, tx, content)
        if tx.code == 0:
            yield from _fact_rows(block, index, tx, content, file)
            for reason in content.problems:
                yield _problem(block, index, reason, file)


def _tx_row(block: Block, index: int, tx: Tx, content: TxContent | None) -> Row:
    known = content or TxContent()
    signer = known.signer or signer_of(tx)
    denom, amount = known.fee[0] if len(known.fee) == 1 else (None, None)
    steps = sum(kind in _STEPS for kind, _ in tx.events) if tx.code == 0 else 0
    return _row(block, index, TRANSACTION, tx)._replace(
        n=len(content.messages) if content else None,
        relayer=signer[:MAX_NAME] or None,
        code=min(tx.code, MAX_I64),
        codespace=tx.codespace[:MAX_NAME] or None,
        gas_wanted=min(tx.gas_wanted, MAX_I64),
        gas_used=min(tx.gas_used, MAX_I64),
        denom=denom,
        amount=amount,
        detail=",".join(amount + denom for denom, amount in known.fee)[:_MAX_FEE_TEXT] or None,
        memo=known.memo or None,
        relays=sum(message.type_url in RELAYS for message in known.messages),
        steps=steps,
    )


def _message_rows(block: Block, index: int, tx: Tx, content: TxContent) -> Iterator[Row]:
    for number, message in enumerate(content.messages):
        yield _row(block, index, MESSAGE, tx)._replace(
            event_index=number,
            detail=message.type_url or None,
            code=min(tx.code, MAX_I64),
            relayer=message.signer or None,
            client=message.client_id or None,
            connection=message.connection_id or None,
            src_port=message.port or None,
            src_channel=message.channel or None,
            sequence=message.sequence or None,
            other_client=message.other_client or None,
            other_chain=message.chain_id or None,
            header_revision=message.revision if message.height else None,
            header_height=message.height or None,
            header_ns=message.time_ns or None,
        )


def _fact_rows(block: Block, index: int, tx: Tx, content: TxContent, file: str) -> Iterator[Row]:
    row = _row(block, index, "", tx)
    signer = None
    for fact in facts_of(tx.events, content.messages):
        if isinstance(fact, Fact):
            signer = signer or content.signer or signer_of(tx) or None
            yield row._replace(relayer=signer, **fact._asdict())
        else:
            yield _problem(block, index, f"event {fact.event_index}: {fact.reason}", file)


def _row(block: Block, index: int, kind: str, tx: Tx) -> Row:
    return Row(
        kind, block.chain_id, block.height, block.time_ns, tx_index=index, tx_hash=tx.hash[:MAX_NAME] or None
    )


def _problem(block: Block, index: int, reason: str, file: str) -> Row:
    place = f"transaction {index}" if index >= 0 else "the block's own events"
    told = f"height {block.height}, {place}, {reason}"
    return Row(PROBLEM, block.chain_id, block.height, detail=told, file=block.origin or file)
