"""Parser of transcripts, complete or with only the fields a replay needs."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from google.protobuf.message import DecodeError

from conformance.case import is_object
from conformance.files import load_json
from conformance.transcripts.document import (
    GAS_LIMIT,
    Account,
    Action,
    Balance,
    ChainStart,
    Check,
    Commit,
    Events,
    Message,
    Refusal,
    Step,
    Store,
    Supply,
    Transcript,
    Tx,
    Write,
)
from conformance.transcripts.fields import Fields, Malformed
from pyibc.proto.ibc.lightclients.tendermint.v1.tendermint_pb2 import Header as ClientHeader

GOVERNANCE = "cosmos10d07y265gmmuvt4z0w9aw880jnsr700j6zn9kn"
"""Address of the SDK's module account `gov`, the default authority."""
STORES = (
    "ibc", "transfer", "upgrade", "icacontroller", "icahost", "gmp", "packetfowardmiddleware", "ratelimit",
)  # fmt: skip
"""Names of stores that a transcript may contain; `packetfowardmiddleware` is ibc-go's spelling."""

_OLDEST = frozenset(STORES[:3])  # in every transcript, whatever state its chains start with


class _Recorded(NamedTuple):
    """Properties of all steps of a transcript: what they record."""

    stores: tuple[str, ...]
    has_accounts: bool


def is_transcript(data: Any) -> bool:
    """Return whether the JSON value looks like a transcript."""
    return is_object(data, "steps")


def load(path: Path) -> dict[str, Any]:
    """Read a transcript's JSON.

    Raises:
        ValueError: it is not a transcript.
        OSError: reading the file failed.
    """
    data = load_json(path)
    if not is_transcript(data):
        raise Malformed("no steps")
    document: dict[str, Any] = data
    return document


def read(document: dict[str, Any]) -> Transcript:
    """Parse a transcript.

    Raises:
        Malformed: a required field is missing, or a field has the wrong type.
    """
    fields = Fields(document, "file")
    chains = tuple(_chain(each) for each in fields.objects("chains"))
    if len({each.chain_id for each in chains}) != len(chains):
        raise fields.wrong("chains", "have one name twice")
    stores = tuple(name for name in STORES if name in _OLDEST or any(name in each.stores for each in chains))
    recorded = _Recorded(stores, any(each.accounts for each in chains))
    return Transcript(
        fields.text("app", ""),
        fields.text("authority", "") or GOVERNANCE,
        chains,
        tuple(_step(each, number, recorded) for number, each in enumerate(fields.objects("steps"))),
        tuple(_check(each) for each in fields.objects("check_tx")),
    )


def _chain(fields: Fields) -> ChainStart:
    stores = fields.object("stores")
    return ChainStart(
        fields.text("chain_id"),
        _height(fields, 1),
        fields.integer("time_ns", 0),
        {name: _store(stores.object(name)) for name in STORES if stores.has(name)},
        tuple(_balances(fields, "balances")),
        tuple(_supply(fields, "supply")),
        tuple(_accounts(fields, "account_numbers")),
        frozenset([each.address for each in _header(fields).validator_set.validators]),
        _commit(fields),
    )


def _commit(fields: Fields) -> Commit | None:
    """Return the roots of stores and the app hash; None if both are missing."""
    told, roots = fields.object("commit_info"), fields.has("commit_info")
    hashes = {name: told.hexadecimal(name).hex().upper() for name in told.members if told.has(name)}
    app_hash = fields.hexadecimal("app_hash").hex().upper() or None
    return Commit(hashes if roots else None, app_hash) if roots or app_hash else None


def _height(fields: Fields, default: int | None = None) -> int:
    height = fields.integer("height", default)
    if height < 1:
        raise fields.wrong("height", "is below 1")
    return height


def _store(fields: Fields) -> Store:
    entries = tuple(_writes(fields, "entries"))
    if any(each.value is None for each in entries):
        raise fields.wrong("entries", "have one without a value")
    return Store(entries, fields.text("root", "").upper() or None, fields.integer("version", 0) or None)


def _writes(fields: Fields, name: str) -> Iterator[Write]:
    for each in fields.objects(name):
        key = each.data("key_b64")
        if not key:
            raise each.wrong("key_b64", "is missing")
        yield Write(key, each.data("value_b64") if each.has("value_b64") else None)


def _balances(fields: Fields, name: str) -> Iterator[Balance]:
    for each in fields.objects(name):
        yield Balance(each.text("address"), each.text("denom"), _amount(each))


