"""Errors of ICS-2: light clients (codespace `client`)."""

from dataclasses import dataclass
from typing import ClassVar

from ibc_core.errors.base import IbcError


@dataclass(eq=False)
class ClientError(IbcError):
    """Any error of codespace `client`."""

    codespace: ClassVar[str] = "client"


@dataclass(eq=False)
class ClientExists(ClientError):
    """ICS-2: `client/2`."""

    client_id: str
    code: ClassVar[int] = 2
    text: ClassVar[str] = "client {client_id} exists"


@dataclass(eq=False)
class InvalidClient(ClientError):
    """ICS-2: `client/3`."""

    reason: str
    code: ClassVar[int] = 3
    text: ClassVar[str] = "invalid client: {reason}"


@dataclass(eq=False)
class ClientNotFound(ClientError):
    """ICS-2: `client/4`."""

    client_id: str
    code: ClassVar[int] = 4
    text: ClassVar[str] = "no client {client_id}"


@dataclass(eq=False)
class ClientFrozen(ClientError):
    """ICS-2: `client/5`."""

    client_id: str
    code: ClassVar[int] = 5
    text: ClassVar[str] = "client {client_id} is frozen"


@dataclass(eq=False)
class InvalidClientMetadata(ClientError):
    """ICS-2: `client/6`."""

    reason: str
    code: ClassVar[int] = 6
    text: ClassVar[str] = "invalid client metadata: {reason}"


@dataclass(eq=False)
class ConsensusStateNotFound(ClientError):
    """ICS-2: `client/7`."""

    client_id: str
    height: str
    code: ClassVar[int] = 7
    text: ClassVar[str] = (
        "client {client_id} has no consensus state at height {height}: must submit header for height {height}"
    )


@dataclass(eq=False)
class InvalidConsensus(ClientError):
    """ICS-2: `client/8`."""

    reason: str
    code: ClassVar[int] = 8
    text: ClassVar[str] = "invalid consensus state: {reason}"


@dataclass(eq=False)
class ClientTypeNotFound(ClientError):
    """ICS-2: `client/9`."""

    type_url: str
    code: ClassVar[int] = 9
    text: ClassVar[str] = "client type not found: {type_url}"


@dataclass(eq=False)
class InvalidClientType(ClientError):
    """ICS-2: `client/10`."""

    reason: str
    code: ClassVar[int] = 10
    text: ClassVar[str] = "invalid client type: {reason}"


@dataclass(eq=False)
class InvalidClientHeader(ClientError):
    """ICS-2: `client/12`."""

    reason: str
    code: ClassVar[int] = 12
    text: ClassVar[str] = "invalid client header: {reason}"


@dataclass(eq=False)
class InvalidMisbehaviour(ClientError):
    """ICS-2: `client/13`."""

    reason: str
    code: ClassVar[int] = 13
    text: ClassVar[str] = "invalid misbehaviour: {reason}"


@dataclass(eq=False)
class UpdateClientFailed(ClientError):
    """ICS-2: `client/23`."""

    reason: str
    code: ClassVar[int] = 23
    text: ClassVar[str] = "cannot update client: {reason}"


@dataclass(eq=False)
class InvalidRecoveryClient(ClientError):
    """ICS-2: `client/24`."""

    client_id: str
    reason: str
    code: ClassVar[int] = 24
    text: ClassVar[str] = "cannot recover client {client_id}: {reason}"


@dataclass(eq=False)
class InvalidUpgradeClient(ClientError):
    """ICS-2: `client/25`."""

    reason: str
    code: ClassVar[int] = 25
    text: ClassVar[str] = "invalid client upgrade: {reason}"


@dataclass(eq=False)
class InvalidClientHeight(ClientError):
    """ICS-2: `client/26`."""

    reason: str
    code: ClassVar[int] = 26
    text: ClassVar[str] = "invalid height: {reason}"


@dataclass(eq=False)
class InvalidSubstitute(ClientError):
    """ICS-2: `client/27`."""

    reason: str
    code: ClassVar[int] = 27
    text: ClassVar[str] = "invalid substitute client: {reason}"


@dataclass(eq=False)
class InvalidUpgradeProposal(ClientError):
    """ICS-2: `client/28`."""

    reason: str
    code: ClassVar[int] = 28
    text: ClassVar[str] = "invalid upgrade proposal: {reason}"


@dataclass(eq=False)
class ClientNotActive(ClientError):
    """ICS-2: `client/29`."""

    client_id: str
    status: str
    code: ClassVar[int] = 29
    text: ClassVar[str] = "client {client_id} is {status}, not Active"


@dataclass(eq=False)
class FailedMembershipVerification(ClientError):
    """ICS-2: `client/30`."""

    reason: str
    code: ClassVar[int] = 30
    text: ClassVar[str] = "membership verification failed: {reason}"


@dataclass(eq=False)
class FailedNonMembershipVerification(ClientError):
    """ICS-2: `client/31`."""

    reason: str
    code: ClassVar[int] = 31
    text: ClassVar[str] = "non-membership verification failed: {reason}"


@dataclass(eq=False)
class ClientRouteNotFound(ClientError):
    """ICS-2: `client/32`."""

    client_type: str
    code: ClassVar[int] = 32
    text: ClassVar[str] = "no light client of type {client_type} is registered"


@dataclass(eq=False)
class ClientTypeNotSupported(ClientError):
    """ICS-2: `client/33`."""

    client_type: str
    code: ClassVar[int] = 33
    text: ClassVar[str] = "client type {client_type} is not supported"
