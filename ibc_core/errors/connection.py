"""Errors of ICS-3: connections (codespace `connection`)."""

from typing import ClassVar

from ibc_core.errors.base import IbcError


class ConnectionFault(IbcError):
    """Any error of codespace `connection`."""

    codespace: ClassVar[str] = "connection"


class ConnectionExists(ConnectionFault):
    """A handshake names a connection identifier that is taken.

    Raised only where the caller may choose the identifier: overwriting an end would redirect its
    channels.

    `connection/2`: ICS-3, ibc-go's `ErrConnectionExists`.
    """

    connection_id: str
    code: ClassVar[int] = 2
    text: ClassVar[str] = "connection {connection_id} exists"


class ConnectionNotFound(ConnectionFault):
    """The store has no connection end under this identifier.

    `connection/3`: ICS-3, ibc-go's `ErrConnectionNotFound`.
    """

    connection_id: str
    code: ClassVar[int] = 3
    text: ClassVar[str] = "no connection {connection_id}"


class ClientConnectionPathsNotFound(ConnectionFault):
    """A query asks for the connections of a client that has none.

    `connection/4`: ICS-3, ibc-go's `ErrClientConnectionPathsNotFound`.
    """

    client_id: str
    code: ClassVar[int] = 4
    text: ClassVar[str] = "client {client_id} has no connections"


class InvalidConnectionPath(ConnectionFault):
    """A connection that is not one of its client's, as other chains report it.

    Never raised here: a connection end itself names its client.

    `connection/5`: ICS-3, ibc-go's `ErrConnectionPath`.
    """

    reason: str
    code: ClassVar[int] = 5
    text: ClassVar[str] = "invalid connection path: {reason}"


class InvalidConnectionState(ConnectionFault):
    """The connection end is not in the state that this step needs, or was opened with another version.

    `connection/6`: ICS-3, ibc-go's `ErrInvalidConnectionState`.
    """

    connection_id: str
    expected: str
    got: str
    code: ClassVar[int] = 6
    text: ClassVar[str] = "connection {connection_id} is {got}, expected {expected}"


class InvalidConnectionCounterparty(ConnectionFault):
    """The counterparty is named too early, differs from the one our end names, or has no usable prefix.

    `connection/7`: ICS-3, ibc-go's `ErrInvalidCounterparty`.
    """

    reason: str
    code: ClassVar[int] = 7
    text: ClassVar[str] = "invalid connection counterparty: {reason}"


class InvalidConnection(ConnectionFault):
    """A malformed connection end, as other chains report it.

    Never raised here: the checks of an end have errors of their own.

    `connection/8`: ICS-3, ibc-go's `ErrInvalidConnection`.
    """

    reason: str
    code: ClassVar[int] = 8
    text: ClassVar[str] = "invalid connection: {reason}"


class InvalidConnectionVersion(ConnectionFault):
    """A connection version is missing, malformed or unsupported, or lacks the channel's ordering.

    `connection/9`: ICS-3, ibc-go's `ErrInvalidVersion`.
    """

    reason: str
    code: ClassVar[int] = 9
    text: ClassVar[str] = "invalid connection version: {reason}"


class VersionNegotiationFailed(ConnectionFault):
    """None of the versions that the counterparty offers has a feature in common with ours.

    `connection/10`: ICS-3, ibc-go's `ErrVersionNegotiationFailed`.
    """

    offered: str
    code: ClassVar[int] = 10
    text: ClassVar[str] = "no connection version in common with {offered}"


class InvalidConnectionIdentifier(ConnectionFault):
    """A connection identifier has the wrong form for this message.

    Most need `connection-{N}`; identifiers that a caller chooses must not have that form, which the
    chain counts up itself.

    `connection/11`: ICS-3, ibc-go's `ErrInvalidConnectionIdentifier`.
    """

    connection_id: str
    code: ClassVar[int] = 11
    text: ClassVar[str] = "invalid connection identifier {connection_id!a}"
