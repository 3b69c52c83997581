"""What an application tells middleware of its packets' data (ibc-go's PacketDataUnmarshaler and PacketData).

A middleware that acts for users, as one that forwards packets or calls contracts, must know who sent a packet
and what its memo asks for. Only the application knows the encoding: `below.decode_packet_data` asks it.
"""

from typing import Any, NamedTuple

from ibc_core.application.binding import Answer
from ibc_core.value import sealed
from ibc_core.wire.godouble import has_overflow
from ibc_core.wire.gojson import Json, JsonError, Object, parse


@sealed
class PacketData(NamedTuple):
    """Data of one packet, whatever its encoding."""

    sender: str  # who asked chain A for it, in chain A's spelling; nobody has checked that it is an address
    receiver: str  # in chain B's spelling; "" where the application has no receivers
    memo: str  # what the sender added for others; "" where the application has no memos
    value: object  # the application's own form of the data

    def custom(self, key: str) -> Json:
        """What the memo, a JSON object by Go's rules, has under `key`; None where it is none or has nothing.

        As `GetCustomPacketData` of ibc-go's ICS-20: `{"dest_callback": {"address": "..."}}`.
        """
        raw = self.memo.encode()
        try:
            memo = parse(raw)
        except JsonError:
            return None
        if has_overflow(raw):
            return None
        return memo.get(key) if isinstance(memo, Object) else None


def _is_packet_data(answer: Any) -> bool:
    if type(answer) is not PacketData:
        return False
    return type(answer.sender) is type(answer.receiver) is type(answer.memo) is str


DECODED = Answer("PacketData of texts", _is_packet_data)
