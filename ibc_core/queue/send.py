"""MsgSend of the queue protocol."""

from typing import Annotated

from ibc_core.checking import HasAddresses
from ibc_core.height import Height
from ibc_core.queue.packet import MAX_HEIGHT, check_packet
from ibc_core.queue.types import End, validate_end
from ibc_core.value import value
from ibc_core.wire.columns import Signer, Wire
from ibc_core.wire.message import Msg, message, response
from ibc_proto.pyibc.queue.v1 import tx_pb2


@message(tx_pb2.MsgSend, response(tx_pb2.MsgSendResponse, "sequence"))
@value
class MsgQueueSend(Msg):
    """Sends a packet."""

    source: End
    destination: End
    sequence: int | None  # None: the next one
    type: str
    data: bytes
    max_height: Annotated[Height, Wire("max_height", MAX_HEIGHT)]  # 0-0: none
    max_time_ns: Annotated[int, Wire("max_time")]  # unix nanoseconds; 0: none
    signer: Signer

    def check(self, chain: HasAddresses) -> None:
        """Stateless checks.

        Raises:
            InvalidAddress, InvalidEnd, InvalidQueuePacket, InvalidRequest.
        """
        chain.addresses.decode(self.signer, "signer")
        validate_end(self.source)
        validate_end(self.destination)
        check_packet(self.type, self.data, self.max_height, self.max_time_ns)
