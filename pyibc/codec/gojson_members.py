"""Selected members of a JSON object by the rules of `gojson`; other members are skipped, not parsed.

A user's memo may fill a packet. Looking up one member must not create objects for the other members: for a
list of empty objects, this would cost seven times as much. A container of scalars is skipped by one match
of a regular expression, a container of containers by two. Depth, number of values and length of numbers are
computed without parsing.
"""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import accumulate
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

from pyibc.codec.gojson import MAX_DEPTH, JsonError, unexpected, unquote
from pyibc.core.value import sealed

WS = rb"[ \t\r\n]*+"
STRING = rb'"(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+"'
_NUMBER = rb"-?+(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?+(?:[eE][+-]?+[0-9]++)?+"
_SCALAR = rb"(?:" + STRING + rb"|" + _NUMBER + rb"|true|false|null)" + WS
KEY = STRING + WS + rb":" + WS


def _list(element: bytes) -> bytes:
    return element + rb"(?:," + WS + element + rb")*+"


FLAT = (
    rb"(?:" + _SCALAR
    + rb"|\[" + WS + rb"(?:" + _list(_SCALAR) + rb")?+\]" + WS
    + rb"|\{" + WS + rb"(?:" + _list(KEY + _SCALAR) + rb")?+\}" + WS + rb")"
)  # fmt: skip
"""Pattern of a scalar or a container of scalars, with trailing white space."""

_OPENERS = rb"(\[(?:\[*(?=\[))?+|\{)"
"""Pattern of the opening brackets of nested lists, except for the innermost, whose list may be flat."""


def _rest(key: bytes, closer: bytes) -> bytes:
    """Return the pattern of flat elements up to the container's end or to a nested container's brackets."""
    flat = key + FLAT
    return rb"(?:" + flat + rb"," + WS + rb")*+(?:" + flat + closer + rb"|" + key + _OPENERS + rb")" + WS


_ARRAY, _OBJECT = _rest(b"", rb"\]"), _rest(KEY, rb"\}")
_value = re.compile(WS + rb"(?:" + FLAT + rb"|" + _OPENERS + WS + rb")").match
_begun = {b"[": re.compile(rb"(?:\]" + WS + rb"|" + _ARRAY + rb")").match, b"{": re.compile(_OBJECT).match}
DEEPEST_OBJECT = re.compile(_list(KEY + _SCALAR) + rb"\}" + WS).match
"""Matcher of the rest of an object at the maximum depth: its members must be scalars."""
_deepest = {
    b"[": re.compile(rb"(?:" + _list(_SCALAR) + rb")?+\]" + WS).match,
    b"{": DEEPEST_OBJECT,
}
_goes_on = {
    b"[": re.compile(rb"(?:\]" + WS + rb"|," + WS + _ARRAY + rb")").match,
    b"{": re.compile(rb"(?:\}" + WS + rb"|," + WS + _OBJECT + rb")").match,
}
_spaces = re.compile(WS).match


def skip(data: bytes, at: int, depth: int) -> int:
    """Return the end of the value at `at`, including trailing white space.

    Args:
        data: The JSON.
        at: Start of the value, or of white space before it.
        depth: Number of enclosing containers; at least one, fewer than `MAX_DEPTH`.

    Raises:
        JsonError: there is no value, or it is nested deeper than Go allows.
    """
    found = _value(data, at)
    opened: list[bytes] = []
    while found is not None:
        at = found.end()
        if found.lastindex:
            opened += [found[1][:1]] * len(found[1])
            # guard: d20-what-is-passed-over-may-be-of-any-depth test_d20_it_refuses_what_go_finds_too_deep
            if depth + len(opened) > MAX_DEPTH:
                break
            # guard: d20-what-is-flat-goes-a-level-deeper {=> deepest = False}
            #   test_d20_it_refuses_what_go_finds_too_deep
            deepest = depth + len(opened) == MAX_DEPTH
            found = (_deepest if deepest else _begun)[opened[-1]](data, at)
        else:  # the value or the innermost open container ends
            if opened:
                opened.pop()
                if data[at : at + 1] == b"]":
                    at = _closed(data, at, opened)
            if not opened:
                return at
            found = _goes_on[opened[-1]](data, at)
    raise unexpected(data, at)


def _closed(data: bytes, at: int, opened: list[bytes]) -> int:
    """Close the lists whose brackets are at `at`; return the position after them."""
    while opened and opened[-1] == b"[" and data[at : at + 1] == b"]":
        opened.pop()
        at += 1
    spaces = _spaces(data, at)
    return at if spaces is None else spaces.end()


BLANKS = b" \t\r\n"
Span = tuple[int, int]
"""Start and end of a value, including trailing white space."""
Found: TypeAlias = dict[str, "Span | Found"]
"""Members by name: spans, or nested dicts for objects that were searched themselves."""

_open = re.compile(WS + rb"\{" + WS + rb"(\}" + WS + rb")?").match
_key = re.compile(rb"(" + STRING + rb")" + WS + rb":" + WS).match
_separator = re.compile(rb"([,}])" + WS).match
_is_plain = re.compile(r"[A-Za-z0-9_.-]+").fullmatch


@sealed
class Wanted(NamedTuple):
    """Names of members to find in an object."""

    names: tuple[str, ...]  # fastest if of letters, digits, `_`, `.` and `-`
    below: "Mapping[str, Wanted]" = MappingProxyType({})
    """Names to find in these members, if they are objects."""


