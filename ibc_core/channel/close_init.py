"""MsgChannelCloseInit (ICS-4)."""

from ibc_core.channel.checks import check_own_channel_id
from ibc_core.checking import HasAddresses
from ibc_core.identifiers import validate_port_id
from ibc_core.value import value
from ibc_core.wire.columns import Signer
from ibc_core.wire.message import Msg, message
from ibc_proto.ibc.core.channel.v1 import tx_pb2


@message(tx_pb2.MsgChannelCloseInit)
@value
class MsgChannelCloseInit(Msg):
    """Either chain closes its end."""

    port_id: str
    channel_id: str
    signer: Signer

    def check(self, chain: HasAddresses) -> None:
        """Stateless checks.

        Raises:
            InvalidIdentifier, InvalidChannelIdentifier, InvalidAddress.
        """
        validate_port_id(self.port_id)
        check_own_channel_id(self.channel_id)
        chain.addresses.decode(self.signer, "signer")
