"""Errors of ICS-3: connections (codespace `connection`)."""

from ibc_core.errors.base import IbcError


class ConnectionFault(IbcError):
    """Any error of codespace `connection`."""

    codespace = "connection"


class ConnectionExists(ConnectionFault, code=2, source="ICS-3, ibc-go's `ErrConnectionExists`"):
    """A handshake names a connection identifier that is taken.

    Raised only where the caller may choose the identifier: overwriting an end would redirect its
    channels.
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
    """A query asks for the connections of a client that has none."""

    client_id: str
    text = "client {client_id} has no connections"


class InvalidConnectionPath(ConnectionFault, code=5, source="ICS-3, ibc-go's `ErrConnectionPath`"):
    """A connection that is not one of its client's, as other chains report it.

    Never raised here: a connection end itself names its client.
    """

    reason: str
    text = "invalid connection path: {reason}"


class InvalidConnectionState(ConnectionFault, code=6, source="ICS-3, ibc-go's `ErrInvalidConnectionState`"):
    """The connection end is not in the state that this step needs, or was opened with another version."""

    connection_id: str
    expected: str
    got: str
    text = "connection {connection_id} is {got}, expected {expected}"


class InvalidConnectionCounterparty(
    ConnectionFault, code=7, source="ICS-3, ibc-go's `ErrInvalidCounterparty`"
):
    """The counterparty is named too early, differs from the one our end names, or has no usable prefix."""

    reason: str
    text = "invalid connection counterparty: {reason}"


class InvalidConnection(ConnectionFault, code=8, source="ICS-3, ibc-go's `ErrInvalidConnection`"):
    """An interchain account's metadata names other connections than its channel runs over.

    Other chains report a malformed connection end so; here the checks of an end have errors of their own.
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
    """None of the versions that the counterparty offers has a feature in common with ours."""

    offered: str
    text = "no connection version in common with {offered}"


class InvalidConnectionIdentifier(
    ConnectionFault, code=11, source="ICS-3, ibc-go's `ErrInvalidConnectionIdentifier`"
):
    """A connection identifier has the wrong form for this message.

    Most need `connection-{N}`; identifiers that a caller chooses must not have that form, which the
    chain counts up itself.
    """

    connection_id: str
    text = "invalid connection identifier {connection_id!a}"
