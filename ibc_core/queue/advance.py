"""MsgAdvance of the queue protocol."""

from ibc_core.checking import HasAddresses
from ibc_core.errors import InvalidRequest
from ibc_core.height import Height
from ibc_core.queue.types import End, validate_end
from ibc_core.value import value
from ibc_core.wire.columns import Proof, Signer
from ibc_core.wire.message import Msg, message
from ibc_proto.pyibc.queue.v1 import tx_pb2


@message(tx_pb2.MsgAdvance)
@value
class MsgAdvance(Msg):
    """Shows that `source` has done with all packets below `head`; our receipts below `to` go."""

    source: End
    head: int
    to: int
    proof_height: Height
    proof: Proof
    signer: Signer

    def check(self, chain: HasAddresses) -> None:
        """Stateless checks.

        Raises:
            InvalidAddress, InvalidEnd, InvalidRequest.
        """
        chain.addresses.decode(self.signer, "signer")
        validate_end(self.source)
        if self.to > self.head:
            raise InvalidRequest(f"to {self.to} is beyond the head {self.head}")
