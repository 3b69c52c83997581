"""What the memo of a transfer says of forwarding, and the memo that the next chain is given.

    {"forward": {"receiver": ..., "port": ..., "channel": ..., "timeout": ..., "retries": ..., "next": ...}}

Read as ibc-go's middleware reads it: exact names, of a name that comes twice the last counts, unknown names
are passed over. `next` is such an object, or its JSON as a text. Hops are read one after the other, without
recursion: strangers write memos.
"""

from collections.abc import Iterator, Sequence
from math import trunc
from typing import Final, NamedTuple

from ibc_core.errors import ForwardKeyNotFound, IbcError, InvalidForwardHop, InvalidForwardMetadata
from ibc_core.identifiers import validate_channel_id, validate_port_id
from ibc_core.value import sealed
from ibc_core.wire.godouble import Double, has_overflow, parse_double
from ibc_core.wire.goduration import parse_duration
from ibc_core.wire.gojson import Json, JsonError, Number, Object, marshal_string, parse

FORWARD: Final = "forward"
MAX_RETRIES: Final = 255
_I64: Final = 1 << 63


@sealed
class Hop(NamedTuple):
    """One chain's part of the way: where it sends the coins."""

    receiver: str  # on the chain after this one; nobody has checked it
    port_id: str
    channel_id: str
    timeout_ns: int = (
        0  # for the packet that is sent, from the block's time on; not above 0: the chain's default
    )
    retries: int | None = None  # after timeouts, 0 to 255; None: the chain's default

    def validate(self) -> None:
        """Checks that the coins could be sent.

        Raises:
            InvalidForwardHop: there is no receiver, or the port or channel has a name that cannot be.
        """
        if not self.receiver:
            raise InvalidForwardHop("receiver cannot be empty")
        try:
            validate_port_id(self.port_id)
            validate_channel_id(self.channel_id)
        except IbcError as error:
            raise InvalidForwardHop(str(error)) from error


def read_hops(memo: str) -> tuple[Hop, ...] | None:
    """The way that a memo asks for, this chain's hop first; None if it does not ask for forwarding.

    Raises:
        ForwardKeyNotFound, InvalidForwardMetadata: it does, and cannot be read.
    """
    root = _read_json(memo)
    given = root.get(FORWARD) if isinstance(root, Object) else None
    return tuple(_hops(given)) if isinstance(given, Object) else None


def write_memo(hops: Sequence[Hop]) -> str:
    """The memo that asks for these hops, at least one: keys are sorted, a timeout is in nanoseconds."""
    before, after = [], []
    for hop in hops[:-1]:
        before.append(b'{"forward":{"channel":%b,"next":' % marshal_string(hop.channel_id))
        after.append(b",%b}}" % _rest(hop))
    last = b'{"forward":{"channel":%b,%b}}' % (marshal_string(hops[-1].channel_id), _rest(hops[-1]))
    return b"".join([*before, last, *reversed(after)]).decode()


def _rest(hop: Hop) -> bytes:
    """The members that come after `channel` and `next` in the order of their names."""
    text = b'"port":%b,"receiver":%b' % (marshal_string(hop.port_id), marshal_string(hop.receiver))
    if hop.retries is not None:
        text += b',"retries":%d' % hop.retries
    return text + b',"timeout":%d' % hop.timeout_ns if hop.timeout_ns > 0 else text


def _read_json(text: str) -> Json:
    """JSON as Go decodes it into `any`; None if it is malformed."""
    raw = text.encode()
    try:
        content = parse(raw)
    except JsonError:
        return None
    # guard: h172-numbers-out-of-range-are-read drop:has_overflow test_what_asks_for_no_forwarding
    return None if has_overflow(raw) else content


def _hops(given: Object) -> Iterator[Hop]:
    following: Object | None = given
    while following is not None:
        # guard: h172-the-first-of-two-names-counts {following.members => reversed(following.members)}
        #   test_one_hop
        members = dict(following.members)  # of a name that comes twice, the last
        yield Hop(
            _text(members, "receiver"),
            _text(members, "port"),
            _text(members, "channel"),
            _timeout(members["timeout"]) if "timeout" in members else 0,
            _retries(members["retries"]) if "retries" in members else None,
        )
        following = _next(members["next"]) if "next" in members else None


def _text(members: dict[str, Json], key: str) -> str:
    found = members.get(key)
    if not isinstance(found, str):
        raise ForwardKeyNotFound(key)
    return found


def _timeout(given: Json) -> int:
    if isinstance(given, Number):
        return _int64(_double(given))
    if not isinstance(given, str):
        raise InvalidForwardMetadata("timeout is neither a number nor a text")
    try:
        return parse_duration(given)
    except ValueError as error:
        raise InvalidForwardMetadata(f"timeout: {error}") from error


def _int64(number: Double) -> int:
    """Truncated; out of range it is the least number, as Go has it on amd64 (and so the chain's default)."""
    whole = trunc(number)
    return whole if -_I64 <= whole < _I64 else -_I64


def _retries(given: Json) -> int:
    if not isinstance(given, Number):
        raise InvalidForwardMetadata("retries is no number")
    number = _double(given)
    if not 0 <= number <= MAX_RETRIES:
        raise InvalidForwardMetadata("retries must be between 0 and 255")
    return trunc(number)


def _double(given: Number) -> Double:
    number = parse_double(given.text)
    if number is None:
        raise InvalidForwardMetadata("a number is out of range")
    return number


def _next(given: Json) -> Object:
    content = _read_json(given) if isinstance(given, str) else given
    found = content.get(FORWARD) if isinstance(content, Object) else None
    if not isinstance(found, Object):
        raise InvalidForwardMetadata("next does not say `forward`")
    return found
