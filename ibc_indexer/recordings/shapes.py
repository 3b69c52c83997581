"""What a JSON value of a recording is: a header, a block's results, transactions."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from ibc_core.comet_json.results import BLOCK_EVENTS
from ibc_core.host.events import Event
from ibc_indexer.blocks import Tx
from ibc_indexer.errors import MalformedRecording
from ibc_indexer.recordings.attributes import decode_events
from ibc_indexer.recordings.fields import base64_bytes, items, positive, table, text, time_ns, whole
from ibc_indexer.recordings.transactions import TxRecord, gateway_tx, node_tx, result

MAX_DEPTH = 8  # envelopes in envelopes


class Header(NamedTuple):
    """From `/block`, `/header` or `/commit`: which chain, when, and the block's transactions."""

    chain_id: str
    height: int
    time_ns: int
    txs: tuple[bytes, ...] | None  # None: the recording does not hold them


class Results(NamedTuple):
    """From `/block_results`: names no chain and no transaction."""

    height: int
    txs: tuple[Tx, ...]
    block_events: tuple[Event, ...]


Record = Header | Results | TxRecord


def records(value: Any, depth: int = 0) -> Iterator[Record | MalformedRecording]:
    """What `value` holds, envelopes removed; a malformed part comes as the error that says why."""
    if depth > MAX_DEPTH:
        yield MalformedRecording("is wrapped in too many envelopes")
        return
    if isinstance(value, list):
        for item in value:
            yield from records(item, depth + 1)
        return
    try:
        yield from _object(_object_of(value), depth)
    except MalformedRecording as error:
        yield error


def _object_of(value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise MalformedRecording(f"is a JSON {type(value).__name__}, not a node's answer")
    return value


def _object(found: dict[str, Any], depth: int) -> Iterator[Record | MalformedRecording]:
    inner = _envelope(found)
    if inner is not None:
        for part in inner:
            yield from records(part, depth + 1)
    elif "tx_result" in found:
        yield node_tx(found)
    elif "txhash" in found:
        yield gateway_tx(found, {})
    elif "tx_response" in found:
        yield gateway_tx(table(found, "tx_response", "an answer"), found.get("tx"))
    elif any(field in found for field in ("txs_results", *BLOCK_EVENTS)):
        yield _results(found)
    else:
        yield from _headers(found)


def _envelope(found: dict[str, Any]) -> list[Any] | None:
    """The parts of an object that only wraps others, else None."""
    if isinstance(found.get("error"), dict):
        raise MalformedRecording(f"is a JSON-RPC error: {str(found['error'].get('message'))[:64]}")
    if "result" in found:
        return [found["result"]]
    if "method" in found and "response" in found:  # a logged call
        return [found["response"]]
    if isinstance(found.get("blocks"), dict):  # height -> answers
        return list(found["blocks"].values())
    if "block_results" in found:  # the answers about one block
        return [found[part] for part in ("block", "commit", "block_results") if found.get(part) is not None]
    if "tx_responses" in found:
        return items(found, "tx_responses", "a page of transactions")
    if "txs" in found:
        return items(found, "txs", "a page of transactions")
    if "blocks" in found:
        return items(found, "blocks", "a page of blocks")
    return None


def _headers(found: dict[str, Any]) -> Iterator[Header]:
    if "signed_header" in found:
        yield _header(table(found, "signed_header", "a commit"), None)
    elif "block" in found:
        block = table(found, "block", "an answer")
        data = table(block, "data", "a block")
        txs = items({"txs": data.get("txs")}, "txs", "a block")
        yield _header(block, tuple(base64_bytes(tx, "a transaction of a block") for tx in txs))
    elif "header" in found:
        yield _header(found, None)
    else:
        raise MalformedRecording("is no recording of a kind that is known here")


def _header(found: dict[str, Any], txs: tuple[bytes, ...] | None) -> Header:
    header = table(found, "header", "a block")
    chain_id = text(header, "chain_id", "a header")
    if not chain_id or chain_id.split() != [chain_id]:
        raise MalformedRecording("a header without a usable chain_id")
    return Header(
        chain_id, positive(header, "height", "a header"), time_ns(header.get("time"), "a header"), txs
    )


def _events_of(tx: object) -> object:
    """The events of a result, none where it failed. Some nodes leave out what is zero or empty."""
    if not isinstance(tx, dict):
        raise MalformedRecording("block results with a transaction that is no object")
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
    finalize, begin, end, *decoded = decode_events([*around, *groups])
    txs = tuple(result(tx, events) for tx, events in zip(raw, decoded, strict=True))
    return Results(height, txs, finalize + begin + end)
