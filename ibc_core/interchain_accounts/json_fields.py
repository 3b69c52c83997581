"""JSON of ICS-27's metadata and packet data: the fields of one flat message, as ibc-go's jsonpb reads them.

Only the first JSON value counts. Of a name that comes twice the last one does, of a field's two names the
lowerCamelCase one. `null` is an empty message or field. An unknown field is an error.
"""

import re
from collections.abc import Mapping

from ibc_core.wire.gojson import Json, JsonError, Number, Object, decode_base64, parse_first

_MAX_ENUM = 2**31
_integer = re.compile("(-?)[0-9]{1,10}").fullmatch


def json_fields(raw: bytes, names: Mapping[str, str]) -> dict[str, Json]:
    """Field -> JSON value, of those fields that are there; `names` are the fields with their other names.

    Raises:
        JsonError: it is no object with these fields alone.
    """
    content, _ = parse_first(raw)
    if content is None:
        return {}
    if not isinstance(content, Object):
        raise JsonError("no object", 0)
    members, found = dict(content.members), {}
    for name, other in names.items():
        for each in (name, other):
            if each in members:
                found[name] = members.pop(each)
    # guard: h163-unknown-fields-of-metadata {members => not names} test_h163_what_is_no_metadata
    #   test_h163_what_is_no_packet_data
    if members:
        raise JsonError(f"unknown field {next(iter(members))!a}", 0)
    return found


def as_text(content: Json) -> str:
    """A field of text.

    Raises:
        JsonError: it is something else.
    """
    if content is None:
        return ""
    if not isinstance(content, str):
        raise JsonError("no text", 0)
    return content


def as_bytes(content: Json) -> bytes:
    """A field of bytes: base64, or a list of numbers, which Go reads as well.

    Raises:
        JsonError: it is something else.
    """
    if content is None:
        return b""
    found = decode_base64(content) if isinstance(content, str) else None
    if found is not None:
        return found
    if not isinstance(content, list):
        raise JsonError("no base64", 0)
    return bytes([0 if each is None else _whole(each, 0, 256) for each in content])


def as_enum(content: Json, raw: bytes, known: Mapping[str, int]) -> int:
    """A field of an enum: a name as it stands in `raw`, without escapes, or a number of 32 bits.

    Raises:
        JsonError: it is something else.
    """
    if content is None:
        return 0
    if isinstance(content, str):
        # guard: h163-an-escaped-name-of-an-enum drop:raw test_h163_what_is_no_packet_data
        if content not in known or b'"%b"' % content.encode() not in raw:
            raise JsonError("unknown name", 0)
        return known[content]
    # guard: h163-numbers-of-any-size {_whole(content, -_MAX_ENUM, _MAX_ENUM) => _whole(content, -_MAX_ENUM, 2
    #   * _MAX_ENUM)} test_h163_what_is_no_packet_data
    return _whole(content, -_MAX_ENUM, _MAX_ENUM)


def _whole(content: Json, low: int, high: int) -> int:
    """A number without fraction and exponent, as Go reads it into an integer: `low <= number < high`."""
    found = _integer(content.text) if isinstance(content, Number) else None
    if found is None or (found[1] and not low):
        raise JsonError("no number that fits", 0)
    number = int(found[0])
    if not low <= number < high:
        raise JsonError("no number that fits", 0)
    return number
