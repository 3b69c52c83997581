"""Single transactions: a node's `/tx` and `tx_search`, the REST gateway's `tx_response`."""

from typing import Any, NamedTuple

import msgspec

from ibc_core.host.events import Event
from ibc_indexer.blocks import Ack, Tx, tx_hash_text
from ibc_indexer.errors import MalformedRecording
from ibc_indexer.recordings.attributes import decode_events, split_joined
from ibc_indexer.recordings.fields import base64_bytes, items, positive, table, text, time_ns, whole
from ibc_indexer.transactions.decode import content_of_json


class TxRecord(NamedTuple):
    """A transaction that was asked for alone: it names its height, not its chain."""

    height: int
    time_ns: int | None
    tx: Tx


def result(found: dict[str, Any], events: tuple[Event, ...], **known: Any) -> Tx:
    """The result `found` with its decoded `events`; `known` is what else is known of the transaction."""
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
    """`{hash, height, tx_result, tx}` of `/tx` and `tx_search`.

    Raises:
        MalformedRecording: a field is missing or odd.
    """
    height = positive(found, "height", "a transaction")
    outcome = table(found, "tx_result", "a transaction")
    raw = base64_bytes(found["tx"], "a transaction") if "tx" in found else b""
    name = text(found, "hash", "a transaction").upper() or (tx_hash_text(raw) if raw else "")
    failed = whole(outcome, "code", "a transaction") != 0
    events = () if failed else decode_events([items(outcome, "events", "a transaction's result")])[0]
    return TxRecord(height, None, result(outcome, events, hash=name, raw=raw))


def gateway_tx(found: dict[str, Any], tx: object) -> TxRecord:
    """`tx_response` of the REST gateway; `tx` is the transaction beside it, as JSON.

    Its events stand in `events` (SDK 0.45 and later), in `logs` (joined by type and message until 0.50) and
    in `raw_log` (the same as text): one of the three is read.

    Raises:
        MalformedRecording: a field is missing or odd.
    """
    what = "a transaction"
    height = positive(found, "height", what)
    stamp = time_ns(found["timestamp"], what) if found.get("timestamp") else None
    name = text(found, "txhash", what).upper()
    log = text(found, "raw_log", what)
    events = () if whole(found, "code", what) != 0 else _gateway_events(found, log)
    tx = tx if isinstance(tx, dict) else found.get("tx")
    messages = _messages(tx)
    known = {
        "hash": name,
        "log": log,
        "acks": _acks(messages),
        "signer": _signer(messages),
        "content": content_of_json(tx),
    }
    return TxRecord(height, stamp, result(found, events, **known))


def _gateway_events(found: dict[str, Any], raw_log: str) -> tuple[Event, ...]:
    if found.get("events"):
        return decode_events([items(found, "events", "a transaction")])[0]
    logs = items(found, "logs", "a transaction without events") or _raw_log(raw_log)
    if not logs:
        raise MalformedRecording("a successful transaction without events, logs or raw_log")
    groups = [_log_events(log) for log in logs]
    return tuple(
        (kind, (*attributes, ("msg_index", str(number))))
        for number, events in enumerate(decode_events(groups))
        for event in events
        for kind, attributes in split_joined(event)
    )


def _log_events(log: object) -> object:
    if not isinstance(log, dict):
        raise MalformedRecording("a log is no object")
    return log.get("events")


def _raw_log(raw_log: str) -> list[Any]:
    try:
        logs = msgspec.json.decode(raw_log) if raw_log else []
    except (msgspec.DecodeError, RecursionError):
        raise MalformedRecording("a raw_log that is no JSON") from None
    if not isinstance(logs, list):
        raise MalformedRecording("a raw_log that is no list")
    return logs


def _messages(tx: object) -> list[dict[str, Any]]:
    """The messages of a transaction printed as JSON; none where it is printed otherwise."""
    body = tx.get("body") if isinstance(tx, dict) else None
    messages = body.get("messages") if isinstance(body, dict) else None
    return [m for m in messages if isinstance(m, dict)] if isinstance(messages, list) else []


def _signer(messages: list[dict[str, Any]]) -> str:
    signers = (m.get("signer") or m.get("sender") for m in messages)
    return next((s for s in signers if isinstance(s, str)), "")


def _acks(messages: list[dict[str, Any]]) -> tuple[Ack, ...]:
    kind = "/ibc.core.channel.v1.MsgAcknowledgement"
    return tuple(_ack(m) for m in messages if m.get("@type") == kind)


def _ack(message: dict[str, Any]) -> Ack:
    what = "a MsgAcknowledgement"
    packet = table(message, "packet", what)
    return Ack(
        text(packet, "source_port", what),
        text(packet, "source_channel", what),
        positive(packet, "sequence", what),
        base64_bytes(message.get("acknowledgement"), what),
    )
