"""Errors of ICS-2: light clients (codespace `client`)."""

from ibc_core.errors.base import IbcError


class ClientError(IbcError):
    """Any error of codespace `client`."""

    codespace = "client"


class ClientExists(ClientError, code=2, source="ICS-2, ibc-go's `ErrClientExists`"):
    """A client of this identifier exists: `09-localhost` is part of every chain and cannot be created."""

    client_id: str
    text = "client {client_id} exists"


class InvalidClient(ClientError, code=3, source="ICS-2, ibc-go's `ErrInvalidClient`"):
    """A client state cannot be decoded, is not of the stored type, or breaks a rule of its light client."""

    reason: str
    text = "invalid client: {reason}"


class ClientNotFound(ClientError, code=4, source="ICS-2, ibc-go's `ErrClientNotFound`"):
    """The store has no client state under this identifier."""

    client_id: str
    text = "no client {client_id}"


class ClientFrozen(ClientError, code=5, source="ICS-2, ibc-go's `ErrClientFrozen`"):
    """The client is frozen by proven misbehaviour, as other chains report it.

    Never raised here: a frozen client is refused as `ClientNotActive`.
    """

    client_id: str
    text = "client {client_id} is frozen"


class InvalidClientMetadata(ClientError, code=6, source="ICS-2, ibc-go's `ErrInvalidClientMetadata`"):
    """Invalid metadata of a client (processed times and heights), as other chains report it.

    Never raised here: only the light clients themselves write metadata.
    """

    reason: str
    text = "invalid client metadata: {reason}"


class ConsensusStateNotFound(ClientError, code=7, source="ICS-2, ibc-go's `ErrConsensusStateNotFound`"):
    """The client has no consensus state at this height, so there is no root to check a proof against.

    Submitting a header of the height first (MsgUpdateClient) creates it.
    """

    client_id: str
    height: str
    text = (
        "client {client_id} has no consensus state at height {height}: must submit header for height {height}"
    )


class InvalidConsensus(ClientError, code=8, source="ICS-2, ibc-go's `ErrInvalidConsensus`"):
    """A consensus state cannot be decoded, or breaks a rule of its light client, such as the root's size."""

    reason: str
    text = "invalid consensus state: {reason}"


class ClientTypeNotFound(ClientError, code=9, source="ICS-2, ibc-go's `ErrClientTypeNotFound`"):
    """No registered light client decodes messages of this type URL."""

    type_url: str
    text = "client type not found: {type_url}"


class InvalidClientType(ClientError, code=10, source="ICS-2, ibc-go's `ErrInvalidClientType`"):
    """The client type is not allowed here, or not the one of the other states or messages it came with."""

    reason: str
    text = "invalid client type: {reason}"


class InvalidClientHeader(ClientError, code=12, source="ICS-2, ibc-go's `ErrInvalidHeader`"):
    """A header lacks a part, does not fit its validator set, or is older than the client's state."""

    reason: str
    text = "invalid client header: {reason}"


class InvalidMisbehaviour(ClientError, code=13, source="ICS-2, ibc-go's `ErrInvalidMisbehaviour`"):
    """The evidence does not prove misbehaviour: its halves do not conflict, or one is not validly signed.

    Freezing on it would let anyone stop a client.
    """

    reason: str
    text = "invalid misbehaviour: {reason}"


class UpdateClientFailed(ClientError, code=23, source="ICS-2, ibc-go's `ErrUpdateClientFailed`"):
    """The client cannot be updated: a localhost has nothing to update, or a substitute lacks metadata."""

    reason: str
    text = "cannot update client: {reason}"


class InvalidRecoveryClient(ClientError, code=24, source="ICS-2, ibc-go's `ErrInvalidRecoveryClient`"):
    """The client to recover is Active: only an expired or a frozen client may be replaced by a substitute."""

    client_id: str
    reason: str
    text = "cannot recover client {client_id}: {reason}"


class InvalidUpgradeClient(ClientError, code=25, source="ICS-2, ibc-go's `ErrInvalidUpgradeClient`"):
    """The upgrade has no proof, mixes client types, or is of a client that cannot be upgraded."""

    reason: str
    text = "invalid client upgrade: {reason}"


class InvalidClientHeight(ClientError, code=26, source="ICS-2, ibc-go's `ErrInvalidHeight`"):
    """The client knows no height yet, or a substitute is not ahead of the client it should recover."""

    reason: str
    text = "invalid height: {reason}"


class InvalidSubstitute(ClientError, code=27, source="ICS-2, ibc-go's `ErrInvalidSubstitute`"):
    """The substitute is the client itself, or differs from it in parameters that recovery must keep."""

    reason: str
    text = "invalid substitute client: {reason}"


class InvalidUpgradeProposal(ClientError, code=28, source="ICS-2, ibc-go's `ErrInvalidUpgradeProposal`"):
    """An invalid upgrade proposal, as other chains report it.

    Never raised here: plans are checked with the SDK's errors.
    """

    reason: str
    text = "invalid upgrade proposal: {reason}"


class ClientNotActive(ClientError, code=29, source="ICS-2, ibc-go's `ErrClientNotActive`"):
    """The client is Frozen, Expired or Unauthorized, and what it says can no longer be trusted."""

    client_id: str
    status: str
    text = "client {client_id} is {status}, not Active"


class FailedMembershipVerification(
    ClientError, code=30, source="ICS-2, ibc-go's `ErrFailedMembershipVerification`"
):
    """Localhost: the chain's own store does not hold the value at this path."""

    reason: str
    text = "membership verification failed: {reason}"


class FailedNonMembershipVerification(
    ClientError, code=31, source="ICS-2, ibc-go's `ErrFailedNonMembershipVerification`"
):
    """Localhost: the chain's own store holds a value at this path, which should be absent."""

    reason: str
    text = "non-membership verification failed: {reason}"


class ClientRouteNotFound(ClientError, code=32, source="ICS-2, ibc-go's `ErrRouteNotFound`"):
    """The chain has no light client module of this type, or the identifier names no type at all."""

    client_type: str
    text = "no light client of type {client_type} is registered"


class ClientTypeNotSupported(ClientError, code=33, source="ICS-2, ibc-go's `ErrClientTypeNotSupported`"):
    """A client type without support, as other chains report it.

    Never raised here: such a type has no route (`ClientRouteNotFound`).
    """

    client_type: str
    text = "client type {client_type} is not supported"