def spans(data: bytes, names: tuple[str, ...]) -> dict[str, Span] | None:
    """Return the spans of members by name; the last duplicate counts.

    The result is None if `data` does not begin like an object, whether or not it is JSON.

    Args:
        data: Untrusted input.
        names: Names of the members.

    Raises:
        JsonError: the data is no JSON, is nested deeper than Go allows, or has bytes after the object.
    """
    found = members(data, Wanted(names))
    return None if found is None else {name: at for name, at in found.items() if isinstance(at, tuple)}


def members(data: bytes, wanted: Wanted) -> Found | None:
    """Find members as `spans` does, also in nested objects, reading each byte once.

    Raises:
        JsonError: as by `spans`.
    """
    opened = _open(data)
    if opened is None:
        return None
    root: Found = {}
    inside = [(wanted, root)]
    at, is_closed = _entered(data, opened, 1)
    while True:
        if is_closed:
            inside.pop()
            if not inside:
                break
        else:
            wanted, found = inside[-1]
            others = _others(wanted.names).match(data, at)
            at = at if others is None else others.end()
            name, at = _named(data, at)
            opened = _open(data, at) if name in wanted.below else None
            if opened is not None:
                deeper: Found = {}
                found[name] = deeper
                inside.append((wanted.below[name], deeper))
                at, is_closed = _entered(data, opened, len(inside))
                continue
            end = skip(data, at, len(inside))
            if name in wanted.names:
                # guard: h172-the-first-of-two-names-counts {=> found.setdefault(name, (at, end))}
                #   test_one_hop
                found[name] = at, end
            at = end
        at, is_closed = _separated(data, at)
    if at != len(data):
        raise JsonError("data after the value", at)
    return root


def first_object(data: bytes) -> Iterator[tuple[str, Span]]:
    """Yield the members of the object at the start of `data`, including duplicates, ignoring later bytes.

    Raises:
        JsonError: there is no valid object, or it is nested deeper than Go allows.
    """
    opened = _open(data)
    if opened is None:
        raise unexpected(data, 0)
    at, is_closed = opened.end(), opened[1] is not None
    while not is_closed:
        name, start = _named(data, at)
        end = skip(data, start, 1)
        yield name, (start, end)
        at, is_closed = _separated(data, end)


def _entered(data: bytes, opened: re.Match[bytes], depth: int) -> tuple[int, bool]:
    """Return the start of the members of an object at nesting `depth`, and whether it is empty."""
    at, is_empty = opened.end(), opened[1] is not None
    # guard: d20-what-is-looked-into-may-be-of-any-depth
    #   test_d20_objects_that_are_looked_into_are_as_deep_as_go_reads_them
    if depth > MAX_DEPTH or (depth == MAX_DEPTH and not is_empty and DEEPEST_OBJECT(data, at) is None):
        raise unexpected(data, at)
    return at, is_empty


def _named(data: bytes, at: int) -> tuple[str, int]:
    """Return the name of the member at `at`, and the start of its value."""
    key = _key(data, at)
    if key is None:
        raise unexpected(data, at)
    return unquote(key[1][1:-1]), key.end()


def _separated(data: bytes, at: int) -> tuple[int, bool]:
    """Return the position after the comma or bracket at `at`, and whether it is a bracket."""
    separator = _separator(data, at)
    if separator is None:
        raise unexpected(data, at)
    return separator.end(), separator[1] == b"}"


@lru_cache(64)
def _others(names: tuple[str, ...]) -> re.Pattern[bytes]:
    """Return the pattern of a run of flat members with other names, followed by another member."""
    if not all(_is_plain(name) for name in names):
        return re.compile(b"")
    spelt = b"|".join(b"".join(_spellings(name)) for name in names)
    return re.compile(rb'(?:(?!"(?:' + spelt + rb')")' + KEY + FLAT + rb"," + WS + rb")*+")


def _spellings(name: str) -> Iterator[bytes]:
    """Yield patterns of a name's characters, each plain or as an escape."""
    for each in name.encode():
        # guard: h177-a-name-in-escapes-is-another {b'(?:%b|(?i:\\\\u00%02x))' % (re.escape(bytes([each])),
        #   each) => re.escape(bytes([each]))} test_what_is_json_has_the_same_members
        yield rb"(?:%b|(?i:\\u00%02x))" % (re.escape(bytes([each])), each)


MAX_JSON_DEPTH = 200
"""Maximum nesting of JSON for applications: Python's `json` module recurses in C."""

MAX_JSON_DIGITS = 640
"""Maximum digits of a number; Python converts so many at any `sys.set_int_max_str_digits`."""

_long = re.compile(rb"[0-9]{%d}" % (MAX_JSON_DIGITS + 1)).search
_STRINGS = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)
_STEP = dict.fromkeys(b"[{", 1) | dict.fromkeys(b"]}", -1)
_OTHERS = bytes(each for each in range(256) if each not in _STEP)


def is_deeper(text: bytes | str, limit: int = MAX_JSON_DEPTH) -> bool:
    """Return whether parsing `text` could nest more than `limit` containers.

    For invalid JSON, the depth may be overestimated, but never underestimated.
    """
    raw = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    if raw.count(b"[") + raw.count(b"{") <= limit:
        return False
    brackets = _STRINGS.sub(b"", raw).translate(None, _OTHERS)
    return max(accumulate(map(_STEP.__getitem__, brackets)), default=0) > limit


def count_values(raw: bytes) -> int:
    """Return a lower bound of the number of values: commas and opening brackets outside strings."""
    bare = _STRINGS.sub(b"", raw)
    return bare.count(b",") + bare.count(b"[") + bare.count(b"{")


def has_long_number(raw: bytes) -> bool:
    """Return whether a number in JSON has more than `MAX_JSON_DIGITS` consecutive digits, outside strings."""
    return _long(raw) is not None and _long(_STRINGS.sub(b"", raw)) is not None
