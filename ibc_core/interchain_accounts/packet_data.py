"""What a packet of ICS-27 carries: a transaction that the interchain account is to execute."""

import re
from base64 import b64encode
from binascii import a2b_base64
from typing import Annotated, Final

from ibc_core.errors import InvalidOutgoingData, InvalidType
from ibc_core.interchain_accounts.json_fields import as_bytes, as_enum, as_text, json_fields
from ibc_core.value import value
from ibc_core.wire.columns import Wire
from ibc_core.wire.gojson import JsonError, marshal_string
from ibc_core.wire.table import on_wire
from ibc_proto.ibc.applications.interchain_accounts.v1 import packet_pb2

UNSPECIFIED: Final = 0
EXECUTE_TX: Final = 1
_TYPES = {"TYPE_UNSPECIFIED": UNSPECIFIED, "TYPE_EXECUTE_TX": EXECUTE_TX}
_NAMES = {number: name for name, number in _TYPES.items()}

MAX_MEMO_SIZE = 32_768
"""Bytes of a memo that may be sent."""

_FIELDS = {"type": "type", "data": "data", "memo": "memo"}

# guard: h163-a-text-with-escapes-read-as-it-stands {b'[ !#-\\[\\]-~]' => b'[ -~]'}
#   test_a_blank_in_front_changes_nothing
# guard: h163-a-pattern-that-goes-back {b'{4})*+' => b'{4})*'}
#   test_a_long_transaction_costs_no_more_memory_than_it_has_bytes
_as_written = re.compile(
    rb'\{"type":"TYPE_EXECUTE_TX"'
    rb',"data":"((?:[A-Za-z0-9+/]{4})*+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)"'
    rb',"memo":"([ !#-\[\]-~]*)"\}'
).fullmatch
"""As ibc-go writes a transaction whose memo needs no escapes: nearly all, read in one step."""


@on_wire(packet_pb2.InterchainAccountPacketData)
@value
class InterchainAccountPacketData:
    """A transaction, and what its owner adds for middleware."""

    kind: Annotated[int, Wire("type")]  # EXECUTE_TX, or what nobody knows and the host refuses
    data: bytes  # a CosmosTx, in the channel's encoding
    memo: str

    def check(self) -> None:
        """Checks what is to be sent (ValidateBasic).

        Raises:
            InvalidOutgoingData: it has no type, no transaction, or too long a memo.
        """
        if self.kind == UNSPECIFIED:
            raise InvalidOutgoingData("packet data type cannot be unspecified")
        if not self.data:
            raise InvalidOutgoingData("packet data cannot be empty")
        if len(self.memo.encode()) > MAX_MEMO_SIZE:
            raise InvalidOutgoingData(f"packet data memo cannot be greater than {MAX_MEMO_SIZE} characters")


def encode_packet_data(packet: InterchainAccountPacketData) -> bytes:
    """The data of the packet that is sent."""
    kind = b'"%b"' % _NAMES[packet.kind].encode() if packet.kind in _NAMES else b"%d" % packet.kind
    data = b64encode(packet.data)
    return b'{"type":%b,"data":"%b","memo":%b}' % (kind, data, marshal_string(packet.memo))


def decode_packet_data(raw: bytes) -> InterchainAccountPacketData:
    """What a packet's data says.

    Raises:
        InvalidType: it is no JSON of packet data.
    """
    usual = _as_written(raw)
    if usual is not None:
        return InterchainAccountPacketData(EXECUTE_TX, a2b_base64(usual[1]), usual[2].decode("ascii"))
    try:
        found = json_fields(raw, _FIELDS)
        return InterchainAccountPacketData(
            as_enum(found.get("type"), raw, _TYPES), as_bytes(found.get("data")), as_text(found.get("memo"))
        )
    except JsonError as error:
        raise InvalidType("ICS-27 packet data", f"JSON: {error}") from None
