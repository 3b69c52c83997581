"""What a packet message came to."""

from enum import IntEnum
from typing import Final

from ibc_core.wire._generated.ibc.core.channel.v1 import tx_pb2
from ibc_core.wire.message import Response


class Outcome(IntEnum):
    """Result in the responses of packet messages; numbers are the wire's."""

    NOOP = 1
    SUCCESS = 2


class Redundant:
    """What `validate` answers when another relayer was faster: not an error, nothing to execute."""

    __slots__ = ()


REDUNDANT: Final = Redundant()

_ENCODED = {
    outcome: tx_pb2.MsgRecvPacketResponse(result=outcome.value).SerializeToString() for outcome in Outcome
}

OUTCOME: Final = Response(_ENCODED.__getitem__)
"""The response of every packet message: `MsgRecvPacketResponse` and its likes have one shape."""
