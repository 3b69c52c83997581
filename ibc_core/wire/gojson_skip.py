"""JSON that nobody asks for, passed over by the rules of `gojson`: no object is made of what is in it.

A list of empty objects costs seven times as much to read. What is flat, a container of scalars, is part of
one match of a regular expression; a container of containers takes two.
"""

import re

from ibc_core.wire.gojson import MAX_DEPTH, unexpected

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
"""A scalar, or a container of scalars, with the blanks after it."""

_OPENERS = rb"(\[(?:\[*(?=\[))?+|\{)"
"""The brackets of lists in lists, but for the last one: its list may be flat."""


def _rest(key: bytes, closer: bytes) -> bytes:
    """What is flat, up to the container's end, or to a container in it: the group has its brackets."""
    flat = key + FLAT
    return rb"(?:" + flat + rb"," + WS + rb")*+(?:" + flat + closer + rb"|" + key + _OPENERS + rb")" + WS


_ARRAY, _OBJECT = _rest(b"", rb"\]"), _rest(KEY, rb"\}")
_value = re.compile(WS + rb"(?:" + FLAT + rb"|" + _OPENERS + WS + rb")").match
_begun = {b"[": re.compile(rb"(?:\]" + WS + rb"|" + _ARRAY + rb")").match, b"{": re.compile(_OBJECT).match}
_deepest = {
    b"[": re.compile(rb"(?:" + _list(_SCALAR) + rb")?+\]" + WS).match,
    b"{": re.compile(_list(KEY + _SCALAR) + rb"\}" + WS).match,
}
_goes_on = {
    b"[": re.compile(rb"(?:\]" + WS + rb"|," + WS + _ARRAY + rb")").match,
    b"{": re.compile(rb"(?:\}" + WS + rb"|," + WS + _OBJECT + rb")").match,
}
_spaces = re.compile(WS).match


def skip(data: bytes, at: int, depth: int) -> int:
    """Where the value at `at` ends, with the blanks after it.

    Args:
        data: The JSON.
        at: Where the value begins, or blanks before it.
        depth: How many containers it stands in; at least one, fewer than `MAX_DEPTH`.

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
        else:  # the value ends, or the container that was opened last
            if opened:
                opened.pop()
                if data[at : at + 1] == b"]":
                    at = _closed(data, at, opened)
            if not opened:
                return at
            found = _goes_on[opened[-1]](data, at)
    raise unexpected(data, at)


def _closed(data: bytes, at: int, opened: list[bytes]) -> int:
    """Takes the lists away whose brackets follow each other at `at`; where the next thing stands."""
    while opened and opened[-1] == b"[" and data[at : at + 1] == b"]":
        opened.pop()
        at += 1
    spaces = _spaces(data, at)
    return at if spaces is None else spaces.end()
