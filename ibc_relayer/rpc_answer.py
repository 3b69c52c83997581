"""Answers in JSON-RPC 2.0, decoded as far as anybody reads them.

What is most of a chain's JSON, the events of its blocks, stays text until `read_events` takes it
(`ibc_core.comet_json.results`): so no dictionary is made of each attribute.
"""

from typing import Any, TypedDict

import msgspec

from ibc_core.comet_json.fields import Json


class Envelope(msgspec.Struct):
    """An answer, with its result as text."""

    id: Any = None
    error: Any = None
    result: msgspec.Raw = msgspec.Raw()


class _TxResult(TypedDict, total=False):
    code: Any
    codespace: Any
    events: msgspec.Raw
    gas_wanted: Any
    gas_used: Any
    data: Any
    log: Any


class _Results(TypedDict, total=False):
    height: Any
    txs_results: list[_TxResult] | None
    finalize_block_events: msgspec.Raw
    begin_block_events: msgspec.Raw
    end_block_events: msgspec.Raw
    app_hash: Any


_ONE = msgspec.json.Decoder(Envelope)
_SEVERAL = msgspec.json.Decoder(list[Envelope])
_RESULTS = msgspec.json.Decoder(_Results)


def read_envelope(text: bytes) -> Envelope:
    """The answer to a call. Raises ValueError, RecursionError: it is malformed."""
    return _ONE.decode(text)


def read_envelopes(text: bytes) -> list[Envelope] | None:
    """The answers to a batch; None: it was refused as a whole. Raises as `read_envelope`."""
    return _SEVERAL.decode(text) if text.startswith(b"[") else None


def read_result(method: str, result: msgspec.Raw) -> Json:
    """The result of a call of `method`; events of blocks as text.

    Raises:
        ValueError, RecursionError: it is not there, no object, or not of the method's form.
    """
    if not bytes(result):
        raise ValueError("no result")
    if method == "block_results":
        return dict(_RESULTS.decode(result))
    found = msgspec.json.decode(result)
    if not isinstance(found, dict):
        raise ValueError("no result")  # noqa: TRY004 - as above
    return found
