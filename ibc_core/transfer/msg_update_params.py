"""MsgUpdateParams of transfers (ICS-20)."""

from typing import Annotated

from ibc_core.checking import HasAddresses
from ibc_core.value import value
from ibc_core.wire.columns import Signer, Wire
from ibc_core.wire.message import Msg, message
from ibc_proto.ibc.applications.transfer.v1 import tx_pb2


@message(tx_pb2.MsgUpdateParams)
@value
class MsgUpdateTransferParams(Msg):
    """The authority sets the parameters, whole."""

    send_enabled: Annotated[bool, Wire("params.send_enabled")]
    receive_enabled: Annotated[bool, Wire("params.receive_enabled")]
    signer: Signer

    def check(self, chain: HasAddresses) -> None:
        """Stateless checks.

        Raises:
            InvalidAddress: the signer is no address.
        """
        chain.addresses.decode(self.signer, "signer")
