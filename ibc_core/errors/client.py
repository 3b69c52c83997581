"""Errors of ICS-2: light clients (codespace `client`)."""

from typing import ClassVar

from ibc_core.errors.base import IbcError


class ClientError(IbcError):
    """Any error of codespace `client`."""

    codespace: ClassVar[str] = "client"


class ClientExists(ClientError):
    """A client of this identifier exists: `09-localhost` is part of every chain and cannot be created.

    `client/2`: ICS-2, ibc-go's `ErrClientExists`.
    """

    client_id: str
    code: ClassVar[int] = 2
    text: ClassVar[str] = "client {client_id} exists"


class InvalidClient(ClientError):
    """A client state cannot be decoded, is of another type than stored, or breaks a rule of its light client.

    `client/3`: ICS-2, ibc-go's `ErrInvalidClient`.
    """

    reason: str
    code: ClassVar[int] = 3
    text: ClassVar[str] = "invalid client: {reason}"


class ClientNotFound(ClientError):
    """The store has no client state under this identifier.

    `client/4`: ICS-2, ibc-go's `ErrClientNotFound`.
    """

    client_id: str
    code: ClassVar[int] = 4
    text: ClassVar[str] = "no client {client_id}"


class ClientFrozen(ClientError):
    """The client is frozen by proven misbehaviour, as other chains report it.

    Never raised here: a frozen client is refused as `ClientNotActive`.

    `client/5`: ICS-2, ibc-go's `ErrClientFrozen`.
    """

    client_id: str
    code: ClassVar[int] = 5
    text: ClassVar[str] = "client {client_id} is frozen"


class InvalidClientMetadata(ClientError):
    """Invalid metadata of a client (processed times and heights), as other chains report it.

    Never raised here: only the light clients themselves write metadata.

    `client/6`: ICS-2, ibc-go's `ErrInvalidClientMetadata`.
    """

    reason: str
    code: ClassVar[int] = 6
    text: ClassVar[str] = "invalid client metadata: {reason}"


class ConsensusStateNotFound(ClientError):
    """The client has no consensus state at this height, so there is no root to check a proof against.

    Submitting a header of the height first (MsgUpdateClient) creates it.

    `client/7`: ICS-2, ibc-go's `ErrConsensusStateNotFound`.
    """

    client_id: str
    height: str
    code: ClassVar[int] = 7
    text: ClassVar[str] = (
        "client {client_id} has no consensus state at height {height}: must submit header for height {height}"
    )


class InvalidConsensus(ClientError):
    """A consensus state cannot be decoded, or breaks a rule of its light client, such as the root's size.

    `client/8`: ICS-2, ibc-go's `ErrInvalidConsensus`.
    """

    reason: str
    code: ClassVar[int] = 8
    text: ClassVar[str] = "invalid consensus state: {reason}"


class ClientTypeNotFound(ClientError):
    """No registered light client decodes messages of this type URL.

    `client/9`: ICS-2, ibc-go's `ErrClientTypeNotFound`.
    """

    type_url: str
    code: ClassVar[int] = 9
    text: ClassVar[str] = "client type not found: {type_url}"


class InvalidClientType(ClientError):
    """The client type is not allowed here, or not the one of the other states or messages it came with.

    `client/10`: ICS-2, ibc-go's `ErrInvalidClientType`.
    """

    reason: str
    code: ClassVar[int] = 10
    text: ClassVar[str] = "invalid client type: {reason}"


class InvalidClientHeader(ClientError):
    """A header lacks a part, does not fit its validator set, or is older than the client's state.

    `client/12`: ICS-2, ibc-go's `ErrInvalidHeader`.
    """

    reason: str
    code: ClassVar[int] = 12
    text: ClassVar[str] = "invalid client header: {reason}"


class InvalidMisbehaviour(ClientError):
    """The evidence does not prove misbehaviour: its halves do not conflict, or one is not validly signed.

    Freezing on it would let anyone stop a client.

    `client/13`: ICS-2, ibc-go's `ErrInvalidMisbehaviour`.
    """

    reason: str
    code: ClassVar[int] = 13
    text: ClassVar[str] = "invalid misbehaviour: {reason}"


