"""The shared errors of ibc-go (`modules/core/errors`), which every module uses (codespace `ibc`)."""

from ibc_core.errors.base import IbcError


class SharedError(IbcError):
    """Any error of codespace `ibc`."""

    codespace = "ibc"


class InvalidSequence(SharedError, code=1, source="ibc-go's shared `ErrInvalidSequence`"):
    """A timeout or cleanup claims a next receive sequence that cannot be: zero, or not past the packet."""

    field: str
    got: int
    text = "{field}: invalid sequence {got}"


class Unauthorized(SharedError, code=2, source="ibc-go's shared `ErrUnauthorized`"):
    """The signer may not do this: it is not the creator, authority, allowed relayer or owner of the coins."""

    expected: str
    got: str
    text = "unauthorized: expected {expected}, got {got}"


class InsufficientFunds(SharedError, code=3, source="ibc-go's shared `ErrInsufficientFunds`"):
    """Too few coins, as other chains report it.

    Never raised here: the bank has `InsufficientBalance`.
    """

    address: str
    needed: str
    text = "{address} has less than {needed}"


class UnknownRequest(SharedError, code=4, source="ibc-go's shared `ErrUnknownRequest`"):
    """No query route has this path, or an acknowledgement is not the JSON that ICS-20 answers with."""

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
    """A query or message breaks a rule that has no code of its own."""

    reason: str
    text = "invalid request: {reason}"


class InvalidHeight(SharedError, code=9, source="ibc-go's shared `ErrInvalidHeight`"):
    """A height is not `{revision}-{height}`, or is not above or within what the client knows."""

    reason: str
    text = "invalid height: {reason}"


class InvalidVersion(SharedError, code=10, source="ibc-go's shared `ErrInvalidVersion`"):
    """ConnOpenTry offers no counterparty version, or too many."""

    reason: str
    text = "invalid version: {reason}"


class InvalidChainId(SharedError, code=11, source="ibc-go's shared `ErrInvalidChainID`"):
    """An invalid chain identifier, as other chains report it.

    Never raised here: light clients have errors of their own for it.
    """

    chain_id: str
    text = "invalid chain id {chain_id!a}"


class InvalidType(SharedError, code=12, source="ibc-go's shared `ErrInvalidType`"):
    """Bytes are not of the type that they should be, as ICS-20 packet data in a wrong encoding."""

    expected: str
    got: str
    text = "expected type {expected}, got {got}"


class PackAny(SharedError, code=13, source="ibc-go's shared `ErrPackAny`"):
    """A value that does not go into an Any, as other chains report it.

    Never raised here: only messages of known types are packed.
    """

    type_url: str
    text = "cannot pack {type_url!a}"


class UnpackAny(SharedError, code=14, source="ibc-go's shared `ErrUnpackAny`"):
    """An Any is malformed, empty, or of another type than asked for."""

    type_url: str
    reason: str
    text = "cannot unpack {type_url!a}: {reason}"


class LogicFault(SharedError, code=15, source="ibc-go's shared `ErrLogic`"):
    """An invariant of the chain's own state or wiring is broken.

    By a bug or a damaged store, or by a chain that asks for more coins than were ever escrowed for it. The
    message fails and nothing is answered, so that it may be brought again.
    """

    reason: str
    text = "broken invariant: {reason}"


class NotFound(SharedError, code=16, source="ibc-go's shared `ErrNotFound`"):
    """A query, or a message about a client's creator, asks for something that is not in the store."""

    what: str
    text = "not found: {what}"


class TooLarge(SharedError, code=17, source="ibc-go's shared `ErrTooLarge`"):
    """A field is larger than the chain stores; what goes into state unbounded costs every node forever."""

    field: str
    size: int
    limit: int
    text = "{field}: size {size} exceeds {limit}"
