"""JSON with the rules of Go's encoding/json (Go >= 1.22), for bytes that another chain sent.

Python's `json` must not read them: its recursion limit depends on the caller's depth, it sniffs UTF-16,
takes a byte order mark and NaN. If two chains read a packet differently, coins can be created or lost.
Everything here is iterative and linear in the input; the verdict depends on the bytes alone.
"""

import re
from typing import Final, NamedTuple, TypeAlias

import msgspec

from ibc_core.value import sealed
from ibc_core.wire.gojson_text import decode_base64, marshal_string, match_field, unquote

__all__ = [
    "MAX_DEPTH",
    "Json",
    "JsonError",
    "Number",
    "Object",
    "decode_base64",
    "marshal_string",
    "match_field",
    "parse",
    "parse_first",
    "parse_flat_object",
    "unquote",
]

MAX_DEPTH = 10_000
"""Arrays and objects inside each other: Go's limit."""


class JsonError(Exception):
    """Not JSON by Go's rules. Not a protocol error: the caller maps it to one."""

    def __init__(self, reason: str, offset: int) -> None:
        super().__init__(f"{reason} at byte {offset}")
        self.reason = reason
        self.offset = offset  # of the byte that cannot be


class Number(msgspec.Struct, frozen=True, gc=False):
    """A number as written: without loss of precision, of any size."""

    # Holds no object that could hold it, so that the garbage collector need not look at it: JSON of half a
    # million numbers is looked through several times as it grows.
    text: str


@sealed
class Object(NamedTuple):
    """Members in the order written, duplicates included."""

    members: "list[tuple[str, Json]]"

    def get(self, key: str) -> "Json":
        """The last member of that exact name; None if there is none."""
        return next((value for name, value in reversed(self.members) if name == key), None)


Json: TypeAlias = "bool | str | Number | list[Json] | Object | None"
_Container: TypeAlias = "list[Json] | Object"

_WS = rb"[ \t\r\n]*+"
_STRING = rb'"((?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+)"'
_NUMBER = rb"-?+(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?+(?:[eE][+-]?+[0-9]++)?+"

_value = re.compile(
    _WS + rb"(?:" + _STRING + rb"|(" + _NUMBER + rb")|(true|false|null)"
    rb"|(\[" + _WS + rb"\]|\{" + _WS + rb"\})|([\[{]))"
).match
_number_run = re.compile(rb"(?:" + _WS + _NUMBER + _WS + rb",)++").match
_key = re.compile(_WS + _STRING + _WS + rb":").match
_separator = re.compile(_WS + rb"([,\]}])").match
_spaces = re.compile(_WS).match

_S, _N, _L = 1, 2, 3
_LITERALS: dict[bytes, bool | None] = {b"true": True, b"false": False, b"null": None}


class _Opened:
    """A container was opened: its first or next element follows."""


_OPENED: Final = _Opened()
_Step: TypeAlias = "Json | _Opened"


