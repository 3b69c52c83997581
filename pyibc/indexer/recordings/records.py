"""Records in recordings: headers and results of blocks, and single transactions.

Single transactions come from `/tx` and `tx_search` of a node, and as `tx_response` of the REST gateway.
"""

from typing import Any, NamedTuple

import msgspec

from pyibc.core.host.block import Event
from pyibc.indexer.blocks.block import Ack, Tx, tx_hash_text
from pyibc.indexer.errors import MalformedRecording
from pyibc.indexer.events.transactions import content_of_json
from pyibc.indexer.recordings.fields import (
    base64_bytes,
    decode_events,
    items,
    positive,
    split_joined,
    table,
    text,
    time_ns,
    whole,
)

_ACKNOWLEDGEMENT = "/ibc.core.channel.v1.MsgAcknowledgement"


class Header(NamedTuple):
    """Header of a block, with its transactions if the recording has them."""

    chain_id: str
    height: int
    time_ns: int
    txs: tuple[bytes, ...] | None  # None: not in the recording


class Results(NamedTuple):
    """Results of a block, which contain neither a chain id nor transaction hashes."""

    height: int
    txs: tuple[Tx, ...]
    block_events: tuple[Event, ...]
    header: Header | None = None  # in the same message
    partial: bool = False  # the results of the transactions are in other messages
    left_out: int = 0  # attributes that are not text


def header_of(found: dict[str, Any], txs: tuple[bytes, ...] | None = None) -> Header:
    """Decode the header in the field `header`.

    Raises:
        MalformedRecording: a field is missing or malformed.
    """
    header = table(found, "header", "a block")
    chain_id = text(header, "chain_id", "a header")
    if not chain_id or chain_id.split() != [chain_id]:
        raise MalformedRecording("a header without a valid chain_id")
    return Header(
        chain_id, positive(header, "height", "a header"), time_ns(header.get("time"), "a header"), txs
    )


def header_of_block(block: dict[str, Any]) -> Header:
    """Decode a block: its header and transactions.

    Raises:
        MalformedRecording: a field is missing or malformed.
    """
    data = table(block, "data", "a block")
    txs = items({"txs": data.get("txs")}, "txs", "a block")
    return header_of(block, tuple(base64_bytes(tx, "a transaction of a block") for tx in txs))


class TxRecord(NamedTuple):
    """Single transaction with its height; the chain id is not in the response."""

    height: int
    time_ns: int | None
    tx: Tx
    left_out: int = 0  # attributes that are not text


def result(found: dict[str, Any], events: tuple[Event, ...], **known: Any) -> Tx:
    """Decode the result `found`, with its decoded `events` and other known fields of the transaction."""
    what = "a transaction's result"
    known.setdefault("hash", "")
    known.setdefault("log", text(found, "log", what))
    return Tx(
        code=whole(found, "code", what),
        events=events,
        gas_wanted=whole(found, "gas_wanted", what),
        gas_used=whole(found, "gas_used", what),
        codespace=text(found, "codespace", what),
        **known,
    )


def node_tx(found: dict[str, Any]) -> TxRecord:
    """Decode the response `{hash, height, tx_result, tx}` of `/tx` and `tx_search`.

    Raises:
        MalformedRecording: a field is missing or malformed.
    """
    height = positive(found, "height", "a transaction")
    outcome = table(found, "tx_result", "a transaction")
    raw = base64_bytes(found["tx"], "a transaction") if "tx" in found else b""
    name = text(found, "hash", "a transaction").upper() or (tx_hash_text(raw) if raw else "")
    failed = whole(outcome, "code", "a transaction") != 0
    listed = None if failed else items(outcome, "events", "a transaction's result")
    (events,), left_out = decode_events([listed])
    return TxRecord(height, None, result(outcome, events, hash=name, raw=raw), left_out)


def gateway_tx(found: dict[str, Any], tx: object) -> TxRecord:
    """Decode `tx_response` of the REST gateway; `tx` is the transaction in the same response, as JSON.

    Events are read from `events` (SDK 0.45 and later), otherwise from `logs` (joined by type and message
    until 0.50), otherwise from `raw_log` (`logs` as text).

    Raises:
        MalformedRecording: a field is missing or malformed.
    """
    what = "a transaction"
    height = positive(found, "height", what)
    stamp = time_ns(found["timestamp"], what) if found.get("timestamp") else None
    name = text(found, "txhash", what).upper()
    log = text(found, "raw_log", what)
    failed = whole(found, "code", what) != 0
    events, left_out = ((), 0) if failed else _gateway_events(found, log)
    tx = tx if isinstance(tx, dict) else found.get("tx")
    messages = _messages(tx)
    known = {
        "hash": name,
        "log": log,
        "acks": tuple(_ack(message) for message in messages if message.get("@type") == _ACKNOWLEDGEMENT),
        "signer": _signer(messages),
        "content": content_of_json(tx),
    }
    return TxRecord(height, stamp, result(found, events, **known), left_out)


def _gateway_events(found: dict[str, Any], raw_log: str) -> tuple[tuple[Event, ...], int]:
    """Return the events, and the number of attributes that were left out."""
    if found.get("events"):
        (events,), left_out = decode_events([items(found, "events", "a transaction")])
        return events, left_out
    logs = items(found, "logs", "a transaction without events") or _raw_log(raw_log)
    if not logs:
        raise MalformedRecording("a successful transaction without events, logs or raw_log")
    groups, left_out = decode_events([_log_events(log) for log in logs])
    events = tuple(
        (kind, (*attributes, ("msg_index", str(number))))
        for number, group in enumerate(groups)
        for event in group
        for kind, attributes in split_joined(event)
    )
    return events, left_out


def _log_events(log: object) -> object:
    if not isinstance(log, dict):
        raise MalformedRecording("a log is not an object")
    return log.get("events")


def _raw_log(raw_log: str) -> list[Any]:
    try:
        logs = msgspec.json.decode(raw_log) if raw_log else []
    except (msgspec.DecodeError, RecursionError):
        raise MalformedRecording("a raw_log that is not JSON") from None
    if not isinstance(logs, list):
        raise MalformedRecording("a raw_log that is not a list")
    return logs


def _messages(tx: object) -> list[dict[str, Any]]:
    """Return the messages of a transaction in JSON; none if it has another format."""
    body = tx.get("body") if isinstance(tx, dict) else None
    messages = body.get("messages") if isinstance(body, dict) else None
    return [m for m in messages if isinstance(m, dict)] if isinstance(messages, list) else []


def _signer(messages: list[dict[str, Any]]) -> str:
    signers = (m.get("signer") or m.get("sender") for m in messages)
    return next((s for s in signers if isinstance(s, str)), "")


def _ack(message: dict[str, Any]) -> Ack:
    what = "a MsgAcknowledgement"
    packet = table(message, "packet", what)
    return Ack(
        text(packet, "source_port", what),
        text(packet, "source_channel", what),
        positive(packet, "sequence", what),
        base64_bytes(message.get("acknowledgement"), what),
    )
