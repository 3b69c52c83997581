"""gRPC status codes of query errors, and their form in ABCI Query responses (SDK baseapp/abci.go)."""

from enum import Enum

from pyibc.core import errors


class GrpcStatus(Enum):
    """A gRPC status: its code and its name in Go."""

    UNKNOWN = (2, "Unknown")
    INVALID_ARGUMENT = (3, "InvalidArgument")
    NOT_FOUND = (5, "NotFound")
    UNIMPLEMENTED = (12, "Unimplemented")
    UNAVAILABLE = (14, "Unavailable")


_NOT_FOUND = (
    errors.ChannelNotFound,
    errors.ClientConnectionPathsNotFound,
    errors.ClientCounterpartyNotFound,
    errors.ClientNotFound,
    errors.ConnectionNotFound,
    errors.ConsensusStateNotFound,
    errors.DenomNotFound,
    errors.NotFound,
    errors.PacketCommitmentNotFound,
    errors.RateLimitNotFound,
    errors.SequenceReceiveNotFound,
    errors.SequenceSendNotFound,
    errors.SequenceSendNotFoundV2,
    errors.UnknownAccount,
)
_NOT_FOUND_OF_OPTIONS = {("queue", 29)}
"""Errors of optional modules by codespace and code, so that a host without the option imports no module."""

_INVALID = (errors.InvalidAddress, errors.InvalidIdentifier, errors.InvalidRequest, errors.InvalidSdkRequest)

# Code in codespace `sdk`, and the text of the SDK's error with that code.
_IN_ABCI = {
    GrpcStatus.NOT_FOUND: (22, "key not found"),
    GrpcStatus.INVALID_ARGUMENT: (18, "invalid request"),
}
_OTHER = (6, "unknown request")


def status_of(error: errors.IbcError) -> GrpcStatus:
    """Return the status that the SDK's and ibc-go's gRPC services return for an error."""
    if isinstance(error, _NOT_FOUND) or (error.codespace, error.code) in _NOT_FOUND_OF_OPTIONS:
        return GrpcStatus.NOT_FOUND
    if isinstance(error, _INVALID):
        return GrpcStatus.INVALID_ARGUMENT
    return GrpcStatus.UNIMPLEMENTED if isinstance(error, errors.UnknownRequest) else GrpcStatus.UNKNOWN


def in_abci(error: errors.IbcError) -> tuple[int, str]:
    """Return code (in codespace `sdk`) and log of a failed gRPC query over ABCI Query.

    Wallets parse the log: "rpc error: code = NotFound" means the account does not exist yet.
    """
    status = status_of(error)
    code, words = _IN_ABCI.get(status, _OTHER)
    return code, f"rpc error: code = {status.value[1]} desc = {error}: {words}"
