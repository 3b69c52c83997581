"""Fields of a node's JSON, each read with its own complaint."""

from typing import Any

from ibc_core.comet_json.fields import read_base64
from ibc_core.numbers import MAX_I64, parse_u64
from ibc_core.wire.gotime import parse_rfc3339
from ibc_indexer.errors import MalformedRecording


def positive(found: dict[str, Any], field: str, what: str) -> int:
    """A positive number, printed as text (Go's int64 in JSON) or as a number.

    Raises:
        MalformedRecording: it is absent or is not that.
    """
    number = _number(found.get(field))
    if number is None or not 0 < number <= MAX_I64:
        raise MalformedRecording(f"{what} without a usable {field}")
    return number


def whole(found: dict[str, Any], field: str, what: str) -> int:
    """A number that is left out where it is zero, as protobuf's JSON has it.

    Raises:
        MalformedRecording: it is there and is no number in 0..2^64-1.
    """
    number = _number(found.get(field, 0))
    if number is None or number < 0:
        raise MalformedRecording(f"{what} with a {field} that is no number")
    return number


def text(found: dict[str, Any], field: str, what: str) -> str:
    """A text that is left out where it is empty.

    Raises:
        MalformedRecording: it is there and is no text.
    """
    value = found.get(field)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise MalformedRecording(f"{what} with a {field} that is no text")
    return value


def table(found: dict[str, Any], field: str, what: str) -> dict[str, Any]:
    """An object.

    Raises:
        MalformedRecording: it is absent or malformed.
    """
    value = found.get(field)
    if not isinstance(value, dict):
        raise MalformedRecording(f"{what} without a {field}")
    return value


def items(found: dict[str, Any], field: str, what: str) -> list[Any]:
    """A list, which Go prints as null where it is empty.

    Raises:
        MalformedRecording: the field is absent or is no list.
    """
    if field not in found or not isinstance(found[field], list | None):
        raise MalformedRecording(f"{what} without a list {field}")
    return found[field] or []


def base64_bytes(value: object, what: str) -> bytes:
    """The bytes that `value` spells.

    Raises:
        MalformedRecording: it is no base64.
    """
    try:
        if value is not None:
            return read_base64(value)
    except (ValueError, TypeError):
        pass
    raise MalformedRecording(f"{what} is no base64")


def time_ns(value: object, what: str) -> int:
    """A time as Go prints it, from 1970 to 2262: unix nanoseconds.

    Raises:
        MalformedRecording: it is not that.
    """
    try:
        found = parse_rfc3339(value) if isinstance(value, str) else None
    except ValueError:
        found = None
    if found is None or not 0 <= found <= MAX_I64:
        raise MalformedRecording(f"{what} with a time that is no RFC 3339 time from 1970 to 2262")
    return found


def _number(value: object) -> int | None:
    if isinstance(value, str):
        return parse_u64(value)
    return value if type(value) is int else None
