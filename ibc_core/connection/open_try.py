"""MsgConnectionOpenTry (ICS-3).

The wire still has fields for a proof of the other chain's client of us. ibc-go stopped verifying them; they
are read strictly, like all, and dropped.
"""

from typing import Annotated

from ibc_core.checking import HasAddresses, check_proof
from ibc_core.connection.checks import check_client, check_counterparty, check_version
from ibc_core.connection.types import ConnectionCounterparty, Version
from ibc_core.errors import InvalidVersion
from ibc_core.height import Height
from ibc_core.identifiers import validate_connection_id
from ibc_core.value import value
from ibc_core.wire.columns import Absent, Proof, Signer, Wire
from ibc_core.wire.message import Msg, message
from ibc_proto.ibc.core.connection.v1 import tx_pb2

MAX_VERSIONS = 100


@message(tx_pb2.MsgConnectionOpenTry)
@value
class MsgConnectionOpenTry(Msg):
    """Chain B answers, proving A's INIT."""

    client_id_on_b: Annotated[str, Wire("client_id")]
    counterparty: ConnectionCounterparty
    delay_period_ns: Annotated[int, Wire("delay_period")]
    versions_on_a: Annotated[tuple[Version, ...], Wire("counterparty_versions")]
    proof_init: Proof
    proof_height: Height
    signer: Signer
    connection_id_on_b: Annotated[str, Absent("")] = ""  # chosen; "": generated
    named_on_a: Annotated[bool, Absent(False)] = False  # whether A's end names connection_id_on_b

    def check(self, chain: HasAddresses) -> None:
        """Stateless checks.

        Raises:
            InvalidClientType, InvalidIdentifier, InvalidVersion, InvalidConnectionVersion, InvalidProof,
            InvalidAddress, InvalidConnectionCounterparty.
        """
        check_client(self.client_id_on_b)
        validate_connection_id(self.counterparty.connection_id)
        count = len(self.versions_on_a)
        if not 1 <= count <= MAX_VERSIONS:
            raise InvalidVersion(f"{count} counterparty versions, 1 to {MAX_VERSIONS} expected")
        for version in self.versions_on_a:
            check_version(version)
        check_proof(self.proof_init, "init")
        chain.addresses.decode(self.signer, "signer")
        check_counterparty(self.counterparty)
