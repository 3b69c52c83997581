"""Decoded packet data for middleware (ibc-go's PacketDataUnmarshaler and PacketData).

Middleware that acts for users, such as packet forwarding or callbacks, needs the sender and the memo of a
packet. Only the application knows the encoding; middleware calls `below.decode_packet_data`.
"""

from typing import Any, NamedTuple

from pyibc.codec.gojson import Json, JsonError, parse, unquote
from pyibc.codec.gojson_members import BLANKS, MAX_JSON_DEPTH, is_deeper, spans
from pyibc.codec.gonumbers import has_overflow
from pyibc.core.errors import InvalidRequest
from pyibc.core.value import sealed
from pyibc.isolation.binding import ResultType


@sealed
class PacketData(NamedTuple):
    """Data of one packet, independent of the encoding."""

    sender: str  # address on chain A, not validated
    receiver: str  # address on chain B; "" if the application has no receivers
    memo: str  # "" if the application has no memos
    value: object  # the application's own type
    sender_prefix: str = ""  # prefix of a port that names the sender (`icacontroller-`), or ""
    own: str = ""  # JSON in a memo's form from the application, preferred over the memo

    def sender_at(self, port_id_on_a: str) -> str:
        """Return the sender of the packet; "" if it is unknown.

        As in ibc-go's `GetPacketSender`, the sender of interchain accounts is in the port, not in the data.
        """
        if not self.sender_prefix:
            return self.sender
        begins = port_id_on_a.startswith(self.sender_prefix)
        return port_id_on_a[len(self.sender_prefix) :] if begins else ""

    def custom(self, key: str) -> Json:
        """Return the value of `key` in the application's own JSON, or else in the memo; None if absent.

        The rules are those of ibc-go's `GetCustomPacketData`, with a memo such as
        `{"dest_callback": {"address": "..."}}`. A number beyond float64 invalidates the memo.
        """
        found = self._asked(key)
        return None if found is None else parse(found)

    def texts(self, key: str, names: tuple[str, ...]) -> dict[str, str | None] | None:
        """Return the string members `names` of the object that `custom` returns, None for other members.

        The result is None if there is no object. The other members, which a user may have made large, are
        not parsed.
        """
        found = self._asked(key)
        values = None if found is None or found[:1] != b"{" else spans(found, names)
        if found is None or values is None:
            return None
        return {name: _text(found[start:end]) for name, (start, end) in values.items()}

    def _asked(self, key: str) -> bytes | None:
        found = _member(self.own, key) if self.own else None
        return _member(self.memo, key) if found is None and self.memo else found


def _member(text: str, key: str) -> bytes | None:
    raw = text.encode()
    try:
        values = spans(raw, (key,))
    except JsonError:
        return None
    # guard: h177-a-memo-beyond-float64 drop:has_overflow test_what_a_memo_has_for_others_is_read_by_gos_rules
    if values is None or key not in values or has_overflow(raw):
        return None
    start, end = values[key]
    return raw[start:end]


def _text(value: bytes) -> str | None:
    return unquote(value.rstrip(BLANKS)[1:-1]) if value[:1] == b'"' else None


def _is_packet_data(answer: Any) -> bool:
    if type(answer) is not PacketData:
        return False
    texts = answer.sender, answer.receiver, answer.memo, answer.sender_prefix, answer.own
    return all(type(each) is str for each in texts)


DECODED = ResultType("PacketData of texts", _is_packet_data)


# -- JSON of packets, parsed deterministically and with bounded depth


def read_json(data: bytes) -> Json:
    """Return the value of JSON in a packet: `str`, `Number`, `bool`, None, `list` and `Object`.

    The rules are those of Go's encoding/json: UTF-8 only, no NaN. Numbers keep their text.

    Raises:
        InvalidRequest: the data is no JSON, or nested deeper than 200 lists and objects.
    """
    if is_deeper(data):
        raise InvalidRequest(f"JSON nested deeper than {MAX_JSON_DEPTH}")
    try:
        return parse(data)
    except JsonError as error:
        raise InvalidRequest(f"no JSON: {error}") from error
