"""Stateless checks that several messages of the connection handshake share (ICS-3)."""

from ibc_core.connection.types import ConnectionCounterparty, Version
from ibc_core.errors import (
    InvalidClientType,
    InvalidConnectionCounterparty,
    InvalidConnectionIdentifier,
    InvalidConnectionVersion,
)
from ibc_core.identifiers import (
    LOCALHOST_CLIENT_ID,
    is_blank,
    is_connection_id,
    validate_client_id,
    validate_connection_id,
)

MAX_PREFIX_SIZE = 256
MAX_FEATURES = 100


def check_version(version: Version | None) -> None:
    """Checks a version that is asked for.

    Raises:
        InvalidConnectionVersion: there is none, its identifier or a feature is blank, or it has too many.
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
    """Checks the other chain's names.

    Raises:
        InvalidIdentifier: one is malformed.
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
    """Checks the client that a connection is to use.

    Raises:
        InvalidClientType: it is the localhost's, which has its own connection.
        InvalidIdentifier: it is malformed.
    """
    if client_id == LOCALHOST_CLIENT_ID:
        raise InvalidClientType("connection handshakes with the localhost are disallowed")
    validate_client_id(client_id)


def check_own_connection_id(connection_id: str) -> None:
    """Checks the name of an own connection, which was generated.

    Raises:
        InvalidConnectionIdentifier: it is not of the form `connection-N`.
    """
    if not is_connection_id(connection_id):
        raise InvalidConnectionIdentifier(connection_id[:64])
