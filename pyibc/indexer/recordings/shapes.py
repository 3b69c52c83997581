"""Classification of JSON documents in recordings: headers, block results, transactions.

Messages of a WebSocket subscription to a node are among them: `NewBlock` contains the block, and since
CometBFT 0.38 the results of its transactions. Before, it contains only the events at the beginning and end
of the block; each `Tx` message has the result of one transaction.
"""

from collections.abc import Iterator
from typing import Any

from pyibc.core.comet import BLOCK_EVENTS
from pyibc.indexer.chains.registry import KEY, LINEAGES
from pyibc.indexer.errors import MalformedRecording
from pyibc.indexer.recordings.fields import decode_events, items, positive, table, whole
from pyibc.indexer.recordings.records import (
    Header,
    Results,
    TxRecord,
    gateway_tx,
    header_of,
    header_of_block,
    node_tx,
    result,
)

_TYPE = "tendermint/event/"
_AROUND = ("result_begin_block", "result_end_block")

MAX_DEPTH = 8  # maximum nesting of envelopes

Record = Header | Results | TxRecord


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


def records(value: Any, depth: int = 0) -> Iterator[Record | MalformedRecording]:
    """Yield the records in a document without their envelopes; malformed parts are yielded as errors."""
    if depth > MAX_DEPTH:
        yield MalformedRecording("is nested in too many envelopes")
        return
    if isinstance(value, list):
        for item in value:
            yield from records(item, depth + 1)
        return
    if not isinstance(value, dict):
        yield MalformedRecording(f"is a JSON {type(value).__name__}, not a response of a node")
        return
    try:
        yield from _object(value, depth)
    except MalformedRecording as error:
        yield error


def _object(found: dict[str, Any], depth: int) -> Iterator[Record | MalformedRecording]:
    inner = _envelope(found)
    if inner is not None:
        for part in inner:
            yield from records(part, depth + 1)
    elif is_message(found):
        yield from records_of(found)
    elif "tx_result" in found:
        yield node_tx(found)
    elif "txhash" in found:
        yield gateway_tx(found, {})
    elif "tx_response" in found:
        yield gateway_tx(table(found, "tx_response", "a response"), found.get("tx"))
    elif any(field in found for field in ("txs_results", *BLOCK_EVENTS)):
        yield _results(found)
    else:
        yield from _headers(found)


def _envelope(found: dict[str, Any]) -> list[Any] | None:
    """Return the parts of an object that only wraps other documents, otherwise None."""
    if isinstance(found.get("error"), dict):
        raise MalformedRecording(f"is a JSON-RPC error: {str(found['error'].get('message'))[:64]}")
    wrapped = _wrapped(found)
    if wrapped is not None:
        return wrapped
    if isinstance(found.get("blocks"), dict):  # responses by height
        return list(found["blocks"].values())
    if "block_results" in found:  # responses about one block
        return [found[part] for part in ("block", "commit", "block_results") if found.get(part) is not None]
    if "tx_responses" in found:
        return items(found, "tx_responses", "a page of transactions")
    if "txs" in found:
        return items(found, "txs", "a page of transactions")
    if "blocks" in found:
        return items(found, "blocks", "a page of blocks")
    return None


def _wrapped(found: dict[str, Any]) -> list[Any] | None:
    """Return the content of an object around one document, otherwise None."""
    if "result" in found:
        confirmed = found["result"] == {} and "jsonrpc" in found  # a subscription
        return [] if confirmed else [found["result"]]
    if "query" in found and "data" in found:  # subscription message
        return [found["data"]]
    if found.keys() == {"key", "value"}:  # item of a KYVE bundle
        return [found["value"]]
    if "method" in found and "response" in found:  # logged request
        return [found["response"]]
    return None


def _headers(found: dict[str, Any]) -> Iterator[Header]:
    if "signed_header" in found:
        yield header_of(table(found, "signed_header", "a commit"))
    elif "block" in found:
        yield header_of_block(table(found, "block", "a response"))
    elif "header" in found and isinstance(
        found.get("data"), dict
    ):  # `query block` of the Cosmos SDK prints the block alone
        yield header_of_block(found)
    elif "header" in found:
        yield header_of(found)
    else:
        raise MalformedRecording(f"is neither a known kind of response nor has it {KEY} or {LINEAGES}")


def _events_of(tx: object) -> object:
    """Return the events of a successful result, None for a failed one; some nodes omit empty fields."""
    if not isinstance(tx, dict):
        raise MalformedRecording("block results with a transaction that is not an object")
    if whole(tx, "code", "a result") != 0:
        return None
    if "events" not in tx:
        raise MalformedRecording("block results with a successful transaction without events")
    return tx["events"]


def _results(found: dict[str, Any]) -> Results:
    height = positive(found, "height", "block results")
    raw = items(found, "txs_results", "block results")
    groups = [_events_of(tx) for tx in raw]
    around = [found.get(field) for field in BLOCK_EVENTS]
    (finalize, begin, end, *decoded), left_out = decode_events([*around, *groups])
    txs = tuple(result(tx, events) for tx, events in zip(raw, decoded, strict=True))
    return Results(height, txs, finalize + begin + end, left_out=left_out)
