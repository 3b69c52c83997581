"""Fields of one message by their path, `packet.source_port`: out of protobuf, or of JSON as SDKs print it.

JSON has 64-bit numbers as text, times in RFC 3339, durations like `1209600s`, and leaves out nothing; an
absent field counts as its zero all the same, since versions of a message differ.
"""

import re
from functools import reduce
from typing import Any, Protocol

from google.protobuf.message import DecodeError, Message

from ibc_core.channel.types import ORDER_TEXT, Order
from ibc_core.numbers import MAX_I64, parse_u64
from ibc_core.wire.gotime import parse_rfc3339
from ibc_indexer.errors import MalformedContent
from ibc_indexer.transactions.content import MAX_NAME

SECOND = 10**9
_DURATION = re.compile(r"(-)?([0-9]{1,12})(?:\.([0-9]{1,18}))?s")
_ORDERS = {order.value: ORDER_TEXT[order] for order in Order if order is not Order.NONE}


class Fields(Protocol):
    """A message's fields."""

    def name(self, path: str) -> str:
        """An identifier or address; empty where there is none."""

    def order(self, path: str) -> str:
        """A channel's ordering, `ORDER_ORDERED`; empty if it is unknown."""

    def number(self, path: str) -> int:
        """An unsigned number; what exceeds 2^63-1 is 2^63-1."""

    def moment_ns(self, path: str) -> int:
        """A time in unix nanoseconds; 0 where there is none, or one outside 1970 to 2262."""

    def span_ns(self, path: str) -> int:
        """A duration in nanoseconds; 0 where there is none or a negative one."""

    def inner(self, path: str) -> "tuple[str, Fields] | None":
        """The type URL and the fields of a message in an Any; None where there is none."""


class Encoded:
    """Fields of protobuf bytes."""

    def __init__(self, kinds: dict[str, type[Message]], message: Message) -> None:
        """`kinds` are the messages that an Any may hold, by type URL."""
        self._kinds, self._message = kinds, message

    @classmethod
    def of(cls, kinds: dict[str, type[Message]], kind: type[Message], raw: bytes) -> "Encoded":
        """The fields of the message `kind` in `raw`.

        Raises:
            MalformedContent: it cannot be decoded.
        """
        try:
            return cls(kinds, kind.FromString(raw))
        except DecodeError:
            raise MalformedContent(f"no {kind.DESCRIPTOR.full_name}") from None

    def name(self, path: str) -> str:
        """As `Fields`."""
        return _name(path, self._get(path))

    def order(self, path: str) -> str:
        """As `Fields`."""
        return _ORDERS.get(self._get(path), "")

    def number(self, path: str) -> int:
        """As `Fields`."""
        return min(int(self._get(path)), MAX_I64)

    def moment_ns(self, path: str) -> int:
        """As `Fields`."""
        return self.span_ns(path)

    def span_ns(self, path: str) -> int:
        """As `Fields`."""
        found = self._get(path)
        return _in_range(int(found.seconds) * SECOND + int(found.nanos))

    def inner(self, path: str) -> "tuple[str, Fields] | None":
        """As `Fields`; a type that nothing is read of has no fields."""
        found = self._get(path)
        kind = self._kinds.get(found.type_url)
        if kind is None:
            return None
        return found.type_url, Encoded.of(self._kinds, kind, found.value)

    def _get(self, path: str) -> Any:
        return reduce(getattr, path.split("."), self._message)


class Printed:
    """Fields of JSON."""

    def __init__(self, message: dict[str, Any]) -> None:
        self._message = message

    def name(self, path: str) -> str:
        """As `Fields`."""
        return _name(path, self._get(path, ""))

    def order(self, path: str) -> str:
        """As `Fields`."""
        found = self.name(path)
        return found if found in _ORDERS.values() else ""

    def number(self, path: str) -> int:
        """As `Fields`."""
        found = self._get(path, 0)
        number = parse_u64(found) if isinstance(found, str) else found
        if type(number) is not int or number < 0:
            raise MalformedContent(f"{path} is no number")
        return min(number, MAX_I64)

    def moment_ns(self, path: str) -> int:
        """As `Fields`."""
        found = self._get(path, "")
        try:
            return _in_range(parse_rfc3339(found)) if found else 0
        except (TypeError, ValueError):
            raise MalformedContent(f"{path} is no time") from None

    def span_ns(self, path: str) -> int:
        """As `Fields`."""
        found = self._get(path, "0s")
        parts = _DURATION.fullmatch(found) if isinstance(found, str) else None
        if parts is None:
            raise MalformedContent(f"{path} is no duration")
        return 0 if parts[1] else _in_range(int(parts[2] + (parts[3] or "")[:9].ljust(9, "0")))

    def inner(self, path: str) -> "tuple[str, Fields] | None":
        """As `Fields`."""
        found = self._get(path, {})
        kind = found.get("@type") if isinstance(found, dict) else None
        return (kind, Printed(found)) if isinstance(kind, str) else None

    def _get(self, path: str, zero: Any) -> Any:
        """The value at `path`, `zero` where it or what it stands in is absent or null."""
        value: Any = self._message
        for part in path.split("."):
            if not isinstance(value, dict):
                raise MalformedContent(f"{path} stands in no object")
            value = value.get(part)
            if value is None:
                return zero
        return value


def _name(path: str, found: object) -> str:
    if not isinstance(found, str):
        raise MalformedContent(f"{path} is no text")
    if len(found) > MAX_NAME:
        raise MalformedContent(f"{path} has {len(found)} characters")
    return found


def _in_range(nanoseconds: int) -> int:
    return nanoseconds if 0 <= nanoseconds <= MAX_I64 else 0
