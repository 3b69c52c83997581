"""Errors of ICS-2 and ICS-3: clients, their counterparties in IBC v2, and connections."""

from pyibc.core.errors.base import IbcError


class ClientError(IbcError):
    """Any error of codespace `client`."""

    codespace = "client"


class ClientExists(ClientError, code=2, source="ICS-2, ibc-go's `ErrClientExists`"):
    """A client with this identifier exists: `09-localhost` is part of every chain and cannot be created."""

    client_id: str
    text = "client {client_id} exists"


class InvalidClient(ClientError, code=3, source="ICS-2, ibc-go's `ErrInvalidClient`"):
    """A client state is malformed, of another type than the stored one, or invalid for its light client."""

    reason: str
    text = "invalid client: {reason}"


class ClientNotFound(ClientError, code=4, source="ICS-2, ibc-go's `ErrClientNotFound`"):
    """The store has no client state under this identifier."""

    client_id: str
    text = "no client {client_id}"


class ClientFrozen(ClientError, code=5, source="ICS-2, ibc-go's `ErrClientFrozen`"):
    """The client is frozen by misbehaviour, as reported by other chains.

    Never raised here: a frozen client is refused as `ClientNotActive`.
    """

    client_id: str
    text = "client {client_id} is frozen"


class InvalidClientMetadata(ClientError, code=6, source="ICS-2, ibc-go's `ErrInvalidClientMetadata`"):
    """Invalid metadata of a client (processed times and heights), as reported by other chains.

    Never raised here: only the light clients themselves write metadata.
    """

    reason: str
    text = "invalid client metadata: {reason}"


class ConsensusStateNotFound(ClientError, code=7, source="ICS-2, ibc-go's `ErrConsensusStateNotFound`"):
    """The client has no consensus state at this height, so there is no root to verify a proof against.

    Submit a header of the height first (MsgUpdateClient).
    """

    client_id: str
    height: str
    text = (
        "client {client_id} has no consensus state at height {height}: must submit header for height {height}"
    )


class InvalidConsensus(ClientError, code=8, source="ICS-2, ibc-go's `ErrInvalidConsensus`"):
    """A consensus state is malformed, or invalid for its light client, such as by its root's size."""

    reason: str
    text = "invalid consensus state: {reason}"


class ClientTypeNotFound(ClientError, code=9, source="ICS-2, ibc-go's `ErrClientTypeNotFound`"):
    """No registered light client decodes messages of this type URL."""

    type_url: str
    text = "client type not found: {type_url}"


class InvalidClientType(ClientError, code=10, source="ICS-2, ibc-go's `ErrInvalidClientType`"):
    """The client type is not allowed, or differs from that of other states in the message."""

    reason: str
    text = "invalid client type: {reason}"


class InvalidClientHeader(ClientError, code=12, source="ICS-2, ibc-go's `ErrInvalidHeader`"):
    """A header lacks a field, does not match its validator set, or is older than the client's state."""

    reason: str
    text = "invalid client header: {reason}"


class InvalidMisbehaviour(ClientError, code=13, source="ICS-2, ibc-go's `ErrInvalidMisbehaviour`"):
    """The misbehaviour is not proven: the headers do not conflict, or one is not validly signed.

    Otherwise any user could freeze a client.
    """

    reason: str
    text = "invalid misbehaviour: {reason}"


class UpdateClientFailed(ClientError, code=23, source="ICS-2, ibc-go's `ErrUpdateClientFailed`"):
    """The client cannot be updated: it is a localhost client, or a substitute lacks metadata."""

    reason: str
    text = "cannot update client: {reason}"


class InvalidRecoveryClient(ClientError, code=24, source="ICS-2, ibc-go's `ErrInvalidRecoveryClient`"):
    """The client to recover is Active: only expired or frozen clients can be recovered."""

    client_id: str
    reason: str
    text = "cannot recover client {client_id}: {reason}"


class InvalidUpgradeClient(ClientError, code=25, source="ICS-2, ibc-go's `ErrInvalidUpgradeClient`"):
    """The upgrade lacks a proof, mixes client types, or is of a client that cannot be upgraded."""

    reason: str
    text = "invalid client upgrade: {reason}"


class InvalidClientHeight(ClientError, code=26, source="ICS-2, ibc-go's `ErrInvalidHeight`"):
    """The client has no height yet, or a substitute's height is not above that of the client to recover."""

    reason: str
    text = "invalid height: {reason}"


class InvalidSubstitute(ClientError, code=27, source="ICS-2, ibc-go's `ErrInvalidSubstitute`"):
    """The substitute is the client itself, or differs in parameters that recovery must not change."""

    reason: str
    text = "invalid substitute client: {reason}"


class InvalidUpgradeProposal(ClientError, code=28, source="ICS-2, ibc-go's `ErrInvalidUpgradeProposal`"):
    """An invalid upgrade proposal, as reported by other chains.

    Never raised here: plans are checked with the SDK's errors.
    """

    reason: str
    text = "invalid upgrade proposal: {reason}"


class ClientNotActive(ClientError, code=29, source="ICS-2, ibc-go's `ErrClientNotActive`"):
    """The client is Frozen, Expired or Unauthorized, and must not be trusted."""

    client_id: str
    status: str
    text = "client {client_id} is {status}, not Active"


class FailedMembershipVerification(
    ClientError, code=30, source="ICS-2, ibc-go's `ErrFailedMembershipVerification`"
):
    """The chain's own store does not have the value at this path (localhost client)."""

    reason: str
    text = "membership verification failed: {reason}"


class FailedNonMembershipVerification(
    ClientError, code=31, source="ICS-2, ibc-go's `ErrFailedNonMembershipVerification`"
):
    """The chain's own store has a value at this path, which should be absent (localhost client)."""

    reason: str
    text = "non-membership verification failed: {reason}"


class ClientRouteNotFound(ClientError, code=32, source="ICS-2, ibc-go's `ErrRouteNotFound`"):
    """No light client of this type is registered, or the identifier has no valid type."""

    client_type: str
    text = "no light client of type {client_type} is registered"


class ClientTypeNotSupported(ClientError, code=33, source="ICS-2, ibc-go's `ErrClientTypeNotSupported`"):
    """An unsupported client type, as reported by other chains.

    Never raised here: such a type has no route (`ClientRouteNotFound`).
    """

    client_type: str
    text = "client type {client_type} is not supported"


# -- IBC v2 (codespace `clientv2`)


class ClientV2Error(IbcError):
    """Any error of codespace `clientv2`."""

    codespace = "clientv2"


class InvalidClientCounterparty(ClientV2Error, code=34, source="IBC v2, ibc-go's `ErrInvalidCounterparty`"):
    """A packet's client is not the registered counterparty, or a counterparty has no Merkle prefix."""

    reason: str
    text = "invalid counterparty: {reason}"


class ClientCounterpartyNotFound(ClientV2Error, code=35, source="IBC v2, ibc-go's `ErrCounterpartyNotFound`"):
    """No counterparty is registered for this client, so packets over it have no destination."""

    client_id: str
    text = "client {client_id} has no counterparty"


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
