"""MsgSendPacket of IBC v2 (ICS-4 v2)."""

from typing import Annotated

from ibc_core.checking import HasPayloadRule
from ibc_core.errors import InvalidTimeoutV2
from ibc_core.identifiers import validate_client_id
from ibc_core.packet_v2.types import Payload, check_payloads
from ibc_core.value import value
from ibc_core.wire.columns import Signer, Wire
from ibc_core.wire.message import Msg, message, response
from ibc_proto.ibc.core.channel.v2 import tx_pb2


@message(tx_pb2.MsgSendPacket, response(tx_pb2.MsgSendPacketResponse, "sequence"))
@value
class MsgSendPacket(Msg):
    """Chain A sends a packet."""

    client_id_on_a: Annotated[str, Wire("source_client")]
    timeout_s_on_b: Annotated[int, Wire("timeout_timestamp")]  # unix seconds
    payloads: tuple[Payload, ...]
    signer: Signer

    def check(self, chain: HasPayloadRule) -> None:
        """Stateless checks.

        Raises:
            InvalidIdentifier, InvalidTimeoutV2, InvalidPayload, InvalidAddress.
        """
        validate_client_id(self.client_id_on_a)
        if self.timeout_s_on_b == 0:
            raise InvalidTimeoutV2("it is 0")
        check_payloads(self.payloads, several=chain.several_payloads)
        chain.addresses.decode(self.signer, "signer")
