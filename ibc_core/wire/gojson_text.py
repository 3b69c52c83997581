"""Strings and field names of JSON, byte for byte as Go's encoding/json reads and writes them (Go >= 1.22)."""

import re
from binascii import a2b_base64

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
    """`raw` as text; each byte that is not valid UTF-8 becomes one U+FFFD, as in Go's range over a string."""
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
    """The text of a JSON string without its quotes, whose syntax was checked before.

    A surrogate escape without its other half becomes U+FFFD.
    """
    text = decode_utf8(raw)
    return _ESCAPE.sub(_unescape, text) if "\\" in text else text


def _write(found: re.Match[str]) -> str:
    return _WRITTEN.get(found[0], "\\ufffd")


def marshal_string(text: str) -> bytes:
    r"""`text` as json.Marshal writes a string: quoted, with `<`, `>`, `&`, U+2028 and U+2029 escaped.

    A lone surrogate stands for one invalid byte (Python's "surrogateescape") and is written as `\ufffd`.
    """
    if text.isascii() and text.isalnum():
        return b'"%b"' % text.encode("ascii")
    return b'"%b"' % _SPECIAL.sub(_write, text).encode("utf-8")


def match_field(key: str, names: frozenset[str]) -> str | None:
    """The field that a key of an object sets: the same name, else the same but for case.

    Go folds case by Unicode's simple rules, by which U+017F is an s and U+212A a k.

    Args:
        key: from the input.
        names: of the fields, in lower-case ASCII.
    """
    if key in names:
        return key
    folded = key.translate(_FOLD) if len(key) <= 64 else key
    return folded if folded in names else None


_base64 = re.compile(r"(?:[A-Za-z0-9+/]{4})*+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?").fullmatch


def decode_base64(text: str) -> bytes | None:
    """What Go's base64.StdEncoding reads: padded, line breaks ignored, padding bits not looked at."""
    text = text.replace("\r", "").replace("\n", "")
    return a2b_base64(text) if _base64(text) else None
