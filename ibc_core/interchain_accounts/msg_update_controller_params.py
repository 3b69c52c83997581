"""MsgUpdateParams of the controller (ICS-27)."""

from typing import Annotated

from ibc_core.checking import HasAddresses
from ibc_core.value import value
from ibc_core.wire.columns import Signer, Wire
from ibc_core.wire.message import Msg, message
from ibc_proto.ibc.applications.interchain_accounts.controller.v1 import tx_pb2


@message(tx_pb2.MsgUpdateParams)
@value
class MsgUpdateControllerParams(Msg):
    """The authority switches the controller on and off."""

    controller_enabled: Annotated[bool, Wire("params.controller_enabled")]
    signer: Signer

    def check(self, chain: HasAddresses) -> None:
        """Stateless checks.

        Raises:
            InvalidAddress: the signer is no address.
        """
        chain.addresses.decode(self.signer, "signer")