class _Reader:
    """Reads one value without recursion: the containers being read are a list."""

    __slots__ = ("at", "data", "keys", "stack")

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0
        self.stack: list[_Container] = []
        self.keys: list[str] = []  # the member being read of each container; "" for arrays

    def read(self) -> Json:
        while True:
            value = self._begin()
            while not isinstance(value, _Opened):
                if not self.stack:
                    return value
                value = self._attach(value)

    def _begin(self) -> _Step:
        """A scalar or an empty container; or opens one."""
        found = _value(self.data, self.at)
        if found is None:
            raise self._unexpected()
        self.at = found.end()
        kind = found.lastindex or 0
        if kind == _S:
            return unquote(found[_S])
        if kind == _N:
            return Number(found[_N].decode("ascii"))
        if kind == _L:
            return _LITERALS[found[_L]]
        return self._open(found[kind], found.start(kind))

    def _open(self, brackets: bytes, offset: int) -> _Step:
        if len(self.stack) >= MAX_DEPTH:
            raise JsonError(f"nested deeper than {MAX_DEPTH}", offset)
        container: _Container = Object([]) if brackets[:1] == b"{" else []
        if len(brackets) > 1:
            return container
        self.stack.append(container)
        if isinstance(container, Object):
            self.keys.append(self._member())
        else:
            self.keys.append("")
            self._numbers(container)
        return _OPENED

    def _numbers(self, container: list[Json]) -> None:
        """Takes the numbers at the start of an array at once: a hostile array is mostly that."""
        found = _number_run(self.data, self.at)
        if found is not None:
            texts = found[0].translate(None, b" \t\r\n").decode("ascii").split(",")
            container.extend(map(Number, texts[:-1]))
            self.at = found.end()

    def _member(self) -> str:
        found = _key(self.data, self.at)
        if found is None:
            raise self._unexpected()
        self.at = found.end()
        return unquote(found[1])

    def _attach(self, value: Json) -> _Step:
        """Puts a value into its container; returns the container if that ends."""
        container = self.stack[-1]
        found = _separator(self.data, self.at)
        if found is None:
            raise self._unexpected()
        if isinstance(container, Object):
            container.members.append((self.keys[-1], value))
            closing = b"}"
        else:
            container.append(value)
            closing = b"]"
        if found[1] == b",":
            self.at = found.end()
            if isinstance(container, Object):
                self.keys[-1] = self._member()
            return _OPENED
        if found[1] != closing:
            raise self._unexpected()
        self.at = found.end()
        self.keys.pop()
        return self.stack.pop()

    def _unexpected(self) -> JsonError:
        return unexpected(self.data, self.at)


def unexpected(data: bytes, at: int) -> JsonError:
    """The error of a token at or after `at` that cannot be."""
    found = _spaces(data, at)
    offset = found.end() if found else at
    return JsonError("unexpected end" if offset == len(data) else "unexpected token", offset)


def parse(data: bytes) -> Json:
    """The one JSON value that `data` is.

    Bytes that are not valid UTF-8 and lone surrogate escapes in strings become U+FFFD. Nothing else is
    forgiven: no byte order mark, no UTF-16, no NaN, no comment, no trailing comma.

    Raises:
        JsonError: not JSON, nested deeper than 10,000, or something follows the value.
    """
    value, at = parse_first(data)
    _end(data, at)
    return value


def parse_first(data: bytes) -> tuple[Json, int]:
    """The JSON value that `data` begins with, and the offset after it: what Go's Decoder reads.

    Raises:
        JsonError: there is no value, or it is nested deeper than 10,000.
    """
    reader = _Reader(data)
    value = reader.read()
    if isinstance(value, Number) and data[reader.at : reader.at + 1] in _goes_on(value.text):
        raise unexpected(data, reader.at)
    return value, reader.at


def _goes_on(number: str) -> tuple[bytes, ...]:
    """What after a number is the start of its next part, and so an error where that part is not there."""
    if "e" in number or "E" in number:
        return ()
    return (b"e", b"E") if "." in number else (b".", b"e", b"E")


def _end(data: bytes, at: int) -> None:
    rest = _spaces(data, at)
    if rest is not None and rest.end() != len(data):
        raise JsonError("data after the value", rest.end())


_flat_open = re.compile(_WS + rb"\{" + _WS + rb"(\})?").match
_flat_member = re.compile(
    _WS + _STRING + _WS + rb":" + _WS + rb"(?:" + _STRING + rb"|null)" + _WS + rb"([,}])"
).match


def parse_flat_object(data: bytes) -> list[tuple[str, str | None]]:
    """Members of the one object that `data` is, all of them strings or null.

    For messages whose fields are all strings, where ibc-go refuses every other value anyway: such a value is
    refused here without asking whether the rest is JSON, so that hostile input costs little.

    Raises:
        JsonError: not such an object, or something follows it.
    """
    found = _flat_open(data)
    if found is None:
        raise unexpected(data, 0)
    members: list[tuple[str, str | None]] = []
    end, at = found[1], found.end()
    while end != b"}":
        member = _flat_member(data, at)
        if member is None:
            raise unexpected(data, at)
        key, value, end = member.groups()
        members.append((unquote(key), None if value is None else unquote(value)))
        at = member.end()
    _end(data, at)
    return members
