"""Errors of ICS-3: connections (codespace `connection`)."""

from pyibc.core.errors.base import IbcError


class ConnectionFault(IbcError):
    """Any error of codespace `connection`."""

    codespace = "connection"


class ConnectionExists(ConnectionFault, code=2, source="ICS-3, ibc-go's `ErrConnectionExists`"):
    """The requested connection identifier is already used.

    Only raised if identifiers can be requested: overwriting a connection end would redirect its channels.
    """

    connection_id: str
    text = "connection {connection_id} exists"


class ConnectionNotFound(ConnectionFault, code=3, source="ICS-3, ibc-go's `ErrConnectionNotFound`"):
    """The store has no connection end under this identifier."""

    connection_id: str
    text = "no connection {connection_id}"


class ClientConnectionPathsNotFound(
    ConnectionFault, code=4, source="ICS-3, ibc-go's `ErrClientConnectionPathsNotFound`"
):
    """A query for the connections of a client that has none."""

    client_id: str
    text = "client {client_id} has no connections"


class InvalidConnectionPath(ConnectionFault, code=5, source="ICS-3, ibc-go's `ErrConnectionPath`"):
    """A connection that is not one of its client's, as reported by other chains.

    Never raised here: a connection end itself has its client.
    """

    reason: str
    text = "invalid connection path: {reason}"


class InvalidConnectionState(ConnectionFault, code=6, source="ICS-3, ibc-go's `ErrInvalidConnectionState`"):
    """The connection end is not in the state required for this message, or has another version."""

    connection_id: str
    expected: str
    got: str
    text = "connection {connection_id} is {got}, expected {expected}"


class InvalidConnectionCounterparty(
    ConnectionFault, code=7, source="ICS-3, ibc-go's `ErrInvalidCounterparty`"
):
    """The counterparty is set too early, differs from that of this chain's end, or has an invalid prefix."""

    reason: str
    text = "invalid connection counterparty: {reason}"


class InvalidConnection(ConnectionFault, code=8, source="ICS-3, ibc-go's `ErrInvalidConnection`"):
    """The connections in an interchain account's metadata differ from those of its channel.

    Other chains also use it for a malformed connection end; here, the checks of an end have their own errors.
    """

    reason: str
    text = "invalid connection: {reason}"


class InvalidConnectionVersion(ConnectionFault, code=9, source="ICS-3, ibc-go's `ErrInvalidVersion`"):
    """A connection version is missing, malformed or unsupported, or lacks the channel's ordering."""

    reason: str
    text = "invalid connection version: {reason}"


class VersionNegotiationFailed(
    ConnectionFault, code=10, source="ICS-3, ibc-go's `ErrVersionNegotiationFailed`"
):
    """The versions of the counterparty have no features in common with the supported versions."""

    offered: str
    text = "no connection version in common with {offered}"


class InvalidConnectionIdentifier(
    ConnectionFault, code=11, source="ICS-3, ibc-go's `ErrInvalidConnectionIdentifier`"
):
    """A connection identifier does not have the form required by this message.

    Most messages require `connection-{N}`. Requested identifiers must not have this form, which is reserved
    for generated ones.
    """

    connection_id: str
    text = "invalid connection identifier {connection_id!a}"
