"""Forwarding metadata in a transfer's memo, and the memo for the next chain.

    {"forward": {"receiver": ..., "port": ..., "channel": ..., "timeout": ..., "retries": ..., "next": ...}}

Parsed by ibc-go's rules: exact names, the last duplicate wins, unknown names are ignored, and each chain
checks its own hop. `next` is such an object, or its JSON as a string, which may hold a string again.

Memos are untrusted. Hops are parsed one after the other, without recursion, and no object is built for
ignored members. A string is parsed once per level of nesting, so the total size is bounded.
"""

from collections.abc import Iterator, Sequence
from math import trunc
from typing import Final, NamedTuple

from pyibc.codec.gojson import JsonError, Number, marshal_string, parse
from pyibc.codec.gojson_members import Found, Wanted, members
from pyibc.codec.gonumbers import Double, has_overflow, parse_double, parse_duration
from pyibc.core.errors import ForwardKeyNotFound, IbcError, InvalidForwardHop, InvalidForwardMetadata
from pyibc.core.identifiers import validate_channel_id, validate_port_id
from pyibc.core.value import sealed

FORWARD: Final = "forward"
MAX_RETRIES: Final = 255
MAX_NESTED_RATIO: Final = 2
"""Maximal total size of nested strings, per byte of the memo.

With quotes and backslashes escaped as usual, each level doubles the size of the string in it, and the sum
stays below this limit. With backslashes written as `\\u005c` it does not.
"""
MIN_NESTED_LIMIT: Final = 8192
"""Total size in bytes that nested strings may always have, however short the memo."""
_I64: Final = 1 << 63

_MEMO_BELOW: dict[str, Wanted] = {}
_MEMO: Final = Wanted((FORWARD,), _MEMO_BELOW)
_MEMO_BELOW[FORWARD] = Wanted(("receiver", "port", "channel", "timeout", "retries", "next"), {"next": _MEMO})


@sealed
class Hop(NamedTuple):
    """Forwarding step of one chain."""

    receiver: str  # on the next chain; unchecked
    port_id: str
    channel_id: str
    timeout_ns: int = 0  # of the onward packet, from the block time; 0 or less: the chain's default
    retries: int | None = None  # retries after timeouts, 0 to 255; None: the chain's default

    def validate(self) -> None:
        """Check that a transfer could be sent.

        Raises:
            InvalidForwardHop: the receiver is empty, or port or channel is malformed.
        """
        if not self.receiver:
            raise InvalidForwardHop("receiver cannot be empty")
        try:
            validate_port_id(self.port_id)
            validate_channel_id(self.channel_id)
        except IbcError as error:
            raise InvalidForwardHop(str(error)) from error


def read_hops(memo: str) -> tuple[Hop, ...] | None:
    """Parse the hops of a memo, this chain's first; None if it does not ask for forwarding.

    Raises:
        ForwardKeyNotFound, InvalidForwardMetadata: it does, and is malformed.
    """
    read = _Memo(memo.encode())
    if read.root is None or not isinstance(read.root.get(FORWARD), dict):
        return None
    return tuple(read.hops())


def write_memo(hops: Sequence[Hop]) -> str:
    """Build the memo for one or more hops: keys sorted, timeouts in nanoseconds."""
    before, after = [], []
    for hop in hops[:-1]:
        before.append(b'{"forward":{"channel":%b,"next":' % marshal_string(hop.channel_id))
        after.append(b",%b}}" % _rest(hop))
    last = b'{"forward":{"channel":%b,%b}}' % (marshal_string(hops[-1].channel_id), _rest(hops[-1]))
    return b"".join([*before, last, *reversed(after)]).decode()


def _rest(hop: Hop) -> bytes:
    """Encode the members that sort after `channel` and `next`."""
    text = b'"port":%b,"receiver":%b' % (marshal_string(hop.port_id), marshal_string(hop.receiver))
    if hop.retries is not None:
        text += b',"retries":%d' % hop.retries
    return text + b',"timeout":%d' % hop.timeout_ns if hop.timeout_ns > 0 else text


class _Memo:
    """Parser of a memo: its JSON, then that of nested strings, one after the other."""

    __slots__ = ("_json", "_left", "root")

    def __init__(self, raw: bytes) -> None:
        self._left = MAX_NESTED_RATIO * len(raw) + MIN_NESTED_LIMIT
        self.root = self._read(raw)

    def hops(self) -> Iterator[Hop]:
        """Yield the hops, this chain's first; there is at least one."""
        at = self.root
        while at is not None:
            hop = self._forward(at)
            yield Hop(
                self._text(hop, "receiver"),
                self._text(hop, "port"),
                self._text(hop, "channel"),
                _timeout(self._scalar(hop, "timeout")) if "timeout" in hop else 0,
                _retries(self._scalar(hop, "retries")) if "retries" in hop else None,
            )
            at = self._next(hop) if "next" in hop else None

    def _read(self, raw: bytes) -> Found | None:
        """Parse the members of a JSON object that matter here; None if it is malformed or not an object."""
        self._json = raw
        try:
            found = members(raw, _MEMO)
        except JsonError:
            return None
        # guard: h172-numbers-out-of-range-are-read drop:has_overflow test_what_asks_for_no_forwarding
        return None if has_overflow(raw) else found

    def _scalar(self, found: Found, name: str) -> str | Number | None:
        """Return a string or a number; None for any other value."""
        place = found.get(name)
        if not isinstance(place, tuple):
            return None
        start, end = place
        if self._json[start] not in b'"-0123456789':
            return None
        content = parse(self._json[start:end])
        return content if isinstance(content, (str, Number)) else None

    def _text(self, hop: Found, name: str) -> str:
        content = self._scalar(hop, name)
        if not isinstance(content, str):
            raise ForwardKeyNotFound(name)
        return content

    def _forward(self, found: Found) -> Found:
        hop = found.get(FORWARD)
        if not isinstance(hop, dict):
            raise InvalidForwardMetadata("next has no object `forward`")
        return hop

    def _next(self, hop: Found) -> Found:
        place = hop["next"]
        if isinstance(place, dict):
            return place
        self._left -= place[1] - place[0]
        # guard: h172-texts-in-texts-have-no-end test_h172_texts_in_texts_are_bounded_by_the_memo
        if self._left < 0:
            raise InvalidForwardMetadata("next: the nested strings are too long")
        content = self._scalar(hop, "next")
        found = self._read(content.encode()) if isinstance(content, str) else None
        if found is None:
            raise InvalidForwardMetadata("next is not forwarding metadata")
        return found


def _timeout(given: str | Number | None) -> int:
    if isinstance(given, Number):
        return _int64(_double(given))
    if not isinstance(given, str):
        raise InvalidForwardMetadata("timeout is neither a number nor a string")
    try:
        return parse_duration(given)
    except ValueError as error:
        raise InvalidForwardMetadata(f"timeout: {error}") from error


def _int64(number: Double) -> int:
    """Truncate to int64; out of range it is the minimum, as Go has it on amd64 (so the default applies)."""
    whole = trunc(number)
    return whole if -_I64 <= whole < _I64 else -_I64


def _retries(given: str | Number | None) -> int:
    if not isinstance(given, Number):
        raise InvalidForwardMetadata("retries is not a number")
    number = _double(given)
    if not 0 <= number <= MAX_RETRIES:
        raise InvalidForwardMetadata("retries must be between 0 and 255")
    return trunc(number)


def _double(given: Number) -> Double:
    number = parse_double(given.text)
    if number is None:
        raise InvalidForwardMetadata("a number is out of range")
    return number
