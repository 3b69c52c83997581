"""Errors of applications: their callbacks, transfer, interchain accounts and GMP."""

from pyibc.core.errors.base import IbcError

# -- callbacks (codespace `app`, not in ibc-go)


class AppError(IbcError):
    """Any error of codespace `app`."""

    codespace = "app"


class CallbackNotImplemented(AppError, code=2, source="ICS-26; ibc-go has no code"):
    """The application on this port has no such callback: the handshake, close or packet is refused.

    Otherwise, any user could close the channels of an application without the callback.
    """

    application: str
    callback: str
    text = "{application} does not implement {callback}"


class InvalidCallbackAnswer(AppError, code=3, source="ICS-26; ibc-go has no code"):
    """A callback returned a value of a wrong type.

    The message fails, and the value is not written to state.
    """

    application: str
    callback: str
    expected: str
    got: str  # the type of the value, not the value
    text = "{application}.{callback} returned {got}, expected {expected}"


class InvalidEvent(AppError, code=4, source="ICS-26; ibc-go has no code, Go's compiler refuses it"):
    """An application emitted a value that is no event `(type, ((key, value), ...))`, tuples of text."""

    got: str  # the type of the wrong part, not its value
    text = "an event is (type, ((key, value), ...)), tuples of text; found {got}"


# -- ICS-20 transfer (codespace `transfer`)


class TransferError(IbcError):
    """Any error of codespace `transfer`."""

    codespace = "transfer"


class InvalidPacketTimeout(TransferError, code=2, source="ICS-20, ibc-go's `ErrInvalidPacketTimeout`"):
    """An invalid timeout of a transfer, as reported by other chains.

    Never raised here: the packet's own checks come first.
    """

    reason: str
    text = "invalid packet timeout: {reason}"


class InvalidDenomForTransfer(TransferError, code=3, source="ICS-20, ibc-go's `ErrInvalidDenomForTransfer`"):
    """A denomination has a blank base, or one that the counterparty would parse as a voucher's trace.

    It could be redeemed there for coins that were never escrowed.
    """

    denom: str
    reason: str
    text = "invalid denomination {denom!a}: {reason}"


class InvalidTransferVersion(TransferError, code=4, source="ICS-20, ibc-go's `ErrInvalidVersion`"):
    """The channel or payload has another version than ICS-20's."""

    expected: str
    got: str
    text = "invalid ICS-20 version {got!a}, expected {expected!a}"


class InvalidAmount(TransferError, code=5, source="ICS-20, ibc-go's `ErrInvalidAmount`"):
    """A token amount is no positive integer up to 2^256-1."""

    amount: str
    text = "invalid token amount {amount!a}"


class DenomNotFound(TransferError, code=6, source="ICS-20, ibc-go's `ErrDenomNotFound`"):
    """The hash of a voucher's denomination is not in the store: this chain never received such coins."""

    denom: str
    text = "no trace of denomination {denom!a}"


class SendDisabled(TransferError, code=7, source="ICS-20, ibc-go's `ErrSendDisabled`"):
    """Governance has disabled transfers from this chain, or of this denomination."""

    text = "fungible token transfers from this chain are disabled"


class ReceiveDisabled(TransferError, code=8, source="ICS-20, ibc-go's `ErrReceiveDisabled`"):
    """Governance has disabled transfers to this chain; the sender is refunded."""

    text = "fungible token transfers to this chain are disabled"


class MaxTransferChannels(TransferError, code=9, source="ICS-20, ibc-go's `ErrMaxTransferChannels`"):
    """The channel's number does not fit into 32 bits, as ibc-go requires of transfer channels."""

    channel_id: str
    text = "{channel_id}: channel number exceeds 2^32 - 1"


class InvalidAuthorization(TransferError, code=10, source="ICS-20, ibc-go's `ErrInvalidAuthorization`"):
    """An invalid authz grant for transfers, as reported by other chains.

    Never raised here: this chain has no authz.
    """

    reason: str
    text = "invalid transfer authorization: {reason}"


class InvalidMemo(TransferError, code=11, source="ICS-20, ibc-go's `ErrInvalidMemo`"):
    """The transfer's memo is too long; sizes in bytes."""

    size: int
    limit: int
    text = "memo of {size} bytes exceeds {limit}"


class ReceiveFailed(TransferError, code=16, source="ICS-20, ibc-go's `ErrReceiveFailed`"):
    """A payload of IBC v2 failed on the receiving chain.

    The acknowledgement has no reason, which is only in that chain's events.
    """

    text = "the other chain did not receive the packet"


# -- ICS-27 interchain accounts (codespaces `interchainaccounts`, `icacontroller`, `icahost`)


class InterchainAccountsError(IbcError):
    """Any error of codespace `interchainaccounts`; `undefined` where ibc-go has no code."""

    codespace = "interchainaccounts"


class UnknownDataType(InterchainAccountsError, code=2, source="ICS-27, ibc-go's `ErrUnknownDataType`"):
    """A packet's type is not EXECUTE_TX, or the metadata has another type of transactions."""

    kind: str
    text = "unknown data type {kind!a}"


class InterchainAccountExists(
    InterchainAccountsError, code=3, source="ICS-27, ibc-go's `ErrAccountAlreadyExist`"
):
    """An account exists at the address of a new interchain account."""

    address: str
    text = "existing account for newly generated interchain account address {address}"


class InvalidChannelFlow(InterchainAccountsError, code=5, source="ICS-27, ibc-go's `ErrInvalidChannelFlow`"):
    """A handshake step or packet that this end does not support: only the controller opens and sends."""

    reason: str
    text = "invalid message sent to channel end: {reason}"


