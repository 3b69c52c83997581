r"""Identifiers of clients, connections, channels and ports (ICS-24), checked in linear time.

The patterns are ibc-go's. They are implemented without `re`, because Python's `re` backtracks and Go's does
not, and because `$`, `\w` and `\d` match more in Python.
"""

from functools import lru_cache

from pyibc.core.errors import InvalidIdentifier
from pyibc.core.numbers import MAX_U64

GO_SPACES = (
    "\t\n\v\f\r \x85\xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000"
)
"""White space by Go's `unicode.IsSpace`."""


def is_blank(text: str) -> bool:
    """Return whether Go's `strings.TrimSpace` leaves nothing of `text`.

    Python's `str.strip` also removes U+001C to U+001F.
    """
    return not text.strip(GO_SPACES)


_ALLOWED = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-#[]<>")
_WORD = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
_DIGITS = frozenset("0123456789")

LOCALHOST_CLIENT_ID = "09-localhost"
LOCALHOST_CONNECTION_ID = "connection-localhost"


def _validate(text: str, kind: str, low: int, high: int) -> None:
    if not low <= len(text.encode("utf-8", "surrogatepass")) <= high:
        raise InvalidIdentifier(kind, text[:64], f"length must be {low} to {high}")
    if not _ALLOWED.issuperset(text):
        raise InvalidIdentifier(kind, text[:64], "only letters, digits and . _ + - # [ ] < >")


@lru_cache(4096)
def validate_client_id(text: str) -> None:
    """Check the form of a client identifier, 4 to 64 characters.

    Raises:
        InvalidIdentifier: length or characters are wrong.
    """
    _validate(text, "client", 4, 64)


@lru_cache(4096)
def validate_connection_id(text: str) -> None:
    """Check the form of a connection identifier, 10 to 64 characters.

    Raises:
        InvalidIdentifier: length or characters are wrong.
    """
    _validate(text, "connection", 10, 64)


@lru_cache(4096)
def validate_channel_id(text: str) -> None:
    """Check the form of a channel identifier, 8 to 64 characters.

    Raises:
        InvalidIdentifier: length or characters are wrong.
    """
    _validate(text, "channel", 8, 64)


@lru_cache(4096)
def validate_port_id(text: str) -> None:
    """Check the form of a port identifier, 2 to 128 characters.

    Raises:
        InvalidIdentifier: length or characters are wrong.
    """
    _validate(text, "port", 2, 128)


def _sequence(digits: str) -> int | None:
    """Return the number that 1 to 20 ASCII digits spell; None if it does not fit 64 bits."""
    if not 1 <= len(digits) <= 20 or not _DIGITS.issuperset(digits):
        return None
    number = int(digits)
    return number if number <= MAX_U64 else None


@lru_cache(1024)
def parse_client_id(text: str) -> tuple[str, int]:
    """Split a client identifier such as `07-tendermint-3` into client type and sequence.

    `09-localhost` has the sequence 0.

    Raises:
        InvalidIdentifier: the text does not have the form `{client-type}-{N}` with N in 64 bits.
    """
    if text == LOCALHOST_CLIENT_ID:
        return text, 0
    client_type, _, digits = text[:256].rpartition("-")
    number = _sequence(digits) if len(text) <= 256 else None
    if number is None or not _is_client_type(client_type):
        raise InvalidIdentifier("client", text[:64], "not of the form {client-type}-{N}")
    return client_type, number


def _is_client_type(text: str) -> bool:
    return bool(text) and text[0] in _WORD and text[-1] in _WORD and (_WORD | {"-"}).issuperset(text)


def parse_numbered(text: str, prefix: str) -> int | None:
    """Return N of `{prefix}{N}`, such as `channel-3`; None if `text` does not have that form."""
    return _sequence(text[len(prefix) :]) if text.startswith(prefix) and len(text) <= 64 else None


def is_connection_id(text: str) -> bool:
    """Return whether `text` is `connection-N`."""
    return parse_numbered(text, "connection-") is not None


def is_channel_id(text: str) -> bool:
    """Return whether `text` is `channel-N`."""
    return parse_numbered(text, "channel-") is not None
