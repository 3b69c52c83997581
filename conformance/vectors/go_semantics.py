"""Results of Go's standard library on the texts that ibc-go passes to it."""

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from conformance.case import Cases, expect, refusal, table_cases
from conformance.files import json_in
from pyibc.apps.transfer import packet_data
from pyibc.codec.gojson import decode_base64, marshal_string
from pyibc.core.coin import parse_amount
from pyibc.core.height import revision_of
from pyibc.core.identifiers import (
    LOCALHOST_CLIENT_ID,
    is_blank,
    is_channel_id,
    parse_client_id,
    parse_numbered,
    validate_channel_id,
    validate_client_id,
    validate_connection_id,
    validate_port_id,
)
from pyibc.core.numbers import MAX_U64

_Case = dict[str, Any]


def cases_of(path: Path) -> Cases | None:
    """Return the cases of a file with one table per Go function; None for any other file."""
    tables = json_in(path)
    if not isinstance(tables, dict) or not tables.keys() & _TABLES.keys():
        return None
    tables.pop("go", None)  # the Go version of the recording
    return table_cases(tables, _TABLES)


def _raw_text(row: _Case, field: str) -> str:
    return bytes.fromhex(row[field]).decode("utf-8", "surrogateescape")


def _packet(row: _Case) -> None:
    raw = bytes.fromhex(row["in_hex"])
    refused = refusal(lambda: packet_data.decode(raw))
    expect(not refused, row["ok"])
    if refused:
        return
    data = packet_data.decode(raw)
    fields = (data.denom.path, data.amount_text, data.sender, data.receiver, data.memo)
    names = ("denom", "amount", "sender", "receiver", "memo")
    expect([field.encode().hex() for field in fields], [row[name] for name in names])
    written = packet_data.encode(data)
    expect(written, _as_go_1_22(bytes.fromhex(row["remarshal_hex"])))
    expect(written == raw, _as_go_1_22(raw) == raw and row["roundtrip"])


_ESCAPE = re.compile(rb"\\(?:u0008|u000c|.)", re.DOTALL)


def _as_go_1_22(written: bytes) -> bytes:
    r"""Convert output of Go 1.19 to that of Go 1.22 and later, which has short forms of \b and \f."""
    short = {rb"\u0008": rb"\b", rb"\u000c": rb"\f"}
    return _ESCAPE.sub(lambda found: short.get(found[0], found[0]), written)


def _amount(row: _Case) -> None:
    number = parse_amount(row["s"])
    expect(number is not None, row.get("sdk_ok", False))
    if number is not None:
        expect((str(number), number > 0), (row["value"], row["positive"]))


def _uint64(row: _Case) -> None:
    """Check a sequence in an identifier, of at most 20 digits."""
    number = parse_numbered(f"channel-{row['s']}", "channel-")
    expected = int(row["value"]) if row["ok"] and len(row["s"]) <= 20 else None
    expect(number, expected)


def _identifier(row: _Case) -> None:
    text = _raw_text(row, "hex")
    expect(is_blank(text), row["trimspace_empty"])
    expect(is_channel_id(text), row["channel_regex"] and _fits(text))
    is_client = not refusal(lambda: parse_client_id(text))
    expect(
        is_client, text == LOCALHOST_CLIENT_ID or (row["client_regex"] and _fits(text) and len(text) <= 256)
    )
    revision = row["revision_regex"] and _fits(text)
    expect(revision_of(text), int(text.rpartition("-")[2]) if revision else 0)
    for validate, low, high in _VALIDATORS:
        refused = refusal(partial(validate, text))
        expect(not refused, row["id_regex"] and low <= row["bytes"] <= high)


_VALIDATORS: tuple[tuple[Callable[[str], None], int, int], ...] = (
    (validate_client_id, 4, 64),
    (validate_connection_id, 10, 64),
    (validate_channel_id, 8, 64),
    (validate_port_id, 2, 128),
)


def _fits(text: str) -> bool:
    """Return whether the number after the last dash fits 64 bits, which Go checks by ParseUint."""
    return int(text.rpartition("-")[2]) <= MAX_U64


def _base64(row: _Case) -> None:
    found = decode_base64(row["s"])
    expect(None if found is None else found.hex(), row["hex"] if row["ok"] else None)


def _string(row: _Case) -> None:
    expect(marshal_string(_raw_text(row, "in_hex")), _as_go_1_22(bytes.fromhex(row["json_hex"])))


_TABLES: dict[str, Callable[[_Case], None]] = {
    "packet_data_ics20_v1": _packet,
    "amount_setstring_base0": _amount,
    "parse_uint64": _uint64,
    "identifiers": _identifier,
    "base64_std": _base64,
    "string_marshal": _string,
}
