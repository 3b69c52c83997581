"""What an application tells middleware of its packets' data (ibc-go's PacketDataUnmarshaler and PacketData).

A middleware that acts for users, as one that forwards packets or calls contracts, must know who sent a packet
and what its memo asks for. Only the application knows the encoding: `below.decode_packet_data` asks it.
"""

from typing import Any, NamedTuple

from ibc_core.application.binding import Answer
from ibc_core.value import sealed
from ibc_core.wire.godouble import has_overflow
from ibc_core.wire.gojson import Json, JsonError, parse, unquote
from ibc_core.wire.gojson_members import BLANKS, spans


@sealed
class PacketData(NamedTuple):
    """Data of one packet, whatever its encoding."""

    sender: str  # who asked chain A for it, in chain A's spelling; nobody has checked that it is an address
    receiver: str  # in chain B's spelling; "" where the application has no receivers
    memo: str  # what the sender added for others; "" where the application has no memos
    value: object  # the application's own form of the data
    sender_prefix: str = ""  # where chain A's port is this and then the sender (`icacontroller-`), or ""
    own: str = ""  # JSON of what the application itself asks for, in a memo's form; it goes before the memo

    def sender_at(self, port_id_on_a: str) -> str:
        """Who sent the packet from chain A's port; "" where that says nobody.

        As ibc-go's `GetPacketSender`: the data of interchain accounts has no sender, its port has.
        """
        if not self.sender_prefix:
            return self.sender
        begins = port_id_on_a.startswith(self.sender_prefix)
        return port_id_on_a[len(self.sender_prefix) :] if begins else ""

    def custom(self, key: str) -> Json:
        """What the application asks for under `key`, or else its memo, a JSON object by Go's rules; or None.

        As `GetCustomPacketData` of ibc-go's ICS-20: `{"dest_callback": {"address": "..."}}`. As there a memo
        with a number beyond a float64 asks for nothing.
        """
        found = self._asked(key)
        return None if found is None else parse(found)

    def texts(self, key: str, names: tuple[str, ...]) -> dict[str, str | None] | None:
        """As `custom`, where an object is expected: its members of these names, None for one that is no text.

        None where there is no object. Cheaper than `custom`, whatever else a stranger wrote into it.
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


DECODED = Answer("PacketData of texts", _is_packet_data)
