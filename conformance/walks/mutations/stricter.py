"""Detection of messages that ibc-go accepts and we reject on purpose (docs/adr/0010); walks avoid them."""

from pyibc.apps.transfer import packet_data
from pyibc.codec.anys import AnyMessage
from pyibc.codec.strict import NOT_UTF8, parse, parse_outer
from pyibc.core.errors import IbcError, TxDecode
from pyibc.core.packet_v2.messages import MsgSendPacket
from pyibc.core.wire.message import decode_msg
from pyibc.proto.pool import message_class


def is_stricter_here(made: AnyMessage) -> bool:
    """Return whether ibc-go may accept a mutated message although we never do."""
    return _has_strange_text(made) or _has_strange_coins(made)


def _has_strange_coins(packed: AnyMessage) -> bool:
    """Return whether an ICS-20 payload over a client has invalid UTF-8, which ibc-go accepts."""
    try:
        payloads = (
            decode_msg(MsgSendPacket, packed.value).payloads
            if packed.type_url == MsgSendPacket.TYPE_URL
            else ()
        )
        for payload in payloads:
            packet_data.decode_payload(payload)
    except IbcError as error:
        return NOT_UTF8 in str(error)
    return False


def _has_strange_text(packed: AnyMessage) -> bool:
    """Return whether a nested Any has invalid UTF-8, which ibc-go accepts in such clients."""
    try:
        cls = message_class(packed.type_url.removeprefix("/"))
        parse_outer(cls, packed.value, non_critical=True)
    except (KeyError, TxDecode):
        return False
    try:
        parse(cls, packed.value)
    except TxDecode as error:
        return NOT_UTF8 in error.reason
    return False
