"""The outcome of a packet message."""

from enum import IntEnum
from typing import Final

from ibc_core.wire.message import Response
from ibc_proto.ibc.core.channel.v1 import tx_pb2


class Outcome(IntEnum):
    """Result in the responses of packet messages; numbers as in protobuf."""

    NOOP = 1
    SUCCESS = 2


class Redundant:
    """The result of `validate` if another relayer was faster: no error, and nothing to execute."""

    __slots__ = ()


REDUNDANT: Final = Redundant()

_ENCODED = {
    outcome: tx_pb2.MsgRecvPacketResponse(result=outcome.value).SerializeToString() for outcome in Outcome
}

OUTCOME: Final = Response(_ENCODED.__getitem__)
"""The response of every packet message: `MsgRecvPacketResponse` and its likes have one shape."""