class UpdateClientFailed(ClientError):
    """The client cannot be updated: a localhost client has nothing to update, or a substitute lacks metadata.

    `client/23`: ICS-2, ibc-go's `ErrUpdateClientFailed`.
    """

    reason: str
    code: ClassVar[int] = 23
    text: ClassVar[str] = "cannot update client: {reason}"


class InvalidRecoveryClient(ClientError):
    """The client to recover is Active: only an expired or a frozen client may be replaced by a substitute.

    `client/24`: ICS-2, ibc-go's `ErrInvalidRecoveryClient`.
    """

    client_id: str
    reason: str
    code: ClassVar[int] = 24
    text: ClassVar[str] = "cannot recover client {client_id}: {reason}"


class InvalidUpgradeClient(ClientError):
    """The upgrade has no proof, mixes client types, or is of a client that cannot be upgraded.

    `client/25`: ICS-2, ibc-go's `ErrInvalidUpgradeClient`.
    """

    reason: str
    code: ClassVar[int] = 25
    text: ClassVar[str] = "invalid client upgrade: {reason}"


class InvalidClientHeight(ClientError):
    """The client knows no height yet, or a substitute is not ahead of the client it should recover.

    `client/26`: ICS-2, ibc-go's `ErrInvalidHeight`.
    """

    reason: str
    code: ClassVar[int] = 26
    text: ClassVar[str] = "invalid height: {reason}"


class InvalidSubstitute(ClientError):
    """The substitute is the client itself, or differs from it in parameters that a recovery must not change.

    `client/27`: ICS-2, ibc-go's `ErrInvalidSubstitute`.
    """

    reason: str
    code: ClassVar[int] = 27
    text: ClassVar[str] = "invalid substitute client: {reason}"


class InvalidUpgradeProposal(ClientError):
    """An invalid upgrade proposal, as other chains report it.

    Never raised here: plans are checked with the SDK's errors.

    `client/28`: ICS-2, ibc-go's `ErrInvalidUpgradeProposal`.
    """

    reason: str
    code: ClassVar[int] = 28
    text: ClassVar[str] = "invalid upgrade proposal: {reason}"


class ClientNotActive(ClientError):
    """The client is Frozen, Expired or Unauthorized, and what it says can no longer be trusted.

    `client/29`: ICS-2, ibc-go's `ErrClientNotActive`.
    """

    client_id: str
    status: str
    code: ClassVar[int] = 29
    text: ClassVar[str] = "client {client_id} is {status}, not Active"


class FailedMembershipVerification(ClientError):
    """Localhost: the chain's own store does not hold the value at this path.

    `client/30`: ICS-2, ibc-go's `ErrFailedMembershipVerification`.
    """

    reason: str
    code: ClassVar[int] = 30
    text: ClassVar[str] = "membership verification failed: {reason}"


class FailedNonMembershipVerification(ClientError):
    """Localhost: the chain's own store holds a value at this path, which should be absent.

    `client/31`: ICS-2, ibc-go's `ErrFailedNonMembershipVerification`.
    """

    reason: str
    code: ClassVar[int] = 31
    text: ClassVar[str] = "non-membership verification failed: {reason}"


class ClientRouteNotFound(ClientError):
    """The chain has no light client module of this type, or the identifier names no type at all.

    `client/32`: ICS-2, ibc-go's `ErrRouteNotFound`.
    """

    client_type: str
    code: ClassVar[int] = 32
    text: ClassVar[str] = "no light client of type {client_type} is registered"


class ClientTypeNotSupported(ClientError):
    """A client type without support, as other chains report it.

    Never raised here: such a type has no route (`ClientRouteNotFound`).

    `client/33`: ICS-2, ibc-go's `ErrClientTypeNotSupported`.
    """

    client_type: str
    code: ClassVar[int] = 33
    text: ClassVar[str] = "client type {client_type} is not supported"
