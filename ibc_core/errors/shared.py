"""The shared errors of ibc-go (`modules/core/errors`), which every module uses (codespace `ibc`)."""

from typing import ClassVar

from ibc_core.errors.base import IbcError


class SharedError(IbcError):
    """Any error of codespace `ibc`."""

    codespace: ClassVar[str] = "ibc"


class InvalidSequence(SharedError):
    """A timeout or cleanup claims a next receive sequence that cannot be: zero, or not past the packet.

    `ibc/1`: ibc-go's shared `ErrInvalidSequence`.
    """

    field: str
    got: int
    code: ClassVar[int] = 1
    text: ClassVar[str] = "{field}: invalid sequence {got}"


class Unauthorized(SharedError):
    """The signer may not do this: it is not the creator, authority, allowed relayer or owner of the coins.

    `ibc/2`: ibc-go's shared `ErrUnauthorized`.
    """

    expected: str
    got: str
    code: ClassVar[int] = 2
    text: ClassVar[str] = "unauthorized: expected {expected}, got {got}"


class InsufficientFunds(SharedError):
    """Too few coins, as other chains report it.

    Never raised here: the bank has `InsufficientBalance`.

    `ibc/3`: ibc-go's shared `ErrInsufficientFunds`.
    """

    address: str
    needed: str
    code: ClassVar[int] = 3
    text: ClassVar[str] = "{address} has less than {needed}"


class UnknownRequest(SharedError):
    """No query route has this path, or an acknowledgement is not the JSON that ICS-20 answers with.

    `ibc/4`: ibc-go's shared `ErrUnknownRequest`.
    """

    what: str
    code: ClassVar[int] = 4
    text: ClassVar[str] = "unknown request: {what}"


class InvalidAddress(SharedError):
    """An address is empty, too long, or not bech32 with this chain's prefix.

    `ibc/5`: ibc-go's shared `ErrInvalidAddress`.
    """

    field: str
    value: str
    code: ClassVar[int] = 5
    text: ClassVar[str] = "{field}: invalid address {value!a}"


class InvalidCoins(SharedError):
    """A coin has a malformed denomination, or an amount that is no positive number up to 2^256-1.

    `ibc/6`: ibc-go's shared `ErrInvalidCoins`.
    """

    coins: str
    code: ClassVar[int] = 6
    text: ClassVar[str] = "invalid coins {coins!a}"


class InvalidRequest(SharedError):
    """A query or message breaks a rule that has no code of its own.

    `ibc/8`: ibc-go's shared `ErrInvalidRequest`.
    """

    reason: str
    code: ClassVar[int] = 8
    text: ClassVar[str] = "invalid request: {reason}"


class InvalidHeight(SharedError):
    """A height is not `{revision}-{height}`, or is not above or within what the client knows.

    `ibc/9`: ibc-go's shared `ErrInvalidHeight`.
    """

    reason: str
    code: ClassVar[int] = 9
    text: ClassVar[str] = "invalid height: {reason}"


class InvalidVersion(SharedError):
    """ConnOpenTry offers no counterparty version, or too many.

    `ibc/10`: ibc-go's shared `ErrInvalidVersion`.
    """

    reason: str
    code: ClassVar[int] = 10
    text: ClassVar[str] = "invalid version: {reason}"


class InvalidChainId(SharedError):
    """An invalid chain identifier, as other chains report it.

    Never raised here: light clients have errors of their own for it.

    `ibc/11`: ibc-go's shared `ErrInvalidChainID`.
    """

    chain_id: str
    code: ClassVar[int] = 11
    text: ClassVar[str] = "invalid chain id {chain_id!a}"


class InvalidType(SharedError):
    """Bytes are not of the type that they should be, as ICS-20 packet data in a wrong encoding.

    `ibc/12`: ibc-go's shared `ErrInvalidType`.
    """

    expected: str
    got: str
    code: ClassVar[int] = 12
    text: ClassVar[str] = "expected type {expected}, got {got}"


class PackAny(SharedError):
    """A value that does not go into an Any, as other chains report it.

    Never raised here: only messages of known types are packed.

    `ibc/13`: ibc-go's shared `ErrPackAny`.
    """

    type_url: str
    code: ClassVar[int] = 13
    text: ClassVar[str] = "cannot pack {type_url!a}"


class UnpackAny(SharedError):
    """An Any is malformed, empty, or of another type than asked for.

    `ibc/14`: ibc-go's shared `ErrUnpackAny`.
    """

    type_url: str
    reason: str
    code: ClassVar[int] = 14
    text: ClassVar[str] = "cannot unpack {type_url!a}: {reason}"


class LogicFault(SharedError):
    """An invariant of the chain's own state or wiring is broken.

    By a bug or a damaged store, or by a chain that asks for more coins than were ever escrowed for it. The
    message fails and nothing is answered, so that it may be brought again.

    `ibc/15`: ibc-go's shared `ErrLogic`.
    """

    reason: str
    code: ClassVar[int] = 15
    text: ClassVar[str] = "broken invariant: {reason}"


class NotFound(SharedError):
    """A query, or a message about a client's creator, asks for something that is not in the store.

    `ibc/16`: ibc-go's shared `ErrNotFound`.
    """

    what: str
    code: ClassVar[int] = 16
    text: ClassVar[str] = "not found: {what}"


class TooLarge(SharedError):
    """A field is larger than the chain stores; what goes into state unbounded costs every node forever.

    `ibc/17`: ibc-go's shared `ErrTooLarge`.
    """

    field: str
    size: int
    limit: int
    code: ClassVar[int] = 17
    text: ClassVar[str] = "{field}: size {size} exceeds {limit}"
