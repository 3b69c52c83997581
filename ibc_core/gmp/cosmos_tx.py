"""The payload of a call to a Cosmos chain."""

from collections.abc import Iterable

from ibc_core.any_message import AnyMessage
from ibc_core.wire.encoding import encode
from ibc_proto.google.protobuf.any_pb2 import Any
from ibc_proto.ibc.applications.gmp.v1.account_pb2 import CosmosTx


def cosmos_tx(messages: Iterable[AnyMessage]) -> bytes:
    """A `CosmosTx` in protobuf: messages that the caller's account there is to execute, all or none."""
    packed = [Any(type_url=each.type_url, value=each.value) for each in messages]
    return encode(CosmosTx(messages=packed))
