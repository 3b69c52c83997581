"""Typed access to fields of a node's JSON, with specific errors."""

from typing import Any

from pyibc.codec.comet_json import read_base64
from pyibc.codec.gotime import parse_rfc3339
from pyibc.core.numbers import MAX_I64, parse_u64
from pyibc.indexer.errors import MalformedRecording


def positive(found: dict[str, Any], field: str, what: str) -> int:
    """Return a positive integer, encoded as a string (as Go encodes int64 in JSON) or as a number.

    Raises:
        MalformedRecording: the field is missing or malformed.
    """
    number = _number(found.get(field))
    if number is None or not 0 < number <= MAX_I64:
        raise MalformedRecording(f"{what} without a valid {field}")
    return number


def whole(found: dict[str, Any], field: str, what: str) -> int:
    """Return an unsigned integer, which may be omitted if zero, as in protobuf JSON.

    Raises:
        MalformedRecording: the field is present and not a number in 0..2^64-1.
    """
    number = _number(found.get(field, 0))
    if number is None or number < 0:
        raise MalformedRecording(f"{what} with a {field} that is not a number")
    return number


def text(found: dict[str, Any], field: str, what: str) -> str:
    """Return a string, which may be omitted if empty.

    Raises:
        MalformedRecording: the field is present and not a string.
    """
    value = found.get(field)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise MalformedRecording(f"{what} with a {field} that is not a string")
    return value


def table(found: dict[str, Any], field: str, what: str) -> dict[str, Any]:
    """Return a JSON object.

    Raises:
        MalformedRecording: the field is missing or not an object.
    """
    value = found.get(field)
    if not isinstance(value, dict):
        raise MalformedRecording(f"{what} without a {field}")
    return value


def items(found: dict[str, Any], field: str, what: str) -> list[Any]:
    """Return a list; null counts as empty, as Go encodes it.

    Raises:
        MalformedRecording: the field is missing or not a list.
    """
    if field not in found or not isinstance(found[field], list | None):
        raise MalformedRecording(f"{what} without a list {field}")
    return found[field] or []


def base64_bytes(value: object, what: str) -> bytes:
    """Decode a base64 string.

    Raises:
        MalformedRecording: the value is not base64.
    """
    try:
        if value is not None:
            return read_base64(value)
    except (ValueError, TypeError):
        pass
    raise MalformedRecording(f"{what} is not base64")


def time_ns(value: object, what: str) -> int:
    """Parse an RFC 3339 time from 1970 to 2262 as unix nanoseconds.

    Raises:
        MalformedRecording: the value is not such a time.
    """
    try:
        found = parse_rfc3339(value) if isinstance(value, str) else None
    except ValueError:
        found = None
    if found is None or not 0 <= found <= MAX_I64:
        raise MalformedRecording(f"{what} with a time that is not an RFC 3339 time from 1970 to 2262")
    return found


def _number(value: object) -> int | None:
    if isinstance(value, str):
        return parse_u64(value)
    return value if type(value) is int else None
