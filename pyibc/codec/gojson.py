"""JSON by the rules of Go's encoding/json (Go >= 1.22), for bytes from another chain.

Python's `json` is unsuitable: its recursion limit depends on the caller's depth, it detects UTF-16, and it
accepts a byte order mark and NaN. If two chains parse a packet differently, coins can be created or lost.
The parser is iterative and linear in the input, and its result depends on the bytes only. Strings and field
names are decoded and encoded exactly as by Go.
"""

import re
from binascii import a2b_base64
from typing import Final, NamedTuple, TypeAlias

import msgspec

from pyibc.core.value import sealed

_ESCAPE = re.compile(
    r"\\(?:u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|(.))", re.DOTALL
)
_SHORT = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}

_SPECIAL = re.compile('[\x00-\x1f"\\\\<>&\u2028\u2029\ud800-\udfff]')
_WRITTEN = {
    **{chr(code): f"\\u{code:04x}" for code in (*range(0x20), *map(ord, "<>&\u2028\u2029"))},
    **{character: f"\\{letter}" for letter, character in _SHORT.items() if letter != "/"},
}
_INVALID = dict.fromkeys(range(0xDC80, 0xDD00), "\ufffd")
_FOLD = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ\u017f\u212a", "abcdefghijklmnopqrstuvwxyzsk")


def decode_utf8(raw: bytes) -> str:
    """Decode UTF-8; each invalid byte becomes one U+FFFD, as in Go's range over a string."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("utf-8", "surrogateescape").translate(_INVALID)


def _unescape(found: re.Match[str]) -> str:
    high, low, unit, short = found.groups()
    if short is not None:
        return _SHORT[short]
    if unit is not None:
        code = int(unit, 16)
        return "\ufffd" if 0xD800 <= code <= 0xDFFF else chr(code)
    return chr(0x10000 + (int(high, 16) - 0xD800 << 10) + (int(low, 16) - 0xDC00))


def unquote(raw: bytes) -> str:
    """Return the text of a JSON string, given without its quotes and with valid syntax.

    A lone surrogate escape becomes U+FFFD.
    """
    text = decode_utf8(raw)
    return _ESCAPE.sub(_unescape, text) if "\\" in text else text


def _write(found: re.Match[str]) -> str:
    return _WRITTEN.get(found[0], "\\ufffd")


def marshal_string(text: str) -> bytes:
    r"""Return `text` as json.Marshal writes a string: quoted, with `<`, `>`, `&`, U+2028 and U+2029 escaped.

    A lone surrogate represents one invalid byte (Python's "surrogateescape") and is written as `\ufffd`.
    """
    if text.isascii() and text.isalnum():
        return b'"%b"' % text.encode("ascii")
    return b'"%b"' % _SPECIAL.sub(_write, text).encode("utf-8")


def match_field(key: str, names: frozenset[str]) -> str | None:
    """Return the field that a key of an object sets: an exact match, else a case-insensitive one.

    Go uses Unicode's simple case folding, by which U+017F equals s and U+212A equals k.

    Args:
        key: The key in the input.
        names: Names of the fields, in lower-case ASCII.
    """
    if key in names:
        return key
    folded = key.translate(_FOLD) if len(key) <= 64 else key
    return folded if folded in names else None


_base64 = re.compile(r"(?:[A-Za-z0-9+/]{4})*+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?").fullmatch


def decode_base64(text: str) -> bytes | None:
    """Decode base64 as Go's base64.StdEncoding: padding is required, line breaks are ignored."""
    text = text.replace("\r", "").replace("\n", "")
    return a2b_base64(text) if _base64(text) else None


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
"""Maximum nesting of arrays and objects, as in Go."""


class JsonError(Exception):
    """Raised for input that is not JSON by Go's rules; callers map it to a protocol error."""

    def __init__(self, reason: str, offset: int) -> None:
        super().__init__(f"{reason} at byte {offset}")
        self.reason = reason
        self.offset = offset  # of the unexpected byte


class Number(msgspec.Struct, frozen=True, gc=False):
    """A JSON number as text, of any size and precision."""

    # It cannot be part of a reference cycle, so the garbage collector need not track it: it would scan half a
    # million numbers several times while a list of them grows.
    text: str


@sealed
class Object(NamedTuple):
    """A JSON object: members in order, including duplicates."""

    members: "list[tuple[str, Json]]"

    def get(self, key: str) -> "Json":
        """Return the value of the last member with exactly this name; None if there is none."""
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
    """Type of the marker that a container was opened and an element follows."""


_OPENED: Final = _Opened()
_Step: TypeAlias = "Json | _Opened"


class _Reader:
    """Iterative parser of one value, with a stack of open containers."""

    __slots__ = ("at", "data", "keys", "stack")

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0
        self.stack: list[_Container] = []
        self.keys: list[str] = []  # current member name of each open container; "" for arrays

    def read(self) -> Json:
        while True:
            value = self._begin()
            while not isinstance(value, _Opened):
                if not self.stack:
                    return value
                value = self._attach(value)

    def _begin(self) -> _Step:
        """Parse a scalar or an empty container, or open a container."""
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
        """Parse leading numbers of an array in one step: hostile arrays consist of numbers."""
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
        """Add a value to its container; return the container if it is complete."""
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
    """Return the error for an unexpected token at or after `at`."""
    found = _spaces(data, at)
    offset = found.end() if found else at
    return JsonError("unexpected end" if offset == len(data) else "unexpected token", offset)


def parse(data: bytes) -> Json:
    """Return the single JSON value in `data`.

    Invalid UTF-8 and lone surrogate escapes in strings become U+FFFD. A byte order mark, UTF-16, NaN,
    comments and trailing commas are errors.

    Raises:
        JsonError: the data is no JSON, is nested deeper than 10,000, or has bytes after the value.
    """
    value, at = parse_first(data)
    _end(data, at)
    return value


def parse_first(data: bytes) -> tuple[Json, int]:
    """Return the JSON value at the start of `data` and its end, as Go's Decoder.

    Raises:
        JsonError: there is no value, or it is nested deeper than 10,000.
    """
    reader = _Reader(data)
    value = reader.read()
    if isinstance(value, Number) and data[reader.at : reader.at + 1] in _goes_on(value.text):
        raise unexpected(data, reader.at)
    return value, reader.at


def _goes_on(number: str) -> tuple[bytes, ...]:
    """Return the bytes that would continue a number, and are an error if the continuation is incomplete."""
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
    """Return the members of a single object whose values are all strings or null.

    This is for messages with string fields only, for which ibc-go refuses all other values. Such a value is
    refused without parsing the rest, so that hostile input is cheap.

    Raises:
        JsonError: the data is no such object, or has bytes after it.
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