class InvalidOutgoingData(
    InterchainAccountsError, code=6, source="ICS-27, ibc-go's `ErrInvalidOutgoingData`"
):
    """Packet data to send has no type, no transaction, or a memo that is too long."""

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
    """The owner already has an active channel on this connection."""

    channel_id: str
    port_id: str
    text = "existing active channel {channel_id} for {port_id}"


class ActiveChannelNotFound(
    InterchainAccountsError, code=11, source="ICS-27, ibc-go's `ErrActiveChannelNotFound`"
):
    """The owner has no active channel on this connection, so nothing can be sent."""

    connection_id: str
    port_id: str
    text = "no active channel on {connection_id} for {port_id}"


class InvalidAccountsVersion(InterchainAccountsError, code=12, source="ICS-27, ibc-go's `ErrInvalidVersion`"):
    """The metadata has another version than ICS-27's, or differs from that of the previous channel."""

    reason: str
    text = "invalid interchain accounts version: {reason}"


class InvalidAccountAddress(
    InterchainAccountsError, code=13, source="ICS-27, ibc-go's `ErrInvalidAccountAddress`"
):
    """An interchain account's address has characters other than letters and digits, or the owner is blank."""

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
    """A packet's timeout would be in the past, because the relative timeout exceeds 64 bits."""

    timeout_ns: int
    text = "timeout timestamp {timeout_ns} is not in the future"


class UnsupportedEncoding(InterchainAccountsError, code=18, source="ICS-27, ibc-go's `ErrInvalidCodec`"):
    """The metadata has an encoding other than proto3 and proto3json."""

    encoding: str
    text = "unsupported encoding format {encoding!a}"


class InvalidAccountReopening(
    InterchainAccountsError, code=19, source="ICS-27, ibc-go's `ErrInvalidAccountReopening`"
):
    """A channel is reopened, but the account at its address is not an interchain account."""

    address: str
    text = "existing account {address} is no interchain account"


class IcaControllerError(IbcError):
    """Any error of codespace `icacontroller`."""

    codespace = "icacontroller"


class ControllerDisabled(
    IcaControllerError, code=2, source="ICS-27, ibc-go's `ErrControllerSubModuleDisabled`"
):
    """Governance has disabled the controller submodule of this chain."""

    text = "controller submodule is disabled"


class IcaHostError(IbcError):
    """Any error of codespace `icahost`."""

    codespace = "icahost"


class HostDisabled(IcaHostError, code=2, source="ICS-27, ibc-go's `ErrHostSubModuleDisabled`"):
    """Governance has disabled the host submodule of this chain."""

    text = "host submodule is disabled"


class NoSigners(InterchainAccountsError, code=1, source="an error without a code in ibc-go"):
    """The signer of a message of an interchain account is not a valid address."""

    type_url: str
    reason: str
    codespace = "undefined"
    text = "failed to obtain message signers for message type {type_url!a}: {reason}"


class InvalidAllowList(InterchainAccountsError, code=1, source="an error without a code in ibc-go"):
    """The list of messages that interchain accounts may execute is too long, or has invalid entries."""

    reason: str
    codespace = "undefined"
    text = "invalid allow list: {reason}"


# -- ICS-27 GMP (codespace `gmp`)
# Not used here: `ErrInvalidCodec` (1) is a host set up wrongly, `ErrAbiDecoding` (7) is reported as `ibc/12`,
# `ErrInvalidMsgRoute` (11) as an unknown type; ibc-go never raises `ErrAbiEncoding` (8) and
# `ErrAccountAlreadyExists` (9).


class GmpError(IbcError):
    """Any error of codespace `gmp`."""

    codespace = "gmp"


class InvalidCallMemo(GmpError, code=2, source="ICS-27 GMP, ibc-go's `ErrInvalidMemo`"):
    """A call's memo is too long."""

    size: int  # bytes
    limit: int
    text = "the memo has {size} bytes, {limit} at most"


class InvalidSalt(GmpError, code=3, source="ICS-27 GMP, ibc-go's `ErrInvalidSalt`"):
    """A call's salt is too long."""

    size: int  # bytes
    limit: int
    text = "salt of {size} bytes exceeds {limit}"


class InvalidCallPayload(GmpError, code=4, source="ICS-27 GMP, ibc-go's `ErrInvalidPayload`"):
    """A call is too long, has wrong ports, no messages, or a message with several signers."""

    reason: str
    text = "invalid payload: {reason}"


class InvalidCallTimeout(GmpError, code=5, source="ICS-27 GMP, ibc-go's `ErrInvalidTimeoutTimestamp`"):
    """A call has no timeout timestamp."""

    text = "timeout timestamp must be greater than 0"


class InvalidCallEncoding(GmpError, code=6, source="ICS-27 GMP, ibc-go's `ErrInvalidEncoding`"):
    """A call has an encoding other than JSON, protobuf or Solidity's ABI."""

    encoding: str
    text = "unsupported encoding {encoding!a}"


class CallAccountNotFound(GmpError, code=10, source="ICS-27 GMP, ibc-go's `ErrAccountNotFound`"):
    """The host has no account at a registered address, because the genesis omitted it."""

    address: str
    text = "account {address} not found"


class InvalidCallVersion(GmpError, code=12, source="ICS-27 GMP, ibc-go's `ErrInvalidVersion`"):
    """A payload has another version than `ics27-2`."""

    expected: str
    got: str
    text = "expected version {expected}, got {got!a}"
