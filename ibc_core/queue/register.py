"""MsgRegister of the queue protocol."""

from ibc_core.checking import HasAddresses
from ibc_core.errors import InvalidRequest
from ibc_core.errors.queue import InvalidEnd
from ibc_core.identifiers import parse_client_id, validate_client_id
from ibc_core.queue.types import STORE_NAME, End, validate_end
from ibc_core.value import value
from ibc_core.wire.columns import Signer
from ibc_core.wire.message import Msg, message
from ibc_proto.pyibc.queue.v1 import tx_pb2

MAX_STORE_NAME_SIZE = 64
DEFAULT_STORE = STORE_NAME.encode()


@message(tx_pb2.MsgRegister)
@value
class MsgRegister(Msg):
    """Makes the queues of a remote end, and says which client vouches for it."""

    client_id: str
    local: End
    remote: End
    remote_store: bytes  # empty: `queue`
    signer: Signer

    def check(self, chain: HasAddresses) -> None:
        """Stateless checks.

        Raises:
            InvalidAddress, InvalidIdentifier, InvalidEnd, InvalidRequest.
        """
        chain.addresses.decode(self.signer, "signer")
        validate_client_id(self.client_id)
        parse_client_id(self.client_id)
        validate_end(self.local)
        validate_end(self.remote)
        if self.local.is_channel != self.remote.is_channel:
            raise InvalidEnd(self.remote.text, f"{self.local.text!a} is of another level")
        if len(self.remote_store) > MAX_STORE_NAME_SIZE:
            raise InvalidRequest(
                f"{len(self.remote_store)} bytes of remote_store exceed {MAX_STORE_NAME_SIZE}"
            )
