"""Shared errors of ibc-go (`modules/core/errors`), used by every module (codespace `ibc`)."""

from pyibc.core.errors.base import IbcError


class SharedError(IbcError):
    """Any error of codespace `ibc`."""

    codespace = "ibc"


class InvalidSequence(SharedError, code=1, source="ibc-go's shared `ErrInvalidSequence`"):
    """The next receive sequence of a timeout or cleanup is invalid: zero, or not past the packet."""

    field: str
    got: int
    text = "{field}: invalid sequence {got}"


class Unauthorized(SharedError, code=2, source="ibc-go's shared `ErrUnauthorized`"):
    """The signer is not authorized: not the creator, authority, allowed relayer or owner of the coins."""

    expected: str
    got: str
    text = "unauthorized: expected {expected}, got {got}"


class InsufficientFunds(SharedError, code=3, source="ibc-go's shared `ErrInsufficientFunds`"):
    """Insufficient coins, as reported by other chains.

    Never raised here: the bank raises `InsufficientBalance`.
    """

    address: str
    needed: str
    text = "{address} has less than {needed}"


class UnknownRequest(SharedError, code=4, source="ibc-go's shared `ErrUnknownRequest`"):
    """No query route has this path, or an acknowledgement is not JSON as of ICS-20."""

    what: str
    text = "unknown request: {what}"


class InvalidAddress(SharedError, code=5, source="ibc-go's shared `ErrInvalidAddress`"):
    """An address is empty, too long, or not bech32 with this chain's prefix."""

    field: str
    value: str
    text = "{field}: invalid address {value!a}"


class InvalidCoins(SharedError, code=6, source="ibc-go's shared `ErrInvalidCoins`"):
    """A coin has a malformed denomination, or an amount that is no positive number up to 2^256-1."""

    coins: str
    text = "invalid coins {coins!a}"


class InvalidRequest(SharedError, code=8, source="ibc-go's shared `ErrInvalidRequest`"):
    """A query or message is invalid by a rule without its own code."""

    reason: str
    text = "invalid request: {reason}"


class InvalidHeight(SharedError, code=9, source="ibc-go's shared `ErrInvalidHeight`"):
    """A height is not `{revision}-{height}`, or not in the range required by the client."""

    reason: str
    text = "invalid height: {reason}"


class InvalidVersion(SharedError, code=10, source="ibc-go's shared `ErrInvalidVersion`"):
    """ConnOpenTry has no counterparty versions, or too many."""

    reason: str
    text = "invalid version: {reason}"


class InvalidChainId(SharedError, code=11, source="ibc-go's shared `ErrInvalidChainID`"):
    """An invalid chain identifier, as reported by other chains.

    Never raised here: light clients have their own errors for it.
    """

    chain_id: str
    text = "invalid chain id {chain_id!a}"


class InvalidType(SharedError, code=12, source="ibc-go's shared `ErrInvalidType`"):
    """Bytes are not of the expected type, such as ICS-20 packet data in a wrong encoding."""

    expected: str
    got: str
    text = "expected type {expected}, got {got}"


class PackAny(SharedError, code=13, source="ibc-go's shared `ErrPackAny`"):
    """A value that cannot be packed into an Any, as reported by other chains.

    Never raised here: only messages of known types are packed.
    """

    type_url: str
    text = "cannot pack {type_url!a}"


class UnpackAny(SharedError, code=14, source="ibc-go's shared `ErrUnpackAny`"):
    """An Any is malformed, empty, or of another type than expected."""

    type_url: str
    reason: str
    text = "cannot unpack {type_url!a}: {reason}"


class LogicFault(SharedError, code=15, source="ibc-go's shared `ErrLogic`"):
    """An invariant of the chain's own state or wiring is broken.

    The cause is a bug, a damaged store, or a chain that requests more coins than were ever escrowed for it.
    The message fails without an acknowledgement, so that it may be submitted again.
    """

    reason: str
    text = "broken invariant: {reason}"


class NotFound(SharedError, code=16, source="ibc-go's shared `ErrNotFound`"):
    """A query, or a message about a client's creator, is for something that is not in the store."""

    what: str
    text = "not found: {what}"


class TooLarge(SharedError, code=17, source="ibc-go's shared `ErrTooLarge`"):
    """A field is larger than the chain stores; unbounded state would cost every node forever."""

    field: str
    size: int
    limit: int
    text = "{field}: size {size} exceeds {limit}"
