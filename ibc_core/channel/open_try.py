"""MsgChannelOpenTry (ICS-4)."""

from typing import Annotated

from ibc_core.channel.checks import check_end, check_state
from ibc_core.channel.types import ChannelEnd, ChannelState
from ibc_core.checking import HasAddresses, check_proof
from ibc_core.errors import InvalidChannelIdentifier
from ibc_core.height import Height
from ibc_core.identifiers import validate_channel_id, validate_port_id
from ibc_core.value import value
from ibc_core.wire.columns import Absent, Proof, Signer, Wire
from ibc_core.wire.message import Msg, message, response
from ibc_proto.ibc.core.channel.v1 import tx_pb2


@message(tx_pb2.MsgChannelOpenTry, response(tx_pb2.MsgChannelOpenTryResponse, "channel_id", "version"))
@value
class MsgChannelOpenTry(Msg):
    """Chain B answers, proving A's INIT."""

    port_id_on_b: Annotated[str, Wire("port_id")]
    previous_channel_id: str  # deprecated on the wire: must be empty
    channel: ChannelEnd
    version_on_a: Annotated[str, Wire("counterparty_version")]
    proof_init: Proof
    proof_height: Height
    signer: Signer
    channel_id_on_b: Annotated[str, Absent("")] = ""  # chosen, perhaps an own INIT end's; "": generated
    named_on_a: Annotated[bool, Absent(False)] = False  # whether A's end names channel_id_on_b

    def check(self, chain: HasAddresses) -> None:
        """Stateless checks.

        Raises:
            InvalidIdentifier, InvalidChannelIdentifier, InvalidProof, InvalidChannelState, InvalidAddress,
            InvalidChannelOrdering, TooManyConnectionHops.
        """
        validate_port_id(self.port_id_on_b)
        if self.previous_channel_id:
            raise InvalidChannelIdentifier(self.previous_channel_id[:64])
        check_proof(self.proof_init, "init")
        check_state(self.channel, self.port_id_on_b, ChannelState.TRYOPEN)
        validate_channel_id(self.channel.counterparty.channel_id)
        chain.addresses.decode(self.signer, "signer")
        check_end(self.channel)
