"""The standard acknowledgement: `{"result": bytes}` or `{"error": text}` as JSON (ICS-4).

It is parsed as by ibc-go v11 (gogoproto's jsonpb over Go's encoding/json), because bytes that are a standard
acknowledgement must be in the canonical encoding (ISA-2025-001).
"""

import re
from base64 import b64encode
from typing import Final, NamedTuple

from pyibc.codec.gojson import JsonError, decode_base64, marshal_string, unexpected, unquote
from pyibc.codec.gojson_members import STRING, WS, skip
from pyibc.core.errors import IbcError, InvalidAcknowledgement
from pyibc.core.memo import memoize
from pyibc.core.value import sealed


@sealed
class Acknowledgement(NamedTuple):
    """A standard acknowledgement: a result, an error, or neither (`{}`)."""

    result: bytes | None = None
    error: str | None = None
    result_is_null: bool = False  # the result is empty, encoded as `null`

    @property
    def success(self) -> bool:
        """True if the acknowledgement is a result."""
        return self.result is not None


_SUCCESS_BYTES: Final = b'{"result":"AQ=="}'
_SUCCESS: Final = Acknowledgement(b"\x01")


def success(result: bytes = b"\x01") -> bytes:
    """Return the encoded acknowledgement of a packet that the application accepted."""
    return _SUCCESS_BYTES if result == b"\x01" else encode(Acknowledgement(result))


def failure(error: IbcError) -> bytes:
    """Return the encoded acknowledgement of a packet that the application refused.

    The acknowledgement is committed to state, so it has only the error's code, no text (GHSA-qrhq-96mh-q8jv).
    """
    return b'{"error":"%b"}' % failure_text(error).encode()


def failure_text(error: IbcError) -> str:
    """Return the text of an error in the acknowledgement that `failure` returns."""
    return f"ABCI code: {error.code}: error handling packet: see events for details"


def encode(acknowledgement: Acknowledgement) -> bytes:
    """Return the canonical encoding of an acknowledgement."""
    result, error, result_is_null = acknowledgement
    if error is not None:
        return b'{"error":%b}' % marshal_string(error)
    if result is not None:
        return b'{"result":%b}' % (b"null" if result_is_null else b'"%b"' % b64encode(result))
    return b"{}"


@memoize(16)
def parse(acknowledgement: bytes) -> Acknowledgement | None:
    """Return the standard acknowledgement at the start of the bytes; None if there is none.

    The rules are ibc-go's: keys are case-sensitive, the last duplicate wins, an unknown key or a value of
    another type is not standard, bytes after the first JSON value are ignored, `null` is empty, and
    `response`, the name of the oneof, may be null. With both a result and an error, Go picks one at random
    and this function the error; the difference has no effect, because such an encoding is never canonical.
    """
    if acknowledgement == _SUCCESS_BYTES:
        return _SUCCESS
    if _null(acknowledgement):
        return Acknowledgement()
    try:
        fields = _fields(acknowledgement)
    except JsonError:
        return None
    return None if fields is None else _from_fields(fields)


_NAMES = frozenset({"result", "error", "response"})
_BLANKS = b" \t\r\n"

_null = re.compile(WS + rb"null").match
_opening = re.compile(WS + rb"\{" + WS + rb"(\})?+").match
_key = re.compile(WS + rb"(" + STRING + rb")" + WS + rb":" + WS).match


def _fields(data: bytes) -> dict[str, bytes] | None:
    """Return the raw members of the object at the start of `data`; None if it is not one of known members.

    Values are skipped without parsing them, because the sender of a packet may determine the acknowledgement.

    Raises:
        JsonError: the data is no JSON by Go's rules.
    """
    found = _opening(data)
    if found is None:
        return None
    fields: dict[str, bytes] = {}
    at, closed = found.end(), found[1] is not None
    while not closed:
        key = _key(data, at)
        if key is None:
            raise unexpected(data, at)
        name = unquote(key[1][1:-1])
        if name not in _NAMES:
            return None
        at = skip(data, key.end(), 1)
        fields[name] = data[key.end() : at].rstrip(_BLANKS)
        closed = data[at : at + 1] == b"}"
        if not closed and data[at : at + 1] != b",":
            raise unexpected(data, at)
        at += 1
    return fields


def _from_fields(fields: dict[str, bytes]) -> Acknowledgement | None:
    result, error = fields.get("result", b"null"), fields.get("error", b"null")
    raw = _bytes(result)
    if fields.get("response", b"null") != b"null" or raw is None or error[:1] not in {b'"', b"n"}:
        return None
    if "error" in fields:
        return Acknowledgement(None, "" if error == b"null" else unquote(error[1:-1]))
    return Acknowledgement(raw, None, result == b"null") if "result" in fields else Acknowledgement()


_small_numbers = re.compile(rb"\[(?:(?:[0-9]{1,3}|null),)*+(?:[0-9]{1,3}|null)?+\]").fullmatch


def _bytes(written: bytes) -> bytes | None:
    """Return the bytes of a JSON value as Go parses them: base64, an array of numbers, or null; else None."""
    if written[:1] == b'"':
        return decode_base64(unquote(written[1:-1]))
    if written[:1] == b"[":
        return _byte_array(written.translate(None, _BLANKS))
    return b"" if written == b"null" else None


def _byte_array(written: bytes) -> bytes | None:
    if not _small_numbers(written):
        return None
    texts = written[1:-1].replace(b"null", b"0")
    numbers = [int(text) for text in texts.split(b",")] if texts else []
    return bytes(numbers) if max(numbers, default=0) < 256 else None


def check_canonical(acknowledgement: bytes) -> None:
    """Check that a standard acknowledgement is in the canonical encoding.

    Other bytes are the application's own acknowledgement and are accepted.

    Raises:
        InvalidAcknowledgement: the bytes are a standard acknowledgement in another encoding.
    """
    if acknowledgement == _SUCCESS_BYTES:
        return
    parsed = parse(acknowledgement)
    # guard: h7-every-form-is-canonical test_h7_transfer_takes_only_the_one_form_of_an_acknowledgement
    #   test_h8_core_takes_only_the_one_form_of_a_standard_acknowledgement
    #   test_h9_answers_that_are_none_refund_nothing
    if parsed is not None and encode(parsed) != acknowledgement:
        raise InvalidAcknowledgement("not in the canonical encoding")


_TEXT = {ord("\n"): "\\n", ord("\r"): "\\r", ord("\t"): "\\t", ord('"'): '\\"', ord("\\"): "\\\\"}
_TEXT_OF_BYTE = tuple(_TEXT.get(b, chr(b) if 0x20 <= b < 0x7F else f"\\{b:03o}") for b in range(256))


def text_format(acknowledgement: Acknowledgement) -> str:
    r"""Return protobuf's compact text format, as in ibc-go's events: `result:"\001" ` with the space."""
    if acknowledgement is _SUCCESS:
        return _SUCCESS_TEXT
    result, error, _ = acknowledgement
    if error is not None:
        return _field("error", error.encode())
    return "" if result is None else _field("result", result)


def _field(name: str, raw: bytes) -> str:
    return f'{name}:"{"".join([_TEXT_OF_BYTE[b] for b in raw])}" '


_SUCCESS_TEXT: Final = _field("result", b"\x01")
