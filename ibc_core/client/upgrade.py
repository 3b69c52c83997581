"""MsgUpgradeClient (ICS-2)."""

from typing import Annotated

from ibc_core.any_message import AnyMessage
from ibc_core.checking import HasClientTypes, check_readable
from ibc_core.errors import InvalidUpgradeClient
from ibc_core.identifiers import validate_client_id
from ibc_core.value import value
from ibc_core.wire.columns import Proof, Signer, Wire
from ibc_core.wire.message import Msg, message
from ibc_proto.ibc.core.client.v1 import tx_pb2


@message(tx_pb2.MsgUpgradeClient)
@value
class MsgUpgradeClient(Msg):
    """Moves a client to its chain's next revision, proving what the chain committed to before it halted."""

    client_id: str
    client_state: AnyMessage
    consensus_state: AnyMessage
    client_proof: Annotated[Proof, Wire("proof_upgrade_client")]
    consensus_proof: Annotated[Proof, Wire("proof_upgrade_consensus_state")]
    signer: Signer

    def check(self, chain: HasClientTypes) -> None:
        """Stateless checks; the states are not checked: as committed they need not be whole.

        Raises:
            UnpackAny, ClientTypeNotFound, TxDecode, InvalidUpgradeClient, InvalidAddress, InvalidIdentifier.
        """
        types = chain.client_types
        check_readable(chain, self.client_state, self.consensus_state)
        client = types.by_client_state(self.client_state.type_url)
        if types.by_consensus_state(self.consensus_state.type_url) is not client:
            raise InvalidUpgradeClient("client state and consensus state are of different types")
        if not self.client_proof:
            raise InvalidUpgradeClient("empty proof of the upgraded client state")
        if not self.consensus_proof:
            raise InvalidUpgradeClient("empty proof of the upgraded consensus state")
        chain.addresses.decode(self.signer, "signer")
        validate_client_id(self.client_id)
