"""MsgUpdateClient, and MsgSubmitMisbehaviour, its older name (ICS-2)."""

from typing import Annotated

from ibc_core.any_message import AnyMessage
from ibc_core.checking import HasClientTypes
from ibc_core.errors import IbcError, InvalidAddress, TxDecode
from ibc_core.identifiers import validate_client_id
from ibc_core.value import value
from ibc_core.wire.columns import Signer, Wire
from ibc_core.wire.message import Msg, message
from ibc_proto.ibc.core.client.v1 import tx_pb2


@message(tx_pb2.MsgUpdateClient)
@value
class MsgUpdateClient(Msg):
    """Hands a client a header, or evidence of misbehaviour."""

    client_id: str
    client_message: AnyMessage
    signer: Signer

    def check(self, chain: HasClientTypes) -> None:
        """Stateless checks; the light client checks its own types.

        Raises:
            TxDecode, InvalidAddress, UnpackAny, ClientTypeNotFound, InvalidIdentifier.
            ...: whatever the light client refuses its message with.
        """
        try:
            chain.addresses.decode(self.signer, "signer")
        except InvalidAddress:
            self._check_readable(chain)
            raise
        client = chain.client_types.by_message(self.client_message.type_url)
        client.check_message(self.client_message)
        validate_client_id(self.client_id)

    def _check_readable(self, chain: HasClientTypes) -> None:
        """What Go's decoder of transactions refuses comes before a wrong signer; all else after it."""
        if not self.client_message.type_url:
            return
        try:
            chain.client_types.by_message(self.client_message.type_url).check_message(self.client_message)
        except TxDecode:
            raise
        except IbcError:
            return  # the signer is wrong as well, and ibc-go looks at him first


@message(tx_pb2.MsgSubmitMisbehaviour)
@value
class MsgSubmitMisbehaviour(MsgUpdateClient):
    """Hands a client evidence of misbehaviour: in ibc-go until v10, and Hermes sends it."""

    client_message: Annotated[AnyMessage, Wire("misbehaviour")]
