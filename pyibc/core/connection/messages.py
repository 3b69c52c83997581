"""Messages of the connection handshake (ICS-3), and of the connection parameters."""

from typing import Annotated

from pyibc.core.checking import HasAddresses, check_proof
from pyibc.core.connection.types import ConnectionCounterparty, Version
from pyibc.core.errors import (
    InvalidClientType,
    InvalidConnectionCounterparty,
    InvalidConnectionIdentifier,
    InvalidConnectionVersion,
    InvalidRequest,
    InvalidVersion,
)
from pyibc.core.height import Height
from pyibc.core.identifiers import (
    LOCALHOST_CLIENT_ID,
    is_blank,
    is_connection_id,
    validate_client_id,
    validate_connection_id,
)
from pyibc.core.value import value
from pyibc.core.wire.columns import Absent, Proof, Signer, Wire
from pyibc.core.wire.message import Msg, message
from pyibc.proto.ibc.core.connection.v1 import tx_pb2

# -- stateless checks shared by messages of the connection handshake (ICS-3)

MAX_PREFIX_SIZE = 256
MAX_FEATURES = 100


def check_version(version: Version | None) -> None:
    """Check the version in a handshake message.

    Raises:
        InvalidConnectionVersion: there is none, its identifier or a feature is blank, or it has too many
            features.
    """
    if version is None:
        raise InvalidConnectionVersion("no version")
    if is_blank(version.identifier):
        raise InvalidConnectionVersion("blank identifier")
    if len(version.features) > MAX_FEATURES:
        raise InvalidConnectionVersion(f"{len(version.features)} features exceed {MAX_FEATURES}")
    if any(is_blank(feature) for feature in version.features):
        raise InvalidConnectionVersion("blank feature")


def check_counterparty(counterparty: ConnectionCounterparty) -> None:
    """Check the identifiers and the prefix of the counterparty.

    Raises:
        InvalidIdentifier: an identifier is malformed.
        InvalidConnectionCounterparty: the prefix is empty or too long.
    """
    if counterparty.connection_id:
        validate_connection_id(counterparty.connection_id)
    validate_client_id(counterparty.client_id)
    if not counterparty.prefix:
        raise InvalidConnectionCounterparty("empty prefix")
    if len(counterparty.prefix) > MAX_PREFIX_SIZE:
        raise InvalidConnectionCounterparty(
            f"prefix of {len(counterparty.prefix)} bytes exceeds {MAX_PREFIX_SIZE}"
        )


def check_client(client_id: str) -> None:
    """Check the client id of a new connection.

    Raises:
        InvalidClientType: the client is the localhost client, which has its own connection.
        InvalidIdentifier: the identifier is malformed.
    """
    if client_id == LOCALHOST_CLIENT_ID:
        raise InvalidClientType("connection handshakes with the localhost are disallowed")
    validate_client_id(client_id)


def check_own_connection_id(connection_id: str) -> None:
    """Check the identifier of a connection of this chain.

    Raises:
        InvalidConnectionIdentifier: the identifier does not have the form `connection-N`.
    """
    if not is_connection_id(connection_id):
        raise InvalidConnectionIdentifier(connection_id[:64])


# -- messages


@message(tx_pb2.MsgConnectionOpenInit)
@value
class MsgConnectionOpenInit(Msg):
    """Chain A starts a connection."""

    client_id_on_a: Annotated[str, Wire("client_id")]
    counterparty: ConnectionCounterparty
    version: Version | None
    delay_period_ns: Annotated[int, Wire("delay_period")]
    signer: Signer
    connection_id_on_a: Annotated[str, Absent("")] = ""  # requested identifier; "": generated

    def check(self, chain: HasAddresses) -> None:
        """Run the stateless checks.

        Raises:
            InvalidClientType, InvalidIdentifier, InvalidConnectionCounterparty, InvalidConnectionVersion,
            InvalidAddress.
        """
        check_client(self.client_id_on_a)
        if self.counterparty.connection_id:
            raise InvalidConnectionCounterparty("connection identifier must be empty")
        if self.version is not None:
            check_version(self.version)
        chain.addresses.decode(self.signer, "signer")
        check_counterparty(self.counterparty)


MAX_VERSIONS = 100


@message(tx_pb2.MsgConnectionOpenTry)
@value
class MsgConnectionOpenTry(Msg):
    """Chain B answers with a proof of A's INIT."""

    client_id_on_b: Annotated[str, Wire("client_id")]
    counterparty: ConnectionCounterparty
    delay_period_ns: Annotated[int, Wire("delay_period")]
    versions_on_a: Annotated[tuple[Version, ...], Wire("counterparty_versions")]
    proof_init: Proof
    proof_height: Height
    signer: Signer
    connection_id_on_b: Annotated[str, Absent("")] = ""  # requested identifier; "": generated
    named_on_a: Annotated[bool, Absent(False)] = False  # whether A's end names connection_id_on_b

    def check(self, chain: HasAddresses) -> None:
        """Run the stateless checks.

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


@message(tx_pb2.MsgConnectionOpenAck)
@value
class MsgConnectionOpenAck(Msg):
    """Chain A becomes OPEN with a proof of B's TRYOPEN."""

    connection_id_on_a: Annotated[str, Wire("connection_id")]
    connection_id_on_b: Annotated[str, Wire("counterparty_connection_id")]
    version: Version | None
    proof_try: Proof
    proof_height: Height
    signer: Signer

    def check(self, chain: HasAddresses) -> None:
        """Run the stateless checks.

        Raises:
            InvalidConnectionIdentifier, InvalidIdentifier, InvalidConnectionVersion, InvalidProof,
            InvalidAddress.
        """
        check_own_connection_id(self.connection_id_on_a)
        validate_connection_id(self.connection_id_on_b)
        check_version(self.version)
        check_proof(self.proof_try, "try")
        chain.addresses.decode(self.signer, "signer")


@message(tx_pb2.MsgConnectionOpenConfirm)
@value
class MsgConnectionOpenConfirm(Msg):
    """Chain B becomes OPEN with a proof of A's OPEN."""

    connection_id_on_b: Annotated[str, Wire("connection_id")]
    proof_ack: Proof
    proof_height: Height
    signer: Signer

    def check(self, chain: HasAddresses) -> None:
        """Run the stateless checks.

        Raises:
            InvalidConnectionIdentifier, InvalidProof, InvalidAddress.
        """
        check_own_connection_id(self.connection_id_on_b)
        check_proof(self.proof_ack, "ack")
        chain.addresses.decode(self.signer, "signer")


@message(tx_pb2.MsgUpdateParams)
@value
class MsgUpdateConnectionParams(Msg):
    """Replace all connection parameters; for the authority."""

    max_expected_time_per_block_ns: Annotated[int, Wire("params.max_expected_time_per_block")]
    signer: Signer

    def check(self, chain: HasAddresses) -> None:
        """Run the stateless checks.

        Raises:
            InvalidAddress, InvalidRequest.
        """
        chain.addresses.decode(self.signer, "signer")
        if self.max_expected_time_per_block_ns == 0:
            raise InvalidRequest("max_expected_time_per_block: zero")
