"""Base class of errors, and ibc-go's shared errors, which every module uses (`modules/core/errors`)."""

from dataclasses import dataclass, fields
from inspect import cleandoc
from typing import Any, ClassVar, Self, dataclass_transform

_MOST_CODE = (1 << 32) - 1
_PANIC = "_is_panic"


@dataclass_transform(eq_default=False)
@dataclass(eq=False)
class IbcError(Exception):
    """Base class of protocol errors, with an ABCI codespace and code, and details as fields.

    A subclass automatically is a dataclass. It declares its fields and `text`, a `code` and, if another
    text or program has the same error, its `source`; code and source are appended to its docstring. A code
    is 1 to 2^32 - 1, the range of ABCI, where 0 means success.

    Errors compare by identity. They are pickled by their fields, so that Spark workers and test runners can
    pass them between processes.
    """

    codespace: ClassVar[str] = "ibc"
    code: ClassVar[int] = 1
    text: ClassVar[str] = "ibc error"

    def __init_subclass__(cls, *, code: int | None = None, source: str = "") -> None:
        super().__init_subclass__()
        if code is not None:
            if type(code) is not int or not 0 < code <= _MOST_CODE:
                raise ValueError(f"{cls.__name__}: code {code!a} is not in 1 to 2^32 - 1")
            cls.code = code
        if source:
            cls.__doc__ = f"{cleandoc(cls.__doc__ or '')}\n\n`{cls.codespace}/{cls.code}`: {source}."
        dataclass(eq=False)(cls)

    def as_panic(self) -> Self:
        """Mark this error as one at which ibc-go panics, and return it.

        If the refused message is executed by another message, the whole transaction then fails without a
        response, as for a broken invariant. The mark is not pickled.
        """
        vars(self)[_PANIC] = True
        return self

    @property
    def is_panic(self) -> bool:
        """True if ibc-go panics at this error."""
        return _PANIC in vars(self)

    def __str__(self) -> str:
        return self.text.format(**{f.name: getattr(self, f.name) for f in fields(self)})

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(getattr(self, f.name) for f in fields(self))


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
