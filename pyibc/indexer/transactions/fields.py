"""Access to the fields of a message by path, such as `packet.source_port`, in protobuf or JSON.

In JSON of the SDK, 64-bit numbers are strings, times are in RFC 3339 and durations like `1209600s`. A missing
field has its zero value, because versions of a message differ.
"""

import re
from functools import reduce
from typing import Any, Protocol

from google.protobuf.message import DecodeError, Message

from pyibc.codec.gotime import parse_rfc3339
from pyibc.core.channel.types import ORDER_TEXT, Order
from pyibc.core.numbers import MAX_I64, parse_u64
from pyibc.indexer.errors import MalformedContent
from pyibc.indexer.transactions.content import MAX_NAME

SECOND = 10**9
_DURATION = re.compile(r"(-)?([0-9]{1,12})(?:\.([0-9]{1,18}))?s")
_ORDERS = {order.value: ORDER_TEXT[order] for order in Order if order is not Order.NONE}


class Fields(Protocol):
    """Fields of a message."""

    def name(self, path: str) -> str:
        """Return an identifier or address; "" if missing."""

    def order(self, path: str) -> str:
        """Return a channel ordering such as `ORDER_ORDERED`; "" if unknown."""

    def number(self, path: str) -> int:
        """Return an unsigned number, clamped to 2^63-1."""

    def moment_ns(self, path: str) -> int:
        """Return a time in unix nanoseconds; 0 if missing or outside 1970 to 2262."""

    def span_ns(self, path: str) -> int:
        """Return a duration in nanoseconds; 0 if missing or negative."""

    def inner(self, path: str) -> "tuple[str, Fields] | None":
        """Return the type URL and the fields of the message in an `Any`; None if missing."""


class Encoded:
    """Fields of a protobuf message."""

    def __init__(self, kinds: dict[str, type[Message]], message: Message) -> None:
        """Wrap `message`; `kinds` are the message types in an `Any` that are decoded, by type URL."""
        self._kinds, self._message = kinds, message

    @classmethod
    def of(cls, kinds: dict[str, type[Message]], kind: type[Message], raw: bytes) -> "Encoded":
        """Decode the message of type `kind` in `raw`.

        Raises:
            MalformedContent: the bytes cannot be decoded.
        """
        try:
            return cls(kinds, kind.FromString(raw))
        except DecodeError:
            raise MalformedContent(f"not a {kind.DESCRIPTOR.full_name}") from None

    def name(self, path: str) -> str:
        """Return as in `Fields`."""
        return _name(path, self._get(path))

    def order(self, path: str) -> str:
        """Return as in `Fields`."""
        return _ORDERS.get(self._get(path), "")

    def number(self, path: str) -> int:
        """Return as in `Fields`."""
        return min(int(self._get(path)), MAX_I64)

    def moment_ns(self, path: str) -> int:
        """Return as in `Fields`."""
        return self.span_ns(path)

    def span_ns(self, path: str) -> int:
        """Return as in `Fields`."""
        found = self._get(path)
        return _in_range(int(found.seconds) * SECOND + int(found.nanos))

    def inner(self, path: str) -> "tuple[str, Fields] | None":
        """Return as in `Fields`; None for types that are not in `kinds`."""
        found = self._get(path)
        kind = self._kinds.get(found.type_url)
        if kind is None:
            return None
        return found.type_url, Encoded.of(self._kinds, kind, found.value)

    def _get(self, path: str) -> Any:
        return reduce(getattr, path.split("."), self._message)


class Printed:
    """Fields of a message in JSON."""

    def __init__(self, message: dict[str, Any]) -> None:
        self._message = message

    def name(self, path: str) -> str:
        """Return as in `Fields`."""
        return _name(path, self._get(path, ""))

    def order(self, path: str) -> str:
        """Return as in `Fields`."""
        found = self.name(path)
        return found if found in _ORDERS.values() else ""

    def number(self, path: str) -> int:
        """Return as in `Fields`."""
        found = self._get(path, 0)
        number = parse_u64(found) if isinstance(found, str) else found
        if type(number) is not int or number < 0:
            raise MalformedContent(f"{path} is not a number")
        return min(number, MAX_I64)

    def moment_ns(self, path: str) -> int:
        """Return as in `Fields`."""
        found = self._get(path, "")
        try:
            return _in_range(parse_rfc3339(found)) if found else 0
        except (TypeError, ValueError):
            raise MalformedContent(f"{path} is not a time") from None

    def span_ns(self, path: str) -> int:
        """Return as in `Fields`."""
        found = self._get(path, "0s")
        parts = _DURATION.fullmatch(found) if isinstance(found, str) else None
        if parts is None:
            raise MalformedContent(f"{path} is not a duration")
        return 0 if parts[1] else _in_range(int(parts[2] + (parts[3] or "")[:9].ljust(9, "0")))

    def inner(self, path: str) -> "tuple[str, Fields] | None":
        """Return as in `Fields`."""
        found = self._get(path, {})
        kind = found.get("@type") if isinstance(found, dict) else None
        return (kind, Printed(found)) if isinstance(kind, str) else None

    def _get(self, path: str, zero: Any) -> Any:
        """Return the value at `path`; `zero` if it or a parent is missing or null."""
        value: Any = self._message
        for part in path.split("."):
            if not isinstance(value, dict):
                raise MalformedContent(f"the parent of {path} is not an object")
            value = value.get(part)
            if value is None:
                return zero
        return value


def _name(path: str, found: object) -> str:
    if not isinstance(found, str):
        raise MalformedContent(f"{path} is not a string")
    if len(found) > MAX_NAME:
        raise MalformedContent(f"{path} has {len(found)} characters")
    return found


def _in_range(nanoseconds: int) -> int:
    return nanoseconds if 0 <= nanoseconds <= MAX_I64 else 0
