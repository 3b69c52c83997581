"""What blocks and transactions did: events, results of transactions, committed blocks (ABCI's JSON).

Nodes before 0.37 print keys and values of attributes in base64, later ones as they are; no document says
which, so whoever reads must know.
"""

from collections.abc import Iterable, Sequence

from ibc_core.comet_json.fields import Json, read_base64, read_hex, read_integer, write_base64
from ibc_core.host.block import CommittedBlock, TxOutcome
from ibc_core.host.events import Event
from ibc_core.numbers import MAX_U32
from ibc_core.wire.gotime import parse_rfc3339

BLOCK_EVENTS = ("finalize_block_events", "begin_block_events", "end_block_events")
"""Fields of `block_results` with events of no transaction: 0.38 has the first, older nodes the others."""


def read_event(event: Json, *, encoded: bool) -> Event:
    """An event.

    Args:
        event: its type, and attributes of which each has a key and a value.
        encoded: whether they are in base64; what is no UTF-8 in it comes escaped.

    Raises:
        ValueError, KeyError, TypeError, AttributeError: `event` is none.
    """
    text = _decoded if encoded else _plain
    pairs = [(text(each.get("key")), text(each.get("value"))) for each in event.get("attributes") or ()]
    return _plain(event.get("type")), tuple(pairs)


def read_events(events: Iterable[Json] | None, *, encoded: bool) -> tuple[Event, ...]:
    """Events in their order; raises as `read_event`."""
    return tuple([read_event(each, encoded=encoded) for each in events or ()])


def write_events(events: Sequence[Event]) -> list[Json]:
    """Events as 0.38 prints them, every attribute indexed."""
    return [
        {"type": kind, "attributes": [{"key": key, "value": text, "index": True} for key, text in pairs]}
        for kind, pairs in events
    ]


def read_tx_result(tx: bytes, result: Json, *, encoded: bool) -> TxOutcome:
    """What came of a transaction: an entry of `txs_results`, a `tx_result`, CheckTx's answer.

    Raises:
        ValueError, KeyError, TypeError, AttributeError: `result` is none.
    """
    return TxOutcome(
        tx,
        _code(result.get("code")),
        _plain(result.get("codespace")),
        read_events(result.get("events"), encoded=encoded),
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


def read_block(block: Json, results: Json, *, encoded: bool) -> CommittedBlock:
    """The answers of `block` and `block_results` of one height.

    Raises:
        ValueError, KeyError, TypeError, AttributeError: they are not of their form, or of different blocks.
    """
    header, txs = block["block"]["header"], read_txs(block)
    outcomes = results["txs_results"] or ()
    return CommittedBlock(
        header["chain_id"],
        read_integer(header["height"]),
        parse_rfc3339(header["time"]),
        read_base64(results.get("app_hash")),
        tuple([read_tx_result(tx, each, encoded=encoded) for tx, each in zip(txs, outcomes, strict=True)]),
        tuple(
            [event for field in BLOCK_EVENTS for event in read_events(results.get(field), encoded=encoded)]
        ),
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