def _amount(fields: Fields) -> int:
    amount = fields.text("amount")
    if not (amount.isascii() and amount.isdigit()):
        raise fields.wrong("amount", "is no amount")
    return int(amount)


def _supply(fields: Fields, name: str) -> Iterator[Supply]:
    for each in fields.objects(name):
        yield Supply(each.text("denom"), _amount(each))


def _accounts(fields: Fields, name: str) -> Iterator[Account]:
    for each in fields.objects(name):
        packed = Message(each.text("type_url"), each.data("value_b64"))
        yield Account(each.text("address"), each.integer("number"), packed)


def _step(fields: Fields, number: int, recorded: _Recorded) -> Step:
    height = _height(fields)
    return Step(
        fields.integer("n", number),
        fields.text("chain"),
        height,
        fields.integer("time_ns"),
        fields.hexadecimal("next_validators_hash"),
        tuple(_action(each) for each in fields.objects("actions")),
        tuple(_tx(each) for each in fields.objects("txs")),
        fields.has("commit_info"),
        dict(_changes(fields, recorded.stores)),
        fields.text("ibc_store_root", "").upper() or None,
        fields.integer("ibc_store_version", 0) or height,
        tuple(_balances(fields, "balance_changes")),
        _events(fields, "block_events", fields.has("commit_info")),
        _app_hash(fields),
        tuple(_supply(fields, "supply_changes")),
        tuple(_accounts(fields, "new_accounts")) if recorded.has_accounts else None,
        _commit(fields),
    )


def _app_hash(fields: Fields) -> bytes:
    """Return the recorded app hash, or that of the block's header; empty if neither exists."""
    if fields.has("app_hash_before"):
        return fields.hexadecimal("app_hash_before")
    return _header(fields).signed_header.header.app_hash


def _header(fields: Fields) -> ClientHeader:
    """Return a block's header; an empty one if it is missing or malformed."""
    try:
        return ClientHeader.FromString(fields.data("header_b64"))
    except DecodeError:
        return ClientHeader()


def _changes(fields: Fields, recorded: Sequence[str]) -> Iterator[tuple[str, tuple[Write, ...]]]:
    """Return changes by store.

    The recorder omits unchanged stores, and lists changed ones in `commit_info`.
    """
    others, changed = fields.object("other_store_changes"), fields.object("commit_info")
    if fields.has("ibc_store_changes"):
        yield "ibc", tuple(_writes(fields, "ibc_store_changes"))
    for name in recorded:
        told = others.has(name) or (fields.has("commit_info") and not changed.has(name))
        if name != STORES[0] and told:
            yield name, tuple(_writes(others, name))


def _refusal(fields: Fields, code: int, text: str) -> Refusal | None:
    if not code:
        return None
    return Refusal(fields.text("codespace", ""), code, fields.text(text) if fields.has(text) else None)


def _tx(fields: Fields) -> Tx:
    told = fields.has("msg_responses")
    return Tx(
        fields.text("note", ""),
        _required_messages(fields),
        _refusal(fields, fields.integer("code"), "log"),
        _messages(fields, "msg_responses") if told else None,
        _events(fields, "events"),
        fields.integer("gas_limit", GAS_LIMIT),
        fields.text("label", ""),
    )


def _action(fields: Fields) -> Action:
    code = 0 if fields.flag("ok") else fields.integer("code", 0) or 1
    result = fields.object("result")
    return Action(
        fields.text("action"),
        fields.object("args"),
        _refusal(fields, code, "error"),
        result.integer("sequence") if result.has("sequence") else None,
        _events(fields, "events"),
    )


def _check(fields: Fields) -> Check:
    return Check(
        fields.integer("after_step"),
        fields.text("chain"),
        fields.text("note", ""),
        _required_messages(fields),
        fields.flag("recheck", False),
        _refusal(fields, fields.integer("code"), "log"),
    )


def _required_messages(fields: Fields) -> tuple[Message, ...]:
    if not fields.has("msgs"):
        raise fields.wrong("msgs", "is missing")
    return _messages(fields, "msgs")


def _messages(fields: Fields, name: str) -> tuple[Message, ...]:
    return tuple(Message(each.text("type_url"), each.data("value_b64")) for each in fields.objects(name))


def _events(fields: Fields, name: str, always: bool = False) -> Events | None:
    """Return events in order; None if they are not recorded, unless `always`."""
    if not fields.has(name) and not always:
        return None
    return tuple(
        (
            each.text("type"),
            tuple((a.text("key", ""), a.text("value", "")) for a in each.objects("attributes")),
        )
        for each in fields.objects(name)
    )
