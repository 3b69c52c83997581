"""The transaction of a packet: messages, in the encoding that the channel's metadata names."""

from collections.abc import Callable

from google.protobuf.message import Message

from ibc_core.any_message import AnyMessage
from ibc_core.errors import InvalidType, TxDecode, UnsupportedEncoding
from ibc_core.interchain_accounts.metadata import ENCODINGS, PROTO3
from ibc_core.wire import exact_json
from ibc_core.wire.gogo import read_cosmos_tx


def read_messages(data: bytes, encoding: str, wire: Callable[[str], type[Message]]) -> list[AnyMessage]:
    """The messages, unread; `wire` gives the protobuf class of a type of messages, for those in JSON.

    Fields that a protobuf CosmosTx does not have are let through, as by Go.

    Raises:
        InvalidType: it is no transaction in this encoding.
        UnsupportedEncoding: there is no such encoding.
        IbcError: what `wire` raises.
    """
    if encoding not in ENCODINGS:
        raise UnsupportedEncoding(encoding)
    try:
        return read_cosmos_tx(data) if encoding == PROTO3 else exact_json.read_messages(data, wire)
    except TxDecode as error:
        raise InvalidType(f"a CosmosTx in {encoding}", str(error)) from error
