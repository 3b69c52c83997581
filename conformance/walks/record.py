"""Writer of transcripts in the format of ibc-go's recorder."""

from base64 import b64encode
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from conformance.transcripts.chain import Result
from conformance.transcripts.document import Message
from conformance.transcripts.reader import STORES
from pyibc.codec.anys import AnyMessage
from pyibc.core.address import AddressCodec
from pyibc.core.errors import IbcError
from pyibc.core.host.block import Event
from pyibc.core.host.overlay import BlockContext

BALANCE = b"\x02"
"""Key prefix of balances in the host's bank store; length, address and denomination follow."""

COMPARED = STORES[1:]
"""Stores recorded in addition to `ibc`, where the host has them."""


def text_of(raw: bytes) -> str:
    """Return padded standard base64."""
    return b64encode(raw).decode("ascii")


def change(key: bytes, value: bytes | None) -> dict[str, Any]:
    """Return a write, or a delete if `value` is None."""
    return {"key_b64": text_of(key), "value_b64": None if value is None else text_of(value)}


def message(each: AnyMessage) -> dict[str, Any]:
    """Return a message."""
    return {"type_url": each.type_url, "value_b64": text_of(each.value)}


def events(emitted: Iterable[Event]) -> list[dict[str, Any]]:
    """Return events in order."""
    return [
        {"type": kind, "attributes": [{"key": key, "value": value} for key, value in pairs]}
        for kind, pairs in emitted
    ]


def verdict(error: IbcError | None) -> dict[str, Any]:
    """Return code and codespace, and our `error_type`, which identifies intended differences."""
    if error is None:
        return {"code": 0}
    return {"code": error.code, "codespace": error.codespace, "error_type": type(error).__name__}


def transaction(messages: Sequence[AnyMessage], note: str, result: Result) -> dict[str, Any]:
    """Return a transaction and its result."""
    responses = [AnyMessage(type_url, value) for type_url, value in result.responses]
    return {
        "note": note,
        "msgs": [message(each) for each in messages],
        **verdict(result.error),
        "log": "" if result.error is None else str(result.error)[:400],
        "msg_responses": [message(each) for each in responses],
        "events": events(result.events),
    }


def check(
    messages: Sequence[AnyMessage], note: str, error: IbcError | None, *, recheck: bool
) -> dict[str, Any]:
    """Return a CheckTx call and its result."""
    return {
        "note": note,
        "msgs": [message(each) for each in messages],
        "recheck": recheck,
        "log": "" if error is None else str(error)[:400],
        **verdict(error),
    }


def action(
    name: str,
    args: Mapping[str, Any],
    error: IbcError | None,
    result: Mapping[str, Any],
    own: Sequence[Event],
) -> dict[str, Any]:
    """Return an action outside of transactions and its result."""
    return {
        "action": name,
        "args": dict(args),
        "ok": error is None,
        **verdict(error),
        "error": "" if error is None else str(error)[:200],
        "result": dict(result) or None,
        "events": events(own),
    }


def store_changes(ctx: BlockContext, names: Collection[str]) -> dict[str, Any]:
    """Return all writes of a block to the host's stores, which are called `names`."""
    others = {name: [change(*write) for write in ctx.writes(name)] for name in COMPARED if name in names}
    return {
        "ibc_store_changes": [change(*write) for write in ctx.writes("ibc")],
        "other_store_changes": others,
    }


def balance_changes(ctx: BlockContext, addresses: AddressCodec) -> list[dict[str, str]]:
    """Return all balances that a block wrote."""
    found = []
    for key, value in ctx.writes("bank"):
        if key.startswith(BALANCE):
            end = 2 + key[1]
            amount = int.from_bytes(value or b"", "big")
            holder, denom = addresses.encode(key[2:end]).text, key[end:].decode()
            found.append({"address": holder, "denom": denom, "amount": str(amount)})
    return found


def new_accounts(made: Iterable[tuple[str, int, Message]]) -> list[dict[str, Any]]:
    """Return the accounts that a block created: address, number, Any."""
    return [
        {"address": address, "number": number, **message(AnyMessage(*packed))}
        for address, number, packed in made
    ]


def store_start(entries: Iterable[tuple[bytes, bytes | None]], version: int) -> dict[str, Any]:
    """Return a store before the first block."""
    return {"version": version, "entries": [change(key, value) for key, value in entries]}
