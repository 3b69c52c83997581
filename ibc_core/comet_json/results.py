"""What blocks and transactions did: events, results of transactions, committed blocks (ABCI's JSON).

Nodes before 0.37 print keys and values of attributes in base64, later ones as they are; no document says
which, so whoever reads must know.
"""

from collections.abc import Container, Iterable, Sequence
from typing import TypedDict

import msgspec

from ibc_core.comet_json.fields import Json, read_base64, read_hex, read_integer, write_base64
from ibc_core.host.block import CommittedBlock, TxOutcome
from ibc_core.host.events import Event
from ibc_core.numbers import MAX_U32
from ibc_core.wire.gotime import parse_rfc3339

BLOCK_EVENTS = ("finalize_block_events", "begin_block_events", "end_block_events")
"""Fields of `block_results` with events of no transaction: 0.38 has the first, older nodes the others."""


class _Attribute(msgspec.Struct, gc=False):
    key: str | None = None
    value: str | None = None


class _Event(msgspec.Struct, gc=False):
    type: str | None = None
    attributes: list[_Attribute] | None = None


class _Sketch(msgspec.Struct, gc=False):
    """An event whose attributes are text."""

    type: str | None = None
    attributes: msgspec.Raw = msgspec.Raw(b"null")


_EVENTS = msgspec.json.Decoder(list[_Event] | None)
_SKETCHES = msgspec.json.Decoder(list[_Sketch] | None)
_ATTRIBUTES = msgspec.json.Decoder(list[_Attribute] | None)
_NONE: frozenset[str] = frozenset()


class _How(TypedDict):
    encoded: bool
    without: Container[str]


def read_event(event: Json, *, encoded: bool) -> Event:
    """An event.

    Args:
        event: its type, and attributes of which each has a key and a value.
        encoded: whether they are in base64; what is no UTF-8 in it comes escaped.

    Raises:
        ValueError, KeyError, TypeError, AttributeError: `event` is malformed.
    """
    text = _decoded if encoded else _plain
    pairs = [(text(each.get("key")), text(each.get("value"))) for each in event.get("attributes") or ()]
    return _plain(event.get("type")), tuple(pairs)


def read_events(
    events: Iterable[Json] | msgspec.Raw | None, *, encoded: bool, without: Container[str] = _NONE
) -> tuple[Event, ...]:
    """Events in their order, of JSON that is decoded or still text; raises as `read_event`.

    Of text those of the types in `without` are left out, and their attributes not looked at.
    """
    if not isinstance(events, msgspec.Raw):
        return tuple([read_event(each, encoded=encoded) for each in events or ()])
    found = _all(events) if without is _NONE else _some(events, without)
    if encoded:
        return tuple([(kind, tuple([(_decoded(k), _decoded(v)) for k, v in pairs])) for kind, pairs in found])
    return tuple(found)


def _all(events: msgspec.Raw) -> list[Event]:
    """Without a dictionary of each attribute: a block has tens of thousands of them."""
    return [(each.type or "", _pairs(each.attributes)) for each in _EVENTS.decode(events) or ()]


def _some(events: msgspec.Raw, without: Container[str]) -> list[Event]:
    return [
        (each.type or "", _pairs(_ATTRIBUTES.decode(each.attributes)))
        for each in _SKETCHES.decode(events) or ()
        if each.type not in without
    ]


def _pairs(attributes: Iterable[_Attribute] | None) -> tuple[tuple[str, str], ...]:
    return tuple([(each.key or "", each.value or "") for each in attributes or ()])


def write_events(events: Sequence[Event]) -> list[Json]:
    """Events as 0.38 prints them, every attribute indexed."""
    return [
        {"type": kind, "attributes": [{"key": key, "value": text, "index": True} for key, text in pairs]}
        for kind, pairs in events
    ]


def read_tx_result(tx: bytes, result: Json, *, encoded: bool, without: Container[str] = _NONE) -> TxOutcome:
    """What came of a transaction: an entry of `txs_results`, a `tx_result`, CheckTx's answer.

    Args:
        tx: the transaction.
        result: as the node answers it.
        encoded: as in `read_event`.
        without: as in `read_events`.

    Raises:
        ValueError, KeyError, TypeError, AttributeError: `result` is malformed.
    """
    return TxOutcome(
        tx,
        _code(result.get("code")),
        _plain(result.get("codespace")),
        read_events(result.get("events"), encoded=encoded, without=without),
        read_integer(result.get("gas_wanted")),
        read_integer(result.get("gas_used")),
        read_base64(result.get("data")),
        _plain(result.get("log")),
    )


def write_tx_result(outcome: TxOutcome) -> Json:
    """What came of a transaction, without the transaction."""
    return {
        "code": outcome.code,
        "data": write_base64(outcome.data),
        "log": outcome.log,
        "info": "",
        "gas_wanted": str(outcome.gas_wanted),
        "gas_used": str(outcome.gas_used),
        "events": write_events(outcome.events),
        "codespace": outcome.codespace,
    }


def read_block(
    block: Json, results: Json, *, encoded: bool, without: Container[str] = _NONE
) -> CommittedBlock:
    """The answers of `block` and `block_results` of one height; `encoded`, `without` as in `read_events`.

    Raises:
        ValueError, KeyError, TypeError, AttributeError: they are not of their form, or of different blocks.
    """
    txs, outcomes = read_txs(block), results["txs_results"] or ()
    how: _How = {"encoded": encoded, "without": without}
    return read_header(block)._replace(
        app_hash=read_base64(results.get("app_hash")),
        txs=tuple([read_tx_result(tx, each, **how) for tx, each in zip(txs, outcomes, strict=True)]),
        block_events=tuple(
            [event for field in BLOCK_EVENTS for event in read_events(results.get(field), **how)]
        ),
    )


def read_header(block: Json) -> CommittedBlock:
    """A `block` answer, without what came of it: app hash, transactions and events are empty.

    Raises:
        ValueError, KeyError, TypeError, AttributeError: it is not of its form.
    """
    header = block["block"]["header"]
    return CommittedBlock(
        header["chain_id"],
        read_integer(header["height"]),
        parse_rfc3339(header["time"]),
        b"",
        (),
        (),
        _hash(block.get("block_id")),
        _hash(header.get("last_block_id")),
    )


def _hash(block_id: Json | None) -> bytes:
    return read_hex((block_id or {}).get("hash"))


def read_txs(block: Json) -> list[bytes]:
    """The transactions of a `block` answer; raises as `read_block`."""
    return [read_base64(tx) for tx in block["block"]["data"]["txs"] or ()]


def write_block_results(block: CommittedBlock) -> Json:
    """The answer of `block_results`."""
    return {
        "height": str(block.height),
        "txs_results": [write_tx_result(each) for each in block.txs] or None,
        "finalize_block_events": write_events(block.block_events),
        "validator_updates": None,
        "consensus_param_updates": None,
        "app_hash": write_base64(block.app_hash),
    }


def _code(value: object) -> int:
    code = read_integer(value)
    if not 0 <= code <= MAX_U32:
        raise ValueError(f"no code: {code}")
    return code


def _plain(text: object) -> str:
    if text is None:
        return ""
    if not isinstance(text, str):
        raise TypeError(f"no text: {text!a:.64}")
    return text


def _decoded(text: object) -> str:
    return read_base64(text).decode("utf-8", "backslashreplace")
