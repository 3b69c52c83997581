"""Errors of ICS-27: interchain accounts (codespaces `interchainaccounts`, `icacontroller` and `icahost`)."""

from ibc_core.errors.base import IbcError


class InterchainAccountsError(IbcError):
    """Any error of codespace `interchainaccounts`."""

    codespace = "interchainaccounts"


class UnknownDataType(InterchainAccountsError, code=2, source="ICS-27, ibc-go's `ErrUnknownDataType`"):
    """A packet's type is not EXECUTE_TX, or the metadata names another kind of transactions."""

    kind: str
    text = "unknown data type {kind!a}"


class InterchainAccountExists(
    InterchainAccountsError, code=3, source="ICS-27, ibc-go's `ErrAccountAlreadyExist`"
):
    """There is an account already at the address of a new interchain account."""

    address: str
    text = "existing account for newly generated interchain account address {address}"


class InvalidChannelFlow(InterchainAccountsError, code=5, source="ICS-27, ibc-go's `ErrInvalidChannelFlow`"):
    """A step of a channel's life that this end of it never takes: the controller opens and sends."""

    reason: str
    text = "invalid message sent to channel end: {reason}"


class InvalidOutgoingData(
    InterchainAccountsError, code=6, source="ICS-27, ibc-go's `ErrInvalidOutgoingData`"
):
    """Packet data that is to be sent has no type, no transaction, or too long a memo."""

    reason: str
    text = "invalid outgoing data: {reason}"


class InterchainAccountNotFound(
    InterchainAccountsError, code=8, source="ICS-27, ibc-go's `ErrInterchainAccountNotFound`"
):
    """The host has no account for the controller's port on this connection."""

    port_id: str
    text = "no interchain account of port {port_id}"


class ActiveChannelAlreadySet(
    InterchainAccountsError, code=10, source="ICS-27, ibc-go's `ErrActiveChannelAlreadySet`"
):
    """The owner has a channel on this connection that is not closed."""

    channel_id: str
    port_id: str
    text = "existing active channel {channel_id} for {port_id}"


class ActiveChannelNotFound(
    InterchainAccountsError, code=11, source="ICS-27, ibc-go's `ErrActiveChannelNotFound`"
):
    """The owner has no open channel on this connection: nothing can be sent."""

    connection_id: str
    port_id: str
    text = "no active channel on {connection_id} for {port_id}"


class InvalidAccountsVersion(InterchainAccountsError, code=12, source="ICS-27, ibc-go's `ErrInvalidVersion`"):
    """The metadata has another version than ICS-27's, or differs from those of the channel before."""

    reason: str
    text = "invalid interchain accounts version: {reason}"


class InvalidAccountAddress(
    InterchainAccountsError, code=13, source="ICS-27, ibc-go's `ErrInvalidAccountAddress`"
):
    """An interchain account's address is not of letters and digits, or the owner is blank."""

    address: str
    text = "invalid account address {address!a}"


class InvalidControllerPort(
    InterchainAccountsError, code=15, source="ICS-27, ibc-go's `ErrInvalidControllerPort`"
):
    """A controller's port does not begin with `icacontroller-`."""

    port_id: str
    text = "invalid controller port {port_id!a}"


class InvalidHostPort(InterchainAccountsError, code=16, source="ICS-27, ibc-go's `ErrInvalidHostPort`"):
    """The host's port is not `icahost`."""

    port_id: str
    text = "invalid host port {port_id!a}"


class InvalidTimeoutTimestamp(
    InterchainAccountsError, code=17, source="ICS-27, ibc-go's `ErrInvalidTimeoutTimestamp`"
):
    """A packet would time out in the past: the relative timeout is beyond 64 bits."""

    timeout_ns: int
    text = "timeout timestamp {timeout_ns} is not in the future"


class UnsupportedEncoding(InterchainAccountsError, code=18, source="ICS-27, ibc-go's `ErrInvalidCodec`"):
    """The metadata asks for another encoding than proto3 and proto3json."""

    encoding: str
    text = "unsupported encoding format {encoding!a}"


class InvalidAccountReopening(
    InterchainAccountsError, code=19, source="ICS-27, ibc-go's `ErrInvalidAccountReopening`"
):
    """A channel is opened again, and the account at its address is no interchain account any more."""

    address: str
    text = "existing account {address} is no interchain account"


class ControllerDisabled(IbcError, code=2, source="ICS-27, ibc-go's `ErrControllerSubModuleDisabled`"):
    """Governance has switched off this chain as a controller of interchain accounts."""

    codespace = "icacontroller"
    text = "controller submodule is disabled"


class HostDisabled(IbcError, code=2, source="ICS-27, ibc-go's `ErrHostSubModuleDisabled`"):
    """Governance has switched off this chain as a host of interchain accounts."""

    codespace = "icahost"
    text = "host submodule is disabled"


class NoSigners(IbcError, code=1, source="an error without a code in ibc-go"):
    """Who must sign a message of an interchain account is no address of this chain."""

    type_url: str
    reason: str
    codespace = "undefined"
    text = "failed to obtain message signers for message type {type_url!a}: {reason}"


class InvalidAllowList(IbcError, code=1, source="an error without a code in ibc-go"):
    """The list of messages that interchain accounts may execute is too long, or has blank or idle entries."""

    reason: str
    codespace = "undefined"
    text = "invalid allow list: {reason}"
