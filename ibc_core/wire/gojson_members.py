"""Some members of a JSON object by the rules of `gojson`, the others passed over: no object is made of them.

A stranger's memo may be all of a packet. Who looks for one member in it should not pay for reading the rest.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from ibc_core.wire.gojson import JsonError, unexpected, unquote
from ibc_core.wire.gojson_skip import FLAT, KEY, STRING, WS, skip

BLANKS = b" \t\r\n"
Span = tuple[int, int]
"""Where a value begins, and where it ends, blanks after it included."""

_open = re.compile(WS + rb"\{" + WS + rb"(\}" + WS + rb")?").match
_key = re.compile(rb"(" + STRING + rb")" + WS + rb":" + WS).match
_separator = re.compile(rb"([,}])" + WS).match
_is_plain = re.compile(r"[A-Za-z0-9_.-]+").fullmatch


def spans(data: bytes, names: tuple[str, ...]) -> dict[str, Span] | None:
    """The values of the members of these names; of a name's duplicates the last counts.

    None where `data` begins as no object does: whether it is JSON is not asked then.

    Args:
        data: JSON, of which nobody knows that it is.
        names: What is looked for; of letters, digits, `_`, `.` and `-` it costs least.

    Raises:
        JsonError: it is no JSON, nested deeper than Go allows, or something follows the object.
    """
    found = _open(data)
    if found is None:
        return None
    values: dict[str, Span] = {}
    at, is_closed, pass_over = found.end(), found[1] is not None, _others(names)
    while not is_closed:
        others = pass_over.match(data, at)
        at = at if others is None else others.end()
        key = _key(data, at)
        if key is None:
            raise unexpected(data, at)
        end = skip(data, key.end(), 1)
        name = unquote(key[1][1:-1])
        if name in names:
            values[name] = key.end(), end
        separator = _separator(data, end)
        if separator is None:
            raise unexpected(data, end)
        at, is_closed = separator.end(), separator[1] == b"}"
    if at != len(data):
        raise JsonError("data after the value", at)
    return values


@lru_cache(64)
def _others(names: tuple[str, ...]) -> re.Pattern[bytes]:
    """Members of other names, flat ones, as long as another follows."""
    if not all(_is_plain(name) for name in names):
        return re.compile(b"")
    spelt = b"|".join(b"".join(_spellings(name)) for name in names)
    return re.compile(rb'(?:(?!"(?:' + spelt + rb')")' + KEY + FLAT + rb"," + WS + rb")*+")


def _spellings(name: str) -> Iterator[bytes]:
    """Patterns of a name's characters: each may be written as an escape."""
    for each in name.encode():
        # guard: h177-a-name-in-escapes-is-another {b'(?:%b|(?i:\\\\u00%02x))' % (re.escape(bytes([each])),
        #   each) => re.escape(bytes([each]))} test_what_is_json_has_the_same_members
        yield rb"(?:%b|(?i:\\u00%02x))" % (re.escape(bytes([each])), each)
