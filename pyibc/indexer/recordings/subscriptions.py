"""Messages of a WebSocket subscription to a node: new blocks and transactions.

`NewBlock` contains the block, and since CometBFT 0.38 the results of its transactions. Before, it contains
only the events at the beginning and end of the block; each `Tx` message has the result of one transaction.
"""

from collections.abc import Iterator
from typing import Any

from pyibc.indexer.errors import MalformedRecording
from pyibc.indexer.recordings.attributes import decode_events
from pyibc.indexer.recordings.fields import items, table, whole
from pyibc.indexer.recordings.records import Header, Results, header_of_block
from pyibc.indexer.recordings.transactions import TxRecord, node_tx, result

_TYPE = "tendermint/event/"
_AROUND = ("result_begin_block", "result_end_block")


def is_message(found: dict[str, Any]) -> bool:
    """Return whether an object is the data of a subscription message."""
    kind = found.get("type")
    return isinstance(kind, str) and kind.startswith(_TYPE) and "value" in found


def records_of(found: dict[str, Any]) -> Iterator[Header | Results | TxRecord]:
    """Yield the records in the data of a subscription message.

    Raises:
        MalformedRecording: a field is missing or malformed, or the message has another type.
    """
    kind = found["type"].removeprefix(_TYPE)
    value = table(found, "value", "a subscription message")
    if kind == "NewBlock":
        yield from _block(value)
    elif kind == "Tx":
        yield _tx(table(value, "TxResult", "a Tx message"))
    else:
        raise MalformedRecording(f"is a subscription message of type {kind[:64]!r}, not NewBlock or Tx")


def _block(value: dict[str, Any]) -> Iterator[Header | Results]:
    header = header_of_block(table(value, "block", "a NewBlock message"))
    yield header
    if "result_finalize_block" in value:
        yield _finalized(header, table(value, "result_finalize_block", "a NewBlock message"))
    elif any(part in value for part in _AROUND):
        around = [table(value, part, "a NewBlock message") for part in _AROUND if part in value]
        (begin, *end), left_out = decode_events([part.get("events") for part in around])
        events = begin + (end[0] if end else ())
        yield Results(header.height, (), events, header, bool(header.txs), left_out)


def _finalized(header: Header, found: dict[str, Any]) -> Results:
    raw = items({"tx_results": found.get("tx_results")}, "tx_results", "a NewBlock message")
    if len(raw) != len(header.txs or ()) or not all(isinstance(tx, dict) for tx in raw):
        raise MalformedRecording("a NewBlock message without a result for each transaction")
    groups = [tx.get("events") if whole(tx, "code", "a result") == 0 else None for tx in raw]
    (around, *decoded), left_out = decode_events([found.get("events"), *groups])
    txs = tuple(result(tx, events) for tx, events in zip(raw, decoded, strict=True))
    return Results(header.height, txs, around, header, left_out=left_out)


def _tx(found: dict[str, Any]) -> TxRecord:
    outcome = table(found, "result", "a Tx message")
    outcome = {**outcome, "events": outcome.get("events") or []}  # an empty list is omitted
    return node_tx({"height": found.get("height"), "tx": found.get("tx"), "tx_result": outcome})
